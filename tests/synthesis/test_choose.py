from __future__ import annotations

import pytest

from replaylab.synthesis.choose import chosen, too_plain, unsolved
from replaylab.synthesis.history import Tally, TaskHistory


def tally(passed: int, failed: int, error: int = 0) -> Tally:
    return Tally(passed=passed, failed=failed, error=error)


def task(level: int, passed: int, failed: int, status: str = "passed over") -> TaskHistory:
    return TaskHistory.model_validate(
        {"id": f"t{level}", "level": level, "status": status, "alone": {"a": tally(passed, failed)}}
    )


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        (tally(1, 2), ""),
        (tally(3, 0), ""),
        (tally(0, 3), "unsolvable"),
        (tally(0, 1, 2), "unsolvable"),
        (tally(0, 0, 3), "undecided"),
        (tally(0, 0), "undecided"),
    ],
)
def test_a_task_is_solvable_when_its_plan_solved_it_once(given: Tally, reason: str) -> None:
    assert unsolved(given) == reason


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        (tally(1, 1), ""),
        (tally(3, 0), "always solved"),
        (tally(3, 0, 1), "always solved"),
        (tally(0, 3), "never solved"),
        (tally(0, 3, 1), "never solved"),
        (tally(0, 0, 4), "undecided"),
    ],
)
def test_an_error_counts_for_neither_side(given: Tally, reason: str) -> None:
    assert too_plain(given) == reason


def test_the_lowest_rate_above_zero_and_below_one_is_chosen() -> None:
    assert chosen([task(1, 3, 1), task(2, 1, 3), task(3, 0, 4), task(4, 2, 2)]) == "t2"
    assert chosen([task(1, 4, 0), task(2, 0, 4)]) == ""
    assert chosen([]) == ""


def test_rates_are_compared_exactly_and_the_lower_level_wins_among_equals() -> None:
    assert chosen([task(3, 1, 2), task(2, 2, 4), task(4, 100, 200)]) == "t2"
    assert chosen([task(1, 1, 2), task(2, 333, 667)]) == "t2"


def test_what_was_dropped_is_not_chosen() -> None:
    assert chosen([task(1, 1, 3, "dropped"), task(2, 3, 1)]) == "t2"


def test_a_rate_is_over_all_agents_and_unknown_without_a_verdict() -> None:
    both = TaskHistory(id="t", level=1, status="passed over", alone={"a": tally(1, 0), "b": tally(0, 3, 5)})
    assert both.rate == 0.25
    assert TaskHistory(id="t", level=1, status="dropped", alone={"a": tally(0, 0, 2)}).rate is None
