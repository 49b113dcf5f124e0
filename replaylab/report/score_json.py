"""A score as one JSON document: every table in both layouts with unrounded values, and all that they were made from."""

from __future__ import annotations

from collections.abc import Mapping

from replaylab.canonical import canonical
from replaylab.report.score_cells import plain_value
from replaylab.report.score_parts import Scored, table_of
from replaylab.report.score_trials import OUTCOMES
from replaylab.schema.base import JsonObject
from replaylab.score.facts import Study, TrialOutcome
from replaylab.score.value import Cell, Table

SCHEMA = "replaylab/score/1"


def document(scored: Scored) -> JsonObject:
    """The whole document. `extra` of the score adds fields and replaces none."""
    tables = scored.tables()
    fields = {
        "schema": SCHEMA,
        "run": scored.name,
        "ok": scored.ok,
        "evidence": scored.study.evidence,
        "notices": list(scored.notices),
        "study": _study(scored.study),
        "ledger": _counts(scored.counts()),
        "tables": [
            {"id": name, **{layout: _table(scored, table) for layout, table in layouts.items()}}
            for name, layouts in tables.items()
        ],
        "figures": [
            {"id": name, "title": figure.title, "alt": figure.alt, "table": table_of(name, tables)}
            for name, figure in scored.figures.items()
        ],
        "left_out": [{"id": name, "why": why} for name, why in scored.left_out.items()],
        "findings": [finding.to_json() for finding in scored.study.findings],
        "versions": dict(scored.versions),
        "choice": scored.choice,
        "seed": scored.study.seed,
    }
    found: JsonObject = plain_value(scored.extra | fields)
    return found


def score_json(scored: Scored) -> bytes:
    """The document in its canonical form (RFC 8785), and a newline."""
    return canonical(document(scored)) + b"\n"


def _study(study: Study) -> JsonObject:
    return study.model_dump(mode="json", by_alias=True, exclude={"trials", "findings"}) | {
        "trials": len(study.trials)
    }


def _counts(counts: Mapping[TrialOutcome, int]) -> JsonObject:
    return {"planned": sum(counts.values())} | {name: counts[name] for name in OUTCOMES}


def _table(scored: Scored, table: Table) -> JsonObject:
    return {
        "title": table.title,
        "columns": [column.model_dump(mode="json") for column in table.columns],
        "rows": [[_cell(cell) for cell in row] for row in table.rows],
        "notes": list(table.notes),
        "ledger": _counts(scored.counts(table)),
    }


def _cell(cell: Cell) -> JsonObject:
    """All fields of a cell, null where it has none; of a selector only what it says."""
    return {
        "text": cell.text,
        "value": cell.value,
        "count": cell.count.model_dump(mode="json") if cell.count else None,
        "interval": cell.interval.model_dump(mode="json") if cell.interval else None,
        "best": cell.best,
        "trials": [selector.to_json() for selector in cell.trials],
        "note": cell.note,
    }
