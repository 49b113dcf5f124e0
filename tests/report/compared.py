"""Reports to show: the published failures put side by side, a shipped run, and made-up ones of any size."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from replaylab.diff.check import Observed, check_observations
from replaylab.diff.reading import checked
from replaylab.report.diff_finding import Contract, contract_json
from replaylab.report.diff_solo import checked_trials, contracts
from replaylab.schema.base import JsonObject
from replaylab.schema.difference import Answer, Difference, DiffReport, Row, TrialDiff
from replaylab.schema.scenario import Environment, Task
from replaylab.schema.violation import CheckReport
from replaylab.store.library import Library
from tools.score_detector import load

REPO = Path(__file__).resolve().parents[2]
OCCUBENCH = Path(os.environ.get("REPLAYLAB_OCCUBENCH", REPO.parent / "shared" / "occubench"))
FLAGSHIP = REPO / "tests" / "diff" / "cases" / "flagship.jsonl"
needs_data = pytest.mark.skipif(
    not OCCUBENCH.is_dir(),
    reason=f"OccuBench data not at {OCCUBENCH}: set REPLAYLAB_OCCUBENCH to its folder. NOT TESTED.",
)


@cache
def _environments() -> dict[str, tuple[Environment, Task | None]]:
    return load(OCCUBENCH)


def pair(
    environment: Environment, task: Task, simulators: Sequence[str], said: Sequence[Sequence[Observed]]
) -> TrialDiff:
    """What several simulators said to the same calls, each held against the contract."""
    reports: list[CheckReport] = []
    paths = [f"agent,{name},judge,E0/{task.id}/0/simulator" for name in simulators]
    for name, path, steps in zip(simulators, paths, said, strict=True):
        report = check_observations(environment, task, steps)
        placed = [
            [one.model_copy(update={"simulator": name, "path": f"{path}#{one.call}"}) for one in ones]
            for ones in (report.findings, report.candidates, report.faults)
        ]
        reports.append(
            CheckReport(
                findings=tuple(placed[0]),
                candidates=tuple(placed[1]),
                faults=tuple(placed[2]),
                coverage=report.coverage,
            )
        )
    rows = []
    for at, first in enumerate(said[0]):
        answers = []
        for name, path, steps, report in zip(simulators, paths, said, reports, strict=True):
            found = tuple(one.id for one in report.findings if one.call == at)
            answers.append(
                Answer(
                    simulator=name, path=f"{path}#{at}", observation=steps[at].observation, violations=found
                )
            )
        differs = any(one.observation != answers[0].observation for one in answers)
        blamed = tuple(one.simulator for one in answers if one.violations)
        difference = Difference(kind="entities" if blamed else "open", blamed=blamed)
        rows.append(
            Row(
                row=at,
                tool=first.tool,
                arguments=first.arguments,
                calls=(at,) * len(answers),
                answers=tuple(answers),
                differences=(difference,) if differs else (),
            )
        )
    return TrialDiff(
        task=task.id,
        scenario=environment.id,
        environment=environment.id,
        industry="",
        faults="E0",
        manner="lockstep/recorded",
        simulators=tuple(simulators),
        keys=tuple(f"agent,{name},judge,E0/{task.id}/0" for name in simulators),
        cassettes=("",) * len(simulators),
        verdicts=("none",) * len(simulators),
        rows=tuple(rows),
        first=next((row.row for row in rows if row.differences), None),
        violations=tuple(one for report in reports for one in report.findings),
        candidates=tuple(one for report in reports for one in report.candidates),
        faults_found=tuple(one for report in reports for one in report.faults),
        coverage=tuple(report.coverage for report in reports),
    )


def flagship() -> tuple[DiffReport, Contract]:
    """The three published failures beside their faithful variants, and the contracts that they break."""
    cases: dict[str, Any] = {
        one["id"]: one for one in map(json.loads, FLAGSHIP.read_text("utf-8").splitlines())
    }
    trials = []
    contracts: dict[str, JsonObject] = {}
    for wrong, right in (("f9", "f9f"), ("f10", "f10f"), ("f11b", "f11f")):
        environment, task = _environments()[cases[wrong]["env"]]
        assert task is not None
        contracts[task.id] = contract_json(environment, task)
        said = [
            [Observed(one["tool"], one["args"], one["obs"]) for one in cases[name]["trajectory"]]
            for name in (wrong, right)
        ]
        trials.append(pair(environment, task, ("gemini", "gpt"), said))
    report = DiffReport(
        simulators=("gemini", "gpt"),
        runs={"gemini": "published-cases", "gpt": "published-cases"},
        trials=tuple(trials),
        evidence={"authored": 6},
        notices=(
            "Authored, not recorded: rebuilt from a published description; no model of these names was called.",
        ),
    )
    return report, lambda trial: contracts[trial.task]


@cache
def shipped(name: str) -> tuple[tuple[TrialDiff, ...], Contract]:
    """A run of the shipped library, checked."""
    library = Library(REPO / "cassettes")
    _, run = library.run(name)
    return tuple(checked_trials(library, checked(library, run))), contracts(library)
