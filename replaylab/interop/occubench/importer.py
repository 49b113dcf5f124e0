"""Writes the imported scenarios: all of them or none, the same bytes each time."""

from __future__ import annotations

import re
import shutil
from collections import defaultdict
from pathlib import Path

from replaylab.catalogue.loader import Catalogue
from replaylab.catalogue.writer import write_scenario
from replaylab.errors import StoreError, UsageError
from replaylab.interop.occubench.convert import to_environment, to_task
from replaylab.interop.occubench.source import Source, SourceTask, read_source
from replaylab.interop.occubench.survey import ImportSummary, notes_on, survey
from replaylab.schema.scenario import Scenario

PREFIX = "occubench-"


class ImportRefused(UsageError):
    """Nothing was imported; `summary` says what was found."""

    def __init__(self, what: str, summary: ImportSummary, *, where: str = "", fix: str = "") -> None:
        super().__init__(what, where=where, fix=fix)
        self.summary = summary


def import_occubench(source: Path, into: Path, *, replace: bool = False) -> ImportSummary:
    """Import the published data in `source` as scenario folders in `into`.

    The folder appears whole or not at all. Where it exists already, the same bytes are left alone; other bytes are
    refused, or with `replace` exchanged, as long as the folder holds nothing but an earlier import.

    Raises ImportRefused when something of the source can't be read, naming each file and line, and when `into` differs.
    """
    read = read_source(source)
    scenarios = to_scenarios(read)
    named = {task.task_scenario_name for task in read.tasks}
    summary = ImportSummary(
        scenarios=len(scenarios),
        environments=sum(len(one.environments) for one in scenarios),
        tasks=sum(len(one.tasks) for one in scenarios),
        scenarios_without_tasks=tuple(name for name in read.pool if name not in named),
        irregularities=survey(read.environments.values()),
        problems=read.problems,
    )
    if read.problems:
        shown = "\n".join(f"  - {problem}" for problem in read.problems[:20])
        more = f"\n  - and {len(read.problems) - 20} more" if len(read.problems) > 20 else ""
        raise ImportRefused(
            f"{len(read.problems)} problems in the source; nothing was written\n{shown}{more}",
            summary,
            where=str(source),
            fix="mend or complete the source, then import again",
        )
    return summary.model_copy(update={"changed": _place(scenarios, into, summary, replace=replace)})


def to_scenarios(read: Source) -> tuple[Scenario, ...]:
    """One scenario a name, with all its environments and tasks; what leads nowhere is left to `Source.problems`."""
    tasks: dict[str, list[SourceTask]] = defaultdict(list)
    for task in read.tasks:
        if task.env_name in read.environments and task.task_scenario_name in read.pool:
            tasks[task.task_scenario_name].append(task)
    return tuple(_to_scenario(name, tasks[name], read) for name in sorted(tasks))


def _to_scenario(name: str, tasks: list[SourceTask], read: Source) -> Scenario:
    scenario = PREFIX + re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")
    environments = sorted({task.env_name for task in tasks})
    return Scenario(
        id=scenario,
        name=name,
        industry=read.pool[name].category,
        domain=read.pool[name].domain,
        origin="imported",
        environments=tuple(
            to_environment(read.environments[one], notes_on(read.environments[one])) for one in environments
        ),
        tasks=tuple(to_task(task, scenario) for task in sorted(tasks, key=lambda task: task.task_id)),
    )


def _place(scenarios: tuple[Scenario, ...], into: Path, summary: ImportSummary, *, replace: bool) -> bool:
    """Write beside `into`, compare, and rename. Whether anything changed."""
    fresh = into.with_name(f".{into.name}.importing")
    shutil.rmtree(fresh, ignore_errors=True)
    try:
        for scenario in scenarios:
            write_scenario(scenario, fresh)
        Catalogue.load([fresh])
        if not into.exists() or not any(into.iterdir()):
            fresh.replace(into)
            return True
        different = _first_difference(into, fresh)
        if not different:
            return False
        if not replace:
            raise ImportRefused(
                "the folder holds something else than this import would write",
                summary,
                where=f"{into}: {different}",
                fix="choose another folder, or replace the earlier import on purpose",
            )
        _exchange(into, fresh, summary)
    except OSError as error:
        raise StoreError(f"the import can't be written: {error.strerror}", where=str(into)) from error
    finally:
        shutil.rmtree(fresh, ignore_errors=True)
    return True


def _exchange(into: Path, fresh: Path, summary: ImportSummary) -> None:
    foreign = [path.name for path in sorted(into.iterdir()) if not path.name.startswith(PREFIX)]
    if foreign:
        raise ImportRefused(
            f"the folder holds what no import wrote, so it is not replaced: {foreign[0]}",
            summary,
            where=str(into),
            fix="move it elsewhere, or choose another folder",
        )
    former = into.with_name(f".{into.name}.replaced")
    shutil.rmtree(former, ignore_errors=True)
    into.replace(former)
    fresh.replace(into)
    shutil.rmtree(former)


def _first_difference(left: Path, right: Path) -> str:
    """The first file, by name, that is missing on one side or has other bytes; "" for equal folders."""
    files = sorted(
        {
            path.relative_to(root).as_posix()
            for root in (left, right)
            for path in root.rglob("*")
            if path.is_file()
        }
    )
    for name in files:
        ours, theirs = left / name, right / name
        if not (ours.is_file() and theirs.is_file()) or ours.read_bytes() != theirs.read_bytes():
            return name
    return ""
