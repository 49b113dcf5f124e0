from __future__ import annotations

from typing import Any

import pytest

from replaylab.examine.scenario import SECTIONS
from replaylab.synthesis.parts import Misfit, Place, environment_of, reference_of, scenario_of, task_of
from tests.synthesis.playing import order, source

PARTS: dict[str, Any] = {
    "environment": {"system_prompt": "p", "clock": "2026-01-01T00:00:00Z"},
    "tools": [
        {
            "name": "look",
            "description": "d",
            "effect": "read",
            "parameters": {"type": "object"},
            "example_output": {},
        }
    ],
    "state": {"gates": {}},
    "description": {"gates": "All gates."},
    "instruction": "i",
    "plan": {"calls": [{"tool": "look", "arguments": {}}], "answer": "a"},
    "rubric": "r",
    "checks": [{"id": "a", "kind": "called", "tool": "look"}],
    "reference": {"terms": "- t", "state_variables": "- v"},
    "summary": "s",
    "subtopics": ["a"],
}


def place(**changed: Any) -> Place:
    return Place(order(**changed), source(), 0, 2)


def test_ids_say_which_scenario_synthesis_instance_and_level_it_is() -> None:
    one = place()
    assert one.task == f"{source().id}.{one.order.name}.i0.l2"
    assert one.task.startswith(one.environment)
    assert one.scenario == f"{source().id}.{one.order.name}"
    assert place(held_out=100).scenario.endswith(".held")


def test_parts_make_an_environment_and_a_task_with_the_canary_in_them() -> None:
    one = place()
    environment, task = environment_of(one, PARTS), task_of(one, PARTS)
    assert environment.notes == (one.order.canary,)
    assert task.rubric.checks[0]["note"] == one.order.canary
    assert PARTS["checks"][0].get("note") is None  # the part itself stays as it was written
    assert (task.difficulty, task.expected_calls, task.environment) == (2, 1, environment.id)
    scenario = scenario_of(one, PARTS, environment, (task,))
    assert (scenario.summary, scenario.industry) == ("s", source().industry)


@pytest.mark.parametrize(
    ("name", "value", "part"),
    [
        ("tools", [{"name": "look", "effect": "both"}], "tools"),
        ("tools", [{"name": 7}], "tools"),
        ("plan", {"calls": [{"tool": "look", "arguments": {}, "purpose": "hope"}], "answer": ""}, "plan"),
        ("plan", {"calls": "none", "answer": ""}, "plan"),
    ],
)
def test_what_does_not_fit_says_which_part_it_is(name: str, value: Any, part: str) -> None:
    parts = {**PARTS, name: value}
    reads = environment_of if part == "tools" else task_of
    with pytest.raises(Misfit) as caught:
        reads(place(), parts)
    assert caught.value.part == part
    assert caught.value.findings[0].where.startswith(part)


def test_the_reference_has_every_section_and_names_every_variable_of_the_state() -> None:
    text = reference_of(source(), PARTS, "canary")
    assert all(f"\n## {section}\n" in text for section in SECTIONS)
    assert "- `gates`: All gates." in text
    assert text.rstrip().endswith("<!-- canary -->")
