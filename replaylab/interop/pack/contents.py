"""What belongs to a run: the run objects that it rests on, and every cassette that one of them names.

From the run the way leads to those that it follows and, where a role was swapped, to the run that its copied lanes come
from, as far as the library has them. A predecessor that is not there is named, and nothing more can be done; a cassette
of the run itself that is neither there nor has a tombstone is an error.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from replaylab.canonical import Digest
from replaylab.errors import StoreError
from replaylab.schema.run import Run
from replaylab.schema.tombstone import Tombstone
from replaylab.store.library import Library


@dataclass(frozen=True)
class Contents:
    """What a pack of a run holds, each part sorted by name. `absent` are predecessors and their cassettes not there."""

    run_id: Digest
    run: Run
    runs: dict[Digest, Run]
    cassettes: tuple[Digest, ...]
    gone: dict[Digest, Tombstone]
    absent: tuple[str, ...]


def contents_of(library: Library, run_id: Digest) -> Contents:
    """Follow a run to all that belongs to it. Raises StoreError where a cassette of its own ledger is not there."""
    runs, absent = _reached(library, run_id)
    whole: set[Digest] = set()
    gone: dict[Digest, Tombstone] = {}
    for owner, run in runs.items():
        for name in cassettes_of(run):
            if name in whole or name in gone:
                continue
            stone = library.gone(name)
            if stone is not None:
                gone[name] = stone
            elif library.has(name, "cassette"):
                whole.add(name)
            elif owner == run_id:
                raise StoreError(
                    f"the run {run.name} names a cassette that is not here: {name}",
                    where=str(library.path(name, "cassette")),
                    fix="`replaylab merge COPY` brings it from a library that has it; `replaylab verify` lists all damage",
                )
            else:
                absent.add(name)
    return Contents(
        run_id,
        runs[run_id],
        dict(sorted(runs.items())),
        tuple(sorted(whole)),
        dict(sorted(gone.items())),
        tuple(sorted(absent)),
    )


def cassettes_of(run: Run) -> Iterator[Digest]:
    """The cassette of every try, in the order of the ledger."""
    for entry in run.ledger:
        for one in entry.tries:
            yield Digest(one.cassette)


def _reached(library: Library, run_id: Digest) -> tuple[dict[Digest, Run], set[str]]:
    runs = {run_id: library.read_run(run_id)}
    absent: set[str] = set()
    todo = [runs[run_id]]
    while todo:
        run = todo.pop()
        for before in (*run.follows, *([run.spec.swapped] if run.spec.swapped else [])):
            if before in runs or before in absent:
                continue
            if library.has(before, "run"):
                runs[Digest(before)] = library.read_run(before)
                todo.append(runs[Digest(before)])
            else:
                absent.add(before)
    return runs, absent
