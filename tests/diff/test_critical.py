from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import pytest

from replaylab.diff.calls.world import Step
from replaylab.diff.check import Observed, check_observations
from replaylab.diff.critical import Critical
from replaylab.schema.scenario import Environment, Rubric, Task, Tool
from replaylab.schema.violation import Violation

UNITS = Tool(
    name="list_units",
    effect="read",
    description="Lists all units.",
    example_output={"units": [{"id": "u-1", "level": 1}]},
)
DEPOT = Environment(
    id="depot",
    system_prompt="You play a depot.",
    tools=(UNITS,),
    initial_state={"units": [{"id": f"U-{number}", "level": number} for number in range(3)]},
    state_description={"units": "all units"},
)
LEVEL = {"id": "level", "kind": "observed", "key": "level", "value": {"ge": 1}}


def task(text: str = "The depot is full.", *checks: dict[str, Any]) -> Task:
    return Task(
        id="t",
        scenario="s",
        environment="depot",
        instruction="Look.",
        rubric=Rubric(text=text, checks=checks),
    )


def violation(pointer: str, kind: Any = "contradiction", entity: str = "") -> Violation:
    return Violation(
        kind=kind, subkind="x", call=0, tool="list_units", pointer=pointer, entity=entity, confidence=0.9
    )


STEP = Step(0, UNITS, {}, {"units": [{"id": "U-0", "level": 5, "a/b": 1}], "note": "x"}, refused=False)


@pytest.mark.parametrize(
    ("pointer", "depends"),
    [
        ("/units/0/level", True),
        ("/units/0", True),
        ("/units", True),
        ("/units/0/id", False),
        ("/note", False),
        ("", False),
    ],
)
def test_what_a_check_looks_at_and_what_holds_it_is_critical(pointer: str, depends: bool) -> None:
    assert Critical(task("No names.", LEVEL)).depends_on(violation(pointer), STEP) is depends


def test_a_thing_that_the_rubric_names_is_critical() -> None:
    critical = Critical(task("U-7 must not be used."))
    assert critical.depends_on(violation("/note", entity="U-7"), STEP)
    assert not critical.depends_on(violation("/note", entity="U-70"), STEP)


def test_without_a_task_nothing_is() -> None:
    assert not Critical(None).depends_on(violation("/units", entity="U-7"), STEP)


def test_two_calls_are_not_taken_for_each_other() -> None:
    critical = Critical(task("No names.", LEVEL))
    other = Step(1, UNITS, {}, {"level": 5}, refused=False)
    assert critical.depends_on(violation("/units"), STEP)
    assert not critical.depends_on(violation("/units"), other)
    assert critical.depends_on(violation("/level"), other)


def calls_of(work: Callable[[], object]) -> int:
    """How many calls of functions some work takes: the same on every machine."""
    count = 0

    def counted(frame: Any, event: str, argument: Any) -> None:
        nonlocal count
        count += event == "call"

    before = sys.getprofile()
    sys.setprofile(counted)
    try:
        work()
    finally:
        sys.setprofile(before)
    return count


def test_an_answer_that_is_four_times_as_long_takes_about_four_times_the_work() -> None:
    def check(rows: int) -> int:
        said = {"units": [{"id": f"U-{number}", "level": number} for number in range(rows)]}
        return calls_of(
            lambda: check_observations(DEPOT, task("No names.", LEVEL), [Observed("list_units", {}, said)])
        )

    check(10)
    assert check(400) < 6 * check(100)
