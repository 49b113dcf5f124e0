"""`replaylab replay`: run the engine over the cassettes and compare, or swap one role."""

from __future__ import annotations

import os
from collections.abc import Sequence
from decimal import Decimal
from typing import cast

import click

from replaylab.cli.app import App, json_option, pass_app
from replaylab.cli.help import INTERRUPTED, Command
from replaylab.cli.progress import Progress as ProgressBar
from replaylab.cli.recorded import programs, show_recorded
from replaylab.engine.replay import FEW, Replayed, replay_run
from replaylab.engine.swap import History, Swapped
from replaylab.errors import EXIT_DIVERGED, EXIT_FINDINGS, EXIT_OFFLINE, EXIT_OK, EXIT_STORE, UsageError
from replaylab.schema.run import Run
from replaylab.store.library import Library

ROLES: dict[str, Swapped] = {"verifier": "verifier", "sim": "simulator", "simulator": "simulator"}


@click.command(
    cls=Command,
    exits=(EXIT_FINDINGS, EXIT_DIVERGED, EXIT_STORE, EXIT_OFFLINE, INTERRUPTED),
    examples=(
        (
            "replaylab replay --offline",
            "the newest run; exit 0 means that every outcome digest is the recorded one",
        ),
        ("replaylab replay study --offline --jobs 8", "a run by name, on eight processes"),
        ("replaylab replay study --swap verifier=claude", "judge the recorded trajectories again"),
        ("replaylab replay study --swap sim=twin", "put the recorded actions to another simulator"),
    ),
)
@click.argument("runs", nargs=-1, metavar="[RUN]...")
@click.option("--offline", is_flag=True, help="Refuse every connection that leaves this machine.")
@click.option(
    "--jobs", type=click.IntRange(1), help="Processes (with --swap: calls in flight). Default: all cores."
)
@click.option("--swap", metavar="ROLE=NAME", help="Ask one role anew: verifier=NAME or sim=NAME.")
@click.option(
    "--history",
    type=click.Choice(["recorded", "own"]),
    default="recorded",
    show_default=True,
    help="With --swap sim: whose observations the swapped-in simulator's history holds.",
)
@click.option("--run", "name", metavar="NAME", help="With --swap: the name of the new run.")
@click.option("--max-cost", type=float, help="With --swap: stop once this many US dollars are spent.")
@click.option("--max-calls", type=click.IntRange(0), help="With --swap: stop after so many calls.")
@json_option
@pass_app
def command(app: App, /, runs: Sequence[str], offline: bool, swap: str | None, **given: object) -> int:
    """Replay runs and compare every request, trajectory and verdict with the recording.

    A replay opens no connection at all, with or without --offline; --offline also refuses any that something else in
    the process might try. With --swap, the recorded roles are kept and one is called, into a new run.
    """
    library = Library(app.library)
    chosen = [library.run(name) for name in runs] or [library.run(None)]
    if swap is not None:
        from replaylab.cli.swap import SwapOrder, swap_role

        role, _, model = swap.partition("=")
        if role not in ROLES or not model:
            raise UsageError(f"not a swap: {swap!r}", fix="--swap verifier=NAME or --swap sim=NAME")
        if len(chosen) != 1:
            raise UsageError("--swap takes one run", fix="name one run")
        cost = given["max_cost"]
        order = SwapOrder(
            ROLES[role],
            model,
            offline=offline,
            history=cast(History, given["history"]),
            name=cast(str | None, given["name"]),
            jobs=cast(int | None, given["jobs"]) or 8,
            max_calls=cast(int | None, given["max_calls"]),
            max_cost=None if cost is None else Decimal(str(cost)),
        )
        return show_recorded(app, swap_role(app, library, chosen[0], order))
    jobs = cast(int | None, given["jobs"])
    replayed = [(run_id, run, _replay(app, library, run, jobs, offline)) for run_id, run in chosen]
    return _show(app, replayed)


def _replay(app: App, library: Library, run: Run, jobs: int | None, offline: bool) -> Replayed:
    if offline:
        from replaylab.wire.offline import refuse_network

        refuse_network()
    tries = sum(len(entry.tries) for entry in run.ledger)
    if jobs is None:
        # About fifty interactions a trial: below that, a process costs more to start than it saves.
        jobs = 1 if tries * 50 < FEW else os.cpu_count() or 1
    with ProgressBar(f"replay {run.name}", err=app.output.err) as bar:
        return replay_run(
            library,
            run,
            jobs=jobs,
            offline=offline,
            progress=bar.update_counts,
        )


def _show(app: App, replayed: Sequence[tuple[str, Run, Replayed]]) -> int:
    out, diverged = app.output, False
    for run_id, run, result in replayed:
        same = not result.findings and result.outcome == run.outcome
        diverged |= not same
        out.text(f"run {run.name}  {run_id}")
        out.text(
            f"{len(result.trials)} trials, {result.interactions} interactions, {result.missing} trials missing"
        )
        for line in programs(run):
            out.text(line)
        out.findings(result.findings)
        out.text(f"identical: outcome {result.outcome}" if same else "diverged: this is not the recorded run")
    run_id, run, result = replayed[0]
    out.document(
        ok=not diverged,
        run=run_id,
        findings=[finding for _, _, one in replayed for finding in one.findings],
        outcome=result.outcome or None,
        runs=[
            {
                "run": one_id,
                "name": one.name,
                "outcome": one_result.outcome or None,
                "recorded_outcome": one.outcome,
                "trials": len(one_result.trials),
                "interactions": one_result.interactions,
                "missing": one_result.missing,
            }
            for one_id, one, one_result in replayed
        ],
    )
    return EXIT_DIVERGED if diverged else EXIT_OK
