"""`replaylab import`: data of other projects, as scenarios that can be recorded, or as trials that can be checked."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from replaylab.cli.app import App, json_option, pass_app
from replaylab.cli.help import Command, Group
from replaylab.cli.import_har import har_command
from replaylab.cli.import_talk import commands
from replaylab.cli.naming import named_after, run_option
from replaylab.cli.options import scenarios_option
from replaylab.errors import EXIT_STORE
from replaylab.report.commands import word

if TYPE_CHECKING:
    from replaylab.interop.occubench import ImportSummary
    from replaylab.interop.transcript import ImportedTranscripts
    from replaylab.interop.vcr.importer import ImportedCassettes

EXAMPLES = (
    ("replaylab import occubench ../occubench --into build/occubench", "all published tasks, as scenarios"),
    ("replaylab scenarios --scenarios build/occubench", "then lists them"),
    ("replaylab record --scenarios build/occubench --sim example --agent scripted:explorer", "then records"),
    (
        "replaylab import transcript transcripts.jsonl --run theirs",
        "conversations of another harness, as a run",
    ),
    ("replaylab import vcr tests/cassettes --run theirs", "cassettes of vcrpy, as a capture"),
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
    out.text(f"next: {app.again(f'scenarios --scenarios {word(str(into))}')}")
    out.document(ok=True, into=str(into), **summary.model_dump(mode="json"))


@command.command(
    cls=Command,
    exits=(EXIT_STORE,),
    examples=(
        ("replaylab import transcript transcripts.jsonl --run theirs", "one run of all its lines"),
        ("replaylab import transcript a.jsonl b.jsonl --run theirs", "two simulators on the same tasks"),
        (
            "replaylab import transcript t.jsonl --scenarios build/occubench",
            "whose lines name imported environments",
        ),
    ),
)
@click.argument(
    "files",
    nargs=-1,
    required=True,
    metavar="FILE...",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
)
@run_option("The name of the run. Default: that of the first file.")
@scenarios_option()
@click.option("--skip-bad", is_flag=True, help="Leave out lines that can't be imported, and say how many.")
@click.option(
    "--keep-unknown", is_flag=True, help="Keep fields that nobody knows, in a label of their trial."
)
@json_option
@pass_app
def transcript(
    app: App,
    files: tuple[Path, ...],
    name: str | None,
    folders: tuple[Path, ...],
    *,
    skip_bad: bool,
    keep_unknown: bool,
) -> None:
    """Import transcripts of another harness, one JSON object a line, as a run that can be checked and compared.

    A line has `environment` (a configuration in OccuBench's form, or the id of one that is known here, which `replaylab
    scenarios --environments` lists), `simulator`, `task`, `steps` (each with `tool`, `arguments`, `observation`) and
    `final_answer`. FORMAT.md has all fields. Nobody here saw these calls: the run is marked as imported, has no
    verdicts, and is never counted among recorded ones.
    """
    from functools import cache

    from replaylab.cli.progress import Progress
    from replaylab.cli.stage import catalogue_of, redactor_of
    from replaylab.interop.transcript import import_transcripts
    from replaylab.interop.transcript.importer import Reading
    from replaylab.store.library import Library

    paths = {str(path): app.cwd / path for path in files}
    with Progress("import", err=app.output.err) as bar:
        reading = Reading(
            cache(lambda: catalogue_of(app, folders)),
            redactor_of(app).value,
            skip_bad=skip_bad,
            keep_unknown=keep_unknown,
            progress=bar.update_counts,
        )
        done = import_transcripts(Library(app.library), name or named_after(app, files[0]), paths, reading)
    _show_transcripts(app, done)


def _show_transcripts(app: App, done: ImportedTranscripts) -> None:
    from replaylab.cli.imported import next_of_trials, told_of_run
    from replaylab.interop.transcript.importer import NOTES

    fields = told_of_run(app, done, NOTES, "line")
    next_of_trials(app, done.run)
    app.output.document(ok=True, **fields)


@command.command(
    cls=Command,
    exits=(EXIT_STORE,),
    examples=(
        ("replaylab import vcr tests/cassettes --run theirs", "every cassette of a folder, a lane each"),
        (
            "replaylab import vcr chat.yaml",
            "one cassette, for any client: `replaylab proxy --offline` answers from it",
        ),
    ),
)
@click.argument(
    "paths", nargs=-1, required=True, metavar="FILE|FOLDER...", type=click.Path(path_type=Path, exists=True)
)
@run_option("The name of the run. Default: that of the first file or folder.")
@click.option(
    "--one-lane",
    is_flag=True,
    help="All files as one lane, that of clients that name none. Default for one file; several get a lane each.",
)
@click.option("--skip-bad", is_flag=True, help="Leave out files that can't be imported, and say which.")
@click.option(
    "--keep-header",
    "keep",
    multiple=True,
    metavar="NAME",
    help="Keep this header too. The list of those that are kept holds none that carries credentials.",
)
@json_option
@pass_app
def vcr(
    app: App,
    paths: tuple[Path, ...],
    name: str | None,
    keep: tuple[str, ...],
    *,
    one_lane: bool,
    skip_bad: bool,
) -> None:
    """Import cassettes of vcrpy, YAML or JSON, of any version, as a capture.

    Bodies are decoded and redacted; what has to be dropped or is lost in the source is listed. Nothing is written unless
    every file is good, or the bad ones are left out on purpose. Importing again gives the same run. VCR.md has the details.
    """
    from replaylab.cli.keys import secrets_of
    from replaylab.interop.vcr.convert import Converter
    from replaylab.interop.vcr.importer import find_files, import_cassettes
    from replaylab.store.library import Library
    from replaylab.wire.answer_headers import KeptHeaders

    files = find_files([app.cwd / path for path in paths])
    converter = Converter(secrets_of(app), KeptHeaders(keep))
    run = name or named_after(app, (app.cwd / paths[0]).resolve())
    done = import_cassettes(Library(app.library), run, files, converter, one_lane=one_lane, skip_bad=skip_bad)
    _show_cassettes(app, done)


def _show_cassettes(app: App, done: ImportedCassettes) -> None:
    from replaylab.cli.imported import SHOWN_PROBLEMS
    from replaylab.cli.output import counted, number_of
    from replaylab.interop.vcr.pair import NOTES
    from replaylab.report.notice import evidence_notices

    out = app.output
    out.text(f"run {done.run.name}  {done.run_id}")
    for line in evidence_notices(done.run.evidence):
        out.prose(line)
    out.text(f"{counted(done.exchanges, 'exchange')} of {counted(done.files, 'file')}")
    if not done.changed:
        out.text("all of it was there already, with the same bytes")
    if done.skipped:
        out.text(f"left out, since they can't be imported: {counted(len(done.skipped), 'file')}")
    for lane, why in list(done.skipped.items())[:SHOWN_PROBLEMS]:
        out.text(f"  - {lane}: {why}")
    for kind, number in done.notes.items():
        out.text(number_of(NOTES[kind], number))
        for detail, times in done.details.get(kind, {}).items():
            out.text(f"    {detail} ({times})")
    out.text(f"next: {app.again(f'show {done.run.name}')}")
    out.document(
        ok=True,
        run=done.run_id,
        name=done.run.name,
        evidence=done.run.evidence,
        outcome=done.run.outcome,
        files=done.files,
        exchanges=done.exchanges,
        changed=done.changed,
        notes=dict(done.notes),
        details={kind: dict(found) for kind, found in done.details.items()},
        skipped=dict(done.skipped),
    )


for _one in (*commands(), har_command):
    command.add_command(_one)
