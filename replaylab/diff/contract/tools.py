"""What a tool does, by its declared effect and by its name."""

from __future__ import annotations

import re
from functools import lru_cache

from replaylab.diff.words.identity import stem, stems, words
from replaylab.diff.words.lexicon import (
    CREATE_VERBS,
    ENDING_VERBS,
    LEAVING_VERBS,
    READ_VERBS,
    SET_VERBS,
    TAKING_VERBS,
    TIME_VERBS,
    TIME_WORDS,
    TRADING,
)
from replaylab.schema.base import Json, JsonObject
from replaylab.schema.scenario import Tool

_MOVES_CLOCK = re.compile(r"\b(?:moves?|advances?|turns?)\b[^.]*\b(?:clock|dates?|time)\b", re.IGNORECASE)

_AND_CHANGES = re.compile(
    r"(?:\band|,|\bthen) (?:then |also |thereby )?(?:marks?|sets?|moves?|removes?|deletes?|archives?|clears?|closes?|flags?|"
    r"resets?|updates?|reserves?|assigns?|takes?) (?:it|them|each|this|that|these|the \w+)\b",
    re.IGNORECASE,
)
# What a tool tells of itself that only shows: by a verb for that, or by naming what it shows and no act at all ("Hearings on a date.").
_SHOWS = re.compile(
    r"\W*(?:(?:lists?|shows?|displays?|finds?|search(?:es)?|prints?|looks? up|tells?) )", re.IGNORECASE
)
_NOT_WHAT = r"(?!an?\b|the\b|it\b|some)[\w-]+"  # "notes that a lock is broken" names no notes
_MANY = r"(?:[\w-]*[^s\W] ){0,2}(?!disposes\b)[\w-]*(?:s|people|stock|staff)\b,?"
_NAMES_WHAT = re.compile(
    r"\W*(?:all (?:the |of )?[\w-]+|everything|(?:number|sum|count|total|amount|list|state|price|balance|average(?: \w+)?) of"
    r"|the (?:[\w-]+ ){0,3}[\w-]+(?=\W*$|[.:;] | (?:of|in|by|for) )|(?:where|who|which|what|how (?:many|much)) [\w-]+ (?:is|are|was|were|has|have)"
    rf"|{_MANY} (?:of|(?:that|which) {_NOT_WHAT}|who|by|per|with|without|not|free|all or|\d+) |(?!(?:br|r|sw|fl|str)ings\b)[\w-]+ings (?:to|on|in|for|at) "
    r"|who [\w-]+\b|where |what happened|overview of|how (?:one|an?|the) |(?:one|an?) [\w-]+,? with )",
    re.IGNORECASE,
)
_OF = re.compile(rf"\W*[\w-]+ (?:of|(?:that|which) {_NOT_WHAT}|who|per|without|not) ")
# The same, of a tool that is not named after any act.
_MAY_NAME = re.compile(rf"\W*{_MANY}(?:\W*$|\. | (?:on|in|for|at|from) )", re.IGNORECASE)
_OF_ONE_WORD = re.compile(rf"\W*{_MANY} (?:to|and) ", re.IGNORECASE)
_ACTING = (
    CREATE_VERBS
    | ENDING_VERBS
    | LEAVING_VERBS
    | SET_VERBS
    | TIME_VERBS
    | TAKING_VERBS
    | TRADING
    | stems(
        "lift throw leave decline accept grant start stop turn lock unlock pay hire fire invite join give put make lend borrow renew return note decide say report record sign act agree ask confirm declare announce enter let bring call"
    )
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
        reads = verb_of(tool) in READ_VERBS or only_shows(tool.name, tool.description)
        return not reads or _changes_besides(tool.description)
    return tool.effect == "write"


@lru_cache(maxsize=4096)
def only_shows(name: str, description: str) -> bool:
    """Whether a tool tells of itself that it shows something: it says so ("Shows an order."), or it names what it shows and no act, as
    tools do that are named after that ("docket": "Hearings on a date.").
    """
    if _SHOWS.match(description):
        return True
    first, named = (stem((words(text) or ("",))[0]) for text in (description, name))
    if _begins_with_an_act(description) or (
        first in _ACTING and first == named and not _OF.match(description)
    ):
        return False
    if any(_begins_with_an_act(part) for part in re.split(r"[.;]\s+", description)[1:]):
        return False
    one = len(words(name)) == 1 and _OF_ONE_WORD.match(description)
    return bool(
        _NAMES_WHAT.match(description) or (named not in _ACTING and (one or _MAY_NAME.match(description)))
    )


def _begins_with_an_act(text: str) -> bool:
    """Whether a sentence begins with what is done, in the third person."""
    first = (words(text) or ("",))[0]
    return first.endswith("s") and stem(first) in _ACTING and not _OF.match(text)


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
