"""What `score` prints, and where it puts its files."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from replaylab.cli.app import App
from replaylab.cli.options import split_names
from replaylab.cli.output import cell, counted
from replaylab.cli.scoring import decisions
from replaylab.errors import EXIT_FINDINGS, EXIT_OK
from replaylab.report.score_files import write_report
from replaylab.report.score_json import document
from replaylab.report.score_parts import Scored
from replaylab.report.score_text import plain

SHOWN = ("overall", "faults")  # what is printed when no table is named
REPORTS = "reports"


def show(app: App, scores: Sequence[Scored], chosen: dict[str, Any]) -> int:
    """Write the files, print the tables and decisions; return the exit code."""
    written = [] if chosen["print_only"] else [_write(app, one, chosen) for one in scores]
    names = split_names(chosen["tables"])
    for number, scored in enumerate(scores):
        _show_one(app, scored, names, chosen["layout"])
        app.output.findings(scored.study.findings)
        if written:
            app.output.text(f"wrote {written[number]}; open index.html in a browser")
    ok = all(one.ok for one in scores)
    first, *others = scores
    fields = document(first)
    for taken in ("schema", "ok", "run", "findings"):
        fields.pop(taken, None)
    app.output.document(
        ok=ok,
        run=first.study.runs[0].run,
        findings=[finding for one in scores for finding in one.study.findings],
        name=first.name,
        reports=[str(path) for path in written],
        apart=[document(one) for one in others],
        **fields,
    )
    return EXIT_OK if ok else EXIT_FINDINGS


def _write(app: App, scored: Scored, chosen: dict[str, Any]) -> Path:
    folder = app.cwd / (chosen["out"] or Path(REPORTS) / scored.name)
    return write_report(folder, scored)[-1].parent


def _show_one(app: App, scored: Scored, names: Sequence[str], layout: str) -> None:
    out = app.output
    for run in scored.study.runs:
        out.text(f"run {run.name}  {run.run}")
    for notice in scored.notices:
        out.text(notice)
    out.text(scored.ledger())
    tables = {table.id: table for table in (scored.paper if layout == "paper" else scored.full)}
    for name in names or SHOWN:
        if name in tables:
            out.text("")
            out.text(plain(tables[name], scored.around(tables[name]), out.width))
        elif names:
            out.text(f"\n{name}: {scored.left_out.get(name, 'the paper layout has no such table')}")
    for one in decisions(scored):
        # A line each: a name with a line break in it must not look like another decision.
        out.text(f"gate {one.outcome}: {cell(one.rule)} ({cell(one.agent)}): {cell(one.reason)}")
    left = [name for name in scored.left_out if not names]
    if left:
        out.text(
            f"\n{counted(len(left), 'table')} with nothing to show: {', '.join(left)}; --table ID says why"
        )
