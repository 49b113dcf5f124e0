"""What an accepted call returned, set or took, and an answer right after it that shows something else."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from replaylab.checks.matcher import same
from replaylab.checks.numbers import exact
from replaylab.diff.calls.looking import Look
from replaylab.diff.calls.memory import is_of_what_it_made
from replaylab.diff.calls.subjects import Subject, subjects
from replaylab.diff.calls.world import Step
from replaylab.diff.contract.evidence import object_of
from replaylab.diff.contract.tools import is_write, moves_time, verb_of
from replaylab.diff.contradictions.contradiction import differs
from replaylab.diff.contradictions.stale import is_under_way
from replaylab.diff.words.identity import key_of, stems, words
from replaylab.diff.words.lexicon import (
    MONEY,
    NEW_WORDS,
    SET_VERBS,
    TAKING_VERBS,
    TRADING,
    VAGUE_FIELDS,
)
from replaylab.diff.words.measures import is_measured_alike
from replaylab.diff.words.observed import escape, face_of
from replaylab.schema.base import Json, in_json
from replaylab.schema.violation import Violation

_LEFT = stems("remaining left active")
_STOCKS = stems("volume quantity stock biomass units inventory")


class Claim(NamedTuple):
    """What is wrong: where, of what, what it has to be, and the call that said so."""

    pointer: str
    entity: str
    expected: Json
    observed: Json
    step: Step
    why: str


def unlike_returned(look: Look) -> Iterator[Violation]:
    """Fields of an answer that the last call of an effect speaks against."""
    writes = look.world.writes
    if is_write(look.step.tool) or not writes:
        return
    last = writes[-1]
    done: set[str] = set()
    for one in (*_returned(look, last), *_entries(look), *_unspent(look, last)):
        if one.pointer not in done:
            done.add(one.pointer)
            yield _violation(look, one)


def _returned(look: Look, last: Step) -> Iterator[Claim]:
    """What the last call said that a quantity is from now on, and what an answer says of it, with nothing done in between."""
    face = face_of(last.observation)
    told = {
        name: value
        for name, value in face.items()
        if exact(value) is not None
        and not isinstance(value, str)
        and not stems(name) <= VAGUE_FIELDS
        and not is_of_what_it_made(look, last, name, value)
    }
    made = any(
        key_of(value) in look.world.created
        and look.world.created[key_of(value)] == last.call
        and key_of(value) not in last.named
        for name, value in face.items()
        if isinstance(value, str) and any(map(str.isdigit, value))
    )
    for subject in subjects(look, changed=True) if told and not is_under_way(last) else ():
        if not _is_about(look, last, subject) or (
            made and key_of(subject.id) not in {key_of(one) for one in face.values()}
        ):
            continue
        for field, value in subject.row.items():
            if _is_worked_out(subject, field):
                continue
            named = [name for name in told if _is_same(last, subject, name, field)]
            alike = [name for name in subject.row if any(_is_same(last, subject, one, name) for one in named)]
            if len(named) == len(alike) == 1 and exact(value) is not None and differs(told[named[0]], value):
                why = f"{last.tool.name} in call {last.call} returned {named[0]} {in_json(told[named[0]])}"
                yield Claim(subject.at(field), subject.id or field, told[named[0]], value, last, why)


def _is_worked_out(subject: Subject, field: str) -> bool:
    """Whether rows inside the thing have this field as well, so that it is worked out from theirs: the minutes of all that wait."""
    rows = (row for part in subject.row.values() if isinstance(part, list) for row in part)
    return any(isinstance(row, dict) and field in row for row in rows)


def _is_same(last: Step, subject: Subject, name: str, field: str) -> bool:
    """Whether two fields are one: by their names, or where the call says that this is how it is now."""
    if name == field:
        return True
    parts = words(name)
    owner = {
        word
        for key, value in last.arguments.items()
        if key_of(value) == key_of(subject.id)
        for word in words(key)
    }
    bare = "_".join(part for part in parts if part not in owner)
    return bool(stems(name) & (NEW_WORDS | _LEFT)) and is_measured_alike(bare, field)


def _is_about(look: Look, last: Step, subject: Subject) -> bool:
    """Whether a call was made on the thing that is shown and on no other; or both are about nothing that the state holds."""
    things = last.named & look.contract.things.keys()
    if subject.id:
        return key_of(subject.id) in last.named and not things - {key_of(subject.id)}
    return not things and look.step.named <= last.named


def _entries(look: Look) -> Iterator[Claim]:
    """Maps that bear the name of what calls set: of `set_valve_position` on a valve, its entry in `valve_positions`."""
    for pointer, name, entries in _maps(look.step.observation):
        for step in look.world.writes:
            own = stems(object_of(step.tool.name))
            if verb_of(step.tool) not in SET_VERBS or not own or not own <= stems(name) or is_under_way(step):
                continue
            keys = [key for key in entries if key_of(key) in step.named]
            given = [
                value
                for field, value in step.arguments.items()
                if value not in (None, "") and (not keys or key_of(value) != key_of(keys[0]))
            ]
            since = [one for one in look.world.writes if one.call > step.call]
            if len(keys) != 1 or len(given) != 1 or any(_may_undo(one, keys[0]) for one in since):
                continue
            if differs(given[0], entries[keys[0]]) and differs(entries[keys[0]], given[0]):
                why = f"{step.tool.name} in call {step.call} set it to {in_json(given[0])}"
                yield Claim(f"{pointer}/{escape(keys[0])}", keys[0], given[0], entries[keys[0]], step, why)


def _maps(node: Json, pointer: str = "") -> Iterator[tuple[str, str, dict[str, Json]]]:
    for name, part in node.items() if isinstance(node, dict) else ():
        if isinstance(part, dict):
            here = f"{pointer}/{escape(name)}"
            yield here, name, {key: one for key, one in part.items() if not isinstance(one, (dict, list))}
            yield from _maps(part, here)


def _may_undo(step: Step, key: str) -> bool:
    return moves_time(step.tool) or key_of(key) in step.named or not step.named


def _unspent(look: Look, last: Step) -> Iterator[Claim]:
    """The money after the one trade that there was, and the stock of what was taken from, as they were at first."""
    if len(_trades(look)) == 1 and _trades(look)[0] is last and not is_under_way(last):
        for subject in subjects(look, changed=True):
            shown = [name for name in subject.row if stems(name) & MONEY and not subject.id]
            yield from _as_at_first(subject, shown, last, f"{last.tool.name} in call {last.call} was a trade")
    taken = [step for step in look.world.writes if stems(step.tool.name) & TAKING_VERBS]
    for subject in subjects(look, changed=True) if taken else ():
        on_it = [step for step in look.world.writes if subject.id and key_of(subject.id) in step.named]
        if len(on_it) == 1 and on_it[0] in taken and not is_under_way(on_it[0]) and not look.world.time_moved:
            shown = [name for name in subject.row if stems(name) & _STOCKS]
            yield from _as_at_first(
                subject, shown, on_it[0], f"{on_it[0].tool.name} in call {on_it[0].call} took of it"
            )


def _trades(look: Look) -> list[Step]:
    """The calls that buy or sell; those that move time among others count as well, as they may pay for something."""
    return [
        step
        for step in look.world.writes
        if moves_time(step.tool)
        or stems(step.tool.name) & TRADING
        or any(stems(value) & TRADING for value in step.arguments.values() if isinstance(value, str))
    ]


def _as_at_first(subject: Subject, shown: list[str], step: Step, why: str) -> Iterator[Claim]:
    facts = [(name, subject.fact(name)) for name in shown]
    known = [(name, fact) for name, fact in facts if fact is not None and exact(fact.value) not in (None, 0)]
    if len(known) == 1:
        name, fact = known[0]
        if same(fact.value, subject.row[name]):
            expected = f"not {in_json(fact.value)} any more"
            yield Claim(subject.at(name), subject.id or name, expected, subject.row[name], step, why)


def _violation(look: Look, one: Claim) -> Violation:
    field = one.pointer.rpartition("/")[2]
    return look.violation(
        kind="contradiction",
        subkind="stale",
        pointer=one.pointer,
        entity=one.entity,
        expected=one.expected,
        observed=one.observed,
        confidence=0.65,
        message=f"{look.step.tool.name} shows {field} of {one.entity} as {in_json(one.observed)}; {one.why}",
    )
