"""Audits a claims file: every table is looked at, every claim decided. Nothing is read but the file."""

from __future__ import annotations

from collections.abc import Mapping

from replaylab.audit.book import Book, Published
from replaylab.audit.claims import Loaded
from replaylab.audit.decide.all import decide
from replaylab.audit.general import general
from replaylab.audit.rebuilt import compare
from replaylab.audit.value import AuditReport
from replaylab.schema.base import JsonObject
from replaylab.score.value import Table

ALONE = (
    "Table alone: no recordings were read. What holds here is consistent; whether it was measured can't be said.",
    "Bounds on significance take tasks for independent; tasks of one scenario are alike, so true ones are wider.",
)


def audit_claims(loaded: Loaded, rebuilt: Mapping[str, Table] | None = None) -> AuditReport:
    """The report on a claims file. Raises UsageError where the file refers to what is not there.

    `rebuilt` are the tables of `replaylab score` by their ids, where there are recordings: every published table that says
    which one it is a printing of is then compared with it, cell by cell.
    """
    book = Book(loaded.file, loaded.name)
    asked = [decide(book, claim) for claim in loaded.file.claims]
    unasked = general(book)
    if rebuilt is not None:
        unasked += [one for table in book.tables.values() for one in compare(table, rebuilt)]
    return AuditReport(
        title=loaded.file.title,
        source=loaded.name,
        digest=loaded.digest,
        tables=tuple(_described(table) for table in book.tables.values()),
        assessments=(*unasked, *asked),
        notices=(*(ALONE if rebuilt is None else ALONE[1:]), *loaded.file.notes),
    )


def _described(table: Published) -> JsonObject:
    """A table for the report: its size, and what its cells say of rounding."""
    return {
        "id": table.key,
        "title": table.title,
        "source": table.spec.source,
        "rebuilds": table.spec.rebuilds,
        "rows": len(table.rows),
        "columns": len(table.columns),
        "rates": table.fit.rates,
        "rounding": table.fit.rule,
        "declared": table.fit.declared,
        "impossible": dict(table.fit.impossible),
    }
