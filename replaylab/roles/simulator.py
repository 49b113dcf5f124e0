"""The simulator: its system prompt, its history, and how its observations are read."""

from __future__ import annotations

import json
import re
from typing import NamedTuple

from replaylab.canonical import NotIJson, parse_strict
from replaylab.roles.chat import Chat, canonical_text, correction, message, response_format
from replaylab.roles.parsing import OBJECT, Unparsable, kind_of, one_json
from replaylab.roles.prompts import FAULTS, render
from replaylab.roles.shapes import observation_schema, shape_of
from replaylab.schema.base import Json, JsonObject
from replaylab.schema.completion import Completion
from replaylab.schema.fault import FaultPlan
from replaylab.schema.model import ModelSettings
from replaylab.schema.scenario import Environment, Tool

HEADINGS = {"tools": "Tools", "initial_state": "Initial state", "state_description": "State description"}

_INLINE = {
    "initial_state": "Initial state",
    "state_description": "State description",
    "state_descriptions": "State description",
    "action_set_definitions": "Tools",
}
_DISTURBANCES = "## Disturbances"
_PLACEHOLDER = re.compile(r"\{\{\s*(" + "|".join(_INLINE) + r")\s*\}\}")


class SystemView(NamedTuple):
    """What a program finds in a simulator's system prompt. Each tool is an object with name, parameters and so on."""

    tools: list[JsonObject]
    initial_state: JsonObject
    state_description: JsonObject


def render_system(environment: Environment, settings: ModelSettings) -> str:
    """The system prompt: the environment's own text, then tools, initial state and state description as JSON.

    Placeholders for these three inside the environment's text become a pointer to the section below; all other braces
    stay as they are. With observations bound by a schema, the tools show the shape of what they return and no example
    values, because small models copy them into their answers.
    """
    values = bool(settings.observations == "free")
    return render(
        "simulator",
        system_prompt=_PLACEHOLDER.sub(_pointer, environment.system_prompt).strip(),
        tools=_block([_described(tool, values=values) for tool in environment.tools]),
        initial_state=_block(environment.initial_state),
        state_description=_block(environment.state_description),
    )


def ask_for_faults(plan: FaultPlan, expected_calls: int) -> str:
    """The paragraph that asks the simulator to inject the faults of a plan itself, as the published study does.

    "" where the harness injects them, or where there are none.
    """
    if plan.mode != "prompt" or not plan.count:
        return ""
    numbers = {"count": plan.count, "duration": plan.duration, "expected": expected_calls}
    return render(
        FAULTS,
        open="An open disturbance" if plan.explicit else "",
        hidden="A hidden disturbance" if plan.implicit else "",
        share="about half" if plan.explicit and plan.implicit else "",
        **{name: str(number) for name, number in numbers.items()},
    )


def without_faults(text: str) -> str:
    """A system prompt without the paragraph that asks for faults: what says which environment is played."""
    before, found, rest = text.rpartition(f"\n\n{_DISTURBANCES}\n\n")
    return before if found and "\n## " not in rest else text


def read_system(text: str) -> SystemView | None:
    """The inverse of `render_system`: the sections of a system prompt, or None where they are not all there.

    The last section of each name counts, since an environment's own text comes first and may hold such headings.
    """
    try:
        tools, state, description = (parse_strict(_section(text, title)) for title in HEADINGS.values())
    except NotIJson:
        return None
    right = isinstance(tools, list) and isinstance(state, dict) and isinstance(description, dict)
    return SystemView(tools, state, description) if right else None


def _pointer(match: re.Match[str]) -> str:
    return f"(see «{_INLINE[match[1]]}» below)"


def _described(tool: Tool, *, values: bool) -> JsonObject:
    described: JsonObject = {
        "name": tool.name,
        "description": tool.description,
        "parameters": tool.parameters,
    }
    if tool.effect != "unknown" and tool.effect_from == "declared":
        described["effect"] = tool.effect
    if tool.has_example and values:
        described["example_output"] = tool.example_output
    elif tool.has_example:
        described["returns"] = shape_of(tool.example_output)
    return described


def _block(value: Json, levels: int = 2) -> str:
    """The value as JSON with a line for each item down to the second level: indenting all costs a third more tokens."""
    if not levels or not value or not isinstance(value, dict | list):
        return json.dumps(value, sort_keys=True, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    if isinstance(value, list):
        return "[\n" + ",\n".join(_block(item, 0) for item in value) + "\n]"
    items = (f"{_block(key)}:{_block(part, levels - 1)}" for key, part in sorted(value.items()))
    return "{\n" + ",\n".join(items) + "\n}"


def _section(text: str, title: str) -> str:
    """The JSON text under a heading, "" when there is none. JSON text has no line that begins with a fence."""
    _, found, rest = ("\n" + text).rpartition(f"\n## {title}\n\n```json\n")
    inside, closed, _ = rest.partition("\n```")
    return inside if found and closed else ""


def allowed_kinds(tool: Tool) -> frozenset[str]:
    """An observation is one JSON object. A list or a null counts only where the tool's example is one."""
    kind = kind_of(tool.example_output) if tool.has_example else "object"
    return OBJECT if kind == "object" else OBJECT | {kind}


def read_observation(completion: Completion, tool: Tool) -> Json:
    """The observation that a completion holds. Raises CallFailed of the kind "unparsable"."""
    return one_json(completion.text, allowed_kinds(tool))


def _action(tool: Tool, arguments: JsonObject) -> JsonObject:
    return message("user", canonical_text({"name": tool.name, "arguments": arguments}))


class Simulator:
    """The simulator of one trial: a conversation of actions and clean observations."""

    def __init__(
        self,
        chat: Chat,
        environment: Environment,
        settings: ModelSettings,
        *,
        asks: int = 3,
        faults: str = "",
    ) -> None:
        """`asks` bounds how often one observation is asked for; `faults` is what `ask_for_faults` says."""
        self._chat, self._environment, self._asks = chat, environment, asks
        self._bound = settings.observations == "json_schema"
        system = [render_system(environment, settings), *filter(None, [faults])]
        self._history = [message("system", "\n\n".join(system))]
        self._extras: dict[str, JsonObject] = {}

    def step(self, tool: Tool, arguments: JsonObject) -> Json:
        """What this call returns. Only a usable answer enters the history, in canonical form.

        Raises CallFailed: of the chat at once, "unparsable" when no answer within the allowed askings was usable.
        """
        action = _action(tool, arguments)
        messages = [*self._history, action]
        extra = self._extra(tool)
        error = Unparsable("no asking was allowed")
        for _ in range(self._asks):
            completion = self._chat.ask(tuple(messages), extra=extra)
            try:
                observation = read_observation(completion, tool)
            except Unparsable as unparsable:
                error = unparsable
                messages += correction("simulator_again", completion, unparsable)
            else:
                self._history += [action, message("assistant", canonical_text(observation))]
                return observation
        raise error

    def remember_instead(self, observation: Json) -> None:
        """Let the history hold this observation for the last call and not the one that was given."""
        self._history[-1] = message("assistant", canonical_text(observation))

    def remember(self, tool: Tool, arguments: JsonObject, observation: Json) -> None:
        """Let the history hold a call that this simulator gave no usable answer to."""
        self._history += [_action(tool, arguments), message("assistant", canonical_text(observation))]

    def _extra(self, tool: Tool) -> JsonObject | None:
        if not self._bound:
            return None
        if tool.name not in self._extras:
            self._extras[tool.name] = response_format("observation", observation_schema(tool))
        return self._extras[tool.name]
