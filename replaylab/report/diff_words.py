"""What a contract check and a comparison found, in words for readers."""

from __future__ import annotations

import json
from collections.abc import Iterable

from replaylab.schema.base import Json
from replaylab.schema.difference import Difference, Manner
from replaylab.schema.pointer import unescape
from replaylab.schema.violation import Violation

DONE = {
    "fabrication": "invented",
    "omission": "left out",
    "rule_invention": "rule invented",
    "contradiction": "contradicted",
    "possible_fault": "possible fault",
}
AGAINST = {
    "contract": "the contract of the environment",
    "instruction": "the task's instruction",
    "rubric": "the task's rubric",
    "peers": "what the other simulators say",
}
LICENCE = {
    "explicit": "the contract says so itself",
    "state": "the state bears it out",
    "open_clause": "only a sentence that allows realism in general",
    "none": "none",
}
DIFFERENT = {
    "acceptance": "one carried the call out, another refused it",
    "entities": "they show other entities",
    "value": "they show other values for one that the contract backs",
    "open": "they differ in what the contract leaves open",
}
MANNERS: dict[Manner, str] = {
    "lockstep/recorded": "Lockstep, same history: each call was put to every simulator after the very same calls and "
    "answers.",
    "lockstep/own": "Lockstep, own history: the same calls were put to every simulator, each after its own answers.",
    "aligned": "Aligned: every simulator had a trial of its own. After the first divergence the histories differ, and "
    "answers are held against the contract only.",
}
_LONG = 90  # characters of a value in a heading


def title_of(one: Violation) -> str:
    """A heading: what was invented, left out, made up or changed."""
    name = brief(one.entity, 60) if one.entity else ""
    if one.kind == "fabrication":
        return f"{name or brief(one.observed)} is invented"
    if one.kind == "omission":
        return f"{name or brief(one.expected)} is {'denied' if one.subkind == 'denial' else 'left out'}"
    if one.kind == "rule_invention":
        return f"Refused by a rule that nobody wrote: “{brief(one.observed)}”"
    if one.kind == "contradiction":
        field = _last(one.pointer)
        of = f"{field} of {name}" if field and name and field != name else field or name or "A value"
        return f"{of} is {brief(one.observed, 40)} and should be {brief(one.expected, 40)}"
    return f"Possible fault: {name or brief(one.observed)}"


def _last(pointer: str) -> str:
    part = pointer.rpartition("/")[2]
    return "" if part.isdigit() else unescape(part)


def brief(value: Json, most: int = _LONG) -> str:
    """A value on one line, cut to `most` characters."""
    line = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    line = " ".join(line[: 4 * most].split())
    return line if len(line) <= most else f"{line[: most - 1]}…"


def difference_words(one: Difference) -> str:
    """What differs, and whom it is held against."""
    return one.message or f"{DIFFERENT[one.kind][0].upper()}{DIFFERENT[one.kind][1:]}"


def blame_words(one: Difference) -> str:
    """Whom a difference is held against; that it is nobody where the contract is silent."""
    if one.noise:
        return "Noise: a simulator's own repeats differ in the same way, so this says nothing of simulators."
    if one.blamed:
        return f"Explained by a violation of {listed(one.blamed)}."
    if one.minority:
        return f"Nobody is blamed: the contract is silent. {listed(one.minority)} stands against a majority."
    return "Nobody is blamed: the contract is silent."


def listed(names: Iterable[str]) -> str:
    """Names in a row: "a, b and c"."""
    *most, last = list(names) or [""]
    return f"{', '.join(most)} and {last}" if most else last


def counted(number: int, noun: str) -> str:
    """A number with its noun."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
