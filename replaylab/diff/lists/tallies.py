"""A plain count beside a list that is neither the number of its rows nor of anything else that it could count."""

from __future__ import annotations

from collections.abc import Iterator

from replaylab.diff.calls.looking import Look
from replaylab.diff.calls.memory import inner, lists_on_face
from replaylab.diff.contract.tools import is_write
from replaylab.diff.omissions.taken import is_told_short
from replaylab.diff.things.listing import listings
from replaylab.diff.things.thing import things_of
from replaylab.diff.words.identity import name_key
from replaylab.diff.words.lexicon import PAGING
from replaylab.diff.words.observed import Group, escape
from replaylab.schema.base import Json
from replaylab.schema.violation import Violation

_COUNT, _TOTAL = frozenset(("count", "numresults", "resultcount")), frozenset(("total", "totalcount"))


def untrue_tallies(look: Look) -> Iterator[Violation]:
    """Counts of the one list beside them, in answers that are no page, of a tool that has counted its rows so far."""
    pointer, face = inner(look.step.observation)
    lists = [one for one in lists_on_face(look) if one.shape in ("rows", "names", "empty")]
    counts = [name for name in face if name_key(name) in _COUNT | _TOTAL and _is_count(face[name])]
    if is_write(look.step.tool) or look.step.tool.has_example or len(lists) != 1 or len(counts) != 1:
        return
    group, name = lists[0], counts[0]
    count, rows = face[name], len(group.items)
    if (
        count == rows
        or is_told_short(look, group)
        or _has_pages(look)
        or not _counted_rows(look, group, name)
    ):
        return
    # How many there are in all may stand beside those that a filter lets through, and a sum beside amounts.
    if name_key(name) in _TOTAL and (
        _has_numbers(group) or (isinstance(count, int) and count in _wholes(look))
    ):
        return
    if isinstance(count, int) and count > rows and not _is_more_than_all(look, group, count):
        return  # a row may be left out
    yield look.violation(
        kind="fabrication",
        subkind="counter_mismatch",
        pointer=f"{pointer}/{escape(name)}",
        entity="",
        expected=rows,
        observed=count,
        confidence=0.65,
        message=f"{look.step.tool.name} counts {count} in {name} beside {rows} rows",
    )


def _is_more_than_all(look: Look, group: Group, count: int) -> bool:
    """Whether so many things of the sort that is listed can't be there."""
    listed = [one.collection for one in listings(look) if one.group.pointer == group.pointer]
    return len(listed) == 1 and count > len(things_of(look, listed[0]))


def _is_count(value: Json) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _has_pages(look: Look) -> bool:
    """Whether the tool can be asked for a page or for so many."""
    return any(name_key(one) in PAGING for one in look.step.tool.parameters.get("properties", {}))


def _has_numbers(group: Group) -> bool:
    """Whether rows have numbers, which may be added up."""
    return any(
        isinstance(value, (int, float)) and not isinstance(value, bool)
        for item in group.items
        for value in item.row.values()
    )


def _wholes(look: Look) -> set[int]:
    """How many things there are of the sorts that are listed."""
    return {len(things_of(look, one.collection)) for one in listings(look)} | {
        len(one.entities) for one in look.contract.collections
    }


def _counted_rows(look: Look, group: Group, name: str) -> bool:
    """Whether this field has counted the rows of this list wherever the tool was answered before."""
    for step in look.world.steps:
        face = (
            inner(step.observation)[1] if step.tool.name == look.step.tool.name and not step.refused else {}
        )
        rows = face.get(group.pointer.rpartition("/")[2])
        if isinstance(rows, list) and name in face and face[name] != len(rows):
            return False
    return True
