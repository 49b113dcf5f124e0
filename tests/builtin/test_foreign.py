from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from replaylab.builtin.asked import read_asked
from replaylab.builtin.example import example
from replaylab.builtin.foreign import foreign_action, foreign_view

TOOLS = {
    "look": {"description": "looks", "example_output": {"at": "sky", "count": 2, "seen": {"bird": True}}}
}


def prompt(tools: Any = TOOLS, state: str = '{{"things": {{"sky": {{"count": 7}}}}}}') -> str:
    """As a template leaves it: some braces are doubled, and the labels stand in the text before, too."""
    said = "Use {{initial_state}} and {{action_set_definitions}}.\n{{initial_state}}: " + state
    return (
        said
        + '\n{{state_descriptions}}: {{"things": "what there is"}}\n{action_set_definitions}: '
        + json.dumps(tools)
    )


def asked(system: str, *users: str) -> Any:
    messages = [{"role": "system", "content": system}, *({"role": "user", "content": one} for one in users)]
    return read_asked({"model": "example", "messages": messages})


def action(name: str, arguments: Any) -> str:
    return f"<agent_action>\n{json.dumps({'name': name, 'arguments': arguments})}\n</agent_action>\nAnswer in JSON."


def test_tools_and_state_are_read_with_single_and_double_braces() -> None:
    view = foreign_view(prompt())
    assert view is not None
    assert [tool["name"] for tool in view.tools] == ["look"]
    assert view.tools[0]["example_output"] == TOOLS["look"]["example_output"]
    assert view.initial_state == {"things": {"sky": {"count": 7}}}
    assert view.state_description == {"things": "what there is"}


def test_a_list_of_tools_is_read_too_and_a_state_that_can_not_be_read_is_empty() -> None:
    view = foreign_view(prompt([{"name": "a"}, {"nameless": 1}, 5], state="what it was"))
    assert view is not None
    assert (view.tools, view.initial_state) == ([{"name": "a"}], {})


@pytest.mark.parametrize(
    "text", ["", "You simulate.", "{{action_set_definitions}}: {broken", prompt({}), prompt([])]
)
def test_a_prompt_that_tells_of_no_tools_is_none(text: str) -> None:
    assert foreign_view(text) is None


@pytest.mark.parametrize("arguments", [{"at": "sea"}, '{"at": "sea"}'])
def test_the_action_is_that_of_the_last_message_with_arguments_in_either_form(arguments: Any) -> None:
    found = foreign_action(asked(prompt(), action("old", {}), action("look", arguments)))
    assert found is not None
    assert (found.tool, found.arguments) == ("look", {"at": "sea"})


@pytest.mark.parametrize(
    "text", ["hello", "<agent_action>{broken}</agent_action>", '<agent_action>{"a": 1}</agent_action>']
)
def test_what_is_no_action_is_none(text: str) -> None:
    assert foreign_action(asked(prompt(), text)) is None


def test_the_example_answers_in_the_shape_of_the_tool() -> None:
    found = json.loads(example(asked(prompt(), action("look", '{"at": "sea"}'))))
    assert found == {"at": "sea", "count": 7, "seen": {"bird": True}}
    assert "unknown tool" in example(asked(prompt(), action("leap", {})))


def test_every_published_prompt_is_read(occubench: Path) -> None:
    for path in sorted((occubench / "world_model_configs").glob("*.json")):
        config = json.loads(path.read_text(encoding="utf-8"))
        view = foreign_view(config["world_model_system_prompt"])
        assert view is not None, path.name
        assert {tool["name"] for tool in view.tools} == {
            one["name"] for one in config["action_set_definitions"]
        }
        assert view.initial_state, path.name
