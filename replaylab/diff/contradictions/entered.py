"""What a call has entered, shown under another id: the row of a withdrawal with its number and its receiver, and not the
thing that was withdrawn.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from replaylab.checks.matcher import same
from replaylab.diff.calls.looking import Look
from replaylab.diff.calls.memory import inner
from replaylab.diff.calls.world import Step
from replaylab.diff.contract.tools import is_write
from replaylab.diff.words.identity import key_of, stems
from replaylab.diff.words.observed import Group, Item, escape, groups
from replaylab.schema.base import Json, JsonObject, in_json
from replaylab.schema.violation import Violation

_LEAST = 2  # values of a call, a text among them, by which a row is that call's


class Entered(NamedTuple):
    """A row that is the one which a call has entered, but for one field that names another thing."""

    step: Step
    group: Group
    item: Item
    field: str

    @property
    def given(self) -> Json:
        return self.step.arguments[self.field]


def entered_otherwise(look: Look) -> Iterator[Violation]:
    """Rows of what a call has entered that show another known thing than it named."""
    for one in _entered_otherwise(look):
        shown = one.item.row[one.field]
        if look.is_known(key_of(shown)):
            yield look.violation(
                kind="contradiction",
                subkind="changed_value",
                pointer=f"{one.item.pointer}/{escape(one.field)}",
                entity=str(one.given),
                expected=one.given,
                observed=shown,
                confidence=0.75,
                message=f"{look.step.tool.name} shows {one.field} {in_json(shown)}; {one.step.tool.name} in call {one.step.call} had "
                f"{in_json(one.given)} and the same otherwise",
            )


def entered_nowhere(look: Look) -> Iterator[Violation]:
    """Things that a call has entered, where its row bears a name that nobody knows."""
    for one in _entered_otherwise(look):
        shown = one.item.row[one.field]
        if not look.is_known(key_of(shown)) and key_of(one.given) not in look.said:
            yield look.violation(
                kind="omission",
                subkind="missing",
                pointer=one.group.pointer,
                entity=str(one.given),
                expected=one.given,
                observed=shown,
                confidence=0.7,
                message=f"{look.step.tool.name} leaves out {in_json(one.given)}, which {one.step.tool.name} in call {one.step.call} has "
                f"entered (the rest of it stands under {in_json(shown)})",
            )


def _entered_otherwise(look: Look) -> Iterator[Entered]:
    if is_write(look.step.tool) or look.world.time_moved:
        return
    pointer, face = inner(look.step.observation)
    for group in groups(face, pointer) if look.world.writes else ():
        if group.shape != "rows" or group.inside or not _is_part_of_state(look, group):
            continue
        for item in group.items:
            found = [
                Entered(step, group, item, field)
                for step in look.world.writes
                if (field := _other_field(look, item.row, step.arguments))
            ]
            if len(found) == 1 and _is_nobody_elses(look, found[0]):
                yield found[0]


def _is_part_of_state(look: Look, group: Group) -> bool:
    """Whether a list bears the name of a list of the state that was empty at first: what stands in it was entered."""
    state = look.contract.environment.initial_state
    return any(part == [] and stems(name) == stems(group.name) for name, part in state.items())


def _other_field(look: Look, row: JsonObject, given: JsonObject) -> str:
    """The one field by which a row is not what a call was given: it names a thing; "" where there is none."""
    shared = [name for name in given if name in row and given[name] not in (None, "")]
    equal = [name for name in shared if same(given[name], row[name])]
    other = [name for name in shared if name not in equal]
    told = len(equal) >= _LEAST and any(isinstance(given[name], str) for name in equal)
    if not told or len(other) != 1 or not isinstance(row[other[0]], str):
        return ""
    return other[0] if key_of(given[other[0]]) in look.contract.things else ""


def _is_nobody_elses(look: Look, one: Entered) -> bool:
    """Whether no row of the list is that call's as it was given, and no other call has to do with what this row shows."""
    shown = key_of(one.item.row[one.field])
    whole = any(_is_of(item.row, one.step.arguments) for item in one.group.items)
    others: Sequence[Step] = [step for step in look.world.writes if step is not one.step]
    since = any(step.call > one.step.call and key_of(one.given) in step.named for step in others)
    return not whole and not since and not any(shown in step.named for step in look.world.writes)


def _is_of(row: JsonObject, given: JsonObject) -> bool:
    shared = [name for name in given if name in row]
    return len(shared) > _LEAST and all(same(given[name], row[name]) for name in shared)
