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
from replaylab.report.score_text import plain, wrapped
from replaylab.score.gate import Decision
from replaylab.score.tables.registry import NOT_PUBLISHED
from replaylab.score.value import Table

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
    for line in wrapped(scored.notices, out.width, 2):
        out.text(line)
    out.prose(scored.ledger())
    tables = {table.id: table for table in (scored.paper if layout == "paper" else scored.full)}
    wanted = list(dict.fromkeys(names or SHOWN))
    shared = _shared([tables[name] for name in wanted if name in tables])
    for name in wanted:
        if name in tables:
            table = tables[name]
            own = table.model_copy(update={"notes": tuple(_own(table.notes, shared))})
            out.text("")
            # The notices stand above the first table, and are those of all.
            out.text(plain(own, scored.around(table)._replace(notices=()), out.width))
        elif names:
            out.text(f"\n{name}: {scored.left_out.get(name, NOT_PUBLISHED)}")
    if shared:
        out.text("All these tables:")
        for line in wrapped((f"  {note}" for note in shared), out.width, 4):
            out.text(line)
    _show_gate(app, decisions(scored))
    left = [name for name in scored.left_out if not names]
    if left:
        out.text()
        out.prose(
            f"{counted(len(left), 'table')} with nothing to show: {', '.join(left)}; --table ID says why"
        )


def _shared(tables: Sequence[Table]) -> list[str]:
    """The notes that stand under each of several tables: they are printed once, below the last."""
    if len(tables) < 2:
        return []
    first, *others = tables
    return [note for note in first.notes if all(note in table.notes for table in others)]


def _own(notes: Sequence[str], shared: Sequence[str]) -> list[str]:
    """The notes that are a table's own."""
    return [note for note in notes if note not in shared]


def _show_gate(app: App, found: Sequence[Decision]) -> None:
    """The decisions one by one, then which agents hold every rule that is about them: the answer that was asked for."""
    if not found:
        return
    app.output.text("")
    for one in found:
        # A line each: a name with a line break in it must not look like another decision.
        app.output.text(f"gate {one.outcome}: {cell(one.rule)} ({cell(one.agent)}): {cell(one.reason)}")
    agents = list(dict.fromkeys(one.agent for one in found))
    hold = [name for name in agents if all(one.outcome == "pass" for one in found if one.agent == name)]
    passed = sum(one.outcome == "pass" for one in found)
    app.output.text(
        f"gate: {counted(len(found), 'decision')}, {passed} passed; "
        f"every rule about it holds for: {', '.join(map(cell, hold)) or 'no agent'}"
    )
