"""`replaylab synth`: make new tasks, prove them solvable, and keep every call."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from replaylab.cli.app import App, json_option, pass_app
from replaylab.cli.help import INTERRUPTED, Command
from replaylab.cli.options import MAX_JOBS, Dollars, scenarios_option
from replaylab.errors import EXIT_FINDINGS, EXIT_OFFLINE, EXIT_STORE


@click.command(
    cls=Command,
    exits=(EXIT_FINDINGS, EXIT_STORE, EXIT_OFFLINE, INTERRUPTED),
    examples=(
        (
            "replaylab synth library-catalog-search-and-reservation",
            "one instance with built-in programs; needs no key",
        ),
        (
            "replaylab synth --all --instances 5 --out new-tasks",
            "five instances of every shipped scenario, written into a folder",
        ),
        (
            "replaylab synth meeting-room-scheduling --generator gpt --agent gemini,qwen --sim claude --verifier gpt",
            "by language models; any scenario of `scenarios --all` by its name in small letters",
        ),
        (
            "replaylab synth --report NAME",
            "the funnel of a recorded synthesis, as tables; --figure FILE draws it",
        ),
        ("replaylab synth --compare A B", "how alike the tasks of two generators are"),
    ),
)
@click.argument("scenarios", nargs=-1, metavar="[SCENARIO]...")
@click.option("--all", "everything", is_flag=True, help="Every shipped scenario.")
@click.option(
    "--generator", default="grammar", metavar="NAME", help="Who writes. Default: grammar, a program."
)
@click.option(
    "--agent", "agents", multiple=True, metavar="NAME", help="Who tries. The first carries out the plans."
)
@click.option(
    "--sim", "sim", default="twin", metavar="NAME", help="Who plays the environment. Default: twin."
)
@click.option("--verifier", default="rubric", metavar="NAME", help="Who judges. Default: rubric.")
@click.option(
    "--instances", type=click.IntRange(1, 16), default=1, help="Environments a scenario. Default: 1."
)
@click.option("--levels", type=click.IntRange(1, 9), default=4, help="Levels of difficulty. Default: 4.")
@click.option("--tries", type=click.IntRange(1, 100), default=3, help="Trials a task and agent. Default: 3.")
@click.option("--votes", type=click.IntRange(1, 99), default=3, help="Votes a trial. Default: 3.")
@click.option("--rounds", type=click.IntRange(0, 9), default=2, help="Rounds of repair. Default: 2.")
@click.option("--max-steps", type=click.IntRange(1), default=60, help="Tool calls a trial. Default: 60.")
@click.option("--seed", type=int, default=0, help="Of the split, and of what programs draw. Default: 0.")
@click.option(
    "--held-out", type=click.IntRange(0, 100), default=30, help="Percent of instances. Default: 30."
)
@click.option(
    "--alike",
    type=click.FloatRange(0, 1, min_open=True),
    default=0.9,
    help="Similarity from which a task is a duplicate. Default: 0.9.",
)
@click.option(
    "--twins",
    is_flag=True,
    help="Ask for each environment as code too; it is written for review and not run.",
)
@click.option(
    "--trust-twins",
    is_flag=True,
    help="With --twins: run what was proposed, in a process of its own without files and network.",
)
@scenarios_option()
@click.option("--offline", is_flag=True, help="Play what is recorded and ask nobody.")
@click.option("--retry-errors", is_flag=True, help="Ask again where calls failed. All tries are kept.")
@click.option(
    "--jobs", type=click.IntRange(1, MAX_JOBS), default=1, help="Calls in flight at most. Default: 1."
)
@click.option("--max-cost", type=Dollars(), help="Stop before a call once this many US dollars are spent.")
@click.option("--max-calls", metavar="N", type=click.IntRange(0), help="Stop after so many calls.")
@click.option(
    "--out",
    type=click.Path(path_type=Path, file_okay=False),
    help="Write the chosen tasks into this folder: a public and a held-out set, and their history.",
)
@click.option(
    "--made-on", metavar="DATE", help="The day in the manifest. Default: that of the first recorded call."
)
@click.option("--report", metavar="NAME", help="Show a recorded synthesis and ask nobody.")
@click.option(
    "--compare", nargs=2, metavar="A B", help="Compare two recorded syntheses of the same scenarios."
)
@click.option(
    "--figure", type=click.Path(path_type=Path, dir_okay=False), help="Draw the funnel: .svg, .png or .pdf."
)
@json_option
@pass_app
def command(app: App, /, **given: Any) -> int:
    """Make new benchmark tasks: write, prove, try, judge, mend, filter, and keep one level an instance.

    For each SCENARIO: a reference document and sub-topics; for each instance an environment; for each level a task with
    its plan, rubric and checks. What breaks a rule of `scenarios check` is mended or dropped before any trial. Then the
    plan is carried out (is it solvable?), agents try it alone (how hard is it?), and of the levels that some trials pass
    and some fail, the one that is solved least is kept.

    Doing it again goes on where it stopped: nothing recorded is asked twice. The generator `grammar` is a program and
    no LLM; it makes tasks of shipped scenarios, whose own code runs them.
    """
    from replaylab.cli.synthesising import compared, reported, synthesised

    if given["compare"]:
        return compared(app, *given["compare"])
    if given["report"]:
        return reported(app, given)
    return synthesised(app, given)
