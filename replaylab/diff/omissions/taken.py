"""Ways to come by a list that nothing shows whole: taken from what the arguments name and from what stands in the list."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from replaylab.diff.calls.looking import Look
from replaylab.diff.contract.members import called
from replaylab.diff.contract.tables import OWN, Record, Table, tables_of
from replaylab.diff.contract.tools import verb_of
from replaylab.diff.omissions.pages import goes_on
from replaylab.diff.omissions.ways import Shown, Way, allows, ways
from replaylab.diff.words.identity import key_of, name_key, stem, stems
from replaylab.diff.words.lexicon import DISCOVERY_VERBS, FREE_TEXT, PAGING, PICKING, STATUS_FIELDS
from replaylab.diff.words.observed import Group, face_of
from replaylab.schema.base import JsonObject

_SEVERAL = 2
# Words by which a tool says that it shows a part of what it could.
_FEW = frozenset(
    map(
        stem,
        (
            "next",
            "first",
            "last",
            "page",
            "limit",
            "most",
            "some",
            "up",
            "newest",
        ),
    )
)
_PART = PICKING | _FEW | frozenset(map(stem, ("current", "fit", "suitable")))


def is_cut(look: Look, group: Group) -> bool:
    """Whether the answer or its arguments tell of pages, or the names of tool or list say that a few are shown."""
    fields = (*look.step.arguments, *face_of(look.step.observation))
    paged = goes_on(look) or any(
        name_key(field) in PAGING - {"count", "n", "k"} | {"pages", "totalpages", "hasmore"}
        for field in fields
    )
    named = stems(look.step.tool.name) | stems(group.name)
    discovers = verb_of(look.step.tool) in DISCOVERY_VERBS and not _searches_texts(look)
    return paged or bool(named & _FEW) or discovers


def _searches_texts(look: Look) -> bool:
    """Whether a search looks for a word in the texts of what there is, and for nothing yet unknown."""
    given = [name for name, value in look.step.arguments.items() if value not in (None, "")]
    return verb_of(look.step.tool) == "search" and len(given) == 1 and bool(stems(given[0]) & FREE_TEXT)


def is_told_short(look: Look, group: Group) -> bool:
    """Whether it is cut, or the tool's description has a word for a few."""
    return is_cut(look, group) or bool(stems(look.step.tool.description) & _FEW)


def is_cut_or_picked(look: Look, group: Group) -> bool:
    """Whether tool or list say that only a part is shown, or the answer tells of pages."""
    tool = look.step.tool
    told = stems(tool.name) | stems(tool.description) | stems(group.name)
    return is_cut(look, group) or bool(told & _PART)


def taken(look: Look, group: Group, given: JsonObject, before: Sequence[Shown]) -> Iterator[Way]:
    """The ways that fit all that is shown, here and before, by which every argument is the value of a column."""
    here = Shown(given, group)
    shown = [one for one in (here, *before) if one.group.items]
    if not given:
        return
    for table in tables_of(look.contract):
        for way in ways(table, given, shown[0].group if shown else group):
            picks = [one for one in way.taken if one.column]
            if not picks or any(one.other or one.kind == "says" for one in picks):
                continue
            if shown and not all(allows(way, one) for one in shown):
                continue
            if _is_told(way, group, shown):
                yield way


def _is_told(way: Way, group: Group, shown: Sequence[Shown]) -> bool:
    """Whether what is shown tells the table: several items in all, or the names of list and arguments."""
    titled = called(group.name) == stems(way.table.name) or _is_after(way.table, group)
    named = titled and way.likeness == sum(bool(one.column) for one in way.taken)
    if not shown or not group.items:
        return named and (way.by in ("", OWN))
    count = sum(len(one.group.items) for one in shown)
    if shown[0].group.shape == "rows":
        return (count >= _SEVERAL or named) and all(_is_record(way, one) for one in shown)
    return count >= _SEVERAL and (way.by == OWN or bool(called(group.name) & stems(way.by)))


def _is_after(table: Table, group: Group) -> bool:
    """Whether a list is called after the column that names the records."""
    return bool(called(group.name)) and called(group.name) <= stems(table.name)


def _is_record(way: Way, one: Shown) -> bool:
    """Whether the rows have two of the table's columns, or a name and one."""
    least = 1 if way.by else _SEVERAL
    return all(sum(field in way.table.columns for field in item.row) >= least for item in one.group.items)


def stands_alike(record: Record, shown: Sequence[Record]) -> bool:
    """Whether a record stands like one that is shown, by the columns that tell how things stand; where nothing is shown,
    whether it has no such column.
    """
    own = _standing(record)
    return any(_standing(one) == own for one in shown) or not own


def _standing(record: Record) -> dict[str, str]:
    return {
        column: key_of(value) or str(value)
        for column, value in sorted(record.columns.items())
        if isinstance(value, bool) or (stems(column) & STATUS_FIELDS and not isinstance(value, list))
    }
