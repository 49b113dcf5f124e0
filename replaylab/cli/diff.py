"""`replaylab diff`: where simulators part, and which one broke its contract; or what became worse from run to run."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import click

from replaylab.cli.app import App, json_option, pass_app
from replaylab.cli.help import Command
from replaylab.cli.options import MAX_JOBS, judge_options, split_names
from replaylab.errors import EXIT_FINDINGS, EXIT_OFFLINE, EXIT_STORE, UsageError


@click.command(
    cls=Command,
    exits=(EXIT_FINDINGS, EXIT_STORE, EXIT_OFFLINE),
    examples=(
        (
            "replaylab diff",
            "the newest run with two simulators: who broke the contract, and where they part first",
        ),
        ("replaylab diff --sim gemini --sim gpt", "these two, in the newest run that has both"),
        (
            "replaylab diff --sim gemini --sim gpt --sim qwen --run study",
            "three: a majority makes a violation of the other one surer",
        ),
        (
            "replaylab replay study --swap sim=gpt --repeats 3",
            "puts the calls of a run to another simulator, for diff",
        ),
        (
            "replaylab diff before after",
            "two runs: which verdicts changed, where those trials part, what it cost",
        ),
        (
            "replaylab diff before after --match agent old new",
            "where several agents played: which of them belong together",
        ),
    ),
)
@click.argument("runs", nargs=-1, metavar="[RUN]...")
@click.option("--sim", "sims", multiple=True, metavar="NAME", help="A simulator; name two or more.")
@click.option(
    "--run",
    "named",
    multiple=True,
    metavar="RUN",
    help="Where to look. Default: the newest run that has them.",
)
@click.option(
    "--match",
    "matches",
    multiple=True,
    nargs=3,
    metavar="ROLE A B",
    help="Of two runs: hold model A of the first against B of the second. ROLE: agent, sim or verifier.",
)
@click.option(
    "--markdown",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Of two runs: write the comparison as Markdown.",
)
@click.option("--jobs", type=click.IntRange(1, MAX_JOBS), help="Processes that read. Default: the cores.")
@click.option(
    "--full", is_flag=True, help="Every row that differs, every finding, the coverage of every tool."
)
@click.option(
    "--html",
    "page",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Write everything as one page that needs no network.",
)
@judge_options()
@json_option
@pass_app
def command(
    app: App, /, runs: tuple[str, ...], sims: tuple[str, ...], named: tuple[str, ...], **chosen: Any
) -> int:
    """Compare what simulators said to the same calls, with the contract of the environment between them.

    Trials that were put the same calls (`replay --swap sim=NAME`) are compared call by call; else whole trajectories
    are aligned up to their first divergence. Only what the contract fixes is compared: whether a call was carried out,
    which things are shown, values of the state. Where the contract is silent nobody is blamed.

    Two RUNs, without --sim, are held against each other trial by trial: verdicts that changed with their first
    divergence, rates with paired tests, steps and cost. An error or a missing trial is never taken for a failed one.
    That needs the packages of the extra `stats`.
    """
    from replaylab.cli.differing import diff_simulators
    from replaylab.cli.judging import JudgeOrder
    from replaylab.cli.regressing import are_judged, compare_runs

    jobs, of_two = chosen["jobs"] or os.cpu_count() or 1, chosen["matches"] or chosen["markdown"]
    if not sims and not named and are_judged(app, runs):
        return compare_runs(app, runs, chosen["matches"], jobs=jobs, markdown=chosen["markdown"])
    if of_two:
        raise UsageError(
            "--match and --markdown are for two runs with verdicts", fix="replaylab diff RUN_A RUN_B"
        )
    return diff_simulators(
        app,
        [*runs, *named],
        split_names(sims),
        jobs=jobs,
        full=chosen["full"],
        page=chosen["page"],
        judge=JudgeOrder(chosen["judge"], offline=chosen["offline"]),
    )
