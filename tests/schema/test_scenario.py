from __future__ import annotations

from replaylab.schema.scenario import Environment, Tool


def test_a_tool_is_found_by_its_exact_name_alone() -> None:
    tools = (Tool(name="read"), Tool(name="Read"))
    environment = Environment(id="e", system_prompt="", tools=tools, initial_state={}, state_description={})
    assert environment.tool("Read") is tools[1]
    assert environment.tool("rea") is None


def test_a_tool_without_parameters_takes_an_empty_object() -> None:
    assert Tool(name="t").parameters == {"type": "object", "properties": {}}
    assert Tool(name="t").to_json() == {"name": "t"}
