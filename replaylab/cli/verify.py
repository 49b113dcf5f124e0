"""`replaylab verify`: the integrity of a library."""

from __future__ import annotations

import click

from replaylab.cli.app import App, json_option, pass_app
from replaylab.cli.help import Command
from replaylab.cli.progress import Progress as ProgressBar
from replaylab.engine.verify import verify
from replaylab.errors import EXIT_OK, EXIT_STORE, UsageError
from replaylab.store.library import Library


@click.command(
    cls=Command,
    exits=(EXIT_STORE,),
    examples=(
        ("replaylab verify", "every object, run, reference and journal of the library"),
        ("replaylab --library other verify --json", "another library, for a program to read"),
    ),
)
@json_option
@pass_app
def command(app: App) -> int:
    """Check that nothing of a library is damaged, missing or contradicts itself.

    Every file is hashed; every blob, request, outcome, trajectory and verdict digest is computed again. It goes on
    after the first damage and names all of it.
    """
    library = Library(app.library)
    if not library.exists():
        raise UsageError(
            "there is no library here", where=str(app.library), fix="record a run, or name another folder"
        )
    with ProgressBar("verify", unit="objects", err=app.output.err) as bar:
        seen = verify(library, bar.update_counts)
    out = app.output
    out.text(
        f"{seen.cassettes} cassettes, {seen.interactions} interactions, {seen.runs} run objects, {seen.refs} "
        f"references, {seen.journals} journal files in {library.root}"
    )
    out.findings(seen.findings)
    out.text("sound" if seen.sound else f"{len(seen.findings)} findings: this library is damaged")
    out.document(
        ok=seen.sound,
        findings=seen.findings,
        cassettes=seen.cassettes,
        interactions=seen.interactions,
        runs=seen.runs,
        refs=seen.refs,
        journals=seen.journals,
    )
    return EXIT_OK if seen.sound else EXIT_STORE
