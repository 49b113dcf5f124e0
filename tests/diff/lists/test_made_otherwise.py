"""What a call has made, shown later with other values."""

from __future__ import annotations

from typing import Any

import pytest

from tests.diff.plainly import Observed, call, depot, said

PLANNED = call("plan_trip", {"trip": "TR-3", "ok": True}, boat="B-2", berth="K1", day="2026-05-02")


def trip(**told: Any) -> Observed:
    row = {"trip": "TR-3", "boat": "B-2", "berth": "K1", "day": "2026-05-02", **told}
    return call("trip", row, trip="TR-3")


def trips(**told: Any) -> Observed:
    row = {"trip": "TR-3", "boat": "B-2", "berth": "K1", "day": "2026-05-02", **told}
    return call("trips", {"trips": [row]}, day="2026-05-02")


@pytest.mark.parametrize(
    ("calls", "wrong"),
    [
        ([PLANNED, trip()], False),
        ([PLANNED, trip(boat="B-1")], True),
        ([PLANNED, trip(berth="K2")], True),
        ([PLANNED, trip(day="2026-05-04")], True),
        ([PLANNED, trip(skipper="Finn")], False),
        ([PLANNED, trips()], False),
        ([PLANNED, trips(boat="B-3")], True),
        ([PLANNED, call("cancel_trip", {"ok": True}, trip="TR-3"), trip(status="cancelled")], False),
    ],
)
def test_what_was_made_shows_what_it_was_made_with(calls: list[Observed], wrong: bool) -> None:
    assert bool(said(depot(), *calls)) is wrong
