"""`replaylab merge`: unite libraries."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from replaylab.cli.app import App, json_option, pass_app
from replaylab.cli.help import Command
from replaylab.errors import EXIT_FINDINGS, EXIT_OK, EXIT_STORE

_KEPT = "the target's own run stays as it was; merge the other library into a folder of its own to compare"
TO_DO = {
    "merge-spec": _KEPT,
    "merge-trial": _KEPT,
    "merge-purged": "the tombstone counts; purge it in the other library too, or merge without the one that purged it",
    "merge-purged-elsewhere": "`replaylab purge CASSETTE --reason TEXT` purges it here too",
}


@click.command(
    cls=Command,
    exits=(EXIT_FINDINGS, EXIT_STORE),
    examples=(
        (
            "replaylab --library all merge shard-1 shard-2",
            "the shards of a run become that run, in the library `all`",
        ),
    ),
)
@click.argument(
    "libraries",
    nargs=-1,
    required=True,
    metavar="LIBRARY...",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
)
@json_option
@pass_app
def command(app: App, libraries: Sequence[Path]) -> int:
    """Unite libraries into the one of --library: a set union, since objects are named by their content.

    Runs of one name and one spec become one run. Conflicts (two specs under a name, a trial recorded twice with
    different outcomes) are named; nothing of the target is lost. What one of them purged is not brought back.
    """
    from replaylab.cli.output import counted
    from replaylab.cli.recorded import ledger_line
    from replaylab.engine.ledger import status_counts
    from replaylab.engine.merge import merge
    from replaylab.engine.seams import real_seams
    from replaylab.store.library import Library

    sources = [Library(app.cwd / path) for path in libraries]
    target = Library(app.library)
    merged = merge(target, sources, real_seams().now())
    out = app.output
    out.text(f"{counted(merged.objects, 'new object')} in {target.root}")
    for path in merged.restored:
        out.text(f"restored a damaged object: {path}")
    described, gone = [], target.all_gone()
    for name, run_id in merged.runs.items():
        run = target.run(run_id)[1]
        counts = status_counts(run, gone)
        out.text(f"run {name}  {run_id}: {ledger_line(counts, trials=run.holds_trials)}")
        described.append({"name": name, "run": run_id, "outcome": run.outcome, "counts": counts})
    out.findings(merged.conflicts, {kind: app.proposing(text) for kind, text in TO_DO.items()})
    out.document(ok=not merged.conflicts, findings=merged.conflicts, objects=merged.objects, runs=described)
    return EXIT_FINDINGS if merged.conflicts else EXIT_OK
