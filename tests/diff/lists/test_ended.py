"""What is still shown after a call took it out."""

from __future__ import annotations

import pytest

from tests.diff.plainly import DEPOT, Observed, call, depot, row, said

BOATS, TRIPS = DEPOT["boats"], DEPOT["trips"]
PAID = call("pay_boat", {"booked": True}, boat="B-1")
DELETED = call("delete_boat", {"ok": True}, boat="B-2")
CANCELLED = call("cancel_trip", {"status": "cancelled"}, trip="TR-1")
TOLD = "You simulate a depot. Cancelled trips stay on record but are not listed among the trips of a day."


def boats(tool: str, *names: str) -> Observed:
    return call(tool, {"boats": [row(BOATS, one, "boat", "owner", "berth") for one in names]})


def trips(*names: str) -> Observed:
    return call("trips", {"trips": [row(TRIPS, one, "trip", "boat") for one in names]}, day="2026-05-01")


@pytest.mark.parametrize(
    ("prompt", "calls", "wrong"),
    [
        ("", [boats("unpaid", "B-1", "B-2")], []),
        ("", [PAID, boats("unpaid", "B-2")], []),
        ("", [PAID, boats("unpaid", "B-1", "B-2")], ["B-1"]),
        ("", [PAID, boats("boats", "B-1", "B-2", "B-3")], []),
        ("", [DELETED, boats("boats", "B-1", "B-3")], []),
        ("", [DELETED, boats("boats", "B-1", "B-2", "B-3")], ["B-2"]),
        (TOLD, [CANCELLED, trips("TR-2")], []),
        (TOLD, [CANCELLED, trips("TR-1", "TR-2")], ["TR-1"]),
        ("", [CANCELLED, trips("TR-1", "TR-2")], []),
    ],
)
def test_what_a_call_took_out_of_a_list_is_in_it_no_more(
    prompt: str, calls: list[Observed], wrong: list[str]
) -> None:
    of = depot(prompt) if prompt else depot()
    assert [name for _, name in said(of, *calls)] == wrong
