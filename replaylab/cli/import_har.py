"""`replaylab import har`: exchanges that a browser or a proxy wrote down, as a captured run."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from replaylab.cli.app import App, json_option, pass_app
from replaylab.cli.help import Command
from replaylab.cli.imported import files_of, left_out
from replaylab.cli.naming import named_after, run_option
from replaylab.cli.output import counted
from replaylab.errors import EXIT_STORE

if TYPE_CHECKING:
    from replaylab.interop.har.importer import ImportedExchanges


@click.command(
    "har",
    cls=Command,
    exits=(EXIT_STORE,),
    examples=(
        ("replaylab import har session.har --run theirs", "all exchanges, as a captured run"),
        ("replaylab import har session.har --host api.openai.com", "those with one host alone"),
    ),
)
@click.argument(
    "files",
    nargs=-1,
    required=True,
    metavar="FILE|FOLDER...",
    type=click.Path(path_type=Path, exists=True),
)
@run_option("The name of the run. Default: that of the first file or folder.")
@click.option(
    "--host", "hosts", multiple=True, metavar="HOST", help="Only exchanges with this host; repeat it."
)
@click.option("--skip-bad", is_flag=True, help="Leave out what can't be imported, and say how many.")
@json_option
@pass_app
def har_command(
    app: App, files: tuple[Path, ...], name: str | None, hosts: tuple[str, ...], *, skip_bad: bool
) -> None:
    """Import HAR files: each exchange as if it had been captured, so that it can be played offline.

    Credentials are left behind: cookies and headers that hold keys are never read, URLs and bodies are redacted.
    """
    from replaylab.cli.stage import redactor_of
    from replaylab.interop.har.importer import import_har
    from replaylab.store.library import Library

    paths = {str(path): app.cwd / path for path in files_of(files, (".har",))}
    run = name or named_after(app, files[0])
    done = import_har(Library(app.library), run, paths, redactor_of(app), hosts=set(hosts), skip_bad=skip_bad)
    _show(app, done)


def _show(app: App, done: ImportedExchanges) -> None:
    from replaylab.interop.har.importer import LACKS
    from replaylab.report.notice import evidence_notices

    out = app.output
    out.text(f"run {done.run.name}  {done.run_id}")
    for line in evidence_notices(done.run.evidence):
        out.prose(line)
    hosts = ", ".join(f"{host} {number}" for host, number in done.hosts.items())
    out.text(f"{counted(done.exchanges, 'exchange')}: {hosts}")
    if done.other:
        out.text(f"with other hosts, left out: {done.other}")
    if not done.changed:
        out.text("all of it was there already, with the same bytes")
    left_out(out, done.skipped_entries, done.skipped, "entry")
    if done.lacks:
        out.text("what the source lacks:")
    for key, number in done.lacks.items():
        out.text(f"  {LACKS[key]} ({number} of {done.exchanges})")
    out.text(f"next: {app.again(f'show {done.run.name}')}")
    out.document(
        ok=True,
        format="har",
        run=done.run_id,
        name=done.run.name,
        evidence=done.run.evidence,
        provenance="imported",
        outcome=done.run.outcome,
        exchanges=done.exchanges,
        changed=done.changed,
        endpoints=dict(done.hosts),
        other_hosts=done.other,
        lacks=dict(done.lacks),
        skipped_entries=done.skipped_entries,
        skipped=[one._asdict() for one in done.skipped],
    )
