"""Rules that the files of an environment keep: its tools, its state and the description of it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

from replaylab.catalogue import files
from replaylab.catalogue.schemas import BrokenSchema, check_schema
from replaylab.examine.found import finding
from replaylab.near import closest
from replaylab.schema.base import JsonObject
from replaylab.schema.finding import Finding
from replaylab.schema.scenario import Environment, Tool

LEAST_TOOLS, MOST_TOOLS = 2, 10
_ID = re.compile(r"\b(?:[A-Z]{1,6}|[a-z])-[\w-]+")
_NAME = re.compile(r"[A-Za-z]+-[\w-]+")
_COUNT = re.compile(r"\b\d+\b")


def environment_findings(environment: Environment, folder: Path) -> Iterator[Finding]:
    """What is wrong with the files of `folder`, which the environment was read from. No twin is run."""
    path = folder / files.TOOLS_FILE
    if not LEAST_TOOLS <= len(environment.tools) <= MOST_TOOLS:
        what = f"{LEAST_TOOLS} to {MOST_TOOLS} tools are due, not {len(environment.tools)}"
        yield finding("tool-count", path, "(the whole file)", what)
    effects = {tool.effect for tool in environment.tools}
    for effect in ("read", "write"):
        if effect not in effects:
            yield finding("tool-effect", path, "(the whole file)", f"no tool has the effect {effect!r}")
    for number, tool in enumerate(environment.tools):
        yield from _tool_findings(tool, path, str(number))
        yield from _example_findings(tool, environment.initial_state, path, f"{number}.example_output")
    yield from _description_findings(environment, folder)
    if not environment.system_prompt.strip():
        yield finding("prompt", folder / files.PROMPT_FILE, "(the whole file)", "the prompt is empty")


def _tool_findings(tool: Tool, path: Path, at: str) -> Iterator[Finding]:
    if not tool.description.strip():
        yield finding("tool-description", path, f"{at}.description", f"{tool.name} does not say what it does")
    if tool.effect == "unknown":
        what = f"{tool.name} does not say whether it reads or writes"
        yield finding("tool-effect", path, f"{at}.effect", what, tool.effect)
    try:
        check_schema(tool.parameters)
    except BrokenSchema as error:
        yield finding("tool-schema", path, f"{at}.parameters.{error.path}", f"not a JSON Schema: {error}")
        return
    properties: JsonObject = tool.parameters.get("properties", {})
    if tool.parameters.get("additionalProperties") is not False:
        what = f"{tool.name} takes arguments of any name: set it to false"
        yield finding("tool-open", path, f"{at}.parameters.additionalProperties", what)
    for name in tool.parameters.get("required", ()):
        if name not in properties:
            what = f"{tool.name} requires {name!r}, which it does not describe"
            yield finding(
                "tool-schema",
                path,
                f"{at}.parameters.required",
                what,
                name,
                closest=closest(name, properties),
            )
    for name, part in properties.items():
        if not (isinstance(part, dict) and part.get("description")):
            what = f"the argument {name!r} of {tool.name} has no description"
            yield finding("tool-description", path, f"{at}.parameters.properties.{name}.description", what)


def _example_findings(tool: Tool, state: JsonObject, path: Path, field: str) -> Iterator[Finding]:
    """There is an example, and the ids in it are of things that the state holds."""
    if not tool.has_example or tool.example_output is None:
        yield finding("example", path, field, f"{tool.name} has no example of what it returns")
        return
    held = json.dumps(state, ensure_ascii=False)
    # A state may keep the next number of a series: TRG-501 is 501 there.
    known = set(_NAME.findall(held)) | set(_COUNT.findall(held))
    for name in dict.fromkeys(_ID.findall(json.dumps(tool.example_output, ensure_ascii=False))):
        if name not in known and name.rsplit("-", 1)[-1] not in known:
            what = f"the example of {tool.name} has {name}, which the state does not hold"
            yield finding("example-state", path, field, what, name, closest=closest(name, known))


def _description_findings(environment: Environment, folder: Path) -> Iterator[Finding]:
    state, told = environment.initial_state, environment.state_description
    path = folder / files.DESCRIPTION_FILE
    for name in state:
        if not told.get(name):
            what = f"the state holds {name!r}, which is not described"
            yield finding("state-description", path, name, what, closest=closest(name, told))
    for name in told:
        if name not in state:
            what = f"{name!r} is described, but the state does not hold it"
            yield finding("state-description", path, name, what, closest=closest(name, state))
