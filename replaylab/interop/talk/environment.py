"""The environment of conversations: the tools that their source defines, and those that were only called."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from replaylab.interop.occubench.convert import effect_of
from replaylab.interop.talk.conversation import Conversation, ToolGiven
from replaylab.interop.talk.turns import SAID, Step, Turns
from replaylab.schema.base import JsonObject
from replaylab.schema.scenario import Environment, Tool

RESPOND = "respond"
RESPOND_NOTE = "user_turns_as_calls:"  # in the notes of an environment, with the name of the tool
UNDEFINED_NOTE = "tools_not_defined"
STATELESS_NOTE = "state_not_known"
_RESPOND_TEXT = (
    "Says something to the user; what the user answers comes back. No tool of the source: a trial has no turns of a "
    "user, and this is where they stand."
)


class Setting(NamedTuple):
    """An environment, and the name of the tool that stands for words with the user ("" where there are none)."""

    environment: Environment
    respond: str

    def tool(self, step: Step) -> str:
        return step.tool or self.respond


def settings_of(found: Iterable[tuple[Conversation, Turns]]) -> dict[str, Setting]:
    """One environment for all conversations that name it, whoever of them called what."""
    groups: dict[str, list[tuple[Conversation, Turns]]] = {}
    for one, turns in found:
        groups.setdefault(one.environment, []).append((one, turns))
    return {name: _setting(name, group) for name, group in groups.items()}


def _setting(name: str, group: Sequence[tuple[Conversation, Turns]]) -> Setting:
    given: dict[str, ToolGiven] = {}
    for one, _ in group:
        for tool in one.tools:
            given.setdefault(tool.name, tool)
    called: dict[str, set[str]] = {}
    words = False
    for _, turns in group:
        for step in turns.steps:
            words = words or not step.tool
            if step.tool and step.tool not in given:
                keys = step.arguments if isinstance(step.arguments, dict) else ()
                called.setdefault(step.tool, set()).update(keys)
    respond = _free(RESPOND, given.keys() | called.keys()) if words else ""
    tools = [_tool(one) for one in given.values()]
    tools += [_guessed(tool, called[tool]) for tool in sorted(called)]
    tools += [_respond(respond)] if respond else []
    notes = (
        [STATELESS_NOTE]
        + ([UNDEFINED_NOTE] if called else [])
        + ([RESPOND_NOTE + respond] if respond else [])
    )
    return Setting(
        Environment(
            id=name,
            system_prompt="",
            tools=tuple(tools),
            initial_state={},
            state_description={},
            origin="imported",
            notes=tuple(notes),
        ),
        respond,
    )


def respond_of(environment: Environment) -> str:
    """The tool that stands for words with the user in an environment that was made here, "" for none."""
    found = [note.removeprefix(RESPOND_NOTE) for note in environment.notes if note.startswith(RESPOND_NOTE)]
    return found[0] if found else ""


def _free(name: str, taken: Iterable[str]) -> str:
    if name not in taken:
        return name
    name += "_to_user"
    while name in taken:
        name += "_"
    return name


def _tool(given: ToolGiven) -> Tool:
    return Tool(
        name=given.name,
        description=given.description,
        parameters=given.parameters if given.parameters is not None else _object({}),
        effect=effect_of(given.name),
        effect_from="inferred",
        has_example=False,
    )


def _guessed(name: str, keys: Iterable[str]) -> Tool:
    """A tool of which nothing is known but its name and what it was called with."""
    return _tool(ToolGiven(name, "", _object({key: {} for key in sorted(keys)})))


def _respond(name: str) -> Tool:
    parameters = _object({SAID: {"type": "string"}}) | {"required": [SAID]}
    return _tool(ToolGiven(name, _RESPOND_TEXT, parameters))


def _object(properties: JsonObject) -> JsonObject:
    return {"type": "object", "properties": properties}
