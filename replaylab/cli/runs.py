"""`replaylab runs`: the runs of a library."""

from __future__ import annotations

import click

from replaylab.cli.app import App, json_option, pass_app
from replaylab.cli.help import Command
from replaylab.errors import EXIT_STORE

FIRST_COLUMNS = ("run", "id", "created (UTC)")
COLUMNS = ("mode", "planned", "pass", "fail")
LAST_COLUMNS = ("error", "missing", "players")


@click.command(
    cls=Command,
    exits=(EXIT_STORE,),
    examples=(
        ("replaylab runs", "the newest first"),
        (
            "replaylab runs --json | jq -r '.runs[0].run'",
            "the id of the newest run, which is what a paper cites",
        ),
    ),
)
@json_option
@pass_app
def command(app: App) -> None:
    """List the runs of a library, the newest first, with their ledger. What nobody recorded here comes last.

    A capture holds no trials that could pass or fail, so its verdicts are "-".
    """
    from replaylab.cli.gone import gone_lines
    from replaylab.cli.reading import library_of, warn_of_strays
    from replaylab.cli.recorded import unjudged
    from replaylab.engine.ledger import status_counts
    from replaylab.report.notice import dated
    from replaylab.store.library import Library

    # A folder that nobody named may be empty still; one that was named and is no library is a slip.
    library = Library(app.library) if app.library_option is None else library_of(app)
    warn_of_strays(app, library)
    found = sorted(
        ((run.created, name, run_id, run) for name in library.refs() for run_id, run in [library.run(name)]),
        key=lambda one: (one[3].evidence == "recorded", one[0], one[1]),
        reverse=True,
    )
    described, rows = [], []
    gone = library.all_gone()
    some_unrecorded = any(run.evidence != "recorded" for *_, run in found)
    some_unjudged = any(run.holds_trials and unjudged(status_counts(run, gone)) for *_, run in found)
    some_gone = any(status_counts(run, gone).get("gone") for *_, run in found)
    for created, name, run_id, run in found:
        counts = status_counts(run, gone)
        who = run.players
        kinds = (
            "-"
            if not who
            else "programs"
            if set(who.values()) == {"program"}
            else ", ".join(sorted(set(who.values())))
        )
        verdicts = [counts["pass"], counts["fail"], *([unjudged(counts)] if some_unjudged else [])]
        judged = run.holds_trials
        shown: list[int | str] = [counts["planned"], *(verdicts if judged else ["-"] * len(verdicts))]
        shown += [counts[status] for status in ("error", "missing")]
        shown += [counts.get("gone", 0)] if some_gone else []
        evidence = [run.evidence] if some_unrecorded else []
        rows.append((name, run_id[:12], dated(created)[:19], *evidence, run.spec.mode, *shown, kinds))
        described.append(
            {
                "name": name,
                "run": run_id,
                "created": created,
                "evidence": run.evidence,
                "mode": run.spec.mode,
                "outcome": run.outcome,
                "counts": counts,
                "players": who,
                "follows": list(run.follows),
            }
        )
    out = app.output
    if not found:
        out.text(f"no runs in {library.root}; `replaylab record` makes one")
    else:
        evidence_column = ("evidence",) if some_unrecorded else ()
        unjudged_column = ("unjudged",) if some_unjudged else ()
        gone_column = ("gone",) if some_gone else ()
        left, last = LAST_COLUMNS[:-1], LAST_COLUMNS[-1:]
        out.table(
            (*FIRST_COLUMNS, *evidence_column, *COLUMNS, *unjudged_column, *left, *gone_column, *last), rows
        )
        named = {one.cassette for *_, run in found for entry in run.ledger for one in entry.tries}
        for line in gone_lines({name: stone for name, stone in gone.items() if name in named}):
            out.text(line)
    out.document(ok=True, runs=described)
