"""Twins: environments as code. Ground truth for one environment, and the folder's one piece of code.

`environments/<id>/twin.py` defines a class `Twin(ToolTwin)` with one method a tool, named like the tool and taking the
tool's parameters. A method returns the observation, or raises `Refused`, which becomes `{"error": …}` and leaves the
state as it was. Whatever the tool's JSON Schema refuses never reaches the method.

Twins are code: they are loaded from trusted folders only.
"""

from __future__ import annotations

import copy
import sys
from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from types import ModuleType
from typing import Any, Protocol, Self

from jsonschema.exceptions import ValidationError

from replaylab.canonical import digest_bytes
from replaylab.catalogue import files
from replaylab.catalogue.copying import copied
from replaylab.catalogue.schemas import BrokenSchema, errors_of
from replaylab.errors import UsageError
from replaylab.schema.base import Json, JsonObject
from replaylab.schema.scenario import Environment, Tool

TWIN_CLASS = "Twin"


class Twin(Protocol):
    """An executable environment. A new one stands at the environment's initial state."""

    def call(self, tool: str, arguments: JsonObject) -> Json:
        """The observation; a refusal is `{"error": text}` and changes nothing."""
        ...

    def state(self) -> JsonObject:
        """A copy of the state as it is now."""
        ...

    def fork(self) -> Twin:
        """Another twin that stands where this one does."""
        ...


class Refused(Exception):
    """A call that the environment refuses; the text is what the agent is told."""


class ToolTwin:
    """What every twin shares: arguments are checked against the tool's schema, a refused call changes nothing."""

    def __init__(self, environment: Environment) -> None:
        self._tools = {tool.name: tool for tool in environment.tools}
        self._state: JsonObject = copied(environment.initial_state)

    def call(self, tool: str, arguments: JsonObject) -> Json:
        """The observation of one call, deterministic in the calls made so far."""
        known = self._tools.get(tool)
        if known is None:
            return {"error": f"unknown tool: {tool}"}
        problem = self._problem(known, arguments)
        if problem:
            return {"error": problem}
        before = copied(self._state)
        try:
            observation = getattr(self, tool)(**copied(arguments))
        except Refused as refusal:
            self._state = before
            return {"error": str(refusal)}
        return copied(observation)

    def state(self) -> JsonObject:
        """A copy of the state as it is now."""
        return copied(self._state)

    def fork(self) -> Self:
        """Another twin that stands where this one does; what is done to one leaves the other alone."""
        shared: dict[int, Any] = {id(self._tools): self._tools}
        if vars(self).keys() == {"_tools", "_state"}:  # nothing else can hold a part of the state
            shared[id(self._state)] = copied(self._state)
        return copy.deepcopy(self, shared)

    def _problem(self, tool: Tool, arguments: JsonObject) -> str:
        try:
            problems = sorted(_problems(errors_of(tool.parameters, arguments)))
        except BrokenSchema as error:
            return f"no arguments can be checked by the schema of {tool.name}: {error}"
        return problems[0] if problems else ""


def _problems(errors: Sequence[ValidationError]) -> Iterator[str]:
    for error in errors:
        place = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in error.absolute_path)
        yield f"invalid argument{' ' + place.lstrip('.') if place else ''}: {error.message}"


def has_twin(scenario_dir: Path, environment: str) -> bool:
    """Whether the folder holds a twin for the environment of that id."""
    return _twin_file(scenario_dir, environment).is_file()


def load_twin(scenario_dir: Path, environment: Environment, *, trusted: Sequence[Path]) -> Twin:
    """The environment's twin, at its initial state. `scenario_dir` must lie in one of the `trusted` folders.

    Raises UsageError when there is no twin, when its folder is not trusted, and when its code does not load or does
    not have one method a tool.
    """
    path = _twin_file(scenario_dir, environment.id)
    if not path.is_file():
        raise UsageError(
            f"the environment {environment.id} has no twin",
            where=str(path),
            fix="choose a simulator other than `twin`, or write this one file",
        )
    real = path.resolve()
    if not any(real.is_relative_to(folder.resolve()) for folder in trusted):
        raise UsageError(
            f"the twin of {environment.id} is code from a folder that is not trusted",
            where=str(path),
            fix="read it, then name its folder as trusted",
        )
    return _twin_class(path, environment)(environment)


def _twin_file(scenario_dir: Path, environment: str) -> Path:
    return scenario_dir / "environments" / environment / files.TWIN_FILE


def _twin_class(path: Path, environment: Environment) -> type[ToolTwin]:
    module = _module(path, path.read_bytes())
    kind = getattr(module, TWIN_CLASS, None)
    if not (isinstance(kind, type) and issubclass(kind, ToolTwin)):
        raise UsageError(
            f"the file defines no class {TWIN_CLASS} that derives from ToolTwin", where=str(path)
        )
    for tool in environment.tools:
        if hasattr(ToolTwin, tool.name) or not callable(getattr(kind, tool.name, None)):
            raise UsageError(
                f"the twin of {environment.id} has no method for the tool {tool.name}",
                where=f"{path}: {TWIN_CLASS}.{tool.name}",
            )
    return kind


@lru_cache(maxsize=256)
def _module(path: Path, source: bytes) -> ModuleType:
    """The module, run once for one content. No bytecode is written beside the scenario."""
    name = f"replaylab_twin_{digest_bytes(str(path).encode() + source)[:16]}"
    module = ModuleType(name)
    module.__file__ = str(path)
    # dataclasses looks its own module up by name while the class is made.
    sys.modules[name] = module
    try:
        exec(compile(source, str(path), "exec"), module.__dict__)  # noqa: S102 (trusted code; see load_twin)
    except Exception as error:
        del sys.modules[name]
        raise UsageError(
            f"the twin does not load: {type(error).__name__}: {error}", where=str(path)
        ) from error
    return module
