"""`replaylab record`: run the cross product of models, fault plans, tasks and trials, and record every call."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from decimal import Decimal
from pathlib import Path

import click

from replaylab.canonical import digest
from replaylab.catalogue.loader import Catalogue
from replaylab.cli.app import App, json_option, pass_app
from replaylab.cli.config import ModelConfig
from replaylab.cli.help import INTERRUPTED, Command
from replaylab.cli.progress import Progress as ProgressBar
from replaylab.cli.recorded import show_recorded
from replaylab.cli.stage import catalogue_of, live_chats, models_of, price_table, redactor_of
from replaylab.engine.gate import Gate
from replaylab.engine.ledger import Order
from replaylab.engine.plan import Choice, make_spec, planned_trials, shard
from replaylab.engine.record import Progress, Recording
from replaylab.engine.seams import real_seams
from replaylab.errors import EXIT_FINDINGS, EXIT_STORE
from replaylab.faults.plan import named
from replaylab.schema.cassette import Limits
from replaylab.schema.run import RunSpec
from replaylab.store.library import Library

FAULTS = ("E0",)


@click.command(
    cls=Command,
    exits=(EXIT_FINDINGS, EXIT_STORE, INTERRUPTED),
    examples=(
        ("replaylab record", "the shipped scenarios with built-in models; needs no key"),
        (
            "replaylab record --agent gpt --sim gemini --verifier claude --env E0,E2 --trials 3 --max-cost 5",
            "one agent, clean and under implicit faults, three trials a task, for five dollars at most",
        ),
        (
            "replaylab record --run study --shard 2/8",
            "the second of eight shards; `replaylab merge` unites them",
        ),
    ),
)
@click.option("--agent", "agents", multiple=True, metavar="NAME", help="Who acts. Repeat it or use commas.")
@click.option("--sim", "sims", multiple=True, metavar="NAME", help="Who plays the environment.")
@click.option("--verifier", "verifiers", multiple=True, metavar="NAME", help="Who judges.")
@click.option("--env", "envs", multiple=True, metavar="E0|E1|E2|E3", help="Fault plans. Default: E0.")
@click.option("--task", "tasks", multiple=True, metavar="ID", help="Tasks. Default: all.")
@click.option("--scenario", "scenarios", multiple=True, metavar="ID", help="All tasks of these scenarios.")
@click.option(
    "--scenarios",
    "folders",
    multiple=True,
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    help="One more folder of scenarios, for example an imported one.",
)
@click.option("--trust-twins", is_flag=True, help="Run the twins of these folders too. Twins are code.")
@click.option("--trials", type=click.IntRange(1), help="Trials of each task. Default: 1.")
@click.option("--votes", type=click.IntRange(1, 999), help="Votes of the verifier. Default: 3.")
@click.option("--max-steps", type=click.IntRange(1), help="Tool calls after which a trial is cut off.")
@click.option("--fault-count", type=click.IntRange(0, 999), help="Faults in a trial. Default: 2.")
@click.option("--fault-duration", type=click.IntRange(1), help="Tool calls that a fault lasts. Default: 2.")
@click.option("--run", "name", metavar="NAME", help="The run's name. Default: made from what is recorded.")
@click.option("--jobs", type=click.IntRange(1), help="Calls in flight at most. Default: 8.")
@click.option(
    "--shard", "part", default="", metavar="i/N", help="Record only every N-th trial, from the i-th."
)
@click.option("--max-cost", type=float, help="Stop before a call once this many US dollars are spent.")
@click.option("--max-calls", type=click.IntRange(0), help="Stop after so many calls.")
@click.option(
    "--retry-errors", is_flag=True, help="Try trials again that ended in an error. All tries are kept."
)
@json_option
@pass_app
def command(app: App, /, **given: object) -> int:
    """Record what is missing of a run.

    Doing it again goes on where it stopped: what was answered is never asked again. Every call ends up in a cassette;
    a trial whose models gave no usable answer is an error, neither passed nor failed.
    """
    asked = _Asked(app, given)
    catalogue = catalogue_of(app, asked.folders)
    redactor = redactor_of(app)
    spec = make_spec(asked.choice(catalogue), catalogue, redactor.value)
    everything = planned_trials(spec, catalogue, redactor.value)
    planned = shard(everything, asked.shard)
    gate = Gate(
        asked.jobs,
        max_calls=asked.max_calls,
        max_cost=asked.max_cost,
        price=price_table(app, asked.models),
        players={model.alias: model.settings.player for model in asked.models},
    )
    name = asked.name or f"r-{spec_name(spec)}"
    inputs = {str(trial.key): trial.header.inputs for trial in everything}
    order = Order(name, spec, planned, asked.shard, asked.jobs, asked.retry_errors, inputs)
    chats = live_chats(
        app,
        asked.models,
        catalogue,
        jobs=asked.jobs,
        trusted=asked.trusted,
        gate=gate,
        redactor=redactor,
    )
    with ProgressBar(f"record {name}", err=app.output.err) as bar:
        recording = Recording(
            Library(app.library),
            order,
            open_chat=chats,
            gate=gate,
            seams=real_seams(),
            progress=shown_on(bar),
        )
        recorded = recording.run()
    return show_recorded(app, recorded)


def spec_name(spec: RunSpec) -> str:
    """Eight hex digits that say which spec it is, so that the same call resumes the same run."""
    return digest(spec.to_json())[:8]


def shown_on(bar: ProgressBar) -> Callable[[Progress], None]:
    """Feeds the engine's progress to the bar."""

    def show(now: Progress) -> None:
        totals = now.totals
        cost = None if totals.unpriced else totals.cost
        bar.update(now.done, now.planned, totals.calls, totals.prompt_tokens + totals.completion_tokens, cost)

    return show


class _Asked:
    """The options, over the defaults of `[record]` in replaylab.toml, over the built-in ones."""

    def __init__(self, app: App, given: dict[str, object]) -> None:
        self._given, self._defaults = given, app.config.record
        self.agents = models_of(app, self._names("agents", "agent", ("scripted:careful",)))
        self.simulators = models_of(app, self._names("sims", "sim", ("twin",)))
        self.verifiers = models_of(app, self._names("verifiers", "verifier", ("rubric",)))
        self.models: list[ModelConfig] = [*self.agents, *self.simulators, *self.verifiers]
        self.folders: Sequence[Path] = given["folders"]  # type: ignore[assignment]
        self.trusted = [*app.config.scenarios, *(app.cwd / path for path in self.folders)]
        if not given["trust_twins"]:
            self.trusted = []
        self.name: str | None = given["name"]  # type: ignore[assignment]
        self.shard = str(given["part"])
        self.retry_errors = bool(given["retry_errors"])
        self.jobs = self._number("jobs", 8)
        self.max_calls: int | None = self._option("max_calls")  # type: ignore[assignment]
        cost = self._option("max_cost")
        self.max_cost = None if cost is None else Decimal(str(cost))

    def _option(self, name: str) -> object:
        value = self._given[name]
        return getattr(self._defaults, name) if value is None else value

    def _number(self, name: str, default: int) -> int:
        value = self._option(name)
        return default if value is None else int(str(value))

    def _names(self, given: str, default: str, otherwise: Sequence[str]) -> list[str]:
        listed: Iterable[str] = self._given[given]  # type: ignore[assignment]
        names = [part.strip() for one in listed for part in one.split(",") if part.strip()]
        return names or list(self._defaults.names(default)) or list(otherwise)

    def choice(self, catalogue: Catalogue) -> Choice:
        return Choice(
            agents=[model.settings for model in self.agents],
            simulators=[model.settings for model in self.simulators],
            verifiers=[model.settings for model in self.verifiers],
            faults=[
                named(name, self._number("fault_count", 2), self._number("fault_duration", 2))
                for name in self._names("envs", "env", FAULTS)
            ],
            tasks=self._tasks(catalogue),
            trials=self._number("trials", 1),
            limits=Limits(
                votes=self._number("votes", Limits().votes),
                max_steps=self._number("max_steps", Limits().max_steps),
            ),
        )

    def _tasks(self, catalogue: Catalogue) -> list[str]:
        tasks = self._names("tasks", "task", ())
        scenarios = self._names("scenarios", "scenario", ())
        chosen = [catalogue.task(name).task.id for name in tasks]
        chosen += [task.id for name in scenarios for task in catalogue.scenario(name).tasks]
        if not tasks and not scenarios:
            chosen = [task.id for task in catalogue.tasks]
        return list(dict.fromkeys(chosen))
