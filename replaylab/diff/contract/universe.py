"""Every name that a contract knows, and from where: the state, its values, the prompt, enums; and what is only an example."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal, NamedTuple

from replaylab.diff.words.identity import ids_in, key_of, name_key
from replaylab.diff.words.keyfield import MAX_NAME
from replaylab.diff.words.observed import escape, leaves
from replaylab.schema.base import Json
from replaylab.schema.scenario import Environment

Provenance = Literal[
    "state",
    "state_key",
    "state_text",
    "prompt",
    "enum",
    "description",
    "example",
    "argument",
    "created",
    "observed",
]
_FENCE = re.compile(r"```.*?```", re.DOTALL)
_BRACES = re.compile(r"\{[^{}]*\}")
_EXAMPLE = re.compile(r"(?:e\.?g\.?|such as|for example|example|like)[^.;)]*", re.IGNORECASE)
_QUOTED = re.compile(r"[`'\"]([^`'\"\n]{2,60})[`'\"]")


class Known(NamedTuple):
    """Where a name comes from. `pointer` leads into the environment."""

    provenance: Provenance
    pointer: str


class Universe:
    """The names of one environment by key. `leaks` are names that stand in examples alone."""

    def __init__(self, environment: Environment) -> None:
        self._known: dict[str, list[Known]] = {}
        self._leaks: dict[str, Known] = {}
        for name, known in (*_state(environment), *_declared(environment)):
            self._known.setdefault(name, []).append(known)
        for name, known in _examples(environment):
            if name not in self._known:
                self._leaks.setdefault(name, known)

    def known(self, key: str) -> Known | None:
        """Where this name stands first, or None; what stands in examples alone is not known."""
        return self._known.get(key, [None])[0]

    def places(self, key: str) -> tuple[Known, ...]:
        """Everywhere that this name stands, examples left out."""
        return tuple(self._known.get(key, ()))

    def leak(self, key: str) -> Known | None:
        """The example that this name stands in, when it stands nowhere else."""
        return self._leaks.get(key)


def _state(environment: Environment) -> Iterator[tuple[str, Known]]:
    for pointer, _, value in leaves(environment.initial_state):
        where = f"/initial_state{pointer}"
        if len(str(value)) <= MAX_NAME and (key := key_of(value)):
            yield key, Known("state", where)
        if isinstance(value, str):
            yield from ((name_key(name), Known("state_text", where)) for name in _mentioned(value))
    yield from _keys(environment.initial_state, "/initial_state")


def _keys(node: Json, pointer: str) -> Iterator[tuple[str, Known]]:
    for key, part in (
        node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
    ):
        here = f"{pointer}/{escape(str(key))}"
        if isinstance(key, str):
            yield name_key(key), Known("state_key", here)
        yield from _keys(part, here)


def _declared(environment: Environment) -> Iterator[tuple[str, Known]]:
    """Names in the prompt's own text, in enums, and in descriptions where they are no examples."""
    prompt = _BRACES.sub(" ", _FENCE.sub(" ", environment.system_prompt))
    yield from _told(prompt, Known("prompt", "/system_prompt"))
    for field, text in environment.state_description.items():
        if isinstance(text, str):
            yield from _told(text, Known("description", f"/state_description/{escape(field)}"))
    for number, tool in enumerate(environment.tools):
        yield from _told(tool.description, Known("description", f"/tools/{number}/description"))
        for pointer, key, value in leaves(tool.parameters):
            where = f"/tools/{number}/parameters{pointer}"
            if "/enum/" in pointer and (name := key_of(value)):
                yield name, Known("enum", where)
            elif key == "description" and isinstance(value, str):
                yield from _told(value, Known("description", where))


def _told(text: str, known: Known) -> Iterator[tuple[str, Known]]:
    yield from ((name_key(name), known) for name in _mentioned(_EXAMPLE.sub(" ", text)))


def _mentioned(text: str) -> list[str]:
    return [*ids_in(text), *(match[1] for match in _QUOTED.finditer(text))]


def _examples(environment: Environment) -> Iterator[tuple[str, Known]]:
    for number, tool in enumerate(environment.tools):
        where = f"/tools/{number}/example_output"
        yield from _names_in(tool.example_output, where)
        for pointer, _, value in leaves(tool.parameters):
            if isinstance(value, str):
                place = Known("example", f"/tools/{number}/parameters{pointer}")
                yield from ((name_key(name), place) for name in _mentioned(value))
    for match in _FENCE.finditer(environment.system_prompt):
        yield from ((name_key(name), Known("example", "/system_prompt")) for name in _mentioned(match[0]))


def _names_in(node: Json, pointer: str) -> Iterator[tuple[str, Known]]:
    for below, _, value in leaves(node):
        if len(str(value)) <= MAX_NAME and (key := key_of(value)):
            yield key, Known("example", pointer + below)
    yield from ((key, Known("example", known.pointer)) for key, known in _keys(node, pointer))
