"""`replaylab pack`: one archive of a run, to publish."""

from __future__ import annotations

from pathlib import Path

import click

from replaylab.cli.app import App, json_option, pass_app
from replaylab.cli.help import Command
from replaylab.errors import EXIT_STORE


@click.command(
    cls=Command,
    exits=(EXIT_STORE,),
    examples=(
        ("replaylab pack", "the newest run, into a file named after it"),
        ("replaylab pack study --out study.tar", "a run by name"),
        ("replaylab pack study --redact", "digests in place of what was asked and answered"),
        ("tar xf study.tar && cd study-*/ && sha256sum -c SHA256SUMS", "what a reader needs to check it"),
    ),
)
@click.argument("run", required=False)
@click.option(
    "--out",
    metavar="FILE",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Default: NAME-ID.tar in the current folder.",
)
@click.option("--redact", is_flag=True, help="Leave out requests and responses, keep their digests.")
@json_option
@pass_app
def command(app: App, run: str | None, out: Path | None, redact: bool) -> None:
    """Write one archive of a run, for others to check, replay and score.

    It is a plain tar file with a README, SHA256SUMS, the run object, those that it follows or took lanes from, and every
    cassette that they name. The same run gives the same bytes on any machine. It opens with tar and sha256sum.
    """
    from replaylab.cli.output import counted
    from replaylab.cli.progress import Progress
    from replaylab.cli.reading import library_of
    from replaylab.cli.recorded import ledger_line, programs
    from replaylab.engine.ledger import status_counts
    from replaylab.interop.pack.names import file_name
    from replaylab.interop.pack.write import pack

    library = library_of(app)
    run_id, found = library.run(run)
    target = app.cwd / (out or file_name(found.name, run_id, redacted=redact))
    with Progress("pack", unit="objects", err=app.output.err) as bar:
        packed = pack(library, run_id, target, redact=redact, progress=bar.update_counts)
    contents, said = packed.contents, app.output
    ledger = ledger_line(status_counts(found, contents.gone), trials=found.holds_trials)
    said.text(f"run {found.name}  {run_id}: {ledger}")
    said.text(f"{packed.file}")
    said.text(f"{packed.size:,} bytes, SHA-256 {packed.digest}")
    said.text(
        f"{counted(len(contents.runs), 'run object')}, {counted(len(contents.cassettes), 'cassette')}"
        f"{' (redacted)' if redact else ''}, {counted(len(contents.gone), 'tombstone')}"
    )
    if contents.absent:
        said.text(f"not here and not packed: {counted(len(contents.absent), 'object')} of earlier runs")
    for line in programs(found):
        said.text(line)
    said.document(
        ok=True,
        run=run_id,
        name=found.name,
        file=str(packed.file),
        sha256=packed.digest,
        sha256sums=packed.sums,
        bytes=packed.size,
        members=packed.members,
        runs=list(contents.runs),
        cassettes=len(contents.cassettes),
        gone={name: stone.why for name, stone in contents.gone.items()},
        absent=list(contents.absent),
        redacted=packed.redacted,
    )
