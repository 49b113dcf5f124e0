"""`replaylab export inspect|atif|parquet`: a whole run in the format of another tool, into a folder."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import click

from replaylab.canonical import digest, dumps
from replaylab.cli.app import App, json_option, pass_app
from replaylab.cli.extra import how_to_get, require_packages
from replaylab.cli.help import Command
from replaylab.cli.options import Decorator
from replaylab.cli.output import counted
from replaylab.errors import EXIT_FINDINGS, EXIT_OK, EXIT_STORE, UsageError
from replaylab.schema.callpath import Condition, TrialKey

if TYPE_CHECKING:
    from replaylab.interop.talk.outgoing import Outgoing
    from replaylab.schema.base import JsonObject
    from replaylab.schema.run import Run
    from replaylab.store.library import Library


def _out_option(text: str) -> Decorator:
    return click.option("--out", required=True, type=click.Path(path_type=Path, file_okay=False), help=text)


_run_argument = click.argument("run_name", required=False, metavar="[RUN]")


@click.command(
    "inspect",
    cls=Command,
    exits=(EXIT_FINDINGS, EXIT_STORE),
    examples=(
        ("replaylab export inspect --out logs", "the newest run; then `inspect view --log-dir logs`"),
        ("replaylab export inspect study --out logs --as json", "as JSON documents"),
    ),
)
@_run_argument
@_out_option("The folder to write; files of the same names are replaced.")
@click.option(
    "--as",
    "form",
    type=click.Choice(("eval", "json")),
    default="eval",
    show_default=True,
    help="ZIP files with a member for each sample, or one JSON document each.",
)
@json_option
@pass_app
def inspect_command(app: App, run_name: str | None, out: Path, *, form: str) -> int:
    """Write a run as logs of Inspect AI: one log for each condition, since a log has one model.

    Pass is C and fail is I; an error is the error of its sample and has no score, and a missing trial is left out and
    counted. Without RUN, the newest run.
    """
    from replaylab.interop.inspect.files import as_archive, as_json
    from replaylab.interop.inspect.writer import to_log

    library, run_id, run = _run(app, run_name)
    trials, left = _trials(library, run)
    groups: dict[Condition, list[Outgoing]] = {}
    for one in trials:
        groups.setdefault(TrialKey.parse(one.key).condition, []).append(one)
    planned = Counter(TrialKey.parse(entry.key).condition for entry in run.ledger)
    write = as_archive if form == "eval" else as_json
    files = {
        f"{_name(run.name, *condition)}.{form}": write(
            to_log(run, run_id, condition, group, planned[condition])
        )
        for condition, group in groups.items()
    }
    return _written(app, out, run_id, run, files, left)


@click.command(
    "atif",
    cls=Command,
    exits=(EXIT_FINDINGS, EXIT_STORE),
    examples=(("replaylab export atif study --out trajectories", "one file for each trial"),),
)
@_run_argument
@_out_option("The folder to write; files of the same names are replaced.")
@json_option
@pass_app
def atif_command(app: App, run_name: str | None, out: Path) -> int:
    """Write a run as ATIF trajectories, version 1.8: one file for each trial.

    What simulators and judges were asked and answered stands in `extra`. Without RUN, the newest run.
    """
    from replaylab.interop.atif.shape import to_json
    from replaylab.interop.atif.writer import to_atif

    library, run_id, run = _run(app, run_name)
    trials, left = _trials(library, run)
    files = {}
    for one in trials:
        key = TrialKey.parse(one.key)
        files[f"{_name(key.task, str(key.trial), *key.condition)}.json"] = (
            dumps(to_json(to_atif(one))) + b"\n"
        )
    return _written(app, out, run_id, run, files, left)


@click.command(
    "parquet",
    cls=Command,
    exits=(EXIT_STORE,),
    examples=(("replaylab export parquet study --out tables", "three files for pandas, DuckDB and others"),),
)
@_run_argument
@_out_option("The folder to write; files of the same names are replaced.")
@json_option
@pass_app
def parquet_command(app: App, run_name: str | None, out: Path) -> int:
    """Write a run as three Parquet tables: interactions, trajectories, verdicts.

    Every planned trial has a row in verdicts, a missing one too. FORMATS.md has the columns. Without RUN, the newest
    run.
    """
    require_packages("export parquet", ("pyarrow",), how_to_get("parquet"))
    from replaylab.interop.parquet.writer import to_parquet

    library, run_id, run = _run(app, run_name)
    files, rows = to_parquet(library, run_id, run)
    return _written(app, out, run_id, run, files, Counter(), rows)


def _run(app: App, run_name: str | None) -> tuple[Library, str, Run]:
    from replaylab.cli.reading import library_of

    library = library_of(app)
    return library, *library.run(run_name)


def _trials(library: Library, run: Run) -> tuple[list[Outgoing], Counter[str]]:
    left: Counter[str] = Counter()
    return list(_kept(library, run, left)), left


def _kept(library: Library, run: Run, left: Counter[str]) -> Iterator[Outgoing]:
    from replaylab.interop.talk.outgoing import LeftOut, outgoing

    for one in outgoing(library, run):
        if isinstance(one, LeftOut):
            left[one.why] += 1
        else:
            yield one


def _name(*parts: str) -> str:
    """A file name of these parts that no other parts have."""
    plain = "_".join(re.sub(r"[^A-Za-z0-9.-]+", "-", part).strip("-.")[:40] for part in parts)
    return f"{plain}_{digest(list(parts))[:8]}"


def _written(
    app: App,
    out: Path,
    run_id: str,
    run: Run,
    files: Mapping[str, bytes],
    left: Mapping[str, int],
    rows: Mapping[str, int] | None = None,
) -> int:
    from replaylab.store import disk

    folder = app.cwd / out
    if not folder.parent.is_dir():
        raise UsageError("the folder's folder does not exist", where=str(folder.parent), fix="make it first")
    folder.mkdir(exist_ok=True)
    disk.remove_leftovers(folder, ours=files.__contains__)
    for name, data in files.items():
        disk.write_file(folder / name, data)
    told = app.output
    told.text(f"run {run.name}  {run_id}")
    told.text(f"wrote {counted(len(files), 'file')} into {folder}")
    for name, number in (rows or {}).items():
        told.text(f"  {name}: {counted(number, 'row')}")
    for why, number in sorted(left.items()):
        told.text(f"  left out: {counted(number, 'trial')} ({why})")
    fields: JsonObject = {
        "folder": str(folder),
        "files": sorted(files),
        "left_out": dict(sorted(left.items())),
    }
    if rows is not None:
        fields["rows"] = dict(rows)
    told.document(ok=bool(files), run=run_id, **fields)
    return EXIT_OK if files else EXIT_FINDINGS
