"""`replaylab score`: tables, figures and decisions from cassettes alone."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from replaylab.cli.app import App, json_option, pass_app
from replaylab.cli.extra import STATS, require
from replaylab.cli.help import Command
from replaylab.cli.options import MAX_JOBS, Decorator, split_names
from replaylab.errors import EXIT_FINDINGS, EXIT_STORE, UsageError

if TYPE_CHECKING:
    from replaylab.report.score_parts import Scored

MAX_SEED = 2**53 - 1  # a larger integer has no exact form in the JSON document


def _what_is_compared() -> Decorator:
    """The options of the reference condition."""
    options = [
        click.option(
            "--sim", metavar="NAME", help="The simulator that tables fix. Default: the run's first."
        ),
        click.option("--verifier", metavar="NAME", help="The verifier that tables fix. Default: the first."),
        click.option(
            "--env", metavar="NAME", help="The fault plan that tables fix. Default: E0, else the first."
        ),
        click.option(
            "--denominator",
            type=click.Choice(("planned", "decided")),
            default="planned",
            show_default=True,
            help="What a rate is divided by: all planned trials, or those with a verdict.",
        ),
        click.option(
            "--declare",
            type=click.Path(path_type=Path, dir_okay=False, exists=True),
            help='Denominators of single cells: a JSON object {"AGENT|COLUMN": trials}. Each is named below its table.',
        ),
        click.option(
            "--seed",
            type=click.IntRange(0, MAX_SEED),
            default=1,
            show_default=True,
            help="Of resamples and permutations.",
        ),
        click.option(
            "--draws",
            type=click.IntRange(99, 1_000_000),
            default=9999,
            show_default=True,
            help="Resamples of a bootstrap.",
        ),
    ]

    def decorate(function: Any) -> Any:
        for option in reversed(options):
            function = option(function)
        return function

    return decorate


def _what_is_shown() -> Decorator:
    """The options of what is printed and written."""
    options = [
        click.option(
            "--table",
            "tables",
            multiple=True,
            metavar="ID",
            help="Print these tables; repeat it or use commas.",
        ),
        click.option(
            "--layout",
            type=click.Choice(("full", "paper")),
            default="full",
            show_default=True,
            help="How tables are printed: with counts and intervals, or as published.",
        ),
        click.option(
            "--out",
            type=click.Path(path_type=Path, file_okay=False),
            help="The folder of the report. Default: reports/RUN in the current folder.",
        ),
        click.option("--print-only", is_flag=True, help="Write no files."),
        click.option(
            "--figures/--no-figures", default=True, help="Draw the figures; they take most of the time."
        ),
        click.option("--radar", is_flag=True, help="Draw the radar of industries too, beside its intervals."),
        click.option(
            "--gate",
            type=click.Path(path_type=Path, dir_okay=False, exists=True),
            help="Deployment rules to decide; exit 1 unless all of them pass.",
        ),
        click.option(
            "--jobs", type=click.IntRange(1, MAX_JOBS), help="Processes that read. Default: the cores."
        ),
    ]

    def decorate(function: Any) -> Any:
        for option in reversed(options):
            function = option(function)
        return function

    return decorate


@click.command(
    cls=Command,
    exits=(EXIT_FINDINGS, EXIT_STORE),
    examples=(
        ("replaylab score", "the newest run: its main tables here, everything in reports/RUN"),
        (
            "replaylab score study --table industries,faults --layout paper",
            "two tables as they are published",
        ),
        ("replaylab score study-a study-b --sim qwen", "several runs together, under one simulator"),
        ("replaylab score study --gate gate.toml", "is this agent good enough? exit 1 when it isn't"),
    ),
)
@click.argument("runs", nargs=-1, metavar="[RUN]...")
@_what_is_compared()
@_what_is_shown()
@json_option
@pass_app
def command(app: App, /, runs: tuple[str, ...], **chosen: Any) -> int:
    """Make every table and figure of one or several runs from their cassettes alone.

    Verdicts are derived again from the recorded answers. Trials that ended in an error or are missing are shown apart
    and never count as failed. Trials that were authored or imported are scored apart and never mixed with recorded
    ones. Needs the packages of the extra `stats`.
    """
    drawn = chosen["figures"] and not chosen["print_only"]
    require("score", (*STATS, "matplotlib") if drawn else STATS)
    from replaylab.cli import scored as shown
    from replaylab.cli.scoring import make_ready, score_study, studies
    from replaylab.store.processes import Beside

    with _uncollected(), Beside() as beside:
        make_ready(app, chosen, beside)
        found = studies(app, runs, chosen)
        scores = [score_study(app, study, chosen, beside) for study in found]
        _check_tables(split_names(chosen["tables"]), scores)
        return shown.show(app, scores, chosen)


@contextmanager
def _uncollected() -> Iterator[None]:
    """Without garbage collection: what is read stays to the end, and searching it for garbage took a quarter of the time."""
    before = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if before:
            # What is there now counts as old: the next object would have all of it searched.
            gc.freeze()
            gc.unfreeze()
            gc.enable()


def _check_tables(names: list[str], scores: list[Scored]) -> None:
    """A table that no score has: why it has nothing to show, or that there is no such table."""
    from replaylab.near import closest
    from replaylab.score.tables import TABLES

    for name in names:
        if name not in TABLES:
            raise UsageError(
                f"there is no table {name!r}",
                closest=closest(name, TABLES),
                fix=f"tables: {', '.join(TABLES)}",
            )
        whys = [one.left_out.get(name, "") for one in scores]
        if all(whys):
            raise UsageError(f"the table {name} has nothing to show: {whys[0]}")
