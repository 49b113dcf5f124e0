"""`replaylab replay`: run the engine over the cassettes and compare, or swap one role."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from replaylab.cli.app import App, json_option, pass_app
from replaylab.cli.help import INTERRUPTED, Command
from replaylab.cli.naming import run_option
from replaylab.cli.options import MAX_JOBS, MAX_REPEATS, Dollars, scenarios_option, trust_option
from replaylab.errors import EXIT_DIVERGED, EXIT_FINDINGS, EXIT_OFFLINE, EXIT_OK, EXIT_STORE, UsageError
from replaylab.report.commands import command_line

if TYPE_CHECKING:
    from replaylab.engine.replay import Replayed
    from replaylab.engine.swap import Swapped
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
        (
            "replaylab replay study --swap sim=twin",
            "put the recorded actions to another simulator; gives observations, no verdict",
        ),
        (
            "replaylab replay study --rerun-agent",
            "run your own agent again over what its LLMs and tools answered; exit 3 where it does otherwise",
        ),
    ),
)
@click.argument("runs", nargs=-1, metavar="[RUN]...")
@click.option("--offline", is_flag=True, help="Refuse every connection that leaves this machine.")
@click.option(
    "--jobs",
    metavar="N",
    type=click.IntRange(1, MAX_JOBS),
    help="Processes (with --swap: calls in flight). Default: all cores.",
)
@click.option("--swap", metavar="ROLE=NAME", help="Ask one role anew: verifier=NAME or sim=NAME.")
@click.option(
    "--history",
    type=click.Choice(["recorded", "own"]),
    default="recorded",
    show_default=True,
    help="With --swap sim: whose observations the swapped-in simulator's history holds.",
)
@click.option(
    "--repeats",
    metavar="N",
    type=click.IntRange(1, MAX_REPEATS),
    help="With --swap sim: put each call so often to the simulator, to see its own noise. Default: 1.",
)
@run_option("With --swap: the name of the new run.")
@click.option(
    "--rerun-agent",
    is_flag=True,
    help="Run agents of your own again, offline, and hold each of their requests and moves to the recording.",
)
@scenarios_option("With --swap: ")
@trust_option("With --swap: ")
@click.option("--max-cost", type=Dollars(), help="With --swap: stop once this many US dollars are spent.")
@click.option(
    "--max-calls", metavar="N", type=click.IntRange(0), help="With --swap: stop after so many calls."
)
@json_option
@pass_app
def command(app: App, /, runs: Sequence[str], offline: bool, swap: str | None, **given: Any) -> int:
    """Replay runs and compare every request, trajectory and verdict with the recording.

    A replay opens no connection at all, with or without --offline; --offline also refuses any that something else in
    the process might try. With --swap, the recorded roles are kept and one is called, into a new run.
    """
    from replaylab.cli.reading import library_of

    library = library_of(app)
    chosen = [library.trial_run(name) for name in runs] or [library.trial_run()]
    if swap is not None:
        if given["rerun_agent"]:
            raise UsageError(
                "--swap keeps what the agent did, so it is not run again", fix="take one of the two"
            )
        from replaylab.cli.recorded import show_recorded
        from replaylab.cli.stage import trusted_folders
        from replaylab.cli.swap import SwapOrder, swap_role

        role, alias = _swap(swap)
        if len(chosen) != 1:
            raise UsageError(f"--swap takes one run, not {len(chosen)}", fix="name one run")
        order = SwapOrder(
            role,
            alias,
            offline=offline,
            history=given["history"],
            repeats=_repeats(role, given["repeats"]),
            name=given["name"],
            jobs=given["jobs"] or 8,
            max_calls=given["max_calls"],
            max_cost=given["max_cost"],
            folders=given["folders"],
            trusted=trusted_folders(app, given["folders"]) if given["trust_twins"] else (),
        )
        source = chosen[0][1] if role == "verifier" else None
        return show_recorded(app, *swap_role(app, library, chosen[0], order), source)
    _refuse_options_of_swap(given)
    if given["rerun_agent"]:
        from replaylab.cli.rerun import rerun

        return _show(app, [(run_id, run, rerun(app, library, run)) for run_id, run in chosen], again=True)
    replayed = [(run_id, run, _replay(app, library, run, given["jobs"], offline)) for run_id, run in chosen]
    return _show(app, replayed)


def _refuse_options_of_swap(given: dict[str, Any]) -> None:
    """What only a swap heeds must not be ignored in silence: `--run NAME` looks as if it chose the run."""
    idle = [
        name for name in ("name", "repeats", "max_cost", "max_calls", "folders", "trust_twins") if given[name]
    ]
    if idle:
        option = {"name": "run", "folders": "scenarios"}.get(idle[0], idle[0]).replace("_", "-")
        fix = (
            f"replaylab replay {given['name']}" if given["name"] else "leave it out, or add --swap ROLE=NAME"
        )
        raise UsageError(f"--{option} is for --swap only", fix=fix)


def _repeats(role: Swapped, repeats: int | None) -> int:
    if repeats is not None and role != "simulator":
        raise UsageError(
            "--repeats is for --swap sim=NAME only", fix="a judge votes several times: --votes of record"
        )
    return repeats or 1


def _swap(text: str) -> tuple[Swapped, str]:
    """Role and model of `verifier=NAME` or `sim=NAME`."""
    role, _, alias = text.partition("=")
    if role not in ROLES or not alias:
        from replaylab.near import closest

        near = closest(role, ROLES)
        raise UsageError(
            f"not a swap: {text!r}",
            closest=f"{near}={alias or 'NAME'}" if near else "",
            fix="--swap verifier=NAME or --swap sim=NAME",
        )
    return ROLES[role], alias


def _replay(app: App, library: Library, run: Run, jobs: int | None, offline: bool) -> Replayed:
    from replaylab.cli.progress import Progress
    from replaylab.cli.recorded import nothing_recorded
    from replaylab.engine.replay import FEW, replay_run

    if offline:
        from replaylab.wire.offline import refuse_network

        refuse_network()
    tries = sum(len(entry.tries) for entry in run.ledger)
    if not tries:
        raise nothing_recorded(app, run)
    if jobs is None:
        # About fifty interactions a trial: below that, a process costs more to start than it saves.
        jobs = 1 if tries * 50 < FEW else os.cpu_count() or 1
    with Progress(f"replay {run.name}", err=app.output.err) as bar:
        return replay_run(library, run, jobs=jobs, offline=offline, progress=bar.update_counts)


def _show(app: App, replayed: Sequence[tuple[str, Run, Replayed]], *, again: bool = False) -> int:
    from replaylab.cli.gone import gone_lines
    from replaylab.cli.output import counted
    from replaylab.cli.recorded import programs
    from replaylab.report.notice import evidence_notices

    out, diverged, partly = app.output, False, False
    for run_id, run, result in replayed:
        same = not result.findings and result.outcome == run.outcome
        lost = not result.findings and not result.outcome and bool(result.gone)
        diverged |= not (same or lost)
        partly |= lost
        out.text(f"run {run.name}  {run_id}")
        missing = f", {counted(result.missing, 'trial')} missing" if result.missing else ""
        out.text(
            f"{counted(len(result.trials), 'trial')}, {counted(result.interactions, 'interaction')} "
            f"replayed{missing}"
        )
        for line in (*evidence_notices(run.evidence), *programs(run)):
            out.prose(line)
        if again:
            from replaylab.cli.rerun import told

            for line in told(app, run, result):
                out.text(line)
        out.findings(result.findings, _to_do(app, run, result))
        for line in gone_lines(result.gone):
            out.text(line)
        if lost:
            out.text(_partly(result))
        else:
            out.text(f"identical: outcome {result.outcome}" if same else _diverged(result))
    out.document(**_document(replayed, ok=not (diverged or partly)))
    return EXIT_DIVERGED if diverged else EXIT_FINDINGS if partly else EXIT_OK


def _partly(result: Replayed) -> str:
    from replaylab.cli.output import counted

    none = "nothing could be replayed" if not result.trials else "each that is here is identical"
    return (
        f"{none}; {counted(len(result.gone), 'recording is', 'recordings are')} gone, "
        "so the run's outcome digest can't be reproduced here"
    )


def _diverged(result: Replayed) -> str:
    from replaylab.cli.output import counted

    trials = sum(1 for trial in result.trials if trial.findings)
    return f"diverged in {trials} of {counted(len(result.trials), 'trial')}: this is not the recorded run"


def _to_do(app: App, run: Run, result: Replayed) -> dict[str, str]:
    """What to do, once, below the last finding whatever its kind."""
    if not result.findings:
        return {}
    last = result.findings[-1]
    look = app.again(command_line("show", [result.findings[0].where], ["--run", run.name]))
    return {
        last.kind: f"`{look}` shows what was recorded. If the engine, a prompt or the environment was changed on "
        f"purpose, record it as another run: `{app.again('record --run NAME')}`. If not, undo the change."
    }


def _document(replayed: Sequence[tuple[str, Run, Replayed]], *, ok: bool) -> dict[str, Any]:
    run_id, _, first = replayed[0]
    return {
        "ok": ok,
        "run": run_id,
        "findings": [finding for _, _, one in replayed for finding in one.findings],
        "outcome": first.outcome or None,
        "runs": [
            {
                "run": one_id,
                "name": one.name,
                "evidence": one.evidence,
                "outcome": result.outcome or None,
                "recorded_outcome": one.outcome,
                "trials": len(result.trials),
                "interactions": result.interactions,
                "missing": result.missing,
                **({"gone": {name: stone.why for name, stone in result.gone.items()}} if result.gone else {}),
            }
            for one_id, one, result in replayed
        ],
    }
