"""Examine scenario folders: every rule on every file, and the twins of those that are trusted."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

from replaylab.catalogue.index import Published
from replaylab.catalogue.loader import Catalogue, scenario_folders
from replaylab.catalogue.reader import read_scenario
from replaylab.catalogue.twin import has_twin, load_twin
from replaylab.errors import UsageError
from replaylab.examine.environment import environment_findings
from replaylab.examine.found import finding
from replaylab.examine.mutation import Mutation, mutate
from replaylab.examine.scenario import scenario_findings
from replaylab.examine.stage import Stage
from replaylab.examine.task import environment_folder, task_findings, task_path, twin_path
from replaylab.examine.twin import plan_findings, twin_findings, wrong_findings
from replaylab.schema.base import Frozen
from replaylab.schema.finding import Finding
from replaylab.schema.scenario import Environment, Scenario

Progress = Callable[[int, int], None]


class Examined(Frozen):
    """What was looked at and found. `unrun` are the scenarios whose twins were left alone, not being trusted."""

    scenarios: tuple[str, ...]
    tasks: int
    unrun: tuple[str, ...]
    mutations: tuple[Mutation, ...]
    findings: tuple[Finding, ...]


class Examiner:
    """Examines scenarios. Only twins in `trusted` folders are run: they are code.

    `published` is the index of names. With `mutants`, every plan's mutants are played too, which takes longer.
    """

    def __init__(
        self, *, trusted: Sequence[Path], published: Sequence[Published] = (), mutants: bool = False
    ) -> None:
        self._trusted, self._published, self._mutants = tuple(trusted), tuple(published), mutants
        self._mutations: list[Mutation] = []
        self._unrun: list[str] = []

    def examine(self, paths: Iterable[Path], progress: Progress | None = None) -> Examined:
        """Each path is a scenario folder or a folder of them. Raises UsageError for a path that is neither."""
        folders = list(dict.fromkeys(folder for path in paths for folder in scenario_folders(path)))
        read, findings = [], []
        for folder in folders:
            try:
                read.append((read_scenario(folder), folder))
            except UsageError as error:
                findings.append(_of(error, "file", folder))
        findings += list(_clashes(read))
        for number, (scenario, folder) in enumerate(read):
            findings += self._scenario(scenario, folder)
            if progress:
                progress(number + 1, len(read))
        return Examined(
            scenarios=tuple(folder.name for folder in folders),
            tasks=sum(len(scenario.tasks) for scenario, _ in read),
            unrun=tuple(self._unrun),
            mutations=tuple(self._mutations),
            findings=tuple(findings),
        )

    def _scenario(self, scenario: Scenario, folder: Path) -> Iterator[Finding]:
        yield from scenario_findings(scenario, folder, self._published)
        # A twin runs only where schemas and checks are right: what is wrong there would be found again and again.
        broken, ready = set(), set()
        for environment in scenario.environments:
            wrong = list(environment_findings(environment, environment_folder(folder, environment.id)))
            yield from wrong
            if "tool-schema" in {one.kind for one in wrong}:
                broken.add(environment.id)
        catalogue = Catalogue([(scenario, folder)])
        for task in scenario.tasks:
            found = list(task_findings(catalogue.task(task.id), task_path(folder, task.id)))
            yield from found
            if not {one.kind for one in found} & {"rubric", "plan"}:
                ready.add(task.id)
        if not any(folder.resolve().is_relative_to(one.resolve()) for one in self._trusted):
            self._unrun.append(scenario.id)
            return
        runnable = [one for one in catalogue.environments if one.id not in broken]
        yield from self._twins(catalogue, folder, runnable, ready)

    def _twins(
        self, catalogue: Catalogue, folder: Path, environments: Sequence[Environment], ready: set[str]
    ) -> Iterator[Finding]:
        sound = set()
        for environment in environments:
            path = twin_path(folder, environment.id)
            if not has_twin(folder, environment.id):
                yield finding(
                    "twin", path, "(the whole file)", f"the environment {environment.id} has no twin"
                )
                continue
            try:
                twin = load_twin(folder, environment, trusted=self._trusted)
                yield from twin_findings(environment, twin, path)
                sound.add(environment.id)
            except UsageError as error:
                yield _of(error, "twin", path)
        for task in catalogue.tasks:
            if task.id in ready and task.environment in sound:
                yield from self._task(catalogue, task.id, folder)

    def _task(self, catalogue: Catalogue, task: str, folder: Path) -> Iterator[Finding]:
        found, path = catalogue.task(task), task_path(folder, task)
        stage = Stage(found, lambda: load_twin(folder, found.environment, trusted=self._trusted))
        try:
            missed = list(plan_findings(stage, path))
            yield from missed
            if missed:
                return  # a wrong way that fails says nothing where the right one fails too
            yield from wrong_findings(stage, path)
            if self._mutants:
                self._mutations.append(mutate(stage, path.as_posix()))
                yield from self._mutations[-1].findings
        except UsageError as error:
            yield _of(error, "twin", twin_path(folder, found.environment.id))


def _of(error: UsageError, kind: str, path: Path) -> Finding:
    return Finding.of(kind, error.where or path.as_posix(), error.what, closest=error.closest)


def _clashes(read: Sequence[tuple[Scenario, Path]]) -> Iterator[Finding]:
    """Ids that stand twice, over all the scenarios."""
    owner: dict[tuple[str, str], Path] = {}
    for scenario, folder in read:
        ids = [("scenario", scenario.id)]
        ids += [("environment", one.id) for one in scenario.environments]
        ids += [("task", one.id) for one in scenario.tasks]
        for kind, name in ids:
            if (kind, name) in owner:
                what = f"another {kind} has the id {name}: in {owner[kind, name].as_posix()}"
                yield finding("id", folder, f"{kind} {name}", what, name)
            owner.setdefault((kind, name), folder)
