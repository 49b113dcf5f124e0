"""Writes rows as Parquet, the same bytes for the same rows and the same release of Arrow."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from replaylab.interop.parquet.columns import TABLES, Column
from replaylab.interop.parquet.rows import interactions, place, trajectories, verdict
from replaylab.interop.talk.outgoing import LeftOut, outgoing
from replaylab.schema.base import JsonObject
from replaylab.schema.run import Run
from replaylab.store.library import Library

GROUP = 20_000  # rows of a row group; it does not depend on how they came
SCHEMA_VERSION = "replaylab.parquet/1"


class Table:
    """A table that grows row by row into a buffer."""

    def __init__(self, columns: Sequence[Column], name: str) -> None:
        fields = [
            pa.field(one.name, getattr(pa, one.kind)() if one.kind != "bool" else pa.bool_())
            for one in columns
        ]
        about = {"replaylab.table": name, "replaylab.schema": SCHEMA_VERSION}
        self._schema = pa.schema(fields, metadata=about)
        self._out = pa.BufferOutputStream()
        self._writer = pq.ParquetWriter(self._out, self._schema, compression="zstd", version="2.6")
        self._waiting: list[JsonObject] = []
        self.rows = 0

    def add(self, rows: Iterable[JsonObject]) -> None:
        """Append rows; a column that a row does not name is null."""
        for row in rows:
            self._waiting.append(row)
            self.rows += 1
            if len(self._waiting) == GROUP:
                self._flush()

    def _flush(self) -> None:
        self._writer.write_table(
            pa.Table.from_pylist(self._waiting, schema=self._schema), row_group_size=GROUP
        )
        self._waiting = []

    def end(self) -> bytes:
        """The whole file."""
        if self._waiting or not self.rows:
            self._flush()
        self._writer.close()
        data: Any = self._out.getvalue()
        return bytes(data.to_pybytes())


def to_parquet(library: Library, run_id: str, run: Run) -> tuple[dict[str, bytes], dict[str, int]]:
    """(the files by name, how many rows each has). Every planned trial has a verdict row, a missing one too."""
    tables = {name: Table(columns, name) for name, columns in TABLES.items()}
    for entry, found in zip(run.ledger, outgoing(library, run), strict=True):
        trial = None if isinstance(found, LeftOut) else found
        base = place(run, run_id, entry, trial)
        tables["verdicts"].add([verdict(base, entry, trial)])
        if trial is not None:
            tables["interactions"].add(interactions(base, trial))
            tables["trajectories"].add(trajectories(base, trial))
    files = {f"{name}.parquet": table.end() for name, table in tables.items()}
    return files, {name: table.rows for name, table in tables.items()}
