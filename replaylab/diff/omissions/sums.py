"""Rows that do not add up to what stands beside them: where two sums at once are too small or too large, a row is missing, or one
is too many. One sum alone may only have another value.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import NamedTuple

from replaylab.checks.numbers import exact
from replaylab.diff.calls.looking import Look
from replaylab.diff.calls.memory import inner, lists_on_face
from replaylab.diff.contract.tools import is_write
from replaylab.diff.omissions.pages import is_one_of_several
from replaylab.diff.words.identity import stems
from replaylab.diff.words.observed import Group, Item, groups
from replaylab.schema.base import Json, JsonObject
from replaylab.schema.violation import Violation

_SEVERAL = 2


class Sum(NamedTuple):
    """A field of the rows of a list, and how far they are from what the answer gives as their sum."""

    field: str
    gap: Fraction


def short_sums(look: Look) -> Iterator[Violation]:
    """Lists whose rows stay below their sums, so that one is missing."""
    for group, sums in _sums(look):
        if all(one.gap > 0 for one in sums):
            yield look.violation(
                kind="omission",
                subkind="missing" if group.items else "all_missing",
                pointer=group.pointer,
                entity="",
                expected={one.field: float(one.gap) for one in sums},
                observed=[item.row for item in group.items][:12],
                confidence=0.7,
                message=f"{look.step.tool.name} leaves out a row: {_told(sums)} of its sums are in none",
            )


def excess_rows(look: Look) -> Iterator[Violation]:
    """Rows by whose values a list is above all of its sums."""
    for group, sums in _sums(look):
        beyond = [item for item in group.items if all(exact(item.row[one.field]) == -one.gap for one in sums)]
        if all(one.gap < 0 for one in sums) and beyond:
            item = beyond[-1]
            name = next((value for value in item.row.values() if isinstance(value, str)), "")
            yield look.violation(
                kind="fabrication",
                subkind="counter_mismatch",
                pointer=item.pointer,
                entity=name,
                observed=item.row,
                confidence=0.7,
                message=f"{look.step.tool.name} shows {name or 'a row'!r}, whose {_told(sums)} are in none of its sums",
            )


def _told(sums: list[Sum]) -> str:
    return " and ".join(f"{one.field} {float(abs(one.gap)):g}" for one in sums)


def _sums(look: Look) -> Iterator[tuple[Group, list[Sum]]]:
    """The lists that an answer has with two sums at least, none of which fits."""
    tool = look.step.tool
    if is_write(tool) or not tool.has_example or is_one_of_several(look):
        return
    before = [one.observation for one in look.world.steps if one.tool.name == tool.name and not one.refused]
    face = inner(look.step.observation)[1]
    for group in lists_on_face(look):
        own = group.pointer.rpartition("/")[2]
        fields = list(_summed(tool.example_output, own))
        if len(fields) < _SEVERAL:
            continue
        if all(_gaps(one, own, fields) in ([], [Fraction(0)] * len(fields)) for one in before):
            gaps = _gaps(look.step.observation, own, fields)
            if gaps and 0 not in gaps and face:
                names = [field for field, _ in fields]
                yield group, [Sum(field, gap) for field, gap in zip(names, gaps, strict=True)]


def _summed(said: Json, name: str) -> Iterator[tuple[str, str]]:
    """The fields of an example's rows, several of which add up to a field beside the list that is called like theirs."""
    face, rows = _list_in(said, name)
    for field in rows[0].row if len(rows) >= _SEVERAL else ():
        values = [exact(one.row.get(field)) for one in rows]
        known = [one for one in values if one is not None]
        total = [beside for beside in face if stems(field) and stems(field) <= stems(beside)]
        if len(known) == len(values) and len(total) == 1 and exact(face[total[0]]) == sum(known) != 0:
            yield field, total[0]


def _gaps(said: Json, name: str, fields: list[tuple[str, str]]) -> list[Fraction]:
    """By how much each sum is above its rows; nothing where one of them can't be told."""
    face, rows = _list_in(said, name)
    found: list[Fraction] = []
    for field, beside in fields:
        total, values = exact(face.get(beside)), [exact(one.row.get(field)) for one in rows]
        if total is not None and None not in values:
            found.append(Fraction(total) - sum(Fraction(one) for one in values if one is not None))
    return found if len(found) == len(fields) else []


def _list_in(said: Json, name: str) -> tuple[JsonObject, tuple[Item, ...]]:
    pointer, face = inner(said)
    lists = [
        one
        for one in groups(face, pointer)
        if one.pointer == f"{pointer}/{name}" and one.shape in ("rows", "empty")
    ]
    return (face, lists[0].items) if lists else ({}, ())
