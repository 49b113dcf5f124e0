"""The index: tables over a library, for lookups and for datasette. Derived, disposable, never an authority.

`index.db` is never changed in place. It is built in memory and its bytes replace the file in one rename, so a reader
needs no lock and no journal beside it (read-only media work), a crash leaves the old index or the new one, and of two
processes the later wins; what the other had cached is computed again.
"""

from __future__ import annotations

import dataclasses
import sqlite3
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, NamedTuple
from urllib.parse import quote

from sqlite_utils import Database
from sqlite_utils.db import NotFoundError

from replaylab.canonical import Digest, canonical, digest, digest_bytes, loads
from replaylab.errors import StoreError
from replaylab.schema.base import Json
from replaylab.schema.callpath import TrialKey
from replaylab.schema.run import LedgerEntry, Run
from replaylab.store import disk
from replaylab.store.library import Library

SCHEMA_VERSION = 1
State = Literal["fresh", "stale", "missing", "corrupt", "old"]


@dataclass(frozen=True, slots=True)
class CassetteRow:
    """What the index says about a cassette: read from its header and seal by a layer above.

    `calls` counts interactions, `attempts` HTTP exchanges; tokens are sums as the servers counted them.
    """

    kind: str
    condition: str
    task: str
    trial: int
    attempt: int
    scenario: str
    industry: str
    domain: str
    termination: str
    verdict: str
    created: str
    calls: int
    attempts: int
    prompt_tokens: int
    completion_tokens: int
    cached_tokens: int
    reasoning_tokens: int
    outcome: str


class Synced(NamedTuple):
    """What a sync did. `reason` says why the index could not be saved, "" when it was; it works all the same."""

    state: State
    added: int
    removed: int
    reason: str


class Index:
    """An opened index. `state` says what was found on the disk; anything but `fresh` wants a `sync`."""

    def __init__(self, library: Library, db: Database, state: State) -> None:
        self.library, self.db, self.state = library, db, state

    @classmethod
    def open(cls, library: Library) -> Index:
        """Open the index of a library; one that is missing, corrupt or of another schema starts empty in memory.

        Raises StoreError when the library's own references or folders can't be read.
        """
        path = library.root / "index.db"
        db, state = _load(path)
        if db is None:
            return cls(library, _empty(), state)
        fresh = _fingerprint_of(db) == _fingerprint(library)
        return cls(library, db, "fresh" if fresh else "stale")

    def sync(self, rows_for: Callable[[Digest], CassetteRow]) -> Synced:
        """Bring the index up to date: `rows_for` is asked for each cassette that it does not hold yet.

        What `rows_for` raises goes through, and nothing is saved then. Raises StoreError for a damaged run object.
        """
        before = self.state
        if before == "fresh":
            return Synced("fresh", 0, 0, "")
        fingerprint = _fingerprint(self.library)
        stored = set(self.library.objects("cassette"))
        db = _copy(self.db)
        held = {row["cassette"] for row in db["cassettes"].rows_where(select="cassette")}
        added, removed = sorted(stored - held), sorted(held - stored)
        with db.atomic():
            for table in ("cassettes", "derived"):
                for name in removed:
                    db.table(table).delete_where("cassette = ?", [name])
            rows = ({"cassette": name} | dataclasses.asdict(rows_for(name)) for name in added)
            db.table("cassettes").insert_all(rows)
            _fill_runs(db, self.library)
            db.table("meta").insert({"key": "fingerprint", "value": fingerprint}, replace=True)
        self._replace(db)
        self.state = "fresh"
        return Synced(before, len(added), len(removed), self._save())

    def derived(self, cassette: str, parser: str, kind: str) -> Json | None:
        """A cached value, or None when there is none that is sound."""
        try:
            row = self.db.table("derived").get((cassette, parser, kind))
        except (NotFoundError, sqlite3.DatabaseError):
            return None
        text = row["value"]
        if not isinstance(text, str) or row["checksum"] != _checksum(cassette, parser, kind, text):
            return None
        return loads(text)

    def keep(self, values: Iterable[tuple[str, str, str, Json]]) -> str:
        """Cache (cassette, parser, kind, value) rows; the whole file is written, so give many at once.

        Returns why it could not be saved, "" when it was.
        """
        db = _copy(self.db)
        rows = ((*key, canonical(value).decode("utf-8")) for *key, value in values)
        db.table("derived").insert_all(
            (
                {"cassette": c, "parser": p, "kind": k, "value": text, "checksum": _checksum(c, p, k, text)}
                for c, p, k, text in rows
            ),
            replace=True,
        )
        self._replace(db)
        return self._save()

    def close(self) -> None:
        """Let go of the file."""
        self.db.close()

    def _replace(self, db: Database) -> None:
        self.db.close()
        self.db = db

    def _save(self) -> str:
        if self.state != "fresh":
            return "the index is not in step with the library"
        try:
            disk.write_file(self.library.root / "index.db", self.db.conn.serialize())
        except StoreError as error:
            return error.what
        return ""


def _load(path: Path) -> tuple[Database | None, State]:
    """The index file, opened read-only; no database when there is none that can be used."""
    if not path.is_file() or path.is_symlink():
        return None, "missing"
    # Immutable: SQLite takes no lock and looks for no journal, which is right for a file that is only ever replaced.
    conn = sqlite3.connect(f"file:{quote(str(path))}?mode=ro&immutable=1", uri=True)
    try:
        version = conn.execute("PRAGMA user_version").fetchone()[0]
        if version != SCHEMA_VERSION:
            conn.close()
            return None, "old" if version else "corrupt"
        if conn.execute("PRAGMA quick_check(1)").fetchone()[0] == "ok" and _tables(conn) == set(_TABLES):
            return Database(conn, execute_plugins=False), "stale"
    except (sqlite3.DatabaseError, OverflowError):
        pass  # Whatever is wrong with it, it is built anew.
    conn.close()
    return None, "corrupt"


def _tables(conn: sqlite3.Connection) -> set[str]:
    return {name for (name,) in conn.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}


def _empty() -> Database:
    db = Database(memory=True, execute_plugins=False)
    for name, (columns, key) in _TABLES.items():
        db.table(name).create(columns, pk=key)
    db.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")
    return db


def _copy(db: Database) -> Database:
    copy = Database(memory=True, execute_plugins=False)
    db.conn.backup(copy.conn)
    return copy


def _fingerprint(library: Library) -> str:
    """Changes whenever a reference or the set of stored objects does; only names are read."""
    names = {
        kind: digest_bytes("".join(library.objects(kind)).encode("ascii")) for kind in ("cassette", "run")
    }
    return digest({"v": "index/1", "refs": library.refs(), "objects": names})


def _fingerprint_of(db: Database) -> str:
    rows = list(db.table("meta").rows_where("key = 'fingerprint'"))
    return str(rows[0]["value"]) if rows else ""


def _checksum(cassette: str, parser: str, kind: str, text: str) -> str:
    return digest(["derived/1", cassette, parser, kind, text])[:16]


def _fill_runs(db: Database, library: Library) -> None:
    """The runs that references point at, and the trials of their ledgers."""
    for table in ("runs", "trials"):
        db.table(table).delete_where()
    facts = {row["cassette"]: row for row in db.table("cassettes").rows}
    for name, run_id in library.refs().items():
        run = library.read_run(run_id)
        db.table("runs").insert(_run_row(name, run_id, run))
        db.table("trials").insert_all(_trial_row(name, run_id, entry, facts) for entry in run.ledger)


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
    row |= {
        "cassette": one.cassette,
        "verdict": one.verdict,
        "termination": one.termination,
        "outcome": one.outcome,
    }
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
