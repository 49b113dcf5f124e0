from __future__ import annotations

from pathlib import Path
from typing import Any

from replaylab.schema.violation import KINDS
from tests.audit.honest import TASKS, audited, recorded
from tests.engine.test_swap import swap

SMALL: dict[str, Any] = {"agents": ("scripted:careful",), "tasks": ("ed-sepsis-room",), "trials": 1}


def test_violations_are_counted_with_their_coverage_and_a_faithful_simulator_has_none(tmp_path: Path) -> None:
    library = recorded(tmp_path / "library", **SMALL | {"faults": ("E0",)})
    found = audited(library)[17]
    assert found.evidence[0].startswith(
        "0 violations (fabrication 0, omission 0, rule_invention 0, contradiction 0); "
    )
    assert "calls could be checked" in found.evidence[0]
    assert "no other simulator" in found.evidence[-1]


def test_a_simulator_that_breaks_its_contract_is_a_warning(tmp_path: Path) -> None:
    library = recorded(
        tmp_path / "library",
        simulators=("twin+omit",),
        **SMALL | {"faults": ("E0",), "trials": 2, "tasks": TASKS},
    )
    found = audited(library)[17]
    assert not found.evidence[0].startswith("0 violations")
    assert found.outcome == "warn", found
    assert all(kind in found.evidence[0] for kind in KINDS)


def test_lockstep_with_another_simulator_is_named(tmp_path: Path) -> None:
    library = recorded(tmp_path / "library", **SMALL | {"faults": ("E0",)})
    swap(library, "simulator", "example")
    assert "run.simulator-example" in audited(library)[17].evidence[-1]


def test_planned_and_delivered_faults_are_counted_by_plan(tmp_path: Path) -> None:
    found = audited(recorded(tmp_path / "library", **SMALL | {"faults": ("E0", "E1")}))[18]
    assert found.outcome == "pass"
    assert found.evidence[0].startswith("E0: 1 trials, 0 faults planned, 0 delivered")
    assert found.evidence[1].startswith("E1: 1 trials, 2 faults planned, ")


def test_a_task_that_nobody_solved_decides_nothing(tmp_path: Path) -> None:
    solved = audited(recorded(tmp_path / "good", **SMALL | {"faults": ("E0",)}))[23]
    never = audited(
        recorded(tmp_path / "bad", **SMALL | {"faults": ("E0",), "agents": ("scripted:explorer",)})
    )[23]
    assert (solved.outcome, never.outcome) == ("pass", "not_checkable")
    assert "ed-sepsis-room" in never.evidence[1]
