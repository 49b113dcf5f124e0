"""`replaylab record`: run the cross product of models, fault plans, tasks and trials, and record every call."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from replaylab.cli.app import App, json_option, pass_app
from replaylab.cli.help import INTERRUPTED, Command
from replaylab.cli.naming import run_option
from replaylab.cli.options import MAX_JOBS, MAX_TRIALS, Dollars, scenarios_option, trust_option
from replaylab.errors import EXIT_FINDINGS, EXIT_STORE

if TYPE_CHECKING:
    from replaylab.engine.ledger import Order
    from replaylab.engine.record import Recorded
    from replaylab.schema.run import RunSpec

PLANS = (
    "E1 explicit, E2 implicit, E3 both, semantic (a wrong value of the right shape), slow (right, but late); then how: "
    "persistent (never heals), correlated (several tools at once), targeted (at the calls that checks depend on). "
    "Joined with +, as E2+targeted; E3@4x1 is four faults of one call each. FAULTS.md explains each."
)


@click.command(
    cls=Command,
    exits=(EXIT_FINDINGS, EXIT_STORE, INTERRUPTED),
    examples=(
        ("replaylab record", "a spread of the shipped scenarios with built-in models; needs no key"),
        ("replaylab record --all --run grid", "every task, built-in agent, simulator and fault plan"),
        (
            "replaylab record --agent gpt --sim gemini --verifier claude --env E0,E2 --trials 3 --max-cost 5",
            "one agent, clean and under implicit faults, three trials a task, for five dollars at most",
        ),
        (
            "replaylab record --env E0,persistent,semantic --fault-count 1",
            "clean, with a tool that breaks for good, and with a wrong value that a check depends on",
        ),
        (
            "replaylab record --agent python:mine:act --env E0,E2",
            "your own agent, a function act(task, tools, call) in mine.py, clean and under implicit faults",
        ),
        (
            "replaylab record --run study --shard 2/8",
            "the second of eight shards; `replaylab merge` unites them",
        ),
    ),
)
@click.option(
    "--agent",
    "agents",
    multiple=True,
    metavar="NAME",
    help="Who acts. Repeat it or use commas. An agent of your own is python:MODULE:FUNCTION or command:'PROGRAM …'; "
    "AGENTS.md explains both.",
)
@click.option("--sim", "sims", multiple=True, metavar="NAME", help="Who plays the environment.")
@click.option("--verifier", "verifiers", multiple=True, metavar="NAME", help="Who judges.")
@click.option("--env", "envs", multiple=True, metavar="NAME", help=f"Fault plans. {PLANS}")
@click.option("--task", "tasks", multiple=True, metavar="ID", help="Tasks.")
@click.option("--scenario", "scenarios", multiple=True, metavar="ID", help="All tasks of these scenarios.")
@click.option(
    "--all", "everything", is_flag=True, help="All that is not named: tasks, built-in models, E0 to E3."
)
@scenarios_option()
@trust_option()
@click.option(
    "--trials", metavar="N", type=click.IntRange(1, MAX_TRIALS), help="Trials of each task. Default: 1."
)
@click.option("--votes", metavar="N", type=click.IntRange(1, 999), help="Votes of the verifier. Default: 3.")
@click.option(
    "--judged-by",
    type=click.Choice(["votes", "checks", "both"]),
    help="What decides: the votes, the task's checks (nobody votes), or both, where one failed check fails a trial "
    "that the votes pass. Default: votes.",
)
@click.option(
    "--max-steps",
    metavar="N",
    type=click.IntRange(1),
    help="Tool calls after which a trial is cut off. Default: 60.",
)
@click.option(
    "--fault-count", metavar="N", type=click.IntRange(0, 999), help="Faults in a trial. Default: 2."
)
@click.option(
    "--fault-duration", metavar="N", type=click.IntRange(1), help="Tool calls that a fault lasts. Default: 2."
)
@click.option("--fault-seed", metavar="N", type=int, help="Of the schedule of faults. Default: 0.")
@click.option(
    "--fault-spacing", metavar="N", type=click.IntRange(1), help="Clean calls between two faults. Default: 1."
)
@click.option(
    "--fault-mode",
    type=click.Choice(("harness", "prompt")),
    help="Who disturbs: replaylab (harness, the default), or the simulator, which its prompt asks to.",
)
@run_option("The run's name. Default: made from what is recorded.")
@click.option(
    "--jobs", metavar="N", type=click.IntRange(1, MAX_JOBS), help="Calls in flight at most. Default: 8."
)
@click.option(
    "--shard", "part", default="", metavar="i/N", help="Record only every N-th trial, from the i-th."
)
@click.option("--max-cost", type=Dollars(), help="Stop before a call once this many US dollars are spent.")
@click.option("--max-calls", metavar="N", type=click.IntRange(0), help="Stop after so many calls.")
@click.option(
    "--agent-silence",
    metavar="SECONDS",
    type=click.FloatRange(min=0.1),
    default=600,
    show_default=True,
    help="End a trial as an error when an agent of your own does nothing for so long.",
)
@click.option(
    "--retry-errors", is_flag=True, help="Try trials again that ended in an error. All tries are kept."
)
@json_option
@pass_app
def command(app: App, /, **given: object) -> int:
    """Record what is missing of a run.

    With nothing named it is a spread: one short task an industry, three scripted agents, two simulators, E0 to E3.
    Where something is named, what isn't is all tasks, scripted:careful, twin, rubric and E0.

    Doing it again goes on where it stopped: what was answered is never asked again. Every call ends up in a cassette;
    a trial whose models gave no usable answer is an error, neither passed nor failed.
    """
    from replaylab.cli.recorded import show_recorded

    return show_recorded(app, *_record(app, given))


def _record(app: App, given: dict[str, object]) -> tuple[Recorded, Order]:
    # Imported here, so that --help doesn't load the engine.
    from replaylab.cli.agents import OwnAgents
    from replaylab.cli.asked import Asked
    from replaylab.cli.grid import estimated_calls
    from replaylab.cli.stage import Play, catalogue_of, check_twins, perform, redactor_of
    from replaylab.engine.ledger import Order
    from replaylab.engine.plan import make_spec, planned_trials, shard

    asked = Asked(app, given)
    catalogue = catalogue_of(app, asked.folders)
    redactor = redactor_of(app)
    spec = make_spec(asked.choice(catalogue), catalogue, redactor.value)
    everything = planned_trials(spec, catalogue, redactor.value)
    planned = shard(everything, asked.shard)
    check_twins(catalogue, [task.task for task in spec.tasks], asked.simulators, asked.trusted)
    name = asked.name or f"r-{spec_name(spec)}"
    inputs = {str(trial.key): trial.header.inputs for trial in everything}
    order = Order(name, spec, planned, asked.shard, asked.jobs, asked.retry_errors, inputs)
    if given["everything"]:
        app.output.say(f"{len(planned)} trials, about {estimated_calls(planned)} calls")
    own = OwnAgents(silence_s=asked.agent_silence)
    play = Play(asked.models, asked.trusted, asked.max_calls, asked.max_cost, own)
    return perform(app, f"record {name}", order, catalogue, redactor, play), order


def spec_name(spec: RunSpec) -> str:
    """Eight hex digits that say which spec it is, so that the same call resumes the same run."""
    from replaylab.canonical import digest

    return digest(spec.to_json())[:8]
