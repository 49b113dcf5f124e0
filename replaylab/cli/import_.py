"""`replaylab import`: data of other projects, as scenarios that can be recorded."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from replaylab.cli.app import App, json_option, pass_app
from replaylab.cli.help import Command, Group

if TYPE_CHECKING:
    from replaylab.interop.occubench import ImportSummary

EXAMPLES = (
    ("replaylab import occubench ../occubench --into build/occubench", "all published tasks, as scenarios"),
    ("replaylab scenarios --scenarios build/occubench", "then lists them"),
    ("replaylab record --scenarios build/occubench --sim example --agent scripted:explorer", "then records"),
)


@click.group(cls=Group, examples=EXAMPLES)
def command() -> None:
    """Import data of another project."""


@command.command(cls=Command, examples=EXAMPLES[:1])
@click.argument("source", type=click.Path(path_type=Path, exists=True, file_okay=False))
@click.option(
    "--into", required=True, type=click.Path(path_type=Path, file_okay=False), help="The folder to write."
)
@click.option("--replace", is_flag=True, help="Exchange an earlier import that differs.")
@json_option
@pass_app
def occubench(app: App, source: Path, into: Path, *, replace: bool) -> None:
    """Import the published OccuBench data: the folder with its two .jsonl files and its configurations.

    Nothing is dropped: what is odd in the data is counted and kept. What can't be read stops the import, and nothing
    is written. The same data gives the same bytes, and importing again leaves them alone.
    """
    from replaylab.interop.occubench import import_occubench

    target = app.cwd / into
    target.parent.mkdir(parents=True, exist_ok=True)
    _show(app, import_occubench(app.cwd / source, target, replace=replace), into)


def _show(app: App, summary: ImportSummary, into: Path) -> None:
    out = app.output
    out.text(
        f"{summary.scenarios} scenarios, {summary.environments} environments, {summary.tasks} tasks in {into}"
    )
    if not summary.changed:
        out.text("all of it was there already, with the same bytes")
    if summary.scenarios_without_tasks:
        out.text(f"without any task, so left out: {', '.join(summary.scenarios_without_tasks)}")
    if summary.irregularities:
        out.table(
            ("kind", "count", "environments", "meaning"),
            [(one.kind, one.count, one.environments, one.meaning) for one in summary.irregularities],
            title="irregularities, all kept as they are:",
        )
    out.text(f"next: replaylab scenarios --scenarios {into}")
    out.document(ok=True, into=str(into), **summary.model_dump(mode="json"))
