"""Hours: "from 09:00 to 12:00 in slots of 30 minutes" says when slots begin and which is the last, and what lies outside."""

from __future__ import annotations

import re
from collections.abc import Iterator

from replaylab.diff.refusals.clauses import is_plain_rest
from replaylab.diff.refusals.reason import Reason
from replaylab.diff.words.hours import DAY, Hours, hours_in
from replaylab.diff.words.identity import stems
from replaylab.diff.words.lexicon import RULE_WORDS
from replaylab.diff.words.observed import leaves
from replaylab.diff.words.sentences import split
from replaylab.diff.words.spans import clock, minutes
from replaylab.diff.words.stated import times
from replaylab.schema.base import Json

_SAID = re.compile(
    r"\b(?:outside|hours?|closed?s?|closing|shut|opens?|opening|late|early|last|first|latest|earliest|slots?|starts?|begins?|before|after|until|till|ends?|"
    r"past|too|later|earlier|\d{1,2}:\d\d)\b",
    re.IGNORECASE,
)
_WORDS = stems(
    "outside hour hours closed close closes closing shut open opens opening late early last first latest earliest slot slots start starts "
    "begin begins before after until till end ends past time times business office working every minute minutes take between"
)


def _hours(reason: Reason) -> list[Hours]:
    """The hours of what the call is about; where no sentence shares a word with it, all that are told."""
    told = hours_in(one.text for one in reason.look.contract.sentences if len(split(one.text)) == 1)
    tool = reason.look.step.tool
    about = stems(" ".join((tool.name, *tool.parameters.get("properties", {})))) - _WORDS
    return [one for one in told if stems(one.text) & about] or told


def is_out_of_hours(reason: Reason, clause: str) -> bool:
    """A clause speaks of hours, and a time of the call lies outside of those that the contract tells, or where no slot begins."""
    if not _SAID.search(clause):
        return False
    outside = [one for one in _hours(reason) if any(_is_outside(one, at) for at in _asked(reason))]
    rules = (stems(clause) & RULE_WORDS) - reason.context - {"only"}
    known = frozenset[str]().union(*(stems(one.text) for one in outside)) | _WORDS
    rest = re.sub(r"\bonly\b", " ", clause, flags=re.IGNORECASE)
    return bool(outside) and not rules and is_plain_rest(reason, rest, known)


def _is_outside(one: Hours, at: int) -> bool:
    return not one.opens <= at < one.closes or (bool(one.step) and at not in one.starts)


def _asked(reason: Reason) -> Iterator[int]:
    """The times of day that the call asks for."""
    for _, _, value in leaves(reason.look.step.arguments):
        yield from _clocks(value)


def _clocks(value: Json) -> Iterator[int]:
    for found in re.finditer(r"(?<![\d:])\d{1,2}:\d\d", value) if isinstance(value, str) else ():
        yield minutes(found[0].zfill(5))


def within_hours(reason: Reason) -> str:
    """What stands against a reason which says that a time is outside of the hours, where the one range that is told has it; ""
    where nothing does.
    """
    told, asked = _hours(reason), list(_asked(reason))
    whole = [one for one in told if one.opens and one.closes < DAY]
    if len(told) != 1 or not whole or not asked or not _OUT.search(reason.text):
        return ""
    if {minutes(one.zfill(5)) for one in times(reason.text) if ":" in one} - {
        *asked,
        told[0].opens,
        told[0].closes,
    }:
        return ""  # it has hours of its own
    if any(not told[0].opens <= at < told[0].closes for at in asked):
        return ""
    return f"the call asks for {clock(asked[0])}, and the hours are {clock(told[0].opens)} to {clock(told[0].closes)}"


_OUT = re.compile(
    r"\b(?:outside (?:of )?(?:the )?(?:\w+ )?hours|out of hours|(?:after|past) (?:closing|hours)|before opening)\b",
    re.IGNORECASE,
)
