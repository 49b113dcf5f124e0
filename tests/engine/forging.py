"""Forges cassettes and run objects the way someone would who wants not to be found: everything sealed and named anew."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import zstandard

from replaylab.canonical import digest, loads
from replaylab.cassette.codec import pack
from replaylab.engine.ledger import make_run
from replaylab.schema.run import LedgerEntry, Run, Try
from replaylab.store.library import Library

Row = dict[str, Any]
Change = Callable[[list[Row]], None]


def forged(data: bytes, change: Change) -> bytes:
    """The cassette with changed lines, its counts and checksum right again. The last row is the seal."""
    rows: list[Row] = [loads(row) for row in zstandard.ZstdDecompressor().decompress(data).splitlines()]
    change(rows)
    seal = {key: value for key, value in rows[-1].items() if key not in ("type", "lines")}
    kinds = [row["type"] for row in rows[:-1]]
    seal["counts"] = {kind: kinds.count(kind) for kind in ("header", "blob", "interaction", "label")}
    return pack(map(_line, rows[:-1]), seal)


def _line(row: Row) -> bytes:
    # Not through our own writer, which refuses what a forger may write.
    return json.dumps(row, separators=(",", ":"), ensure_ascii=False).encode() + b"\n"


def of_kind(rows: list[Row], kind: str) -> list[Row]:
    return [row for row in rows if row["type"] == kind]


def in_lane(rows: list[Row], lane: str) -> list[Row]:
    return [row for row in of_kind(rows, "interaction") if f"/{lane}#" in row["path"]]


def reblob(rows: list[Row], value: Any, change: Callable[[Any], Any]) -> None:
    """Change the value of a blob under its old digest."""
    for row in of_kind(rows, "blob"):
        if row.get("value") == value:
            row["value"] = change(value)


def remove(path: Path) -> None:
    path.unlink()


def replace(library: Library, old: str, data: bytes, **changed: Any) -> str:
    """Put a forged cassette in the place of another one, and a run object that names it. Returns its name."""
    new = library.put(data, "cassette")
    if new != old:
        remove(library.path(old, "cassette"))
    for name, run_id in library.refs().items():
        run = library.read_run(run_id)

        def renamed(one: Try) -> Try:
            return one.model_copy(update={"cassette": new, **changed}) if one.cassette == old else one

        entries = [
            entry.model_copy(update={"tries": tuple(map(renamed, entry.tries))}) for entry in run.ledger
        ]
        reledger(library, name, lambda _, entries=entries: entries)  # type: ignore[misc]
    return new


def reledger(
    library: Library, name: str, change: Callable[[list[LedgerEntry]], list[LedgerEntry]], **changed: Any
) -> Run:
    """Put another run object in the place of a name's, its outcome digest right again."""
    before, run = library.run(name)
    ledger = tuple(change(list(run.ledger)))
    again = make_run(run.name, run.spec, ledger, created=run.created, follows=run.follows)
    again = again.model_copy(update=changed)
    after = library.put_run(again)
    library.set_ref(name, after)
    if after != before:
        remove(library.path(before, "run"))
    return again


def other_digest(value: str) -> str:
    return digest({"not": value})
