"""Rows in a series: slots 1 to 10, rows A to D. One that is missing between others leaves a gap, and one that is called
otherwise does not belong to them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from replaylab.diff.calls.looking import Look
from replaylab.diff.contract.tools import is_write
from replaylab.diff.words.identity import name_key, stems
from replaylab.diff.words.keyfield import MAX_NAME
from replaylab.diff.words.lexicon import NO_NAMES, PAGING, PICKING
from replaylab.diff.words.observed import Group, Item
from replaylab.schema.base import Json
from replaylab.schema.violation import Violation

_LEAST = 3  # rows that follow each other, by which a list is a series


class Series(NamedTuple):
    """A field that counts the rows of a list: the place of each in the series, and the rows that have none."""

    group: Group
    field: str
    places: tuple[tuple[int, Item], ...]
    others: tuple[Item, ...]

    @property
    def is_lettered(self) -> bool:
        return isinstance(self.places[0][1].row.get(self.field), str)

    def named(self, place: int) -> str:
        """What the row of a place is called."""
        return chr(place) if self.is_lettered else str(place)


def gaps(look: Look) -> Iterator[Violation]:
    """Rows that are missing between others. A tool that picks, or a call that filters, may leave out any."""
    filtered = len(look.step.arguments) > 1 or any(name_key(one) in PAGING for one in look.step.arguments)
    if is_write(look.step.tool) or stems(look.step.tool.name) & PICKING or filtered:
        return
    for one in _series(look):
        places = [place for place, _ in one.places]
        holes = [after - 1 for before, after in pairwise(places) if after == before + 2]
        if len(holes) == 1 and not one.others and (one.is_lettered or places[0] in (0, 1)):
            name = one.named(holes[0])
            yield look.violation(
                kind="omission",
                subkind="missing",
                pointer=one.group.pointer,
                entity=name,
                expected=name,
                observed=[item.row.get(one.field) for _, item in one.places][:12],
                confidence=0.65,
                message=f"{look.step.tool.name} leaves out {one.field} {name} between those before and after it",
            )


def unlike_rows(look: Look) -> Iterator[Violation]:
    """Rows of a series that have no place in it, and whose name nobody knows."""
    for one in _series(look) if not is_write(look.step.tool) else ():
        for item in one.others:
            name = str(item.row.get(one.field) or "")
            key = name_key(name)
            if key and key not in NO_NAMES and len(name) <= MAX_NAME and not look.is_known(key):
                yield look.violation(
                    kind="fabrication",
                    subkind="unknown",
                    pointer=item.pointer,
                    entity=name,
                    expected=[each.row.get(one.field) for _, each in one.places][:12],
                    observed=item.row,
                    confidence=0.6,
                    message=f"{look.step.tool.name} shows {name!r}, which has no place in the series of {one.field}",
                )


def _series(look: Look) -> Iterator[Series]:
    """The lists whose rows are counted by a field: whole numbers or letters, each one more than the one before, but for a
    gap and a row that is none of them.
    """
    bound = {one.group.pointer for one in look.bindings if one.evidence.members}
    for group in look.groups:
        if group.shape != "rows" or len(group.items) < _LEAST or group.pointer in bound:
            continue
        for field in group.items[0].row:
            found = [(_place(item.row.get(field)), item) for item in group.items]
            places = tuple((place, item) for place, item in found if place is not None)
            others = tuple(item for place, item in found if place is None)
            if (
                len(places) >= _LEAST
                and len(others) < len(places)
                and _follows([place for place, _ in places])
            ):
                yield Series(group, field, places, others)
                break


def _follows(places: Sequence[int]) -> bool:
    steps = [after - before for before, after in pairwise(places)]
    return all(step in (1, 2) for step in steps) and steps.count(2) <= 1 <= steps.count(1)


def _place(value: Json) -> int | None:
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    return (
        ord(value)
        if isinstance(value, str) and len(value) == 1 and value.isascii() and value.isupper()
        else None
    )
