"""`replaylab check`: what a simulator said against the contract of its environment."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import click

from replaylab.cli.app import App, json_option, pass_app
from replaylab.cli.help import Command
from replaylab.cli.options import MAX_JOBS, judge_options, split_names
from replaylab.errors import EXIT_FINDINGS, EXIT_OFFLINE, EXIT_STORE


@click.command(
    cls=Command,
    exits=(EXIT_FINDINGS, EXIT_STORE, EXIT_OFFLINE),
    examples=(
        ("replaylab check", "the newest run: one finding of each kind, and how much could be checked"),
        (
            "replaylab check study --sim gpt --full",
            "all findings of one simulator, and coverage tool by tool",
        ),
        ("replaylab check --subkinds", "what `omission/denial` and the like mean"),
        ("replaylab check study --json", "every violation with its evidence, for a script"),
    ),
)
@click.argument("runs", nargs=-1, metavar="[RUN]...")
@click.option(
    "--sim", "sims", multiple=True, metavar="NAME", help="Only these simulators; repeat it or use commas."
)
@click.option("--jobs", type=click.IntRange(1, MAX_JOBS), help="Processes that read. Default: the cores.")
@click.option("--full", is_flag=True, help="Every finding, and the coverage of every tool.")
@click.option(
    "--html",
    "page",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Write everything as one page that needs no network.",
)
@click.option("--subkinds", is_flag=True, help="Only say what each sub-kind means, in a line.")
@judge_options()
@json_option
@pass_app
def command(app: App, /, runs: tuple[str, ...], sims: tuple[str, ...], **chosen: Any) -> int:
    """Check the observations of a run against the contract: state, tools and prompt of the environment.

    Four kinds are found: what can't be there (fabrication), what has to be there and isn't (omission), refusals by a
    rule that nobody wrote (rule_invention), and known values that changed without a cause (contradiction). Faults that
    were injected or asked for are none. Coverage says how many calls could be checked: without it, no findings mean
    nothing.

    With --judge a model is asked three times about each refusal, filter in words and thing without an id that the check
    is not sure of. Its word counts with a verbatim passage only; its answers are recorded, and the figures without it
    are printed too.
    """
    from replaylab.cli.checking import check_runs, show_subkinds
    from replaylab.cli.judging import JudgeOrder

    if chosen["subkinds"]:
        return show_subkinds(app)
    return check_runs(
        app,
        runs,
        split_names(sims),
        jobs=chosen["jobs"] or os.cpu_count() or 1,
        full=chosen["full"],
        page=chosen["page"],
        judge=JudgeOrder(chosen["judge"], offline=chosen["offline"]),
    )
