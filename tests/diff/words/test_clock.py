"""Who says that time has passed must be able to tell what time it is."""

from __future__ import annotations

import pytest

from replaylab.diff.words.clock import clocks, is_elapsed
from tests.diff.valley import LOCKS, Asked, true_of
from tests.diff.ward import ward


@pytest.mark.parametrize(
    "text",
    [
        "the window closed two hours ago",
        "the order has expired",
        "it is too late",
        "must be within the last 30 days",
    ],
)
def test_passed_time_is_heard(text: str) -> None:
    assert is_elapsed(text)


@pytest.mark.parametrize("text", ["the window is open", "bed B2 is taken", "no nurse is free"])
def test_other_reasons_need_no_clock(text: str) -> None:
    assert not is_elapsed(text)


def test_a_field_that_tells_the_time_is_a_clock() -> None:
    assert list(clocks(ward())) == []
    assert list(clocks(ward(state={"current_time": "10:00"}))) == ["/initial_state/current_time"]


def test_a_time_of_one_thing_is_no_clock() -> None:
    assert list(clocks(ward(state={"log": [{"current_time": "10:00"}]}))) == []


def test_what_happened_today_is_no_clock() -> None:
    status: Asked = ("flight_status", {})
    remark = ("write_log", {"text": "Wind from the west."})
    assert (
        true_of(LOCKS, status, ("lock_through", {"lock": "Mill Lock", "direction": "up"}), remark, status)
        == []
    )
