"""What `record` was asked to do: its options, over the defaults of `[record]`, over the built-in ones."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from decimal import Decimal
from pathlib import Path

from replaylab.catalogue.loader import Catalogue
from replaylab.cli.app import App
from replaylab.cli.config import ModelConfig
from replaylab.cli.grid import VERIFIERS, grid_for, tasks_of
from replaylab.cli.options import split_names
from replaylab.cli.stage import models_of, trusted_folders
from replaylab.engine.plan import Choice
from replaylab.faults.plan import named
from replaylab.schema.cassette import Limits
from replaylab.schema.scenario import Scenario
from replaylab.schema.trajectory import JudgedBy

# The options that say what is recorded, and their names in `[record]`.
AXES = {
    "agents": "agent",
    "sims": "sim",
    "verifiers": "verifier",
    "envs": "env",
    "tasks": "task",
    "scenarios": "scenario",
}


class Asked:
    """The options, over the defaults of `[record]` in replaylab.toml, over the built-in ones."""

    def __init__(self, app: App, given: dict[str, object]) -> None:
        self._given, self._defaults, self._cwd = given, app.config.record, app.cwd
        named = {axis: bool(self._names(axis, ())) for axis in AXES}
        self.grid = grid_for(named, everything=bool(given["everything"]))
        self.agents = models_of(app, self._names("agents", self.grid.agents), "agent")
        self.simulators = models_of(app, self._names("sims", self.grid.simulators), "simulator")
        self.verifiers = models_of(app, self._names("verifiers", VERIFIERS), "verifier")
        self.models: list[ModelConfig] = [*self.agents, *self.simulators, *self.verifiers]
        self.folders: Sequence[Path] = given["folders"]  # type: ignore[assignment]
        self.trusted = trusted_folders(app, self.folders) if given["trust_twins"] else []
        self.name: str | None = given["name"]  # type: ignore[assignment]
        self.shard = str(given["part"])
        self.retry_errors = bool(given["retry_errors"])
        self.agent_silence: float = given["agent_silence"]  # type: ignore[assignment]
        self.jobs = self._number("jobs", 8)
        self.max_calls: int | None = self._option("max_calls")  # type: ignore[assignment]
        self.judged_by: JudgedBy = self._option("judged_by") or "votes"  # type: ignore[assignment]
        cost = self._option("max_cost")
        self.max_cost = None if cost is None else Decimal(str(cost))

    def _option(self, name: str) -> object:
        value = self._given[name]
        return getattr(self._defaults, name) if value is None else value

    def _number(self, name: str, default: int) -> int:
        value = self._option(name)
        return default if value is None else int(str(value))

    def _names(self, axis: str, otherwise: Sequence[str]) -> list[str]:
        listed: Iterable[str] = self._given[axis]  # type: ignore[assignment]
        return split_names(listed) or list(self._defaults.names(AXES[axis])) or list(otherwise)

    def choice(self, catalogue: Catalogue) -> Choice:
        """What the plan is made of. Raises UsageError for an unknown task, scenario or fault plan."""
        return Choice(
            agents=[model.settings for model in self.agents],
            simulators=[model.settings for model in self.simulators],
            verifiers=[model.settings for model in self.verifiers],
            faults=[
                named(
                    name,
                    self._number("fault_count", 2),
                    self._number("fault_duration", 2),
                    self._number("fault_seed", 0),
                    spacing=self._number("fault_spacing", 1),
                    mode=str(self._option("fault_mode") or "harness"),
                )
                for name in self._names("envs", self.grid.faults)
            ],
            tasks=self._tasks(catalogue),
            trials=self._number("trials", 1),
            judged_by=self.judged_by,
            limits=Limits(
                votes=0 if self.judged_by == "checks" else self._number("votes", Limits().votes),
                max_steps=self._number("max_steps", Limits().max_steps),
            ),
        )

    def _own(self, catalogue: Catalogue) -> Sequence[Scenario]:
        """The scenarios of the folders of --scenarios, else all: whoever names a folder means what is in it."""
        folders = [(self._cwd / path).resolve() for path in self.folders]
        return [
            one
            for one in catalogue.scenarios
            if not folders
            or any(catalogue.folder(one.id).resolve().is_relative_to(folder) for folder in folders)
        ]

    def _tasks(self, catalogue: Catalogue) -> list[str]:
        given = [split_names(self._given[name]) for name in ("tasks", "scenarios")]  # type: ignore[arg-type]
        if not any(given):  # what is named replaces both defaults, else it could not be narrowed
            given = [list(self._defaults.names(name)) for name in ("task", "scenario")]
        tasks, scenarios = given
        chosen = [catalogue.task(name).task.id for name in tasks]
        chosen += [task.id for name in scenarios for task in catalogue.scenario(name).tasks]
        if not tasks and not scenarios:
            own = [task.id for scenario in self._own(catalogue) for task in scenario.tasks]
            chosen = own if self.folders else tasks_of(catalogue, self.grid)
        return list(dict.fromkeys(chosen))
