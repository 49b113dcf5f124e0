"""`replaylab diff`: where simulators part, and which one broke its contract."""

from __future__ import annotations

import os
from typing import Any

import click

from replaylab.cli.app import App, json_option, pass_app
from replaylab.cli.help import Command
from replaylab.cli.options import MAX_JOBS, split_names
from replaylab.errors import EXIT_FINDINGS, EXIT_STORE


@click.command(
    cls=Command,
    exits=(EXIT_FINDINGS, EXIT_STORE),
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
@click.option("--jobs", type=click.IntRange(1, MAX_JOBS), help="Processes that read. Default: the cores.")
@click.option(
    "--full", is_flag=True, help="Every row that differs, every finding, the coverage of every tool."
)
@json_option
@pass_app
def command(
    app: App, /, runs: tuple[str, ...], sims: tuple[str, ...], named: tuple[str, ...], **chosen: Any
) -> int:
    """Compare what simulators said to the same calls, with the contract of the environment between them.

    Trials that were put the same calls (`replay --swap sim=NAME`) are compared call by call; else whole trajectories
    are aligned up to their first divergence. Only what the contract fixes is compared: whether a call was carried out,
    which things are shown, values of the state. Where the contract is silent nobody is blamed.
    """
    from replaylab.cli.differing import diff_simulators

    return diff_simulators(
        app,
        [*runs, *named],
        split_names(sims),
        jobs=chosen["jobs"] or os.cpu_count() or 1,
        full=chosen["full"],
    )
