"""`replaylab verify`: the integrity of a library."""

from __future__ import annotations

import click

from replaylab.cli.app import App, json_option, pass_app
from replaylab.cli.help import Command
from replaylab.errors import EXIT_OK, EXIT_STORE, UsageError

TO_DO = {
    "damaged": "take the file from a copy of the library: `replaylab merge COPY` restores what is whole there",
    "cassette-missing": "`replaylab merge COPY` brings it from a library that has it; or record the run again",
    "ref": "`replaylab merge COPY` brings the run from a library that has it",
    "stray-file": "move the file out of the library",
}


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
    from replaylab.cli.output import counted
    from replaylab.cli.progress import Progress
    from replaylab.engine.verify import verify
    from replaylab.store.library import Library

    library = Library(app.library)
    if not library.exists():
        raise UsageError(
            "there is no library here",
            where=str(app.library),
            fix="`replaylab record` makes one; --library DIR names another folder",
        )
    with Progress("verify", unit="objects", err=app.output.err) as bar:
        seen = verify(library, bar.update_counts)
        bar.update_counts(seen.cassettes + seen.runs, seen.cassettes + seen.runs)
    out = app.output
    out.text(f"library {library.root}")
    out.text(
        f"{counted(seen.cassettes, 'cassette')} with {counted(seen.interactions, 'interaction')}, "
        f"{counted(seen.runs, 'run object')}, {counted(seen.refs, 'run name')}, "
        f"{counted(seen.journals, 'journal file')}"
    )
    out.findings(seen.findings, TO_DO)
    out.text("sound" if seen.sound else f"damaged: {counted(len(seen.findings), 'finding')}")
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
