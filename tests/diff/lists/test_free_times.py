"""Times that are called free although something is booked then."""

from __future__ import annotations

import pytest

from tests.diff.plainly import Observed, call, said, studio

CANCELLED = call("cancel_lesson", {"status": "cancelled"}, lesson="LS-1")
BOOKED = call("book_lesson", {"lesson": "LS-5"}, room="North", teacher="Roe", start="2026-06-01 09:00")


def free(*times: str, room: str = "North", day: str = "2026-06-01", tool: str = "free_times") -> Observed:
    return call(tool, {"free" if tool == "free_times" else "times": list(times)}, room=room, day=day)


@pytest.mark.parametrize(
    ("calls", "wrong"),
    [
        ([free("09:00", "11:00", "12:00")], []),
        ([free("09:00", "10:00")], ["LS-1"]),
        ([free("11:00", room="South")], ["LS-2"]),
        ([free("10:00", room="South")], []),
        ([free("10:00", "11:00", day="2026-06-02")], ["LS-3"]),
        ([free("10:00", "11:00", day="2026-06-03")], []),
        ([free("12:00")], []),
        ([CANCELLED, free("10:00")], []),
        ([free("10:00", tool="times")], []),
    ],
)
def test_what_is_booked_is_not_free(calls: list[Observed], wrong: list[str]) -> None:
    assert [name for _, name in said(studio(), *calls)] == wrong
