"""What a call has made and a list leaves out."""

from __future__ import annotations

import pytest

from tests.diff.plainly import DEPOT, Observed, call, depot, row, said

TRIPS = DEPOT["trips"]
PLANNED = call("plan_trip", {"trip": "TR-3", "ok": True}, boat="B-2", berth="K1", day="2026-05-01")
ANOTHER = {"trip": "TR-3", "boat": "B-2"}


def trips(*names: str, more: bool = False, **asked: str) -> Observed:
    rows = [row(TRIPS, one, "trip", "boat") for one in names] + [ANOTHER] * more
    return call("trips", {"trips": rows}, **asked)


@pytest.mark.parametrize(
    ("calls", "missed"),
    [
        ([PLANNED, trips("TR-1", "TR-2", more=True, day="2026-05-01")], []),
        ([PLANNED, trips("TR-1", "TR-2", day="2026-05-01")], ["TR-3"]),
        ([PLANNED, trips("TR-1", day="2026-05-01", berth="K1")], ["TR-3"]),
        ([PLANNED, trips("TR-2", day="2026-05-01", berth="K2")], []),
        (
            [
                PLANNED,
                call("cancel_trip", {"ok": True}, trip="TR-3"),
                trips("TR-1", "TR-2", day="2026-05-01"),
            ],
            [],
        ),
        (
            [PLANNED, call("pay_boat", {"ok": True}, boat="B-1"), trips("TR-1", "TR-2", day="2026-05-01")],
            ["TR-3"],
        ),
        ([trips("TR-1", "TR-2", day="2026-05-01")], []),
        ([PLANNED, trips("TR-1", "TR-2", day="2026-05-01", page="1")], []),
    ],
)
def test_what_was_made_for_what_is_asked_is_there(calls: list[Observed], missed: list[str]) -> None:
    assert [name for _, name in said(depot(), *calls)] == missed
