"""Pages of a list: how many rows a page has follows from how many there are in all, on how many pages, and on another page."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from replaylab.diff.calls.looking import Look
from replaylab.diff.calls.memory import inner
from replaylab.diff.contract.tools import is_write
from replaylab.diff.words.identity import name_key
from replaylab.diff.words.observed import Group, groups
from replaylab.schema.base import Json, JsonObject
from replaylab.schema.violation import Violation

_TOTAL = frozenset(("total", "totalcount", "totalitems", "totalresults", "totalrows"))
_PAGES = frozenset(("pages", "totalpages", "pagecount", "numpages"))
_PAGE = frozenset(("page", "pagenumber", "currentpage"))
_SIZE = frozenset(("pagesize", "perpage", "limit"))


class Page(NamedTuple):
    """One page: its rows, which it is of how many, and how many rows there are on all; `size` where it says how many fit."""

    group: Group
    number: int
    pages: int
    total: int
    size: int

    @property
    def is_last(self) -> bool:
        return self.number == self.pages


def short_pages(look: Look) -> Iterator[Violation]:
    """Pages with fewer rows than there must be."""
    page = None if is_write(look.step.tool) else _page_of(look.step.observation, look.step.arguments)
    if page is None or not 1 <= page.number <= page.pages:
        return
    sizes = _sizes(look, page)
    counts = [page.total - size * (page.pages - 1) if page.is_last else size for size in sizes]
    shown = len(page.group.items)
    if counts and shown < min(counts):
        yield look.violation(
            kind="omission",
            subkind="missing" if shown else "all_missing",
            pointer=page.group.pointer,
            entity="",
            expected=min(counts),
            observed=shown,
            confidence=0.7,
            message=f"{look.step.tool.name} shows {shown} rows on page {page.number} of {page.pages}; of {page.total} in all there "
            f"are at least {min(counts)} on it",
        )


def _sizes(look: Look, page: Page) -> list[int]:
    """How many rows may fit on a page: as many as it says, as on another page that is not the last, or so many that all fill
    these pages.
    """
    fitting = [one for one in range(1, page.total + 1) if -(-page.total // one) == page.pages]
    told = [page.size] if page.size else list(_sizes_elsewhere(look, page))
    return [one for one in fitting if one in told] or fitting


def _sizes_elsewhere(look: Look, page: Page) -> Iterator[int]:
    """What earlier answers of this tool show, where a full page is among them: the most of all, since one may be short."""
    before = [
        (step.observation, step.arguments)
        for step in look.world.steps
        if step.tool.name == look.step.tool.name
    ]
    found = [one for said, arguments in before if (one := _page_of(said, arguments)) is not None]
    full = [
        len(one.group.items) for one in found if one.number < one.pages and one.group.name == page.group.name
    ]
    if full:
        yield max(full)


def _page_of(said: Json, arguments: JsonObject) -> Page | None:
    pointer, face = inner(said)
    lists = _lists(pointer, face)
    number = _number(face, _PAGE) or _number(arguments, _PAGE)
    pages, total = _number(face, _PAGES), _number(face, _TOTAL)
    if len(lists) != 1 or not number or not pages or not total:
        return None
    size = _number(face, _SIZE) or _number(arguments, _SIZE)
    return Page(lists[0], number, pages, total, size)


def _lists(pointer: str, face: JsonObject) -> list[Group]:
    """The lists that an answer itself has, also those under a name that only wraps: `items`."""
    return [
        one
        for one in groups(face, pointer)
        if not one.inside and isinstance(face.get(one.pointer.rpartition("/")[2]), list)
    ]


def page_numbers(said: Json) -> tuple[int, int, int]:
    """On how many pages a list stands by what the answer says, or 1 where it only says which page it is; how many rows there are
    in all, and how many it shows. 0 where nothing says, or where there are several lists.
    """
    pointer, face = inner(said)
    lists = _lists(pointer, face)
    if len(lists) != 1:
        return 0, 0, 0
    pages = _number(face, _PAGES) or int(bool(_number(face, _PAGE) or _number(face, _SIZE)))
    return pages, _number(face, _TOTAL), len(lists[0].items)


def _number(fields: JsonObject, names: frozenset[str]) -> int:
    found: Sequence[int] = [
        value
        for name, value in fields.items()
        if name_key(name) in names and isinstance(value, int) and not isinstance(value, bool)
    ]
    return found[0] if len(found) == 1 else 0
