"""Bounds that a call passes, under whatever name they were told: "30 kW over the ceiling of 180 kW", where an answer has said
`max_aeration_kw` 180.

A bound is told by the tool's own texts, by a field of the state, or by an earlier answer. Whoever names another number for it
has made it up.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction
from typing import NamedTuple

from replaylab.checks.numbers import exact
from replaylab.checks.prose import quantities, quantity
from replaylab.diff.refusals.reason import Reason
from replaylab.diff.words.identity import stems
from replaylab.diff.words.lexicon import (
    BOUND_LOWER,
    BOUND_SAYING,
    BOUND_UPPER,
    COMMON,
    REFUSAL_WORDS,
    RULE_WORDS,
)
from replaylab.diff.words.observed import leaves
from replaylab.diff.words.sentences import split
from replaylab.diff.words.stated import figures
from replaylab.schema.base import Json

_COVERED = 0.75
_NEAR = 3  # words before a number that tell its side
_UNIT = 3  # letters: the name of a unit is no longer
_NAMED = re.compile(
    r"(?P<before>(?:[\w-]+ ){1,4})(?:limit|cap|ceiling|maximum|minimum|floor|threshold|allowance)\s*(?:of|is|at|:|=)?\s*(?:only )?[$€£]?(?P<one>\d[\d.,]*)"
    r"|\b(?:limit|cap|ceiling|maximum|minimum|floor|threshold)\s+(?:of|for|on) (?:the )?(?P<after>(?:[a-z][\w-]* ){1,4})(?:of|is|at|:|=)\s*[$€£]?(?P<two>\d[\d.,]*)"
    r"|\b(?:maximum|minimum|max\.?|min\.?|allowed|permitted) (?P<amid>(?:[a-z][\w-]* ){1,4})(?:of|is|at|:|=)\s*[$€£]?(?P<three>\d[\d.,]*)",
    re.IGNORECASE,
)
_WOULD_BE = re.compile(
    r"\bwould (?:then )?(?:have|be|make|hold|take|come to|reach|need) (?:in all |a total of )?[$€£]?(?P<much>\d[\d.,]*)",
    re.IGNORECASE,
)
_MAY_BE = re.compile(
    r"\b(?:may (?:have|be|hold|take)|allows?|at most|no more than|up to|(?:limit|cap|maximum|quota|ceiling) (?:is|of)) (?:only )?[$€£]?(?P<most>\d[\d.,]*)",
    re.IGNORECASE,
)
_BEGINNING = re.compile(r"^[<>≤≥=~ ]*(\d[\d.,]*)(?: ?%| [^\d\W][\w/³²]*)?$")


class Bound(NamedTuple):
    """A number that is not to be passed: of what, which way, and where it stands."""

    value: Fraction
    topic: frozenset[str]
    upper: bool
    lower: bool
    pointer: str
    quote: str


def passed_bound(reason: Reason) -> Bound | None:
    """The told bound that the reason names and that a number of the call passes; None where there is none.

    Its other numbers must be the call's or by how much it is passed, and its words those of bounds, of the tool or of the state.
    """
    said = {one.value for one in reason.figures}
    asked = _asked(reason)
    for bound in (*_of_tool(reason), *(one for one in _told(reason) if _is_about(reason, one))):
        passing = [
            one for one in asked if (bound.upper and one > bound.value) or (bound.lower and one < bound.value)
        ]
        rest = said - {bound.value} - asked
        if bound.value not in said or not passing or rest - {abs(one - bound.value) for one in passing}:
            continue
        if _only_says_so(reason, bound):
            return bound
    return None


def other_bound(reason: Reason) -> Bound | None:
    """The bound that was told where the reason names another number for it; None where it names none, or the same."""
    told, asked = list(_told(reason)), _asked(reason)
    for found in _NAMED.finditer(reason.text):
        value = quantity((found["one"] or found["two"] or found["three"]).rstrip(".,"))
        named = stems(found["before"] or found["after"] or found["amid"]) - REFUSAL_WORDS - BOUND_SAYING
        meant = [
            one for one in told if one.topic and one.topic <= named | reason.context and one.topic & named
        ]
        if value is None or not meant or value in asked or named - meant[-1].topic - reason.context:
            continue
        given = {
            number
            for step in reason.look.world.writes
            for _, _, part in leaves(step.arguments)
            if (number := exact(part)) is not None
        }
        elsewhere = reason.look.contract.number_words.get(value, frozenset())
        if value not in {one.value for one in told} | given and not elsewhere & named:
            return meant[-1]
    return None


def within_its_own_limit(reason: Reason) -> str:
    """What speaks against a reason that says that there would be no more than there may be, by its own numbers; "" where
    nothing does.
    """
    much, most = list(_WOULD_BE.finditer(reason.text)), list(_MAY_BE.finditer(reason.text))
    if len(much) != 1 or len(most) != 1 or len(reason.figures) != 2:
        return ""
    there, allowed = quantity(much[0]["much"].rstrip(".,")), quantity(most[0]["most"].rstrip(".,"))
    if there is None or allowed is None or there > allowed:
        return ""
    return f"{there} is no more than {allowed}"


def _asked(reason: Reason) -> set[Fraction]:
    values = (
        quantity(part) for _, _, part in leaves(reason.look.step.arguments) if not isinstance(part, bool)
    )
    return {one for one in values if one is not None}


def _only_says_so(reason: Reason, bound: Bound) -> bool:
    """Whether nothing is said beside: no leave, no paper, no rule of another sort."""
    rules = (stems(reason.text) & RULE_WORDS) - reason.context - BOUND_SAYING
    units = frozenset(word for one in quantities(reason.text) for unit in one.units for word in stems(unit))
    open_words = reason.cause - BOUND_SAYING - bound.topic - units
    open_words = frozenset(one for one in open_words if len(one) > 1)  # of "can't"
    if bound.pointer == "/system_prompt":
        # A sentence about all says what it bounds, and the reason has to speak of that: "`limit` is 5" bounds no requests.
        said = open_words | (units & reason.cause)
        return not rules and bound.upper is not bound.lower and said <= stems(bound.quote)
    known = reason.of_state | reason.of_tools
    return not rules and (not open_words or len(open_words & known) / len(open_words) >= _COVERED)


def _of_tool(reason: Reason) -> Iterator[Bound]:
    """What the texts of the tool's own description and parameters, and their schemas, bound, and sentences of the prompt that
    speak of what it does or takes.
    """
    tool = reason.look.step.tool
    for pointer, key, part in leaves({"description": tool.description, "parameters": tool.parameters}):
        if isinstance(part, str):
            yield from _in_text(part, f"/tools/{tool.name}{pointer}")
        elif stems(key) & (BOUND_UPPER | BOUND_LOWER) and (number := exact(part)) is not None:
            yield _sided(number, stems(key), frozenset(), pointer, f"{key} {part}")
    about = stems(" ".join((tool.name, *tool.parameters.get("properties", {})))) - COMMON
    for one in reason.look.contract.sentences:
        if (
            not one.tool
            and one.stems & about
            and one.pointer == "/system_prompt"
            and len(split(one.text)) == 1
        ):
            yield from _in_text(one.text, one.pointer)


def _in_text(text: str, pointer: str) -> Iterator[Bound]:
    """The bounds of a text, each with the side that the words right before or behind it tell."""
    for figure, found in zip(figures(text), quantities(text), strict=True):
        if figure.is_bound:
            before = re.split(r"[,;:()]", text[: found.start])[-1].split()[-_NEAR:]
            after = text[found.end :].split()[:1]
            yield _sided(figure.value, stems(" ".join((*before, *after))), frozenset(), pointer, text)


def _sided(value: Fraction, said: frozenset[str], topic: frozenset[str], pointer: str, quote: str) -> Bound:
    """A bound whose side its words tell; either where they tell none."""
    upper, lower = bool(said & BOUND_UPPER), bool(said & BOUND_LOWER)
    return Bound(value, topic, upper or not lower, lower or not upper, pointer, quote)


def _told(reason: Reason) -> Iterator[Bound]:
    """The bounds that the state and earlier answers tell, the latest last."""
    yield from _fields(reason.look.contract.environment.initial_state, "/initial_state")
    for step in reason.look.world.steps:
        if not step.refused:
            yield from _fields(step.observation, "")


def _fields(node: Json, where: str) -> Iterator[Bound]:
    for pointer, key, part in leaves(node):
        said = stems(pointer)
        number = _first_number(part)
        if said & (BOUND_UPPER | BOUND_LOWER | BOUND_SAYING) and number is not None:
            topic = frozenset(one for one in said - BOUND_SAYING - COMMON if len(one) > _UNIT)
            yield _sided(number, said, topic, f"{where}{pointer}", f"{key} {part}")


def _first_number(part: Json) -> Fraction | None:
    """The number of a value, or the one with which a short text begins, whatever its unit: "25 m3/h"."""
    found = _BEGINNING.match(part) if isinstance(part, str) else None
    if found is None:
        return quantity(part) if not isinstance(part, bool) else None
    return quantity(found[1].rstrip(".,"))


def _is_about(reason: Reason, bound: Bound) -> bool:
    """Whether a bound is one of what the call sets: they share a word, or a text of the tool names it."""
    return bool(bound.topic & (reason.context | reason.of_tool)) if bound.topic else False
