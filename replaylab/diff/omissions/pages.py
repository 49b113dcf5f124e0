"""What says that a list is not all: an answer that goes on elsewhere, and what a tool hides unless it is told to include it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from replaylab.diff.calls.looking import Look
from replaylab.diff.omissions.flags import included
from replaylab.diff.words.identity import name_key, stems, words
from replaylab.diff.words.observed import face_of
from replaylab.schema.base import Json, JsonObject
from replaylab.schema.scenario import Tool

_WHERE = stems("page offset cursor token start index link url marker")
_PAGES = frozenset(("pages", "totalpages", "pagecount", "numpages"))
_NOTHING: tuple[Json, ...] = (None, False, "", 0, [], {})


def goes_on(look: Look) -> bool:
    """Whether an answer says that its list goes on: a next page or offset, several pages, or that there is more."""
    face = face_of(look.step.observation)
    pages = [value for name, value in face.items() if name_key(name) in _PAGES and isinstance(value, int)]
    return any(one > 1 for one in pages) or any(_is_more(name, value) for name, value in face.items())


def _is_more(name: str, value: Json) -> bool:
    parts = words(name)
    if value in _NOTHING or not parts:
        return False
    after = parts[0] in ("next", "continuation") and bool(stems(name) & _WHERE)
    return after or (value is True and "more" in parts)


def is_hidden(tool: Tool, arguments: JsonObject, values: Mapping[str, Json]) -> bool:
    """Whether a tool that can be told to include such things (`include_retired`) leaves out a thing: it was not told so, and
    the thing is one by a yes, by how it stands, or by what is filled in (`retired_at`).
    """
    return any(
        _is_such(word, field, value)
        for word in _hidden_sorts(tool, arguments)
        for field, value in values.items()
    )


def _hidden_sorts(tool: Tool, arguments: JsonObject) -> Iterator[frozenset[str]]:
    for name, schema in tool.parameters.get("properties", {}).items():
        if isinstance(schema, dict) and schema.get("type") == "boolean" and arguments.get(name) is not True:
            sort = included(name)
            if sort:
                yield sort


def _is_such(word: frozenset[str], field: str, value: Json) -> bool:
    if isinstance(value, str) and stems(value) == word:
        return True
    return word <= stems(field) and value not in _NOTHING
