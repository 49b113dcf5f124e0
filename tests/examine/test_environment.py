from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.examine.broken import HOME, STATE, TOOLS, Broken, findings_of, in_json, of_tool


def eleven(tools: list[dict[str, Any]]) -> None:
    while len(tools) < 11:
        tools.append({**tools[0], "name": f"{tools[0]['name']}_{len(tools)}"})


def all_read(tools: list[dict[str, Any]]) -> None:
    for one in tools:
        one["effect"] = "read"


BROKEN = {
    "eleven tools": Broken(
        in_json(TOOLS, eleven), "tool-count", "tools.json", "2 to 10 tools are due, not 11"
    ),
    "no tool that writes": Broken(in_json(TOOLS, all_read), "tool-effect", "tools.json", "'write'"),
    "a tool of unknown effect": Broken(
        of_tool("list_places", lambda one: one.update(effect="unknown")),
        "tool-effect",
        "tools.json: 0.effect",
        "list_places does not say",
    ),
    "parameters that are no JSON Schema": Broken(
        of_tool("get_patient", lambda one: one["parameters"]["properties"]["patient"].update(type="word")),
        "tool-schema",
        "tools.json: 2.parameters.properties.patient.type",
        "'word'",
    ),
    "a required argument that is not described": Broken(
        of_tool("get_patient", lambda one: one["parameters"]["required"].append("pateint")),
        "tool-schema",
        "tools.json: 2.parameters.required",
        "'pateint'",
    ),
    "arguments of any name": Broken(
        of_tool("get_patient", lambda one: one["parameters"].pop("additionalProperties")),
        "tool-open",
        "tools.json: 2.parameters.additionalProperties",
        "any name",
    ),
    "a tool without a description": Broken(
        of_tool("clean_place", lambda one: one.update(description="")),
        "tool-description",
        "tools.json: 5.description",
        "clean_place",
    ),
    "an argument without a description": Broken(
        of_tool("get_patient", lambda one: one["parameters"]["properties"]["patient"].pop("description")),
        "tool-description",
        "2.parameters.properties.patient.description",
        "'patient'",
    ),
    "a tool without an example": Broken(
        of_tool("clean_place", lambda one: one.pop("example_output")),
        "example",
        "tools.json: 5.example_output",
        "clean_place has no example",
    ),
    "an example of something that the state does not hold": Broken(
        of_tool("clean_place", lambda one: one["example_output"].update(place="ER-9")),
        "example-state",
        "tools.json: 5.example_output",
        "ER-9",
    ),
    "a part of the state not described": Broken(
        in_json(STATE, lambda state: state.update(ambulances=[])),
        "state-description",
        "description.json: ambulances",
        "not described",
    ),
    "a description of what is not there": Broken(
        in_json(f"{HOME}/description.json", lambda told: told.update(nurses="Who is on duty.")),
        "state-description",
        "description.json: nurses",
        "does not hold it",
    ),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_environment_is_found_and_the_finding_says_where_and_why(name: str, tmp_path: Path) -> None:
    findings_of(BROKEN[name], tmp_path)
