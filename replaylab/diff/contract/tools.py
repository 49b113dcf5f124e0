"""What a tool does, by its declared effect and by its name."""

from __future__ import annotations

import re
from functools import lru_cache

from replaylab.diff.words.identity import stem, stems, words
from replaylab.diff.words.lexicon import READ_VERBS, TIME_VERBS, TIME_WORDS
from replaylab.schema.base import Json, JsonObject
from replaylab.schema.scenario import Tool

_MOVES_CLOCK = re.compile(r"\b(?:moves?|advances?|turns?)\b[^.]*\b(?:clock|dates?|time)\b", re.IGNORECASE)

_AND_CHANGES = re.compile(
    r"(?:\band|,|\bthen) (?:then |also |thereby )?(?:marks?|sets?|moves?|removes?|deletes?|archives?|clears?|closes?|flags?|"
    r"resets?|updates?|reserves?|assigns?|takes?) (?:it|them|each|this|that|these|the \w+)\b",
    re.IGNORECASE,
)

_UNDOES = re.compile(
    r"\b(?:undo(?:es)?|undoing|reverts?|roll(?:s|ed)? ?back|steps? back|goes back one step)\b", re.IGNORECASE
)


def sound(schema: Json) -> JsonObject:
    """A schema as rules read it, whatever else stands there: names to schemas under `properties`, texts under `required`,
    a list under `enum`. A schema may also be `true`, and servers write null where there is nothing.
    """
    if not isinstance(schema, dict):
        return {}
    made = dict(schema)
    if "properties" in made:
        parts = made["properties"]
        made["properties"] = (
            {name: sound(part) for name, part in parts.items()} if isinstance(parts, dict) else {}
        )
    if "required" in made:
        names = made["required"]
        made["required"] = [one for one in names if isinstance(one, str)] if isinstance(names, list) else []
    if "items" in made:
        made["items"] = sound(made["items"])
    if not isinstance(made.get("enum", []), list):
        del made["enum"]
    return made


def verb_of(tool: Tool) -> str:
    """The stem of the first word of a tool's name."""
    return stem((words(tool.name) or ("",))[0])


def is_write(tool: Tool) -> bool:
    """Whether a tool may change the environment: declared so; where nothing is declared by its verb, and by what its description
    says that it does besides (it "marks it as read").
    """
    if tool.effect == "unknown" or tool.effect_from == "inferred":
        return verb_of(tool) not in READ_VERBS or _changes_besides(tool.description)
    return tool.effect == "write"


@lru_cache(maxsize=4096)
def _changes_besides(description: str) -> bool:
    return _AND_CHANGES.search(description) is not None


def undoes(tool: Tool) -> bool:
    """Whether a tool takes back what was done before, by its name or by how its description begins: `step_back`, "Undoes the
    newest entry".
    """
    return is_write(tool) and bool(
        _UNDOES.search(" ".join(words(tool.name))) or _UNDOES.match(tool.description.strip())
    )


def moves_time(tool: Tool) -> bool:
    """Whether a call lets time pass, by what the tool is called, and by what is said of one that is called after time."""
    parts = stems(tool.name)
    return (
        not _is_done_with_a_thing(tool)
        and not undoes(tool)
        and is_write(tool)
        and (
            verb_of(tool) in TIME_VERBS
            or bool(parts & TIME_VERBS and parts & TIME_WORDS)
            or bool(parts & TIME_WORDS and _MOVES_CLOCK.search(tool.description))
        )
    )


def _is_done_with_a_thing(tool: Tool) -> bool:
    """Whether a tool is named after what it takes: `run_train` takes a train and does not run the clock."""
    own = frozenset(stem(word) for word in words(tool.name)[1:])
    taken = (stems(name) for name in tool.parameters.get("properties", {}))
    return bool(own) and not own & TIME_WORDS and any(own <= one for one in taken)
