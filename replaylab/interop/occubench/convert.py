"""Turns a published configuration into an Environment: prompt cut and cleaned once, effects guessed from names."""

from __future__ import annotations

import json
import re
from typing import NamedTuple

from replaylab.interop.occubench.source import SourceEnvironment, SourceTask, SourceTool
from replaylab.interop.occubench.verbs import READS, WRITES
from replaylab.schema.base import JsonObject
from replaylab.schema.scenario import Effect, Environment, Rubric, Task, Tool

# Where the prompt's own text ends: after it come copies of the state, its description and the actions.
_APPENDIX = re.compile(r"^\{\{initial_state\}\}: ", re.MULTILINE)
_APPENDIX_PARTS = re.compile(
    r"\{\{initial_state\}\}: (?P<state>.*)\n\{\{state_descriptions\}\}: (?P<described>.*)"
    r"\n\{action_set_definitions\}: (?P<actions>.*)",
    re.DOTALL,
)
# `roles.simulator.render_system` knows these; everything else in doubled braces is the author's own text, escaped.
PLACEHOLDER = re.compile(r"(\{\{(?:initial_state|state_descriptions|action_set_definitions)\}\})")


class Prompt(NamedTuple):
    """A published prompt in two parts; `appendix` is "" where none was found."""

    body: str
    appendix: str


def split_prompt(text: str) -> Prompt:
    """The author's text, still escaped, and the copies appended to it."""
    start = _APPENDIX.search(text)
    return Prompt(text[: start.start()], text[start.start() :]) if start else Prompt(text, "")


def clean(body: str) -> str:
    """The author's text as it was meant: doubled braces become single, the three placeholders stay."""
    parts = PLACEHOLDER.split(body)
    return "".join(part if PLACEHOLDER.fullmatch(part) else undouble(part) for part in parts)


def undouble(text: str) -> str:
    """Doubled braces as single ones, pair by pair from the left."""
    return text.replace("{{", "{").replace("}}", "}")


def appendix_differs(appendix: str, one: SourceEnvironment) -> bool:
    """Whether the copies, once un-doubled, are other values than the fields. The fields are what is imported."""
    found = _APPENDIX_PARTS.fullmatch(appendix)
    if found is None:
        return True
    actions = {
        tool.name: tool.model_dump(exclude={"name"}, exclude_unset=True)
        for tool in one.action_set_definitions
    }
    try:
        copies = [
            json.loads(undouble(found["state"])),
            json.loads(undouble(found["described"])),
            json.loads(found["actions"]),
        ]
    except ValueError:
        return True
    return copies != [one.task_initial_state, one.state_description, actions]


def effect_of(name: str) -> Effect:
    """What the first word of a tool's name suggests; "unknown" for a word that can mean either."""
    verb = re.split(r"[^A-Za-z]|(?<=[a-z])(?=[A-Z])", name)[0].lower()
    return "read" if verb in READS else "write" if verb in WRITES else "unknown"


def to_environment(one: SourceEnvironment, notes: tuple[str, ...]) -> Environment:
    """The environment, from the configuration's fields and the cut and cleaned prompt."""
    return Environment(
        id=one.environment_name,
        system_prompt=clean(split_prompt(one.world_model_system_prompt).body).removesuffix("\n"),
        tools=tuple(_to_tool(tool) for tool in one.action_set_definitions),
        initial_state=one.task_initial_state,
        state_description=one.state_description,
        origin="imported",
        notes=notes,
    )


def _to_tool(tool: SourceTool) -> Tool:
    parameters: JsonObject = tool.parameters
    return Tool(
        name=tool.name,
        description=tool.description,
        parameters=parameters,
        effect=effect_of(tool.name),
        effect_from="inferred",
        has_example=tool.has_example,
        example_output=tool.example_output,
    )


def to_task(task: SourceTask, scenario: str) -> Task:
    """The task; the verification plan is the rubric's text, and there is no reference plan to import."""
    return Task(
        id=f"occubench-{task.task_id}",
        scenario=scenario,
        environment=task.env_name,
        instruction=task.agent_instruction,
        rubric=Rubric(text=task.verification_plan),
        difficulty=task.difficulty_level,
        origin="imported",
    )
