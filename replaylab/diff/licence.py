"""What may license a refusal: bad arguments, an unknown id, an error of the contract, the state, a rule's text.

Each licence is one function; the first that holds decides. A refusal that none licenses is an invented rule.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple

from jsonschema import Draft202012Validator
from jsonschema.exceptions import SchemaError

from replaylab.canonical import canonical
from replaylab.diff.denial import is_reference, is_unknown, says_unknown
from replaylab.diff.identity import key_of, stems
from replaylab.diff.observed import escape, leaves
from replaylab.diff.reason import Reason
from replaylab.schema.base import JsonObject
from replaylab.schema.scenario import Tool
from replaylab.schema.violation import LicenceLevel

_RULE_COVERED = 0.6
_STATE_COVERED = 0.6


class Licence(NamedTuple):
    """What bears a refusal out: how strongly, where it stands, and its words."""

    level: LicenceLevel
    pointer: str
    quote: str = ""


def licence_for(reason: Reason) -> Licence | None:
    """The first licence that holds, the strongest sort first; None where there is none."""
    return next((licence for rule in LICENCES if (licence := rule(reason))), None)


def bad_arguments(reason: Reason) -> Licence | None:
    """The arguments don't fit the tool's schema."""
    step = reason.look.step
    problem = schema_problem(step.tool, step.arguments)
    if problem:
        return Licence("explicit", _tool_pointer(reason, "/parameters"), problem)
    blank = [name for name, value in step.arguments.items() if value in ("", [], {}) or value is None]
    return (
        Licence("explicit", _tool_pointer(reason, f"/parameters/properties/{escape(blank[0])}"))
        if blank
        else None
    )


def unknown_id(reason: Reason) -> Licence | None:
    """An argument names something that does not exist, and the reason says so or names it."""
    for pointer, key, value in leaves(reason.look.step.arguments):
        if not is_reference(key) or not key_of(value) or not is_unknown(reason.look, value):
            continue
        if says_unknown(reason.text) or str(value).casefold() in reason.text.casefold():
            return Licence("explicit", _tool_pointer(reason, f"/parameters/properties{pointer}"), str(value))
    return None


def literal_error(reason: Reason) -> Licence | None:
    """The contract spells this error out, and what it speaks of is there."""
    if reason.needs_a_clock or reason.loose_numbers:
        return None
    said = stems(reason.text)
    for error in reason.look.contract.errors:
        wanted = error.stems
        if (
            wanted
            and len(wanted & said) / len(wanted) >= 0.75
            and reason.coverage(wanted | reason.of_state) >= 0.75
        ):
            return Licence("explicit", error.pointer, error.text)
    return None


def state_precondition(reason: Reason) -> Licence | None:
    """The state of the things that the call is about says why, and no word of a rule is needed for it."""
    if reason.needs_a_clock or reason.loose_numbers or reason.loose_caps:
        return None
    wanted = _STATE_COVERED if not reason.lays_down_a_rule else 0.9
    if not reason.cause or reason.coverage(reason.of_subjects) >= wanted:
        pointer = reason.subjects[0][1].pointer if reason.subjects else "/initial_state"
        return Licence("state", pointer)
    return None


def rule_text(reason: Reason) -> Licence | None:
    """A sentence of the contract has most of the words that carry the reason."""
    if reason.needs_a_clock or reason.loose_numbers or reason.loose_caps or not reason.cause:
        return None
    best, most = None, 0.0
    for sentence in reason.look.contract.sentences:
        if sentence.tool in ("", reason.look.step.tool.name):
            covered = reason.coverage(sentence.stems)
            if covered > most and len(reason.cause & sentence.stems) >= min(2, len(reason.cause)):
                best, most = sentence, covered
    if best is not None and most >= _RULE_COVERED:
        return Licence("explicit", best.pointer, best.text)
    return None


LICENCES: tuple[Callable[[Reason], Licence | None], ...] = (
    bad_arguments,
    unknown_id,
    literal_error,
    state_precondition,
    rule_text,
)


def schema_problem(tool: Tool, arguments: JsonObject) -> str:
    """What a tool's schema has against arguments; "" where they fit, or where the schema itself is broken."""
    try:
        errors = _validator(canonical(tool.parameters)).iter_errors(arguments)
        return next((error.message for error in errors), "")
    except SchemaError:
        return ""


@lru_cache(maxsize=4096)
def _validator(schema: bytes) -> Draft202012Validator:
    return Draft202012Validator(json.loads(schema))


def _tool_pointer(reason: Reason, below: str) -> str:
    tools = reason.look.contract.environment.tools
    number = next(
        (number for number, tool in enumerate(tools) if tool.name == reason.look.step.tool.name), None
    )
    return f"/tools/{number}{below}" if number is not None else "/tools"
