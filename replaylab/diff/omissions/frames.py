"""Lists that have the same rows whatever they are of: the rows of a plate, the days of a week, the points of a checklist."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from replaylab.canonical import canonical
from replaylab.diff.calls.looking import Look
from replaylab.diff.calls.memory import inner, lists_on_face
from replaylab.diff.contract.tools import is_write
from replaylab.diff.words.identity import key_of, stems
from replaylab.diff.words.lexicon import PICKING
from replaylab.diff.words.observed import Group, groups
from replaylab.schema.base import Json
from replaylab.schema.violation import Violation

_LEAST = 3  # rows that make a frame
_OTHERS = 2  # lists of the same rows, by which it is none by chance


def broken_frames(look: Look) -> Iterator[Violation]:
    """Rows that every list of this name has had so far, of whatever it was, and that this one lacks."""
    tool = look.step.tool
    if is_write(tool) or stems(tool.name) & PICKING:
        return
    for group in lists_on_face(look):
        before = [one for one in _before(look, group.name) if one.items]
        if look.step.arguments and _are_things(look, [*before, group]):
            continue
        for field in _fields(before):
            names = [[key_of(item.row.get(field)) for item in one.items] for one in before]
            here = [key_of(item.row.get(field)) for item in group.items]
            frame = max(names, key=len)
            if len(frame) < _LEAST or names.count(frame) < _OTHERS or not _is_part(here, frame):
                continue
            # A list that was told to be short before says that this is no frame, unless it was short by itself.
            if any(not _is_part(one, frame) and one != frame for one in names):
                continue
            for gone in [one for one in frame if one not in here]:
                yield _broken(look, group, gone, frame, here)
            break


def _are_things(look: Look, lists: Sequence[Group]) -> bool:
    """Whether every row names a thing of the state by one field: which of these a list shows follows from what is asked for."""
    rows = [item.row for one in lists for item in one.items]
    return any(
        all(key_of(row.get(field)) in look.contract.things for row in rows)
        for field in (rows[0] if rows else ())
    )


def _is_part(names: Sequence[str], frame: Sequence[str]) -> bool:
    """Whether names are most of a frame, in its order."""
    rest = iter(frame)
    return all(one in rest for one in names) and len(names) * 2 >= len(frame) > len(names)


def _before(look: Look, name: str) -> Iterator[Group]:
    """The list of this name in the example and in the last answer to each other call of this tool: one that was put twice
    tells nothing twice.
    """
    said: dict[bytes, Json] = {}
    if look.step.tool.has_example:
        said[b""] = look.step.tool.example_output
    for step in look.world.steps:
        if step.tool.name == look.step.tool.name and step.arguments != look.step.arguments:
            said[canonical(step.arguments)] = step.observation
    for one in said.values():
        pointer, face = inner(one)
        yield from (
            group
            for group in groups(face, pointer)
            if group.name == name and group.shape == "rows" and not group.inside
        )


def _fields(before: Sequence[Group]) -> list[str]:
    """The fields that tell the rows of every list apart."""
    if not before:
        return []
    return [
        field
        for field in before[0].items[0].row
        if all(
            all(keys) and len(set(keys)) == len(keys)
            for one in before
            for keys in [[key_of(item.row.get(field)) for item in one.items]]
        )
    ]


def _broken(look: Look, group: Group, gone: str, frame: Sequence[str], here: Sequence[str]) -> Violation:
    return look.violation(
        kind="omission",
        subkind="missing",
        pointer=group.pointer,
        entity=gone,
        expected=list(frame)[:12],
        observed=list(here)[:12],
        confidence=0.6,
        message=f"{look.step.tool.name} leaves out {gone!r}, which {group.name} has had in every other answer",
    )
