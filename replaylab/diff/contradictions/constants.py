"""Plain fields of the state itself, such as a limit or how much is left of something, shown under their very names."""

from __future__ import annotations

from collections.abc import Iterator

from replaylab.checks.matcher import same
from replaylab.checks.numbers import exact
from replaylab.diff.calls.fixed import never_changes
from replaylab.diff.calls.looking import Look
from replaylab.diff.calls.memory import own_fields
from replaylab.diff.contract.told import told_of
from replaylab.diff.contract.tools import is_write, verb_of
from replaylab.diff.contradictions.contradiction import differs
from replaylab.diff.words.clock import is_clock
from replaylab.diff.words.identity import stems, words
from replaylab.diff.words.observed import escape
from replaylab.schema.base import Json, in_json
from replaylab.schema.violation import Violation

_SHOWING = stems("get list show read view fetch retrieve look lookup display")


def other_constants(look: Look) -> Iterator[Violation]:
    """Fields of the state that never change, and those that nothing was done since to change, with another value."""
    if is_write(look.step.tool):
        return
    for field, value in own_fields(look).items():
        first, said = (
            look.contract.environment.initial_state[field],
            told_of(look.contract.environment, field),
        )
        fixed = never_changes(said, field)
        if value in (None, "") or isinstance(first, (dict, list)):
            continue
        expected, why = (first, "never changes") if fixed else _stands(look, field, first)
        if expected is None or same(expected, value):
            continue
        if differs(expected, value) or (fixed and isinstance(value, str)):
            yield _violation(look, field, expected, value, why)


def _stands(look: Look, field: str, first: Json) -> tuple[Json, str]:
    """What a field is by now, and why; None where something may have changed it, or where its name says too little."""
    if exact(first) is None or verb_of(look.step.tool) not in _SHOWING:
        return None, ""  # a text has other words, and what is worked out may be of something else
    last = look.world.told.get(("", field))
    since = [one for one in look.world.writes if last is None or one.call > last.call]
    if since or look.world.time_moved or is_clock(field) or len(words(field)) < 2:
        return None, ""
    return (last.value if last else first), "nothing has changed it"


def _violation(look: Look, field: str, expected: Json, value: Json, why: str) -> Violation:
    return look.violation(
        kind="contradiction",
        subkind="changed_value",
        pointer=f"/{escape(field)}",
        contract=f"/initial_state/{escape(field)}",
        expected=expected,
        observed=value,
        confidence=0.7,
        message=f"{look.step.tool.name} shows {field} as {in_json(value)}; it is {in_json(expected)} and {why}",
    )
