"""Refusals that are due by what the call is about: a date that has passed or is still to come, a yes that a thing says no to, a
party of nobody or of one sort alone. In which words that is said is open.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date

from replaylab.diff.omissions.flags import day_in, today_of
from replaylab.diff.refusals.reason import Reason
from replaylab.diff.refusals.standing import standing_of
from replaylab.diff.words.identity import stem, stems
from replaylab.diff.words.observed import escape
from replaylab.diff.words.sentences import Sentence
from replaylab.schema.base import JsonObject

_BEGUN = re.compile(r"\b(?:has|have|had)(?: already)? (?:begun|started|opened)\b", re.IGNORECASE)
_OVER = re.compile(
    r"\b(?:has|have|had)(?: already)? (?:passed|ended|expired|lapsed|closed)\b|\bis (?:already )?(?:over|past)\b|\bin the past\b",
    re.IGNORECASE,
)
_TO_COME = re.compile(
    r"\b(?:not|only|never)\b[^.;]*?\b(?:before|on|from|until|today)\b|\bnot yet\b|\bstill to come\b|\btoo early\b|\bin the future\b",
    re.IGNORECASE,
)
_STARTS = stems("first start begin from open date day since arrive arrival departs depart at on")
_ENDS = stems("last end until due expire expiry to close deadline date day till through return")
_DAY = re.compile(r"\d{4}-\d\d-\d\d")
_MISSES = re.compile(
    r"\b(?:somebody|someone|anybody|anyone|nobody|no one|at least one|without any\w*|alone|empty)\b",
    re.IGNORECASE,
)
_TURNS_AWAY = re.compile(
    r"(?:\bnot|n[’']t)\b[^.;]{0,20}\b(?:taken|accepted|allowed|admitted|let in|possible)\b"
    r"|\b(?:refused|rejected|turned (?:down|away))\b",
    re.IGNORECASE,
)
_NOBODY = re.compile(r"\b(?:nobody|no one|no people|zero)\b", re.IGNORECASE)
_ALONE = re.compile(r"\b(?P<one>[a-z]+) (?:alone|only)\b|\b(?:only|just) (?P<other>[a-z]+)\b", re.IGNORECASE)


def due_by(reason: Reason) -> tuple[str, str]:
    """The pointer of what bears a refusal out, and the sentence where it is one; empty where nothing does."""
    if reason.loose_numbers or reason.loose_caps or reason.loose_spans:
        return "", ""
    sentence = sentence_on_heads(reason)
    if sentence is not None:
        return sentence.pointer, sentence.text
    # A date that stands alone in the state is clock enough.
    return out_of_time(reason) or flag_against(reason), ""


def out_of_time(reason: Reason) -> str:
    """The pointer of a date that bears out what is said of the time; "" where none does."""
    today = _today(reason.look.contract.environment.initial_state)
    if today is None or reason.look.world.time_moved:
        return ""
    named = {day_in(one) for one in _DAY.findall(reason.text)}
    for pointer, field, day in _days(reason):
        begun = _BEGUN.search(reason.text) and stems(field) & _STARTS and day <= today
        over = _OVER.search(reason.text) and stems(field) & _ENDS and day < today
        to_come = _TO_COME.search(reason.text) and day > today and day in named
        if begun or over or to_come:
            return pointer
    return ""


def _today(state: JsonObject) -> date | None:
    """The day of the state: by the name of a field, or the only one that stands alone in it."""
    days = {day for value in state.values() if (day := day_in(value)) is not None}
    return today_of(state) or (days.pop() if len(days) == 1 else None)


def _days(reason: Reason) -> Iterator[tuple[str, str, date]]:
    for collection, entity in reason.subjects:
        for field, value in standing_of(reason.look, collection, entity):
            day = day_in(value)
            if day is not None:
                yield f"{entity.pointer}/{escape(field)}", field, day


def flag_against(reason: Reason) -> str:
    """The pointer of a no of a thing that the call names, to what the call says yes to under that name; "" where none is so."""
    asked = [stems(name) for name, value in reason.look.step.arguments.items() if value is True]
    said = stems(reason.text)
    for collection, entity in reason.subjects:
        for field, value in standing_of(reason.look, collection, entity):
            if value is False and stems(field) in asked and stems(field) <= said:
                return f"{entity.pointer}/{escape(field)}"
    return ""


def sentence_on_heads(reason: Reason) -> Sentence | None:
    """The sentence that turns a call away which counts nobody, or one sort alone, where this one counts so."""
    if not _MISSES.search(reason.text):
        return None
    counts = _counts(reason)
    here = {name for name, number in counts.items() if number}
    for sentence in reason.look.contract.sentences:
        if not counts or not _TURNS_AWAY.search(sentence.text):
            continue
        alone = {stem((one["one"] or one["other"]).casefold()) for one in _ALONE.finditer(sentence.text)}
        if (not here and _NOBODY.search(sentence.text)) or (len(here) == 1 and stems(*here) & alone):
            return sentence
    return None


def _counts(reason: Reason) -> dict[str, int]:
    """The arguments that count something and may be 0, as they are given; of one alone nobody can tell."""
    told = reason.look.step.tool.parameters.get("properties", {})
    given = reason.look.step.arguments
    found = {
        name: given[name]
        for name, schema in told.items()
        if isinstance(schema, dict) and schema.get("minimum") == 0 and type(given.get(name)) is int
    }
    return found if len(found) > 1 else {}
