"""Values that are derived from cassettes: out of the index where they are known, else read, several at once, and kept there.

What is kept is the JSON text of a value, by cassette, kind and the version of what derived it. A value always passes
through its text, so that a first call and a later one can't differ.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple, TypeVar

from replaylab.cassette.codec import Cassette
from replaylab.cassette.stored import cassette_row, open_cassette
from replaylab.errors import ReplaylabError, StoreError
from replaylab.store.index import NOTHING, Entry, Index
from replaylab.store.library import Library
from replaylab.store.processes import in_processes
from replaylab.store.rows import CassetteRow

FEW = 100  # cassettes; below this, starting processes costs more than it saves
AT_ONCE = 8
Value = TypeVar("Value")
Progress = Callable[[int, int], None]
_INCOHERENT = (ValueError, LookupError, TypeError, AttributeError, ArithmeticError, RecursionError)


def _quiet(done: int, planned: int) -> None:
    """Says nothing of how far it is."""


@dataclass(frozen=True)
class Deriving:
    """What is derived: `derive` gives the JSON text of a cassette's value and can be imported by another process.

    `version` changes with whatever `derive` depends on. `fits` says whether a kept text is one of this cassette.
    """

    kind: str
    version: str
    derive: Callable[[Cassette], str]
    fits: Callable[[str, str], bool]


class Derived(NamedTuple):
    """The texts by cassette. `unsaved` says why the next call has to read the files again, "" if it hasn't."""

    by_name: dict[str, str]
    unsaved: str


class _Wanted(NamedTuple):
    name: str
    row: bool
    value: bool


class _Taken(NamedTuple):
    name: str
    row: CassetteRow | None = None
    value: str = ""
    problem: str = ""


def derived_values(
    library: Library, names: Sequence[str], how: Deriving, *, jobs: int = 1, progress: Progress = _quiet
) -> Derived:
    """The values of these cassettes. `jobs` is a number of processes; the result does not depend on it.

    Raises StoreError for one of them that is missing or damaged. Another cassette of the library that is damaged only
    keeps the index from being saved.
    """
    index = Index.open(library)
    try:
        stored = set(library.objects("cassette"))
        wanted = dict.fromkeys(names)
        kept = index.cached(how.version, how.kind, [name for name in wanted if name in stored])
        values = {name: text for name, text in kept if how.fits(name, text)}
        pending = NOTHING if index.state == "fresh" else index.pending()
        rows = set(pending.added)
        unread = sorted(rows.union(name for name in wanted if name not in values))
        todo = [_Wanted(name, name in rows, name in wanted and name not in values) for name in unread]
        problems: list[str] = []

        def entries() -> Iterator[Entry]:
            for done, taken in enumerate(_taken(library, how, todo, jobs), start=1):
                if taken.value:
                    values[taken.name] = taken.value
                if taken.problem:
                    problems.append(taken.problem)
                yield Entry(
                    taken.name, taken.row, (how.version, how.kind, taken.value) if taken.value else None
                )
                progress(done, len(todo))

        unsaved = index.update(pending, entries()).reason if todo or index.state != "fresh" else ""
        return Derived(values, "; ".join([*problems[:1], unsaved]) if unsaved else "")
    finally:
        index.close()


def _taken(library: Library, how: Deriving, todo: Sequence[_Wanted], jobs: int) -> Iterator[_Taken]:
    work = partial(_take, library, how.derive)
    if jobs > 1 and len(todo) >= FEW:
        return in_processes(work, todo, jobs, at_once=AT_ONCE)
    return map(work, todo)


def _take(library: Library, derive: Callable[[Cassette], str], wanted: _Wanted) -> _Taken:
    """Read one cassette once, for all that is wanted of it."""
    try:
        cassette = open_cassette(library, wanted.name)
        row = coherent(cassette, cassette_row) if wanted.row else None
    except ReplaylabError as error:
        if wanted.value:
            raise
        return _Taken(wanted.name, problem=f"{error.what} ({library.path(wanted.name, 'cassette')})")
    return _Taken(wanted.name, row, coherent(cassette, derive) if wanted.value else "")


def coherent(cassette: Cassette, derive: Callable[[Cassette], Value]) -> Value:
    """What is derived of a cassette. Whatever a forged one makes a reader trip over is damage of that file."""
    try:
        return derive(cassette)
    except StoreError:
        raise
    except (ReplaylabError, *_INCOHERENT) as error:
        said = error.what if isinstance(error, ReplaylabError) else repr(error)
        raise StoreError(
            f"damaged cassette: its content does not hang together: {said}"[:300],
            where=cassette.where,
            fix="restore the file from a copy; `replaylab verify` lists all damage",
        ) from error
