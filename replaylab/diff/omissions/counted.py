"""Lists that are shorter than the count beside them, where the state has members that the filter may let through."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from replaylab.diff.calls.looking import Look
from replaylab.diff.calls.memory import inner, lists_on_face
from replaylab.diff.contract.binding import Binding
from replaylab.diff.contract.collection import Entity
from replaylab.diff.contract.tools import is_write
from replaylab.diff.omissions.alike import shown_in
from replaylab.diff.omissions.by_now import by_now
from replaylab.diff.omissions.filters import Filter
from replaylab.diff.omissions.taken import is_told_short
from replaylab.diff.things.readings import Reading, readings
from replaylab.diff.things.thing import Thing, things_of
from replaylab.diff.words.identity import stems
from replaylab.diff.words.observed import Group
from replaylab.schema.base import Json, JsonObject
from replaylab.schema.violation import Violation

_COUNTS = stems("count total found number matches matched results size")


def uncounted(look: Look) -> Iterator[Violation]:
    """Members that a list leaves out, as a count tells that counts the rows in the tool's example. Named are those that the filter
    may let through, where just so many are left; else nobody is.
    """
    if is_write(look.step.tool) or not look.step.tool.has_example:
        return
    face = inner(look.step.observation)[1]
    for group in lists_on_face(look):
        if is_told_short(look, group):
            continue
        own = _COUNTS | stems(group.name) | stems(look.step.tool.name)
        for field, count in _plain(face):
            lacking = _number(count) - len(group.items)
            if lacking < 1 or not stems(field) <= own or not _counts_rows(look, group, field):
                continue
            left = list(_perhaps_left(look, group))
            if len(left) < lacking:
                continue
            for one in left if len(left) == lacking else [None]:
                yield _violation(look, group, field, one)
            break


def _plain(face: JsonObject) -> Iterator[tuple[str, Json]]:
    """The fields of an answer, and those of an object beside its lists: a `summary`."""
    yield from face.items()
    for part in face.values():
        if isinstance(part, dict):
            yield from part.items()


def _number(value: Json) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) else 0


def _counts_rows(look: Look, group: Group, field: str) -> bool:
    """Whether a field has counted the rows of this list so far: in the tool's example, and in most of what was answered before
    under other arguments as well.
    """
    tool = look.step.tool
    before = [one.observation for one in look.world.steps if one.tool.name == tool.name and not one.refused]
    own = group.pointer.rpartition("/")[2]
    told = [
        len(rows) == _number(plain[field])
        for face in (inner(said)[1] for said in (tool.example_output, *before))
        if isinstance(rows := face.get(own), list) and field in (plain := dict(_plain(face)))
    ]
    return bool(told) and told[0] and sum(told) * 2 > len(told)


def _perhaps_left(look: Look, group: Group) -> Iterator[Entity | Thing]:
    """The members that are not shown and that the filter does not rule out; where no collection is bound, the things."""
    binding = _binding(look, group)
    if binding is None:
        yield from _things_left(look, group)
        return
    shown = [one for item in group.items if (one := binding.entity_of(item)) is not None]
    keys = [one.key for one in shown]
    filtering = Filter(look.contract, binding, look.step.tool, look.step.arguments, keys, keys)
    for one in binding.collection.entities:
        if one not in shown and not one.aliases & look.said:
            now = by_now(look, binding.collection, one)
            if filtering.judge(now).duty != "must not":
                yield one


def _things_left(look: Look, group: Group) -> Iterator[Thing]:
    """The things that are not shown and that some reading of each argument may let through."""
    shown = shown_in(look, group)
    if shown is None:
        return
    picked = [
        found
        for name, value in look.step.arguments.items()
        if not isinstance(value, bool) and (found := readings(look, shown.collection, name, value))
    ]
    for one in things_of(look, shown.collection):
        here = one.key in shown.keys or one.key in look.said
        if not here and not one.gone and all(_may_pass(look, ways, one) for ways in picked):
            yield one


def _may_pass(look: Look, ways: Sequence[Reading], one: Thing) -> bool:
    return any(way.says(look, one) is not False for way in ways)


def _binding(look: Look, group: Group) -> Binding | None:
    found = [one for one in look.bindings if one.group.pointer == group.pointer]
    return found[0] if found and found[0].collection.closedness == "closed" else None


def _violation(look: Look, group: Group, field: str, one: Entity | Thing | None) -> Violation:
    return look.violation(
        kind="omission",
        subkind="missing" if group.items else "all_missing",
        pointer=group.pointer,
        contract=one.pointer if one else "",
        entity=one.id if one else "",
        observed=[item.row or item.label for item in group.items][:12],
        confidence=0.65,
        message=f"{look.step.tool.name} shows {len(group.items)} of {group.name}, and {field} counts more"
        + (f": {one.id!r} is left out" if one else ""),
    )
