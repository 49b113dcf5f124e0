"""The rows of a comparison: in lockstep one a call, else an alignment of whole trajectories with the first divergence in it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from replaylab.canonical import canonical
from replaylab.diff.parting.align import ALIKE, OTHER, SAME, align
from replaylab.diff.parting.compared import Side, counts, differences, same_again
from replaylab.diff.parting.voice import Voice
from replaylab.diff.words.identity import key_of
from replaylab.schema.base import Json
from replaylab.schema.difference import Answer, Row
from replaylab.schema.trajectory import Action

Place = tuple[int | None, ...]  # one call a simulator, None where it has none here


def lockstep_rows(voices: Sequence[Voice]) -> list[Row]:
    """The same calls for all; a simulator whose trial ended early has no answer from there on."""
    longest = max(len(voice.actions) for voice in voices)
    places = [
        tuple(call if call < len(voice.actions) else None for voice in voices) for call in range(longest)
    ]
    return [_row(voices, number, place, parted=False) for number, place in enumerate(places)]


def aligned_rows(voices: Sequence[Voice]) -> list[Row]:
    """The shared calls up to the first divergence, then an alignment of the rest.

    The trajectories share a beginning as long as the calls are the same. Within it the histories are the same under the
    contract until an answer differs in what the contract fixes; all that comes after that may follow from it.
    """
    shared = _shared(voices)
    rows: list[Row] = []
    parted = False
    for number in range(shared):
        row = _row(voices, number, tuple(number for _ in voices), parted=parted)
        rows.append(row)
        parted = parted or any(map(counts, row.differences))
    return rows + [
        _row(voices, shared + number, place, parted=True)
        for number, place in enumerate(tails(voices, shared))
    ]


class _Call(NamedTuple):
    tool: str
    arguments: bytes


def _call(action: Action) -> _Call:
    return _Call(action.tool, canonical(_normal(action.arguments)))


def _normal(value: Json) -> Json:
    """Arguments as they are compared: without case and gaps of ids, and without what is left empty."""
    if isinstance(value, dict):
        return {key: _normal(part) for key, part in value.items() if part not in (None, "")}
    if isinstance(value, list):
        return [_normal(part) for part in value]
    return key_of(value) or value


def _shared(voices: Sequence[Voice]) -> int:
    """How many calls at the beginning are the same, and answered by the same side, for all."""
    number = 0
    for actions in zip(*(voice.actions for voice in voices), strict=False):
        if len({(*_call(action), action.by) for action in actions}) > 1:
            break
        number += 1
    return number


def score(one: _Call, other: _Call) -> int:
    """How well two calls go together."""
    return SAME if one == other else ALIKE if one.tool == other.tool else OTHER


def tails(voices: Sequence[Voice], start: int) -> list[Place]:
    """The calls from `start` on, each simulator's aligned with the first one's."""
    first = [_call(action) for action in voices[0].actions[start:]]
    found: list[Place] = [(start + number,) for number in range(len(first))]
    for width, voice in enumerate(voices[1:], start=1):
        theirs = [_call(action) for action in voice.actions[start:]]
        found = _joined(found, align(first, theirs, score), width, start)
    return found


def _joined(
    rows: Sequence[Place], pairs: Sequence[tuple[int | None, int | None]], width: int, start: int
) -> list[Place]:
    """The rows with one more simulator: beside the call of the first one that its call goes with, else in a new row."""
    partner = {one: other for one, other in pairs if one is not None}
    before: dict[int | None, list[int]] = {}
    waiting: list[int] = []
    for one, other in pairs:
        if one is None and other is not None:
            waiting.append(other)
        elif one is not None:
            before[one], waiting = waiting, []
    joined: list[Place] = []
    empty: Place = (None,) * width
    for row in rows:
        if (at := row[0]) is None:
            joined.append((*row, None))
            continue
        joined += [(*empty, start + other) for other in before.get(at - start, ())]
        partner_of = partner.get(at - start)
        joined.append((*row, None if partner_of is None else start + partner_of))
    return joined + [(*empty, start + other) for other in waiting]


def _row(voices: Sequence[Voice], number: int, place: Place, *, parted: bool) -> Row:
    here = [(voice, call) for voice, call in zip(voices, place, strict=True) if call is not None]
    action = here[0][0].actions[here[0][1]]
    sides = [] if parted else sides_of(voices, place)
    plan = here[0][0].header.faults
    prompted = plan.mode == "prompt" and bool(plan.implicit) and bool(plan.count)
    return Row(
        row=number,
        tool=action.tool,
        arguments=action.arguments or {},
        calls=place,
        answers=tuple(
            None if call is None else _answer(voice, call) for voice, call in zip(voices, place, strict=True)
        ),
        differences=tuple(differences(sides, prompted=prompted)) if len(sides) > 1 else (),
        parted=parted,
    )


def sides_of(voices: Sequence[Voice], place: Place) -> list[Side]:
    """The answers of those simulators that answered themselves; what a fault or the engine said is nobody's."""
    return [
        _side(voice, call)
        for voice, call in zip(voices, place, strict=True)
        if call is not None and call in voice.said
    ]


def _side(voice: Voice, call: int) -> Side:
    repeats = tuple(voice.repeats.get(call, ()))
    return Side(voice.simulator, voice.said[call], repeats, voice.found(call), voice.hushed(call))


def _answer(voice: Voice, call: int) -> Answer:
    action = voice.actions[call]
    if call not in voice.said:
        return Answer(simulator=voice.simulator, path="", observation=action.observation, by=action.by)
    side = _side(voice, call)
    return Answer(
        simulator=voice.simulator,
        path=voice.paths[call],
        observation=action.clean,
        refused=side.said.refused,
        violations=tuple(one.id for one in voice.report.findings if one.call == call),
        repeats=len(side.repeats),
        same_again=same_again(side),
    )
