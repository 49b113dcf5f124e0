"""What one cassette says to the index, and a value derived of it, read in one pass. This is what other processes run."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, TypeVar

from replaylab.cassette.codec import Cassette
from replaylab.cassette.stored import cassette_row, open_cassette
from replaylab.errors import ReplaylabError, StoreError
from replaylab.store.library import Library
from replaylab.store.rows import CassetteRow

Value = TypeVar("Value")
_INCOHERENT = (ValueError, LookupError, TypeError, AttributeError, ArithmeticError, RecursionError)


class Wanted(NamedTuple):
    """What to read of a cassette."""

    name: str
    row: bool
    value: bool


class Taken(NamedTuple):
    """What was read of it. `problem` is set where the file is damaged and only its row was wanted."""

    name: str
    row: CassetteRow | None = None
    value: str = ""
    problem: str = ""


def take(library: Library, derive: Callable[[Cassette], str], wanted: Wanted) -> Taken:
    """Read one cassette once, for all that is wanted of it."""
    try:
        cassette = open_cassette(library, wanted.name)
        row = coherent(cassette, cassette_row) if wanted.row else None
    except ReplaylabError as error:
        if wanted.value:
            raise
        return Taken(wanted.name, problem=f"{error.what} ({library.path(wanted.name, 'cassette')})")
    return Taken(wanted.name, row, coherent(cassette, derive) if wanted.value else "")


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
