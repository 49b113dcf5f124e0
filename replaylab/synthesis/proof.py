"""Static proof: every candidate keeps the rules of `scenarios check` and ours, before any trial costs anything.

Where the environment is a shipped one at another state, its own twin is beside it, byte for byte, and the rules that need
one are held too: the plan is carried out, wrong ways fail, reads leave the state alone.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path

from replaylab.catalogue import files
from replaylab.catalogue.index import Published
from replaylab.catalogue.writer import write_scenario
from replaylab.examine.examine import Examiner
from replaylab.schema.finding import Finding
from replaylab.schema.scenario import Environment, Scenario
from replaylab.synthesis.rules import environment_rules, overlap, task_rules

# Rules about the set of tasks of a folder, which a single candidate can't keep.
OF_SETS = frozenset({"task-count", "difficulty"})
RAN_TWIN = (
    "twin",
    "twin-accepts",
    "twin-state",
    "twin-random",
    "effect",
    "plan-refused",
    "plan-fails",
    "wrong-passes",
)


class Prover:
    """Writes candidates into `work`, a folder of its own, and examines them there."""

    def __init__(self, work: Path, published: Sequence[Published] = ()) -> None:
        self.work, self._published = work, tuple(published)

    def place(self, scenario: Scenario, reference: str, twin: str | None) -> Path:
        """The folder of a candidate, written anew. `twin` is the code that runs its environments, None without one."""
        folder = self.work / scenario.id
        if folder.exists():
            shutil.rmtree(folder)
        write_scenario(scenario, self.work)
        (folder / files.REFERENCE_FILE).write_text(reference, encoding="utf-8", newline="\n")
        if twin is not None:
            for environment in scenario.environments:
                home = folder / "environments" / environment.id
                (home / files.TWIN_FILE).write_text(twin, encoding="utf-8", newline="\n")
        return folder

    def findings(self, folder: Path, scenario: Scenario, *, trusted: bool) -> list[Finding]:
        """What is wrong with it, the files first. Paths in it begin at the scenario's folder."""
        examiner = Examiner(trusted=[self.work] if trusted else (), published=self._published)
        found = [one for one in examiner.examine([folder]).findings if one.kind not in OF_SETS]
        return [*(_placed(one, folder) for one in found), *_ours(scenario)]


def _ours(scenario: Scenario) -> Iterator[Finding]:
    yield from overlap(scenario.subtopics)
    environments = {environment.id: environment for environment in scenario.environments}
    for environment in environments.values():
        yield from environment_rules(environment)
    for task in scenario.tasks:
        yield from task_rules(task, environments[task.environment])


def _placed(finding: Finding, folder: Path) -> Finding:
    """The finding with paths that are the same on every machine."""
    here = f"{folder.as_posix()}/"
    where, message = finding.where.replace(here, ""), finding.message.replace(here, "")
    again = Finding.of(finding.kind, where, message)
    return finding.model_copy(update={"id": again.id, "where": where, "message": message})


def part_of(finding: Finding) -> str:
    """The part that a finding is about, by the file that it names: what a repair is asked for."""
    where = finding.where
    if "tasks/" in where:
        field = where.partition(": ")[2]
        if finding.kind == "leak":
            return _leaking(finding)
        if finding.kind in ("wrong-passes", "plan-fails") or field.startswith("rubric.checks"):
            return "checks"
        return "plan" if field.startswith("plan") else "rubric" if field.startswith("rubric") else "task"
    for name, part in (
        ("tools.json", "tools"),
        ("state.json", "state"),
        ("description.json", "state"),
        ("scenario.json", "subtopics"),
        ("reference.md", "reference"),
    ):
        if name in where:
            return part
    head = where.partition(":")[0]
    return head if head in ("tools", "state", "plan", "checks", "rubric", "task") else "environment"


def _leaking(finding: Finding) -> str:
    """Rubric and plan are written after the instruction, so they are put in other words; else the instruction is."""
    if "rubric.text" in finding.message:
        return "rubric"
    if "rubric.checks" in finding.message:
        return "checks"
    return "task"


def twin_code(folder: Path, environment: str) -> str:
    """The code of a shipped twin. Raises UsageError."""
    return files.read_text(folder / "environments" / environment / files.TWIN_FILE) + "\n"


def same_tools(environment: Environment, shipped: Environment) -> bool:
    """Whether the code of a shipped environment can run this one: it has the same tools with the same parameters."""
    return _signatures(environment) == _signatures(shipped)


def _signatures(environment: Environment) -> dict[str, tuple[str, list[str] | None]]:
    """The tools by name: effect and names of parameters, None where the parameters are no schema."""
    found: dict[str, tuple[str, list[str] | None]] = {}
    for tool in environment.tools:
        given = tool.parameters.get("properties", {})
        found[tool.name] = tool.effect, sorted(given) if isinstance(given, dict) else None
    return found
