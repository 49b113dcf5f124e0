"""The index: tables over a library, for lookups and for datasette. Derived, disposable, never an authority.

`index.db` is never changed in place. It is built in memory and replaces the file in one rename: a reader needs no lock,
a crash leaves the old index or the new one, and of two processes the later wins.
"""

from __future__ import annotations

import dataclasses
import itertools
import operator
import os
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple
from urllib.parse import quote

from replaylab.canonical import Digest, canonical, digest, digest_bytes, dumps, loads
from replaylab.errors import StoreError
from replaylab.schema.base import Json
from replaylab.schema.callpath import TrialKey
from replaylab.schema.run import LedgerEntry, Run
from replaylab.store import disk
from replaylab.store.library import Library
from replaylab.store.rows import CassetteRow

if TYPE_CHECKING:
    from sqlite_utils import Database

SCHEMA_VERSION = 2
CACHE = "derived"  # the table of cached values
MANY = 1000  # values that are asked for at once
State = Literal["fresh", "stale", "missing", "corrupt", "old"]


class Synced(NamedTuple):
    """What a sync did. `reason` says why the index could not be saved, "" when it was; it works all the same."""

    state: State
    added: int
    removed: int
    reason: str


class Pending(NamedTuple):
    """What an index lacks of a library, in order: cassettes to add, rows to drop, and what was looked at."""

    added: tuple[Digest, ...]
    removed: tuple[str, ...]
    fingerprint: str


NOTHING = Pending((), (), "")  # of a library that was not looked at


class Entry(NamedTuple):
    """What was read of one cassette: its row where the index lacks it, and a value to cache as (parser, kind, JSON)."""

    cassette: str
    row: CassetteRow | None = None
    value: tuple[str, str, str] | None = None


class Index:
    """An opened index. `state` says what was found on the disk; anything but `fresh` wants a `sync`."""

    def __init__(self, library: Library, conn: sqlite3.Connection, state: State) -> None:
        self.library, self.conn, self.state = library, conn, state
        self._stored: frozenset[Digest] | None = None

    @classmethod
    def open(cls, library: Library) -> Index:
        """Open the index of a library; one that is missing, corrupt or of another schema starts empty in memory.

        Raises StoreError when the library's own references or folders can't be read.
        """
        path = library.root / "index.db"
        conn, state = _load(path)
        if conn is None:
            return cls(library, _empty(), state)
        cassettes = list(library.objects("cassette"))
        fresh = _fingerprint_of(conn) == _fingerprint(library, cassettes)
        index = cls(library, conn, "fresh" if fresh else "stale")
        index._stored = frozenset(cassettes)
        return index

    @property
    def stored(self) -> frozenset[Digest]:
        """The cassettes that the library held when this was opened."""
        if self._stored is None:
            self._stored = frozenset(self.library.objects("cassette"))
        return self._stored

    @property
    def db(self) -> Database:
        """The tables as sqlite-utils has them."""
        return _tables_of(self.conn)

    def sync(self, rows_for: Callable[[Digest], CassetteRow]) -> Synced:
        """Bring the index up to date: `rows_for` is asked for each cassette that it does not hold yet.

        What `rows_for` raises goes through, and nothing is saved then. Raises StoreError for a damaged run object.
        """
        if self.state == "fresh":
            return Synced("fresh", 0, 0, "")
        pending = self.pending()
        return self.update(pending, (Entry(name, rows_for(name)) for name in pending.added))

    def pending(self) -> Pending:
        """What a sync would have to read. Only names are looked at."""
        stored = list(self.library.objects("cassette"))
        fingerprint = _fingerprint(self.library, stored)
        held = {name for (name,) in self.conn.execute("SELECT cassette FROM cassettes")}
        return Pending(tuple(sorted(set(stored) - held)), tuple(sorted(held.difference(stored))), fingerprint)

    def update(self, pending: Pending, entries: Iterable[Entry]) -> Synced:
        """Take what was read: the rows that were pending, and values for the cache. One file is written, in one step.

        Where a pending row is not among `entries` the index stays out of step, and is used but not saved. What reading
        `entries` raises goes through, and nothing is changed then.
        """
        before, wanted = self.state, set(pending.added)
        conn = _copy(self.conn)
        with conn:
            for table in ("cassettes", CACHE):
                gone = ((name,) for name in pending.removed)
                conn.executemany(f"DELETE FROM {table} WHERE cassette = ?", gone)  # noqa: S608 - our own names
            for batch in _batches(entries):
                wanted -= _insert(conn, batch)
            if complete := pending.fingerprint != "" and not wanted:
                _fill_runs(conn, self.library)
                _insert_rows(conn, "meta", [("fingerprint", pending.fingerprint)])
        self.close()
        self.conn = conn
        self.state = "fresh" if complete else before
        return Synced(before, len(pending.added) - len(wanted), len(pending.removed), self._save())

    def rows(self) -> Iterator[tuple[str, CassetteRow]]:
        """What it says of each cassette."""
        for row in _rows(self.conn, "cassettes"):
            name = row.pop("cassette")
            yield name, CassetteRow(**row)

    def of_kind(self, kind: str) -> list[str]:
        """The names of the cassettes that record such a subject, sorted."""
        rows = self.conn.execute("SELECT cassette FROM cassettes WHERE kind = ? ORDER BY cassette", (kind,))
        return [name for (name,) in rows]

    def cached(self, parser: str, kind: str, names: Iterable[str]) -> Iterator[tuple[str, str]]:
        """(cassette, JSON text) of those cached values that are there and sound."""
        wanted = list(names)
        known = self._at_once(parser, kind) if self._are_many(wanted) else {}
        for name in wanted:
            row = known.pop(name, None) or self._one(parser, kind, name)
            if row and isinstance(row[0], str) and row[1] == _checksum(name, parser, kind, row[0]):
                yield name, row[0]

    def _one(self, parser: str, kind: str, name: str) -> tuple[Any, Any] | None:
        query = "SELECT value, checksum FROM derived WHERE cassette = ? AND parser = ? AND kind = ?"
        try:
            found: tuple[Any, Any] | None = self.conn.execute(query, (name, parser, kind)).fetchone()
        except sqlite3.DatabaseError:
            return None
        return found

    def _are_many(self, names: Sequence[str]) -> bool:
        """Whether to read the whole cache is quicker than to look for each of these in it."""
        if len(names) < MANY:
            return False
        with suppress(sqlite3.DatabaseError):
            return 2 * len(names) > (self.conn.execute("SELECT max(rowid) FROM derived").fetchone()[0] or 0)
        return False

    def _at_once(self, parser: str, kind: str) -> dict[str, tuple[Any, Any]]:
        """The rows of a kind by cassette in one pass, as far as they can be read."""
        query = "SELECT cassette, value, checksum FROM derived WHERE parser = ? AND kind = ?"
        found = {}
        with suppress(sqlite3.DatabaseError):
            for name, value, checksum in self.conn.execute(query, (parser, kind)):
                found[name] = (value, checksum)
        return found

    def derived(self, cassette: str, parser: str, kind: str) -> Json | None:
        """A cached value, or None when there is none that is sound."""
        return next((loads(text) for _, text in self.cached(parser, kind, [cassette])), None)

    def keep(self, values: Iterable[tuple[str, str, str, Json]]) -> str:
        """Cache (cassette, parser, kind, value) rows; the whole file is written, so give many at once.

        Returns why it could not be saved, "" when it was.
        """
        entries = (Entry(c, None, (p, k, canonical(value).decode("utf-8"))) for c, p, k, value in values)
        return self.update(NOTHING, entries).reason

    def close(self) -> None:
        """Let go of the file."""
        self.conn.close()

    def _save(self) -> str:
        if self.state != "fresh":
            return "the index is not in step with the library"
        try:
            if self.library.exists():  # reading makes no library
                disk.write_file(self.library.root / "index.db", self.conn.serialize())
        except StoreError as error:
            return error.what
        return ""


def _batches(entries: Iterable[Entry]) -> Iterator[list[Entry]]:
    left = iter(entries)
    while batch := list(itertools.islice(left, 500)):
        yield batch


def _insert(conn: sqlite3.Connection, batch: Sequence[Entry]) -> set[str]:
    """Insert a batch; the cassettes whose rows were in it."""
    rows = [(one.cassette, *_FIELDS(one.row)) for one in batch if one.row is not None]
    values = [(one.cassette, *one.value) for one in batch if one.value is not None]
    _insert_rows(conn, "cassettes", rows)
    _insert_rows(conn, "derived", [(*value, _checksum(*value)) for value in values])
    return {row[0] for row in rows}


def _insert_rows(conn: sqlite3.Connection, table: str, rows: Iterable[Sequence[Json]]) -> None:
    """Plain SQL, since there may be a hundred thousand rows; each has all columns in order."""
    marks = ", ".join("?" * len(_TABLES[table][0]))
    conn.executemany(f"INSERT OR REPLACE INTO {table} VALUES ({marks})", rows)  # noqa: S608 - our own names


def _rows(conn: sqlite3.Connection, table: str) -> Iterator[dict[str, Any]]:
    found = conn.execute(f"SELECT * FROM {table}")  # noqa: S608 - our own names
    columns = [column[0] for column in found.description]
    return (dict(zip(columns, row, strict=True)) for row in found)


def _load(path: Path) -> tuple[sqlite3.Connection | None, State]:
    """The index file, opened read-only; no connection when there is none that can be used."""
    if not path.is_file() or path.is_symlink():
        return None, "missing"
    # Immutable: SQLite takes no lock and looks for no journal, which is right for a file that is only ever replaced.
    conn = sqlite3.connect(f"file:{quote(os.fsencode(path))}?mode=ro&immutable=1", uri=True)
    try:
        version = conn.execute("PRAGMA user_version").fetchone()[0]
        if version != SCHEMA_VERSION:
            conn.close()
            return None, "old" if version else "corrupt"
        if _tables(conn) == set(_TABLES) and all(_is_sound(conn, name) for name in _TABLES if name != CACHE):
            return conn, "stale"
    except (sqlite3.DatabaseError, OverflowError):
        pass  # Whatever is wrong with it, it is built anew.
    conn.close()
    return None, "corrupt"


def _is_sound(conn: sqlite3.Connection, table: str) -> bool:
    """Whether a table can be read. Raises DatabaseError where a column is missing."""
    conn.execute(f"SELECT {', '.join(_TABLES[table][0])} FROM {table} LIMIT 0")  # noqa: S608 - our own names
    return bool(conn.execute(f"PRAGMA quick_check({table})").fetchone()[0] == "ok")


def _tables(conn: sqlite3.Connection) -> set[str]:
    return {name for (name,) in conn.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}


def _empty() -> sqlite3.Connection:
    """The tables without rows. In plain SQL, as all that is written: to have sqlite-utils make them loads pandas."""
    conn = sqlite3.connect(":memory:")
    for name, (columns, key) in _TABLES.items():
        parts = [f"[{column}] {'INTEGER' if kind is int else 'TEXT'}" for column, kind in columns.items()]
        keys = ", ".join(f"[{column}]" for column in ((key,) if isinstance(key, str) else key))
        conn.execute(f"CREATE TABLE [{name}] ({', '.join(parts)}, PRIMARY KEY ({keys}))")
    conn.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")
    return conn


def _tables_of(conn: sqlite3.Connection) -> Database:
    # For those who read, and here, not above: it loads pandas where that is installed.
    from sqlite_utils import Database  # noqa: PLC0415

    return Database(conn, execute_plugins=False)


def _copy(conn: sqlite3.Connection) -> sqlite3.Connection:
    """A copy in memory. Where the cache is damaged, one that has everything else: it is large, and so not looked over
    before something is to be added to it. Each of its values has a checksum.
    """
    copy = sqlite3.connect(":memory:")
    with suppress(sqlite3.DatabaseError):
        if _is_sound(conn, CACHE):
            conn.backup(copy)
            return copy
    copy.close()
    fresh = _empty()
    for name in _TABLES:
        if name != CACHE:
            _insert_rows(fresh, name, conn.execute(f"SELECT * FROM {name}"))  # noqa: S608 - our own names
    return fresh


def _fingerprint(library: Library, cassettes: Iterable[Digest]) -> str:
    """Changes whenever a reference or the set of stored objects does; only names are read."""
    held = {"cassette": cassettes, "run": library.objects("run")}
    names = {kind: digest_bytes("".join(stored).encode("ascii")) for kind, stored in held.items()}
    return digest({"v": "index/1", "refs": library.refs(), "objects": names})


def _fingerprint_of(conn: sqlite3.Connection) -> str:
    row = conn.execute("SELECT value FROM meta WHERE key = 'fingerprint'").fetchone()
    return str(row[0]) if row else ""


def _checksum(cassette: str, parser: str, kind: str, text: str) -> str:
    return digest_bytes(dumps(["derived/2", cassette, parser, kind, text]))[:16]


def _fill_runs(conn: sqlite3.Connection, library: Library) -> None:
    """The runs that references point at, and the trials of their ledgers."""
    for table in ("runs", "trials"):
        conn.execute(f"DELETE FROM {table}")  # noqa: S608 - our own names
    facts = {row["cassette"]: row for row in _rows(conn, "cassettes")}
    for name, run_id in library.refs().items():
        run = library.read_run(run_id)
        _insert_rows(conn, "runs", [_in_order("runs", _run_row(name, run_id, run))])
        rows = (_trial_row(name, run_id, entry, facts) for entry in run.ledger)
        _insert_rows(conn, "trials", (_in_order("trials", row) for row in rows))


def _in_order(table: str, row: dict[str, Json]) -> list[Json]:
    return [row.get(column) for column in _TABLES[table][0]]


def _run_row(name: str, run_id: Digest, run: Run) -> dict[str, Json]:
    status = [entry.status for entry in run.ledger]
    counts = {kind: status.count(kind) for kind in ("recorded", "error", "missing")}
    row = {"name": name, "run": run_id, "created": run.created, "mode": run.spec.mode, "outcome": run.outcome}
    return row | {"trials": len(status)} | counts


def _trial_row(
    name: str, run_id: Digest, entry: LedgerEntry, facts: dict[str, dict[str, Json]]
) -> dict[str, Json]:
    key, one = TrialKey.parse(entry.key), entry.counting
    row = {"name": name, "run": run_id, "key": entry.key, **key.condition._asdict(), "task": key.task}
    row |= {"trial": key.trial, "status": entry.status, "tries": len(entry.tries)}
    if one is None:
        return row
    row |= {name: getattr(one, name) for name in ("cassette", "verdict", "termination", "outcome")}
    known = facts.get(one.cassette, {})
    return row | {column: known.get(column) for column in _FROM_CASSETTE}


_FROM_CASSETTE = (
    *("scenario", "industry", "domain", "calls", "attempts"),
    *("prompt_tokens", "completion_tokens", "cached_tokens", "reasoning_tokens"),
)
_NUMBERS = {"calls", "attempts", "prompt_tokens", "completion_tokens", "cached_tokens", "reasoning_tokens"}
_NUMBERS |= {"trial", "attempt", "tries", "trials", "recorded", "error", "missing"}


def _columns(*names: str) -> dict[str, type]:
    return {name: int if name in _NUMBERS else str for name in names}


_FIELDS = operator.attrgetter(*(field.name for field in dataclasses.fields(CassetteRow)))
_TABLES: dict[str, tuple[dict[str, type], str | tuple[str, ...]]] = {
    "meta": (_columns("key", "value"), "key"),
    "runs": (
        _columns("name", "run", "created", "mode", "trials", "recorded", "error", "missing", "outcome"),
        "name",
    ),
    "trials": (
        _columns(
            *(
                "name",
                "run",
                "key",
                "agent",
                "simulator",
                "verifier",
                "faults",
                "task",
                "trial",
                "status",
                "tries",
            ),
            *("cassette", "verdict", "termination", "outcome", *_FROM_CASSETTE),
        ),
        ("name", "key"),
    ),
    "cassettes": (
        _columns("cassette", *(field.name for field in dataclasses.fields(CassetteRow))),
        "cassette",
    ),
    "derived": (_columns("cassette", "parser", "kind", "value", "checksum"), ("cassette", "parser", "kind")),
}
