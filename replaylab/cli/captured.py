"""Prints a capture: a run, a part of a lane, one interaction."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from replaylab.cli.app import App
from replaylab.cli.output import Output, counted, tokens
from replaylab.cli.show_text import show_attempt
from replaylab.cli.writer import Writer
from replaylab.errors import EXIT_OK, EXIT_STORE, UsageError
from replaylab.report.captures import (
    CaptureView,
    PartView,
    came,
    capture_json,
    exchange_json,
    part_json,
    part_of,
    short,
    view_capture,
)
from replaylab.report.commands import command_line
from replaylab.report.find import Found, FoundInteraction, FoundRun
from replaylab.report.notice import dated
from replaylab.report.view import Asked
from replaylab.schema.finding import Finding
from replaylab.schema.interaction import Interaction
from replaylab.store.library import Library

_LISTED = 40
_COLUMNS = ("interaction", "endpoint", "method", "path", "status", "tries", "model", "tokens", "ms")


def is_capture(found: Found) -> bool:
    """Whether what was found is a capture or a piece of one."""
    if isinstance(found, FoundRun):
        return not found.run.holds_trials
    return found.trial.header.subject.kind == "capture"


def show_captured(app: App, library: Library, found: Found, *, full: bool, page: Path | None) -> int:
    """Print it; return the exit code."""
    if page is not None:
        raise UsageError("--html writes trials; a capture has none", fix="leave it out, or take --json")
    if isinstance(found, FoundRun):
        return _show_run(app, view_capture(library, *found), full=full)
    part = part_of(found.trial.cassette)
    run_id = found.trial.run_id
    if isinstance(found, FoundInteraction):
        _show_exchange(app.output, part, found.asked)
        app.output.document(ok=True, run=run_id, findings=[], **exchange_json(part, found.asked))
        return EXIT_OK
    app.output.text(f"part {part.key}")
    Writer(app.output, cut=None).fact("cassette", part.name)
    _table(app, [(part, row) for row in part.rows], (run_id or "")[:12], full=full)
    app.output.document(ok=True, run=run_id, findings=[], **part_json(part))
    return EXIT_OK


def _show_run(app: App, view: CaptureView, *, full: bool) -> int:
    out, run = app.output, view.run
    write = Writer(out, cut=None)
    out.text(f"run {run.name}  {view.run_id}")
    write.fact("what", f"a capture, {run.evidence}: what a program asked; it holds no trials")
    write.fact("created", dated(run.created))
    facts = next((part.cassette.header.capture for part in view.parts if part.cassette), None)
    if facts is not None:
        for name, value in (("through", facts.client), ("command", " ".join(facts.command))):
            if value:
                write.fact(name, value)
        asked = {row.request.alias for part in view.parts for row in part.rows}
        for alias in sorted(asked):
            write.fact("endpoint", f"{alias}  {facts.endpoints.get(alias, '')}".rstrip())
        if facts.rules:
            write.fact(
                "rules", f"{counted(len(facts.rules), 'normaliser rule')} in force when it was recorded"
            )
    rows = [(part, row) for part in view.parts for row in part.rows]
    write.fact("asked", _sums([row for _, row in rows]))
    for part in view.parts:
        if part.gone:
            write.fact("gone", f"{part.task}: {part.gone}")
    out.table(
        ("lane@part", "interactions", "cassette"),
        [(part.task, len(part.rows), part.name[:12]) for part in view.parts],
    )
    _table(app, rows, run.name, full=full)
    findings = [Finding.of("damaged", part.key, part.problem) for part in view.problems]
    out.findings(findings)
    again = app.again(f"capture --run {run.name} --offline -- COMMAND")
    out.text(f"next: `{again}` replays it" if rows else "nothing of it is left that could be replayed")
    out.document(ok=not findings, run=view.run_id, findings=findings, **capture_json(view))
    return EXIT_STORE if findings else EXIT_OK


def _sums(rows: Sequence[Interaction]) -> str:
    used = [row.usage for row in rows if row.usage]
    models = Counter(row.answered_by for row in rows if row.answered_by)
    retried = sum(len(row.attempts) - 1 for row in rows)
    said = [counted(len(rows), "question"), counted(retried, "retry", "retries")]
    both = [sum(one.prompt_tokens for one in used), sum(one.completion_tokens for one in used)]
    said.append(tokens(*both) if used or not rows else "tokens unknown")
    if models:
        said.append("answered by " + ", ".join(f"{name} ({count})" for name, count in sorted(models.items())))
    return "; ".join(said)


def _table(app: App, rows: Sequence[tuple[PartView, Interaction]], run: str, *, full: bool) -> None:
    out = app.output
    shown = rows if full else rows[:_LISTED]
    out.table(_COLUMNS, [_row(part, row) for part, row in shown])
    if len(shown) < len(rows):
        out.text(f"… and {len(rows) - len(shown)} more; --full lists them")
    if rows:
        within = ["--run", run] if run else []  # every capture has an interaction of that address
        again = app.again(command_line("show", [str(rows[0][1].path)], within))
        out.text(f"next: {again}")


def _row(part: PartView, row: Interaction) -> tuple[object, ...]:
    used = f"{row.usage.prompt_tokens:,} in + {row.usage.completion_tokens:,} out" if row.usage else ""
    request = row.request
    return (
        short(part, row),
        request.alias,
        request.method,
        request.path,
        came(row),
        len(row.attempts),
        row.answered_by,
        used,
        round(row.final.latency_ms),
    )


def _show_exchange(out: Output, part: PartView, asked: Asked) -> None:
    row, write = asked.row, Writer(out, cut=None)
    out.text(f"interaction {row.path}")
    write.fact("request", f"{row.request.form} {row.request.digest}")
    write.fact("outcome", row.outcome)
    write.fact("cassette", part.name)
    write.fact("asked", f"{row.request.alias}: {row.request.method} {row.request.path}")
    write.fact("answered by", row.answered_by or "not said")
    for name, value in (("request id", row.request_id), ("fingerprint", row.fingerprint)):
        if value:
            write.fact(name, value)
    if row.usage:
        write.fact("tokens", tokens(row.usage.prompt_tokens, row.usage.completion_tokens))
    write.heading("request body")
    write.block(write.json(asked.body), 2)
    for number, attempt in enumerate(row.attempts):
        show_attempt(write, number, attempt)
