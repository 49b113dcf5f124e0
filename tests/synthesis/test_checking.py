"""Proposed checks are kept where they agree with the votes, on trajectories that passed and that failed."""

from __future__ import annotations

from typing import Any

import pytest

from replaylab.catalogue.index import shipped
from replaylab.catalogue.twin import load_twin
from replaylab.errors import UsageError
from replaylab.examine.stage import Stage
from replaylab.examine.twin import wrong_ways
from replaylab.synthesis.checking import Voted, validated
from tests.playground import SHORT, catalogue


@pytest.fixture(scope="module")
def stage() -> Stage:
    found = catalogue().task(SHORT)
    folder = catalogue().folder(found.scenario.id)
    return Stage(found, lambda: load_twin(folder, found.environment, trusted=[shipped()]))


@pytest.fixture(scope="module")
def voted(stage: Stage) -> list[Voted]:
    """The plan, which passes, and every wrong way, which fails: what good judges would say of them."""
    ways = [stage.judge(calls, answer) for calls, answer in wrong_ways(stage).values()]
    right = stage.judge(stage.plan, stage.answer)
    return [Voted(one.trajectory, one.outcome) for one in (right, *ways)]


def agreed(stage: Stage, voted: list[Voted], *checks: dict[str, Any]) -> Any:
    return validated(checks, stage.found.environment, voted)


def test_the_checks_of_a_shipped_task_agree_with_its_own_verdicts(stage: Stage, voted: list[Voted]) -> None:
    found = agreed(stage, voted, *stage.found.task.rubric.checks)
    assert not found.contradict
    assert (found.alike, found.of) == (len(voted), len(voted))


def test_a_check_that_fails_what_the_votes_pass_is_dropped(stage: Stage, voted: list[Voted]) -> None:
    found = agreed(stage, voted, {"id": "no", "kind": "said", "value": "unobtainium"})
    assert (found.kept, found.contradict, found.idle) == ((), ("no",), ())
    assert (found.alike, found.of) == (0, len(voted))


def test_a_check_that_fails_nothing_is_dropped(stage: Stage, voted: list[Voted]) -> None:
    (tool, *_) = stage.found.environment.tools
    check = {"id": "idle", "kind": "forbid", "tool": tool.name, "args": {"no_such": 1}}
    found = agreed(stage, voted, check)
    assert (found.kept, found.idle) == ((), ("idle",))


def test_a_check_that_another_one_needs_is_kept_with_it(stage: Stage, voted: list[Voted]) -> None:
    first, last = stage.plan[0], stage.plan[-1]
    quiet = {
        "id": "looked",
        "kind": "called",
        "tool": first.tool,
        "args": first.arguments,
        "count": {"min": 0},
    }
    needs = {
        "id": "order",
        "kind": "order",
        "before": "looked",
        "then": {"kind": "called", "tool": last.tool},
    }
    found = agreed(stage, voted, quiet, needs)
    assert found.idle == ("looked",)
    assert set(found.kept) == {"order", "looked"}


def test_a_check_that_refers_to_one_that_contradicts_goes_with_it(stage: Stage, voted: list[Voted]) -> None:
    bad = {"id": "bad", "kind": "said", "value": "unobtainium"}
    on_it = {"id": "on-it", "kind": "all", "of": ["bad"]}
    found = agreed(stage, voted, bad, on_it)
    assert found.kept == ()


def test_trials_without_a_verdict_take_no_part(stage: Stage, voted: list[Voted]) -> None:
    undecided = [one._replace(outcome="error") for one in voted]
    assert agreed(stage, undecided, *stage.found.task.rubric.checks).of == 0


def test_a_rubric_that_can_t_be_read_is_an_error(stage: Stage, voted: list[Voted]) -> None:
    with pytest.raises(UsageError):
        agreed(stage, voted, {"id": "x", "kind": "hoped"})
