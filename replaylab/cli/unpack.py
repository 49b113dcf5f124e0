"""`replaylab unpack`: a pack becomes a library."""

from __future__ import annotations

from pathlib import Path

import click

from replaylab.cli.app import App, json_option, pass_app
from replaylab.cli.help import Command
from replaylab.errors import EXIT_STORE
from replaylab.report.commands import word


@click.command(
    cls=Command,
    exits=(EXIT_STORE,),
    examples=(
        ("replaylab unpack study.tar --into study", "a new folder, which is a library"),
        ("replaylab --library study replay --offline", "the next step"),
    ),
)
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False))
@click.option(
    "--into",
    required=True,
    metavar="DIR",
    type=click.Path(path_type=Path),
    help="A folder that is not there yet, or is empty.",
)
@json_option
@pass_app
def command(app: App, file: Path, into: Path) -> None:
    """Verify a pack and make a library of it.

    Every member is checked against SHA256SUMS, its name and the run while it is written. Paths that lead elsewhere, links,
    devices, unlisted, missing or repeated members, wrong digests and anything behind the end are refused, and nothing of
    such a pack is kept. The folder appears at the end, whole.
    """
    from replaylab.cli.output import counted
    from replaylab.cli.progress import Progress
    from replaylab.interop.pack.unpack import unpack

    with Progress("unpack", unit="files", err=app.output.err) as bar:
        done = unpack((app.cwd / file).resolve(), app.cwd / into, bar.update_counts)
    name = next(one.name.about for one in done.read.members.values() if one.name.kind == "ref")
    kinds = [one.name.kind for one in done.read.members.values()]
    counts = {kind: kinds.count(kind) for kind in ("cassette", "run", "tombstone")}
    out = app.output
    out.text(f"run {name}  {done.run_id}")
    shown = [
        counted(counts["cassette"], "cassette"),
        counted(counts["run"], "run object"),
        counted(counts["tombstone"], "tombstone"),
    ]
    out.text(f"{done.folder}{'' if done.fresh else ' (was there already, the same)'}: {', '.join(shown)}")
    out.text(f"next: replaylab --library {word(str(into))} verify")
    out.document(
        ok=True, run=done.run_id, name=name, folder=str(done.folder), fresh=done.fresh, counts=counts
    )
