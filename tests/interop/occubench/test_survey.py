"""Each irregularity is counted where it occurs and nowhere else."""

from __future__ import annotations

from pathlib import Path

import pytest

from replaylab.interop.occubench.source import SourceEnvironment, read_source
from replaylab.interop.occubench.survey import PROBES, notes_on, survey
from replaylab.schema.base import Json, JsonObject
from tests.interop.occubench.made import BODY, DESCRIBED, STATE, TOOLS, config

# As counted in the published data: kind -> (occurrences, configurations, one configuration that has it).
PUBLISHED = {
    "initial_state_repeated": (16, 16, "env_0f38cc122f10"),
    "actions_repeated": (8, 8, "env_02195d526919"),
    "descriptions_repeated": (2, 2, "env_96c3f8b01ec2"),
    "descriptions_not_mentioned": (3, 3, "env_863ac79a8263"),
    "foreign_placeholder": (9, 8, "env_4b6165c7d458"),
    "format_fails": (382, 382, "env_007fe9c5fdcb"),
    "appendix_differs": (2, 2, "env_443edc6e2e0b"),
    "braces_in_state": (13, 8, "env_86e8eada2c2a"),
    "json_in_state_text": (4, 3, "env_a8153142ee0e"),
    "no_entity_collection": (160, 160, "env_007fe9c5fdcb"),
    "empty_list_in_state": (100, 80, "env_00911ad654c5"),
    "ragged_list_in_state": (38, 34, "env_02dcd90095cb"),
    "equal_rows_in_state": (4, 2, "env_1a696148fc78"),
    "field_without_description": (10, 4, "env_02dcd90095cb"),
    "example_null": (27, 22, "env_3a5f461f6e07"),
    "example_list": (20, 12, "env_0b2f8c15aad2"),
    "example_missing": (10, 5, "env_01c691934570"),
    "empty_list_in_example": (42, 38, "env_00911ad654c5"),
    "error_in_example": (10, 10, "env_2c92d2b07188"),
    "parameter_without_description": (482, 90, "env_021880b55a98"),
    "parameters_without_required": (35, 26, "env_021880b55a98"),
    "object_without_properties": (25, 24, "env_0b2f8c15aad2"),
    "non_ascii": (30, 30, "env_0e7e9d1aaee9"),
    "non_ascii_in_state": (7, 7, "env_3433226d75f3"),
}
NOT_IN_THE_DATA = {"mixed_list_in_state", "description_without_field"}


def test_the_published_data_give_the_published_counts(occubench: Path) -> None:
    found = {
        one.kind: (one.count, one.environments, one.example)
        for one in survey(read_source(occubench).environments.values())
    }
    everywhere = {kind: found.pop(kind) for kind in ("inline_placeholder", "doubled_braces")}
    assert found == PUBLISHED
    assert {environments for _, environments, _ in everywhere.values()} == {382}
    assert PROBES.keys() == PUBLISHED.keys() | everywhere.keys() | NOT_IN_THE_DATA


def read(one: JsonObject) -> SourceEnvironment:
    return SourceEnvironment.model_validate(one)


def odd(body: str = BODY, **changes: object) -> JsonObject:
    """A configuration with one tool that is as it should be, but for the changes."""
    return config("env_a", body=body, **({"action_set_definitions": TOOLS[:1]} | changes))


def with_state(**fields: object) -> JsonObject:
    state = STATE | fields
    return odd(task_initial_state=state, state_description=dict.fromkeys(state, "x"))


def with_tool(**fields: object) -> JsonObject:
    tool = {key: part for key, part in (TOOLS[0] | fields).items() if part != "left out"}
    return odd(action_set_definitions=[tool])


def schema(**properties: object) -> JsonObject:
    return {"type": "object", "properties": properties, "required": []}


CASES = {
    "initial_state_repeated": odd(BODY + "{{initial_state}}\n"),
    "actions_repeated": odd(BODY + "{{action_set_definitions}}\n"),
    "descriptions_repeated": odd(BODY + "{{state_descriptions}}\n"),
    "descriptions_not_mentioned": odd(BODY.replace("{{state_descriptions}}", "see below")),
    "foreign_placeholder": odd(BODY + "{{new_state}}\n"),
    "appendix_differs": odd() | {"state_description": DESCRIBED | {"mode": "Other."}},
    "braces_in_state": with_state(code="if (x) { y }"),
    "json_in_state_text": with_state(code="[1, 2]"),
    "no_entity_collection": odd(task_initial_state={"tanks": 2, "mode": {"now": {"on": True}}}),
    "empty_list_in_state": with_state(alarms=[]),
    "ragged_list_in_state": with_state(alarms=[{"a": 1}, {"b": 1}]),
    "equal_rows_in_state": with_state(alarms=[{"a": 1}, {"a": 1}]),
    "mixed_list_in_state": with_state(alarms=[{"a": 1}, 1]),
    "field_without_description": odd(task_initial_state=STATE | {"x": 1}),
    "description_without_field": odd(state_description=DESCRIBED | {"x": "y"}),
    "example_null": with_tool(example_output=None),
    "example_list": with_tool(example_output=[{"level": 1}]),
    "example_missing": with_tool(example_output="left out"),
    "empty_list_in_example": with_tool(example_output={"a": [], "b": []}),
    "error_in_example": with_tool(example_output={"errors": 0}),
    "parameter_without_description": with_tool(parameters=schema(tank={"type": "string"})),
    "parameters_without_required": with_tool(parameters={"type": "object", "properties": {}}),
    "object_without_properties": with_tool(parameters=schema(tank={"type": "object", "description": "x"})),
    "non_ascii": with_tool(description="µ"),
    "non_ascii_in_state": with_state(unit="µ"),
}


@pytest.mark.parametrize("kind", CASES)
def test_a_made_irregularity_is_counted_once_and_alone(kind: str) -> None:
    before = {one.kind for one in survey([read(odd())])}
    found = {one.kind: one.count for one in survey([read(CASES[kind])])}
    assert found[kind] == 1
    # A state that is not ASCII makes its configuration so.
    assert found.keys() - before - {"non_ascii"} == {kind} - {"non_ascii"}


def test_notes_name_what_others_do_not_have() -> None:
    assert notes_on(read(odd())) == ()
    assert notes_on(read(with_tool(example_output=None))) == ("example_null: 1",)


@pytest.mark.parametrize("properties", [None, [], {"tank_id": True}, {"tank_id": None}])
def test_a_schema_without_words_has_no_parameter_to_describe(properties: Json) -> None:
    parameters: JsonObject = {"type": "object", "properties": properties, "required": []}
    assert notes_on(read(with_tool(parameters=parameters))) == notes_on(
        read(with_tool(parameters={**parameters, "properties": {}}))
    )
