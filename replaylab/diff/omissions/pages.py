"""What says that a list is not all: an answer that goes on elsewhere or tells what it holds back, rows that are groups, and what a
tool hides unless it is told to include it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from replaylab.diff.calls.looking import Look
from replaylab.diff.omissions.flags import included
from replaylab.diff.omissions.paged import page_numbers
from replaylab.diff.words.identity import key_of, name_key, stems, words
from replaylab.diff.words.lexicon import EVERYTHING, STATUS_FIELDS
from replaylab.diff.words.observed import face_of
from replaylab.schema.base import Json, JsonObject
from replaylab.schema.scenario import Tool

Fields = Mapping[str, Json]

_WHERE = stems("page offset cursor token start index link url marker")
_HELD_BACK = stems("withheld hidden omitted redacted suppressed undisclosed")
_GROUPING = frozenset(("groupby", "groupedby", "aggregateby", "breakdown", "breakdownby", "bucketby"))
_NOTHING: tuple[Json, ...] = (None, False, "", 0, [], {})
_ALSO = re.compile(r"^\W*(?:also|includ(?:e|es|ing))\b", re.IGNORECASE)


def goes_on(look: Look) -> bool:
    """Whether a list is not all: the answer says that it goes on, or its rows are the groups that an argument makes."""
    given = look.step.arguments.items()
    return is_one_of_several(look) or any(name_key(name) in _GROUPING and value for name, value in given)


def is_one_of_several(look: Look) -> bool:
    """Whether an answer says that its list goes on: a next page or offset, that there is more, that it is one of several pages,
    how many it holds back.
    """
    face = face_of(look.step.observation)
    pages, total, shown = page_numbers(look.step.observation)
    several = pages > 1 or (bool(pages) and total > shown)
    return several or any(_is_more(name, value) for name, value in face.items())


def _is_more(name: str, value: Json) -> bool:
    parts = words(name)
    if value in _NOTHING or not parts:
        return False
    after = parts[0] in ("next", "continuation") and bool(stems(name) & _WHERE)
    held_back = bool(stems(name) & _HELD_BACK) and isinstance(value, int)
    return after or held_back or (value is True and "more" in parts)


def may_be_hidden(look: Look, values: Fields, shown: Sequence[Fields], all_of: Sequence[Fields]) -> bool:
    """Whether a tool that can be told to include more may leave out a thing: one of that sort, or, where none of all such things
    is of a sort of that name, one that stands like none of those that it shows.
    """
    if is_hidden(look.step.tool, look.step.arguments, values):
        return True
    if not hides_what_nobody_knows(look, all_of):
        return False
    own = _standing(values, all_of)
    return not any(_standing(one, all_of) == own for one in shown)


def hides_what_nobody_knows(look: Look, all_of: Sequence[Fields]) -> bool:
    """Whether a tool leaves out a sort of things for which nothing that these have has the word."""
    return any(
        not any(_is_such(word, field, value) for one in all_of for field, value in one.items())
        for word in _hidden_sorts(look.step.tool, look.step.arguments)
    )


def _standing(values: Fields, all_of: Sequence[Fields]) -> dict[str, str]:
    """How a thing stands: by status, by yes and no, and by what is empty in some."""
    told: dict[str, str] = {}
    for field, value in sorted(values.items()):
        if any(field in one and one[field] is None for one in all_of):
            told[field] = "empty" if value is None else "filled"
        elif isinstance(value, bool) or (isinstance(value, str) and stems(field) & STATUS_FIELDS):
            told[field] = key_of(value) or str(value)
    return told


def is_hidden(tool: Tool, arguments: JsonObject, values: Fields) -> bool:
    """Whether a tool that can be told to include such things (`include_retired`) leaves out a thing: it was not told so, and
    the thing is one by a yes, by how it stands, or by what is filled in (`retired_at`).
    """
    return any(
        _is_such(word, field, value)
        for word in _hidden_sorts(tool, arguments)
        for field, value in values.items()
    )


def _hidden_sorts(tool: Tool, arguments: JsonObject) -> Iterator[frozenset[str]]:
    """The words for what a tool leaves out since it was not told to include it; an empty word where it does not say what:
    `all`, "Also those that are over".
    """
    for name, schema in tool.parameters.get("properties", {}).items():
        if isinstance(schema, dict) and schema.get("type") == "boolean" and arguments.get(name) is not True:
            sort = included(name)
            also = name_key(name) in EVERYTHING or bool(_ALSO.match(str(schema.get("description", ""))))
            if sort or also:
                yield sort


def _is_such(word: frozenset[str], field: str, value: Json) -> bool:
    if not word:
        return False
    if isinstance(value, str) and stems(value) == word:
        return True
    return word <= stems(field) and value not in _NOTHING
