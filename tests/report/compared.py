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
from replaylab.schema.base import Json, JsonObject
from replaylab.schema.difference import Answer, Difference, DiffReport, Row, TrialDiff
from replaylab.schema.scenario import Environment, Task
from replaylab.schema.violation import KINDS, CheckReport, Coverage, Covered, Violation, ViolationKind
from replaylab.store.library import Library
from tests.report.recordings import EVIL
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


def large(trials: int, calls: int, *, found: int = 2, words: int = 40, task: str = "task") -> DiffReport:
    """A made-up comparison of two simulators. `found` calls of a trial break the contract; answers have `words` words."""
    sides = ("alpha", "beta")

    def violation(number: int, call: int) -> Violation:
        return Violation(
            kind=KINDS[(number + call) % len(KINDS)],
            subkind="unknown",
            simulator="alpha",
            path=f"agent,alpha,judge,E0/{task}-{number}/0/simulator#{call}",
            call=call,
            tool="list_items",
            pointer="/items/2",
            contract="/initial_state/items",
            entity=f"item-{number}-{call}",
            expected=["a", "b"],
            observed={"id": f"item-{number}-{call}"},
            confidence=0.5 + (number % 5) / 10,
            rubric_critical=number % 7 == 0,
            message=f"list_items shows 'item-{number}-{call}'",
        )

    def row(number: int, call: int) -> Row:
        found_here = call % (calls // found) == 0
        items = [{"id": f"item-{at}", "text": "word " * (words // 8)} for at in range(8)]
        answers = [
            Answer(
                simulator=side,
                path=f"agent,{side},judge,E0/{task}-{number}/0/simulator#{call}",
                observation={"items": [*items, side] if found_here else items},
                violations=(violation(number, call).id,) if found_here and side == "alpha" else (),
            )
            for side in sides
        ]
        different = (Difference(kind="open", values={"alpha": 1, "beta": 2}),) if found_here else ()
        return Row(
            row=call,
            tool="list_items",
            arguments={"page": call},
            calls=(call, call),
            answers=tuple(answers),
            differences=different,
        )

    def trial(number: int) -> TrialDiff:
        rows = tuple(row(number, call) for call in range(calls))
        where = [one.row for one in rows if one.differences]
        covered = [Covered(tool="list_items", kind=kind, calls=calls, checked=calls) for kind in KINDS]
        return TrialDiff(
            task=f"{task}-{number}",
            scenario="scenario",
            environment=f"env-{number}",
            industry="industry",
            faults="E0",
            manner="lockstep/recorded",
            simulators=sides,
            keys=tuple(f"agent,{side},judge,E0/{task}-{number}/0" for side in sides),
            cassettes=("0" * 64, "1" * 64),
            rows=rows,
            first=where[0],
            violations=tuple(violation(number, call) for call in where),
            coverage=(Coverage(environment=f"env-{number}", rows=tuple(covered)),) * 2,
        )

    return DiffReport(simulators=sides, trials=tuple(trial(number) for number in range(trials)))


def violation(kind: ViolationKind, **fields: Any) -> Violation:
    """A finding at call 0 of the small comparison, unless the fields say otherwise."""
    known: dict[str, Any] = {
        "kind": kind,
        "subkind": "unknown",
        "simulator": "gemini",
        "call": 0,
        "tool": "get_roster",
        "confidence": 0.8,
    }
    known |= fields
    known.setdefault("path", f"agent,{known['simulator']},judge,E0/first/0/simulator#{known['call']}")
    return Violation(**known)


def compared(
    task: str, said: Sequence[Sequence[Json]], found: Sequence[Violation] = (), **fields: Any
) -> TrialDiff:
    """A trial of two simulators: what each said to its calls, with these findings."""
    sides = ("gemini", "gpt")
    rows = []
    for at, both in enumerate(zip(*said, strict=True)):
        answers = [
            Answer(
                simulator=side,
                path=f"agent,{side},judge,E0/{task}/0/simulator#{at}",
                observation=value,
                violations=tuple(one.id for one in found if (one.simulator, one.call) == (side, at)),
            )
            for side, value in zip(sides, both, strict=True)
        ]
        differs = (
            (Difference(kind="open", values=dict(zip(sides, both, strict=True))),)
            if both[0] != both[1]
            else ()
        )
        rows.append(
            Row(
                row=at,
                tool="get_roster",
                arguments={},
                calls=(at, at),
                answers=tuple(answers),
                differences=differs,
            )
        )
    known: dict[str, Any] = {
        "task": task,
        "scenario": "hospital",
        "environment": "ward",
        "industry": "Health",
        "faults": "E0",
        "manner": "lockstep/recorded",
        "simulators": sides,
        "keys": tuple(f"agent,{side},judge,E0/{task}/0" for side in sides),
        "cassettes": ("", ""),
        "verdicts": ("pass", "none"),
        "rows": tuple(rows),
        "first": next((row.row for row in rows if row.differences), None),
        "violations": tuple(found),
    }
    return TrialDiff(**(known | fields))


CONTRACT: JsonObject = {
    "system_prompt": "Play the ward.\n- Realism: dynamics follow hospital practice.\n- Hide the state.",
    "initial_state": {"people": {"Raj": {"tier": 2}, "Ann": {"tier": 3}}, "rooms": {"R1": {}, "R2": {}}},
    "instruction": "The ward is at maximum capacity today.",
}


def _first() -> TrialDiff:
    found = [
        violation(
            "omission",
            subkind="missing",
            pointer="/people",
            contract="/initial_state/people/Raj",
            entity="Raj",
            expected={"tier": 2},
            observed=["Ann"],
            rubric_critical=True,
            confidence=0.9,
            message="get_roster leaves out 'Raj', which /initial_state/people/Raj holds",
        ),
        violation(
            "rule_invention",
            subkind="no_rule",
            call=1,
            simulator="gpt",
            pointer="/error",
            contract="/system_prompt",
            quote="Realism: dynamics follow hospital practice.",
            licence="open_clause",
            observed="Visiting hours are over",
            message="get_roster refuses with 'Visiting hours are over': no sentence of the contract says so",
        ),
        violation(
            "fabrication",
            call=2,
            pointer="/rooms/2",
            against="instruction",
            contract="/instruction",
            quote="at maximum capacity",
            entity="R3",
            expected=["R1", "R2"],
            observed={"id": "R3", "free": True},
            confidence=0.95,
            message="get_roster shows 'R3' as free, and the instruction says 'at maximum capacity'",
        ),
    ]
    rooms = [{"id": "R1"}, {"id": "R2"}]
    said: list[list[Json]] = [
        [{"people": ["Ann"]}, {"ok": True}, {"rooms": [*rooms, {"id": "R3", "free": True}]}, {"same": 1}],
        [{"people": ["Ann", "Raj"]}, {"error": "Visiting hours are over"}, {"rooms": rooms}, {"same": 1}],
    ]
    healing = violation(
        "possible_fault", subkind="transport", pointer="/people", observed="timeout", confidence=0.6
    )
    covered = [
        Covered(tool="get_roster", kind=kind, calls=4, checked=3, why_not={"it was refused": 1})
        for kind in KINDS
    ]
    coverage = (Coverage(environment="ward", rows=tuple(covered)),) * 2
    return compared("first", said, found, faults_found=(healing,), coverage=coverage)


def _second() -> TrialDiff:
    path = "agent,gemini,judge,E0/second/0/simulator#0"
    found = violation(
        "contradiction",
        subkind="changed_value",
        path=path,
        pointer="/tier",
        contract="/initial_state/people/Ann/tier",
        entity="Ann",
        expected=3,
        observed=5,
    )
    unsure = violation("fabrication", path=path, pointer="/nurse", entity="Bo", observed="Bo", confidence=0.4)
    said: list[list[Json]] = [[{"tier": 5, "nurse": "Bo"}], [{"tier": 3, "nurse": "Bo"}]]
    return compared(
        "second", said, [found], candidates=(unsure,), notices=("Played by programs, not LLMs: gpt",)
    )


def small() -> tuple[DiffReport, Contract]:
    """Two trials of two simulators: four violations, one candidate, one possible fault, and calls that are alike."""
    report = DiffReport(
        simulators=("gemini", "gpt"),
        trials=(_first(), _second()),
        skipped={"their tasks are not the same": 2},
        evidence={"authored": 1, "recorded": 1},
        notices=("Played by programs, not LLMs: gpt",),
    )
    return report, lambda trial: CONTRACT


def hostile() -> DiffReport:
    """Every text attacks whoever shows it, and one is a million characters long."""
    lone = "\ud800"
    one = violation(
        "fabrication",
        subkind=EVIL,
        simulator=EVIL,
        path=f"{EVIL}#0",
        tool=EVIL,
        pointer=f"/{EVIL.replace('/', '~1')}/0",
        contract=f"/{EVIL}",
        entity=EVIL,
        expected={EVIL: [EVIL]},
        observed=EVIL,
        quote=EVIL,
        message=EVIL,
        agree=(EVIL,),
    )
    long = violation(
        "contradiction",
        simulator="gpt",
        call=1,
        pointer="/x",
        observed="y" * 1_000_000,
        message="z" * 1_000_000,
    )
    wide = violation(
        "omission", simulator="gpt", call=2, pointer="/lost", entity="e" * 1_000_000, expected="w" * 3_000
    )
    said: list[list[Json]] = [
        [{EVIL: [EVIL, lone]}, {"x": "y" * 1_000_000}, f"{EVIL} no JSON {lone}", lone],
        [EVIL, {"x": "y" * 1_000_000}, ["deep", [[[[{"a": "b" * 900}]]]]], {lone: lone}],
    ]
    trial = compared("task", said, [one, long, wide], candidates=(one,), faults_found=(one,))
    covered = Covered(tool=EVIL, kind="omission", calls=1, why_not={EVIL: 1})
    evil = trial.model_copy(
        update={
            "task": EVIL,
            "scenario": EVIL,
            "environment": EVIL,
            "keys": (EVIL, EVIL),
            "notices": (EVIL,),
            "verdicts": (EVIL, EVIL),
            "simulators": (EVIL, "gpt"),
            "coverage": (Coverage(environment=EVIL, rows=(covered,)),),
        }
    )
    return DiffReport(
        simulators=(EVIL, "gpt"), trials=(evil,), notices=(EVIL,), skipped={EVIL: 1}, evidence={EVIL: 1}
    )
