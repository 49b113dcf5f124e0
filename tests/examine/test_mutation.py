from __future__ import annotations

from collections.abc import Callable
from typing import Any

from replaylab.catalogue.loader import Found
from replaylab.examine.mutation import mutate
from replaylab.examine.stage import Stage
from tests.scenarios.play import SHIPPED, twin_of

TASK = "ed-sepsis-room"


def stage(change: Callable[[list[dict[str, Any]]], list[dict[str, Any]]] = list) -> Stage:
    """The good task, its checks changed."""
    found = SHIPPED.task(TASK)
    rubric = found.task.rubric.model_copy(update={"checks": tuple(change(list(found.task.rubric.checks)))})
    changed = Found(found.scenario, found.environment, found.task.model_copy(update={"rubric": rubric}))
    return Stage(changed, lambda: twin_of(found.environment.id))


def kinds(one: Stage) -> set[tuple[str, str]]:
    return {(found.kind, found.where) for found in mutate(one, "t.json").findings}


def without(*ids: str) -> Callable[[list[dict[str, Any]]], list[dict[str, Any]]]:
    return lambda checks: [check for check in checks if check["id"] not in ids]


def test_a_good_task_has_no_finding_and_every_check_decides_a_mutant() -> None:
    mutation = mutate(stage(), "t.json")
    assert mutation.findings == ()
    assert mutation.dead == ()
    assert 0 < mutation.failed < mutation.mutants


def test_a_check_that_nothing_fails_is_dead() -> None:
    idle = {"id": "idle", "kind": "forbid", "tool": "get_patient", "args": {"patient": {"absent": True}}}
    assert kinds(stage(lambda checks: [*checks, idle])) == {
        ("dead-check", f"t.json: rubric.checks.{len(stage().checks)}")
    }


def test_an_act_that_may_be_left_out_unseen_is_a_finding() -> None:
    def no_protocol(checks: list[dict[str, Any]]) -> list[dict[str, Any]]:
        return [check for check in checks if "sepsis" not in str(check)]

    found = kinds(stage(no_protocol))
    assert ("mutant-passes", "t.json: plan.calls.6 (drop)") in found
    assert ("argument-unchecked", "t.json: plan.calls.6.arguments.protocol") in found


def test_a_task_that_a_second_look_fails_is_a_finding() -> None:
    once = {"id": "once", "kind": "called", "tool": "assess_patient", "count": {"max": 1}}
    looks = {"id": "looks", "kind": "called", "tool": "get_patient", "count": {"max": 2}}
    found = kinds(stage(lambda checks: [*checks, once, looks]))
    assert {where for kind, where in found if kind == "harmless-fails"} == {
        "t.json: plan.calls.1 (double)",
        "t.json: plan.calls.8 (double)",
    }
