"""Values that are derived from cassettes: out of the index where they are known, else read, several at once, and kept there.

What is kept is the JSON text of a value, by cassette, kind and the version of what derived it. A value always passes
through its text, so that a first call and a later one can't differ.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

from replaylab.cassette.codec import Cassette
from replaylab.cassette.taking import Taken, Wanted, take
from replaylab.store.index import NOTHING, Entry, Index
from replaylab.store.library import Library
from replaylab.store.processes import in_processes

FEW = 100  # cassettes; below this, starting processes costs more than it saves
AT_ONCE = 8
Progress = Callable[[int, int], None]


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


def derived_values(
    library: Library, names: Sequence[str], how: Deriving, *, jobs: int = 1, progress: Progress = _quiet
) -> Derived:
    """The values of these cassettes. `jobs` is a number of processes; the result does not depend on it.

    Raises StoreError for one of them that is missing or damaged. Another cassette of the library that is damaged only
    keeps the index from being saved.
    """
    index = Index.open(library)
    try:
        wanted = dict.fromkeys(names)
        kept = index.cached(how.version, how.kind, [name for name in wanted if name in index.stored])
        values = {name: text for name, text in kept if how.fits(name, text)}
        pending = NOTHING if index.state == "fresh" else index.pending()
        rows = set(pending.added)
        unread = sorted(rows.union(name for name in wanted if name not in values))
        todo = [Wanted(name, name in rows, name in wanted and name not in values) for name in unread]
        problems: list[str] = []

        def entries() -> Iterator[Entry]:
            # What was known before is done already, and what is read for the index alone is nobody's.
            done = sum(name in values for name in wanted)
            for taken in _taken(library, how, todo, jobs):
                if taken.value:
                    values[taken.name] = taken.value
                if taken.problem:
                    problems.append(taken.problem)
                yield Entry(
                    taken.name, taken.row, (how.version, how.kind, taken.value) if taken.value else None
                )
                done += taken.name in wanted
                progress(done, len(wanted))

        unsaved = index.update(pending, entries()).reason if todo or index.state != "fresh" else ""
        return Derived(values, "; ".join([*problems[:1], unsaved]) if unsaved else "")
    finally:
        index.close()


def _taken(library: Library, how: Deriving, todo: Sequence[Wanted], jobs: int) -> Iterator[Taken]:
    work = partial(take, library, how.derive)
    if jobs > 1 and len(todo) >= FEW:
        return in_processes(work, todo, jobs, at_once=AT_ONCE)
    return map(work, todo)
