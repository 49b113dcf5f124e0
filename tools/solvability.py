"""Writes reports/solvability.md: every shipped task is solved by its plan, and by no agent that does not try.

    python -m tools.solvability

Exits 1 when the table shows anything else.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from replaylab.catalogue.loader import Catalogue, Found, shipped
from replaylab.catalogue.twin import load_twin
from replaylab.examine.mutants import trivial_ways
from replaylab.examine.stage import Stage

REPO = Path(__file__).resolve().parents[1]
REPORT = REPO / "reports" / "solvability.md"

INTRODUCTION = """# Which tasks are solved, and by whom

Each way through a task is played on the twin of its environment and judged by the checks of the task. `plan` is the
reference plan; the others are agents that don't try. The last one makes the plan's first call of each tool.
`make solvability` writes this page.
"""


class Row(NamedTuple):
    """One task: what came of the plan and of each trivial way, by name."""

    task: str
    difficulty: int
    calls: int
    checks: int
    plan: str
    trivial: dict[str, str]

    @property
    def right(self) -> bool:
        return self.plan == "pass" and set(self.trivial.values()) == {"fail"}


def rows(catalogue: Catalogue) -> Iterator[Row]:
    """A row for every task with a plan."""
    for task in catalogue.tasks:
        if task.plan is not None:
            yield row(catalogue, catalogue.task(task.id))


def row(catalogue: Catalogue, found: Found) -> Row:
    folder = catalogue.folder(found.scenario.id)
    stage = Stage(found, lambda: load_twin(folder, found.environment, trusted=[shipped()]))
    return Row(
        task=found.task.id,
        difficulty=found.task.difficulty,
        calls=len(stage.plan),
        checks=len(stage.checks),
        plan=stage.judge(stage.plan, stage.answer).outcome,
        trivial={
            name: stage.judge(calls, answer).outcome for name, (calls, answer) in trivial_ways(found).items()
        },
    )


def page(table: list[Row]) -> str:
    """The report as Markdown."""
    ways = list(table[0].trivial)
    columns = ["task", "difficulty", "calls", "checks", "plan", *ways]
    lines = ["| " + " | ".join(columns) + " |", "|" + " --- |" * len(columns)]
    for one in table:
        cells = [one.task, one.difficulty, one.calls, one.checks, one.plan, *one.trivial.values()]
        lines.append("| " + " | ".join(map(str, cells)) + " |")
    wrong = sum(not one.right for one in table)
    summary = (
        f"{len(table)} tasks; {wrong or 'none'} of them not solved by its plan, or solved without trying."
    )
    return "\n".join([INTRODUCTION, *lines, "", summary, ""])


def main(report: Path = REPORT) -> int:
    """Write the report; 1 when a task is not as it should be."""
    table = list(rows(Catalogue.load([shipped()])))
    report.parent.mkdir(parents=True, exist_ok=True)
    report.write_text(page(table), encoding="utf-8", newline="\n")
    print(f"{len(table)} tasks, written to {report.name}")
    return int(not all(one.right for one in table))


if __name__ == "__main__":
    sys.exit(main())
