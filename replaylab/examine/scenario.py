"""Rules that the files of a scenario keep, its environments and tasks left out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from replaylab.catalogue import files
from replaylab.catalogue.index import Published
from replaylab.examine.found import finding
from replaylab.schema.finding import Finding
from replaylab.schema.scenario import Scenario

SECTIONS = ("Terms", "Workflow", "State variables", "Edge cases", "Constraints")
SUBTOPICS = 16
LEAST_TASKS = 3
LEAST_LEVELS = 2


def scenario_findings(
    scenario: Scenario, folder: Path, published: Sequence[Published] = ()
) -> Iterator[Finding]:
    """What is wrong with scenario.json, reference.md and the set of tasks. `published` is the index of names."""
    facts = folder / files.SCENARIO_FILE
    if len(set(scenario.subtopics)) != SUBTOPICS or len(scenario.subtopics) != SUBTOPICS:
        what = f"{SUBTOPICS} different sub-topics are due, not {len(set(scenario.subtopics))}"
        yield finding("subtopics", facts, "subtopics", what, len(scenario.subtopics))
    if not scenario.summary.strip():
        yield finding("summary", facts, "summary", "the summary is empty")
    yield from _index_findings(scenario, facts, published)
    yield from _reference_findings(scenario, folder / files.REFERENCE_FILE)
    tasks = folder / "tasks"
    if len(scenario.tasks) < LEAST_TASKS:
        what = f"at least {LEAST_TASKS} tasks are due, not {len(scenario.tasks)}"
        yield finding("task-count", tasks, "(the folder)", what)
    elif len({task.difficulty for task in scenario.tasks}) < LEAST_LEVELS:
        what = f"every task has the difficulty {scenario.tasks[0].difficulty}: levels have to differ"
        yield finding("difficulty", tasks, "difficulty", what)


def _index_findings(scenario: Scenario, facts: Path, published: Sequence[Published]) -> Iterator[Finding]:
    """A name of the published index stands with its industry and domain."""
    named = next((one for one in published if one.name == scenario.name), None)
    for field in ("industry", "domain"):
        if named is not None and getattr(named, field) != getattr(scenario, field):
            what = f"the index has this name with the {field} {getattr(named, field)!r}"
            yield finding("index", facts, field, what, getattr(scenario, field))


def _reference_findings(scenario: Scenario, path: Path) -> Iterator[Finding]:
    if not path.is_file():
        yield finding("reference", path, "(the file)", "the reference document is missing")
        return
    text = "\n" + files.read_text(path) + "\n"
    for section in SECTIONS:
        if f"\n## {section}\n" not in text:
            yield finding("reference", path, f"## {section}", f"the section {section!r} is missing")
    for environment in scenario.environments:
        for field in environment.initial_state:
            if f"`{field}`" not in text:
                what = f"the state variable `{field}` of {environment.id} is not explained"
                yield finding("reference", path, f"`{field}`", what)
