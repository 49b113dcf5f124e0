"""Catalogue: all scenarios of some folders, with every id unique."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from replaylab.catalogue import files
from replaylab.catalogue.index import INDEX_FILE, shipped
from replaylab.catalogue.reader import read_scenario
from replaylab.errors import UsageError
from replaylab.near import closest
from replaylab.schema.scenario import Environment, Scenario, Task

__all__ = ["Catalogue", "Found", "shipped"]

_BESIDE_SCENARIOS = (INDEX_FILE, "README.md")


class Found(NamedTuple):
    """A task with what it belongs to."""

    scenario: Scenario
    environment: Environment
    task: Task


class Catalogue:
    """Scenarios in order of their ids; their environments and tasks in natural order of their ids."""

    def __init__(self, scenarios: Sequence[tuple[Scenario, Path]]) -> None:
        ordered = sorted(scenarios, key=lambda pair: files.natural(pair[0].id))
        self._folders: dict[str, Path] = {}
        self._environments: dict[str, Environment] = {}
        self._tasks: dict[str, Found] = {}
        self._owner: dict[str, Scenario] = {}
        self.scenarios: tuple[Scenario, ...] = tuple(scenario for scenario, _ in ordered)
        for scenario, folder in ordered:
            self._add(scenario, folder)

    @classmethod
    def load(cls, paths: Sequence[Path]) -> Catalogue:
        """Read every scenario of `paths`: each is a scenario folder, or a folder of scenario folders.

        Raises UsageError naming the file and the field; two scenarios, environments or tasks of one id are refused.
        """
        folders = [folder for path in paths for folder in scenario_folders(path)]
        return cls([(read_scenario(folder), folder) for folder in folders])

    def _add(self, scenario: Scenario, folder: Path) -> None:
        if scenario.id in self._folders:
            raise _twice("scenario", scenario.id, self._folders[scenario.id], folder)
        self._folders[scenario.id] = folder
        for environment in scenario.environments:
            if environment.id in self._owner:
                raise _twice("environment", environment.id, self.folder_of(environment.id), folder)
            self._owner[environment.id] = scenario
            self._environments[environment.id] = environment
        for task in scenario.tasks:
            if task.id in self._tasks:
                raise _twice("task", task.id, self._folders[self._tasks[task.id].scenario.id], folder)
            self._tasks[task.id] = Found(scenario, self._environments[task.environment], task)

    @property
    def environments(self) -> tuple[Environment, ...]:
        return tuple(self._environments.values())

    @property
    def tasks(self) -> tuple[Task, ...]:
        return tuple(found.task for found in self._tasks.values())

    def scenario(self, name: str) -> Scenario:
        """The scenario of that id. Raises UsageError naming the closest."""
        for scenario in self.scenarios:
            if scenario.id == name:
                return scenario
        raise _unknown("scenario", name, self._folders)

    def environment(self, name: str) -> Environment:
        """The environment of that id. Raises UsageError naming the closest."""
        if name not in self._environments:
            raise _unknown("environment", name, self._environments)
        return self._environments[name]

    def task(self, name: str) -> Found:
        """(scenario, environment, task) for a task id. Raises UsageError naming the closest."""
        if name not in self._tasks:
            raise _unknown("task", name, self._tasks)
        return self._tasks[name]

    def folder(self, scenario: str) -> Path:
        """The folder that the scenario was read from."""
        return self._folders[self.scenario(scenario).id]

    def folder_of(self, environment: str) -> Path:
        """The folder of the scenario that holds the environment: what `twin.load_twin` wants."""
        return self._folders[self._owner[self.environment(environment).id].id]


def scenario_folders(path: Path) -> Iterator[Path]:
    """`path` itself if it is a scenario, else the scenarios in it. Raises UsageError for what is neither."""
    if (path / files.SCENARIO_FILE).is_file():
        yield path
        return
    if not path.is_dir():
        raise UsageError("there is no such folder of scenarios", where=str(path))
    folders = files.subfolders(path)
    files.entries(path, allowed=(*_BESIDE_SCENARIOS, *(folder.name for folder in folders)))
    yield from folders


def _twice(kind: str, name: str, first: Path, second: Path) -> UsageError:
    return UsageError(
        f"two {kind}s have the id {name}",
        where=f"{first} and {second}",
        fix="rename one, or leave out a folder",
    )


def _unknown(kind: str, name: str, names: Iterable[str]) -> UsageError:
    return UsageError(
        f"no {kind} has the id {name!r}",
        closest=closest(name, names),
        fix="`replaylab scenarios` lists what there is",
    )
