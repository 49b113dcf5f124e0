"""Writes that return another value than they were given."""

from __future__ import annotations

from typing import Any

import pytest

from replaylab.schema.scenario import Environment, Tool
from tests.diff.ward import TOOLS, call, found, ward

CHOICE = {"type": "string", "enum": ["stable", "critical", "none", "discharged"]}


def with_setter() -> Environment:
    properties = {"patient_id": {"type": "string"}, "condition": CHOICE, "note": {"type": "string"}}
    setter = Tool(
        name="set_condition",
        description="Sets how a patient is.",
        parameters={"type": "object", "properties": properties, "required": ["patient_id", "condition"]},
        effect="write",
    )
    return ward(tools=(*TOOLS, setter))


def test_an_argument_may_say_that_it_is_new_too() -> None:
    properties = {"patient_id": {"type": "string"}, "new_condition": CHOICE}
    setter = Tool(
        name="set_condition",
        description="Sets how a patient is.",
        parameters={"type": "object", "properties": properties},
        effect="write",
    )
    one = call("set_condition", {"condition": "stable"}, patient_id="P-101", new_condition="critical")
    assert found(one, of=ward(tools=(*TOOLS, setter))) == [("contradiction", "changed_value", "P-101")]


def said(returned: Any) -> list[tuple[str, ...]]:
    one = call("set_condition", returned, patient_id="P-101", condition="critical", note="short of breath")
    return found(one, of=with_setter())


@pytest.mark.parametrize("field", ["condition", "new_condition", "updated_condition"])
def test_another_choice_is_a_contradiction(field: str) -> None:
    assert said({field: "stable"}) == [("contradiction", "changed_value", "P-101")]
    assert said({field: "critical"}) == said({field: "Critical"}) == []


@pytest.mark.parametrize(
    "returned",
    [
        {"condition": "worsening"},  # none of the choices: another word for it
        {"condition": "none"},  # says nothing
        {"target_condition": "stable"},  # what is aimed at
        {"status": "success"},
        {"note": "taken down"},
        {"old_condition": "stable"},
        {"condition": 3},
    ],
)
def test_other_words_and_other_fields_are_not(returned: Any) -> None:
    assert said(returned) == []
