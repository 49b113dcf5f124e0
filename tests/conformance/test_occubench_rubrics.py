"""The reach of the language: twenty rubrics of the published benchmark, in our own checks and words.

Each file has the checks, a trajectory that fulfils all that a program can decide, and changes to it, each with the
checks that it has to fail, and no others.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from replaylab.checks import run_checks
from replaylab.schema.base import JsonObject
from replaylab.schema.trajectory import CheckResult
from tests.checks.trials import environment, trial

FILES = sorted((Path(__file__).parents[1] / "checks" / "occubench").glob("line_*.json"))
CASES: list[Any] = [json.loads(file.read_text(encoding="utf-8")) for file in FILES]
CHANGES = [
    pytest.param(case, change, id=f"line {case['line']} change {place}")
    for case in CASES
    for place, change in enumerate(case["bad"], start=1)
]


def judged(case: Any, calls: list[Any], answer: str) -> dict[str, CheckResult]:
    known = {name for one in walk(case["checks"]) for name in one}
    world = environment(
        *sorted(known | {call[0] for call in case["good"]["calls"]} | {call[0] for call in calls})
    )
    trajectory = trial([(tool, arguments, observation) for tool, arguments, observation in calls], answer)
    return {result.id: result for result in run_checks(case["checks"], trajectory, world)}


def walk(value: Any) -> list[list[str]]:
    """Every `tool` field, as a list of names."""
    if isinstance(value, list):
        return [names for part in value for names in walk(part)]
    if not isinstance(value, dict):
        return []
    own = value.get("tool", [])
    return [
        [own] if isinstance(own, str) else own,
        *(names for part in value.values() for names in walk(part)),
    ]


def changed(calls: list[Any], change: JsonObject) -> list[Any]:
    """The calls after a change: what was observed or given, then calls repeated, swapped, added, dropped."""
    calls = json.loads(json.dumps(calls))
    for place, values in change.get("observe", {}).items():
        calls[int(place)][2].update(values)
    for place, values in change.get("give", {}).items():
        calls[int(place)][1].update(values)
    if "repeat" in change:
        place, times = change["repeat"]
        calls[place:place] = [calls[place]] * times
    if "swap" in change:
        one, other = change["swap"]
        calls[one], calls[other] = calls[other], calls[one]
    if "insert" in change:
        calls.insert(change["insert"]["at"], change["insert"]["call"])
    return [call for place, call in enumerate(calls) if place not in change.get("drop", [])]


def failing(results: dict[str, CheckResult]) -> set[str]:
    return {name for name, result in results.items() if result.result == "fail"}


def test_every_nineteenth_task_of_the_file_has_its_checks() -> None:
    assert [case["line"] for case in CASES] == list(range(19, 381, 19))


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"line {case['line']}")
def test_what_a_program_can_decide_passes_and_only_what_needs_a_reader_stays_open(case: Any) -> None:
    results = judged(case, case["good"]["calls"], case["good"]["answer"])
    kinds = {check["id"]: check["kind"] for check in case["checks"]}
    wrong = {
        name: result.reason
        for name, result in results.items()
        if result.result != ("open" if kinds[name] == "judge" else "pass")
    }
    assert not wrong


@pytest.mark.parametrize(("case", "change"), CHANGES)
def test_a_wrong_trajectory_fails_the_checks_that_it_has_to_and_no_others(case: Any, change: Any) -> None:
    results = judged(
        case, changed(case["good"]["calls"], change), change.get("answer", case["good"]["answer"])
    )
    assert failing(results) == set(change["fails"]), {name: results[name].reason for name in failing(results)}


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"line {case['line']}")
def test_every_check_decides_some_wrong_trajectory(case: Any) -> None:
    decided = {name for change in case["bad"] for name in change["fails"]}
    assert {check["id"] for check in case["checks"] if check["kind"] != "judge"} == decided


def test_nine_criteria_of_ten_need_no_reader() -> None:
    kinds = [check["kind"] for case in CASES for check in case["checks"]]
    assert (len(kinds) - kinds.count("judge")) / len(kinds) >= 0.9
