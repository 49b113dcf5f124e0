"""`replaylab show`: a run, a trial, a lane or one interaction, out of the cassettes."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import click

from replaylab.cli import show_text
from replaylab.cli.app import App, json_option, pass_app
from replaylab.cli.captured import is_capture, show_captured
from replaylab.cli.help import Command
from replaylab.cli.output import visible
from replaylab.cli.progress import Progress
from replaylab.cli.reading import library_of
from replaylab.cli.written import write_page
from replaylab.errors import EXIT_FINDINGS, EXIT_OK, EXIT_STORE, UsageError
from replaylab.report.commands import command_line
from replaylab.report.document import asked_json, lane_json, run_json, trial_json
from replaylab.report.find import (
    Found,
    FoundInteraction,
    FoundLane,
    FoundRun,
    FoundTrial,
    Question,
    find,
)
from replaylab.report.view import Price, RunView, view_run
from replaylab.schema.base import JsonObject
from replaylab.schema.finding import Finding
from replaylab.schema.interaction import Usage
from replaylab.schema.model import ModelSettings
from replaylab.schema.outcome import body_bytes
from replaylab.store.library import Library

if TYPE_CHECKING:
    from replaylab.cli.price import Price as ModelPrice

_LONG = 100  # trials; fewer are read before a bar would be seen
KEY = "scripted:careful,twin,rubric,E0/ed-sepsis-room/0"


@click.command(
    cls=Command,
    exits=(EXIT_FINDINGS, EXIT_STORE),
    examples=(
        ("replaylab show", "the newest run: who played, the ledger, its trials"),
        (f"replaylab show {KEY}", "a trial: what the agent did and saw, and how it was judged"),
        (f"replaylab show {KEY}/simulator", "a lane: every question to the simulator in this trial"),
        (f"replaylab show '{KEY}/agent#0'", "one interaction, with the whole request"),
        (
            "replaylab show 3f9c1a --html trial.html",
            "a cassette by its first digits, as a page for a browser",
        ),
    ),
)
@click.argument("what", required=False)
@click.option("--run", "run_name", metavar="NAME", help="The run in which a trial key is looked up.")
@click.option(
    "--try", "number", type=click.IntRange(0), help="Which try of a trial, from 0. Default: what counts."
)
@click.option(
    "--html",
    "page",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Write a run or a trial as one page that needs no network.",
)
@click.option("--full", is_flag=True, help="Cut no text, however long.")
@click.option("--raw", is_flag=True, help="Of an interaction: the bytes of the answer and nothing else.")
@json_option
@pass_app
def command(
    app: App,
    what: str | None,
    run_name: str | None,
    number: int | None,
    page: Path | None,
    full: bool,
    raw: bool,
) -> int:
    """Show WHAT: a run (name, id or its first digits), a trial key, the CallPath of a lane or of one interaction, or
    a cassette by its first digits. Without WHAT, the newest run.
    """
    library = library_of(app)
    price = _prices(app)
    found = find(library, Question(what, run_name, number), price)
    _check_fit(app, found, page, raw)
    if is_capture(found) and not raw:
        return show_captured(app, library, found, full=full, page=page)
    if isinstance(found, FoundRun):
        view = _view(app, library, found, price)
        written = _write_run(app, library, view, page, price)
        if page is None:
            show_text.show_run(app.output, view, app.again)
        return _ended(app, found.run_id, run_json(view) | written, _damage(view))
    if isinstance(found, FoundInteraction) and raw:
        _write_raw(app, body_bytes(found.asked.row.final))
        return EXIT_OK
    run_id = found.trial.run_id
    if isinstance(found, FoundTrial):
        written = _write_trial(app, found, page)
        if page is None:
            show_text.show_trial(app.output, found.trial, app.again, full=full)
        return _ended(app, run_id, trial_json(found.trial) | written)
    if isinstance(found, FoundLane):
        show_text.show_lane(app.output, found.trial, found.lane, app.again)
        return _ended(app, run_id, lane_json(found.trial, found.lane))
    show_text.show_asked(app.output, found.trial, found.asked)
    return _ended(app, run_id, asked_json(found.trial, found.asked))


def _view(app: App, library: Library, found: FoundRun, price: Price) -> RunView:
    if len(found.run.ledger) < _LONG:
        return view_run(library, *found, price)
    with Progress("show", err=app.output.err) as bar:
        return view_run(library, *found, price, bar.update_counts)


def _check_fit(app: App, found: Found, page: Path | None, raw: bool) -> None:
    if raw and not isinstance(found, FoundInteraction):
        raise UsageError(
            "--raw prints the answer of one interaction", fix="name a CallPath with an ordinal: …/agent#0"
        )
    if raw and app.json:
        raise UsageError("--raw and --json both want stdout", fix="leave one out; --json holds the body too")
    if page is not None and isinstance(found, FoundLane | FoundInteraction):
        raise UsageError(
            "--html writes a run or a trial",
            where=found.trial.key,
            fix=app.again(command_line("show", [found.trial.key], ["--html", "FILE"])),
        )


def _ended(app: App, run_id: str | None, fields: JsonObject, findings: Sequence[Finding] = ()) -> int:
    app.output.findings(findings)
    app.output.document(ok=not findings, run=run_id, findings=findings, **fields)
    return EXIT_STORE if findings else EXIT_OK


def _damage(view: RunView) -> list[Finding]:
    return [Finding.of("damaged", row.entry.key, row.problem) for row in view.problems]


def _write_run(app: App, library: Library, view: RunView, page: Path | None, price: Price) -> JsonObject:
    if page is None:
        return {}
    from replaylab.report.page import run_page

    return write_page(app, page, run_page(library, view, price))


def _write_trial(app: App, found: FoundTrial, page: Path | None) -> JsonObject:
    if page is None:
        return {}
    from replaylab.report.page import trial_page

    return write_page(app, page, trial_page(found.trial))


def _write_raw(app: App, data: bytes) -> None:
    """The bytes as they are; on a terminal with control characters escaped."""
    out = app.output.out
    if app.output.width is not None:
        out.write(visible(data.decode("utf-8", "backslashreplace")) + "\n")
        return
    out.flush()
    out.buffer.write(data)  # type: ignore[attr-defined] # IO[str] hides it
    out.buffer.flush()  # type: ignore[attr-defined]


def _prices(app: App) -> Price:
    """Prices as of the day of the recording: the configuration's, else the list's; programs are free."""

    @cache
    def known(settings: str, created: str) -> ModelPrice | None:
        from replaylab.cli.config import ModelConfig
        from replaylab.cli.prices import price_of

        recorded = ModelSettings.model_validate_json(settings)
        configured = app.config.models.get(recorded.alias)
        if configured is None or configured.settings.model != recorded.model:
            configured = ModelConfig(settings=recorded, source="config")
        # What was recorded decides what it is; the configuration adds where it is reached and at which price.
        model = configured.model_copy(update={"settings": recorded})
        return price_of(model, app.config.prices, datetime.fromisoformat(created))

    def price(settings: ModelSettings, created: str, usage: Usage) -> Decimal | None:
        if settings.player != "llm":
            return Decimal(0)
        found = known(settings.model_dump_json(), created)
        return found.cost(usage) if found else None

    return price
