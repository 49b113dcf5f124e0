"""Fills the index of a library from its cassettes. The index is derived: losing it loses nothing."""

from __future__ import annotations

from replaylab.cassette.stored import cassette_row, open_cassette
from replaylab.store.index import Index, Synced
from replaylab.store.library import Library


def sync_index(library: Library) -> Synced:
    """Bring `index.db` up to date. Each cassette that is new to it is read once.

    A folder that can't be written keeps its old index; the answer says why.
    """
    index = Index.open(library)
    try:
        return index.sync(lambda name: cassette_row(open_cassette(library, name)))
    finally:
        index.close()


def cassettes_of(library: Library, kind: str) -> list[str]:
    """The names of all cassettes that record such a subject, named by a run or not."""
    index = Index.open(library)
    try:
        index.sync(lambda name: cassette_row(open_cassette(library, name)))
        return index.of_kind(kind)
    finally:
        index.close()
