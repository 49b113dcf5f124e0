"""Answers that say by their shape that nothing was done: a result that stays blank, a value that is not the one asked for, a yes
that is a no, beside a text that says on what it depends.

A refusal can be put in any words and under any name. What it can't do is to hand out what the call would have brought about.
"""

from __future__ import annotations

import re

from replaylab.checks.numbers import exact
from replaylab.diff.contract.tools import is_write
from replaylab.diff.words.identity import key_of, last_word, stems, words
from replaylab.diff.words.lexicon import (
    ID_WORDS,
    NEW_WORDS,
    OUTCOME_KEYS,
    REFUSED,
    VAGUE_FIELDS,
)
from replaylab.diff.words.observed import texts
from replaylab.schema.base import Json, JsonObject
from replaylab.schema.scenario import Tool

_LEAST = 4  # words of a text that can say on what something depends
_HEAD = 5  # words at the beginning of an outcome that say how the call went
_OUTCOMES = frozenset(("status", "result", "outcome"))
_NOT_DONE = re.compile(
    r"\b(?:not|never|nothing|no)(?: (?:yet|been|be|was|is|will be|could be))* (?!required\b|needed\b|expected\b|necessary\b)"
    r"(?:\w+ed|\w+en|done|made|sent|set|run|put|begun|kept|paid|sold|built|left|bought)\b"
    r"|\bun(?:changed|applied|modified|altered|touched|moved)\b|\b(?:left|stays?|stayed|remains?|remained|kept|is|was) (?:exactly )?as (?:it|they) (?:was|were|is|are)\b",
    re.IGNORECASE,
)
# What a test finds, in one word, and the no to it. The yes of a call ("approved", "ok") is none of these.
_VERDICTS = frozenset(
    (("passed", "failed"), ("pass", "fail"), ("compliant", "noncompliant"), ("valid", "invalid"))
)
_PUT_OFF = stems(
    "hold held deferred pending postponed suspended withheld returned paused delayed parked awaiting waiting"
)
_DEPENDS = re.compile(
    r"\b(?:until|unless|once|only|before|after|when|whenever|while|as long as|if|till|without|except|first|must|should|shall|"
    r"(?:may|can|could|will|do|does|did|is|are|was|were|has|have) ?(?:not|n't)|cannot|[a-z]+n't|has to|have to|is to|are to|"
    r"needs?|needed|requires?|required|wants?|limit\w*|capped|restrict\w*|reserv\w*|permit\w*|allow\w*|exceeds?|over|under|above|below|beyond|"
    r"at least|at most|more than|less than|fewer than|no more|pending|outstanding|awaits?|awaiting|missing|lacks?|lacking|"
    r"belongs? to|falls? short|too \w+)\b",
    re.IGNORECASE,
)
_COMES_FIRST = re.compile(
    r"\b(?:until|unless|only (?:after|once|when|if|to|for|with|by)|once|must|may not|requires?|needs?|reserved)\b",
    re.IGNORECASE,
)


def is_undone(tool: Tool, told: JsonObject, arguments: JsonObject) -> bool:
    """Whether an answer shows that its call had no effect, or brought nothing, and says on what that depends.

    `told` are its fields without those that only repeat an argument.
    """
    if _went_as_in_the_example(tool, told):
        return False
    if not is_write(tool):
        return _brings_nothing(tool, told) and any(_COMES_FIRST.search(text) for text in _sentences(told))
    denied = any(_denies(tool, key, value, arguments) for key, value in told.items())
    blank = bool(_blank(tool, told)) or _is_set_otherwise(told, arguments)
    said = any(_DEPENDS.search(text) for text in _sentences(told))
    if denied:
        return blank or said
    put_off = any(_puts_off(tool, key, value, arguments) for key, value in told.items())
    return said and (blank or (put_off and not _gives_a_name(told)))


def _sentences(told: JsonObject) -> list[str]:
    return [text for _, text in texts(told) if len(words(text)) >= _LEAST]


def _example(tool: Tool) -> JsonObject:
    return tool.example_output if isinstance(tool.example_output, dict) else {}


def is_outcome(key: str) -> bool:
    """Whether a field says how a call went."""
    return key.casefold() in OUTCOME_KEYS or last_word(key) in _OUTCOMES


def _went_as_in_the_example(tool: Tool, told: JsonObject) -> bool:
    """Whether an outcome is the very one that the tool's example has."""
    return any(
        is_outcome(key) and key in told and told[key] == value for key, value in _example(tool).items()
    )


def verdicts(tool: Tool, told: JsonObject) -> frozenset[str]:
    """The fields whose no is what a test has found of a thing and not how the call went: its tool's example has the yes to it
    under the same name ("passed" and "failed") or that very no, and the answer has all else that the example has.
    """
    example = _example(tool)
    if any(value and told.get(key) in (None, "", [], {}) for key, value in example.items()):
        return frozenset()
    return frozenset(
        key
        for key, value in example.items()
        if isinstance(value, str)
        and isinstance(said := told.get(key), str)
        and (("".join(words(value)), no := "".join(words(said))) in _VERDICTS or _is_the_no(value, no))
    )


def _is_the_no(example: str, no: str) -> bool:
    return "".join(words(example)) == no and any(no == one for _, one in _VERDICTS)


def _denies(tool: Tool, key: str, value: Json, arguments: JsonObject) -> bool:
    """Whether a field says no: false where the tool's example has true, or an outcome that begins with a no."""
    if value is False:
        return _example(tool).get(key) is True
    if not isinstance(value, str) or not is_outcome(key):
        return False
    head = _head(value)
    if _NOT_DONE.search(head):
        return True
    # A host whose status is "blocked" may be what was asked for; a sentence says how the call went.
    says = key.casefold() in OUTCOME_KEYS or len(words(value)) >= _LEAST
    return says and bool(stems(head) & REFUSED - _of_call(tool, arguments))


def _puts_off(tool: Tool, key: str, value: Json, arguments: JsonObject) -> bool:
    """Whether an outcome says that the call is put off."""
    if not isinstance(value, str) or not is_outcome(key):
        return False
    return bool(stems(_head(value)) & _PUT_OFF - _of_call(tool, arguments))


def _head(text: str) -> str:
    """How an outcome begins: up to its first stop, and no more than a few words."""
    return " ".join(re.split(r"[.:;,(]|\s[-\u2013\u2014]\s", text, maxsplit=1)[0].split()[:_HEAD])


def without_denial(text: str) -> str:
    """A text without the short clauses that only say that nothing was done: "Not logged."."""
    parts = re.split(r"(?<=[.:;])\s+", text)
    kept = [one for one in parts if len(one.split()) > _HEAD or not _NOT_DONE.search(one)]
    return " ".join(kept)


def _of_call(tool: Tool, arguments: JsonObject) -> frozenset[str]:
    """The words of the call itself: who asks to put something on hold is told that it is on hold."""
    given = (stems(text) for _, text in texts(arguments))
    return stems(tool.name).union(*given)


def _blank(tool: Tool, told: JsonObject) -> list[str]:
    """The fields that the tool's example fills, and that hold nothing here."""
    return [
        key
        for key, value in _example(tool).items()
        if value not in (None, "", [], {}) and key in told and told[key] in (None, "", [], {})
    ]


def _brings_nothing(tool: Tool, told: JsonObject) -> bool:
    """Whether nothing of what the tool's example has is there but texts that say how the call went."""
    wanted = [key for key in _example(tool) if not stems(key) <= VAGUE_FIELDS and not is_outcome(key)]
    return (
        bool(wanted)
        and all(told.get(key) in (None, "", [], {}) for key in wanted)
        and bool(_blank(tool, told))
    )


def _is_set_otherwise(told: JsonObject, arguments: JsonObject) -> bool:
    """Whether a field that is called like an argument shows another text than was given, or nought."""
    for field, value in told.items():
        said = stems(field) - NEW_WORDS - _SET
        given = [
            part for name, part in arguments.items() if said and said == stems(name) - NEW_WORDS - _MEASURES
        ]
        if len(given) != 1 or isinstance(value, bool) or last_word(field) in ID_WORDS or is_outcome(field):
            continue
        if exact(given[0]) not in (None, 0) and not isinstance(given[0], str):
            if exact(value) == 0:
                return True
        elif _is_another_text(given[0], value):
            return True
    return False


def _is_another_text(given: Json, value: Json) -> bool:
    plain = isinstance(given, str) and isinstance(value, str) and 0 < len(words(value)) < _LEAST
    return plain and key_of(value) != key_of(given)


_SET = stems("applied set effective actual active")
_MEASURES = stems("percentage percent pct level value amount") | NEW_WORDS


def _gives_a_name(told: JsonObject) -> bool:
    """Whether an answer gives out an id, as that of a request that was taken."""
    return any(last_word(key) in ID_WORDS and key_of(value) for key, value in told.items())
