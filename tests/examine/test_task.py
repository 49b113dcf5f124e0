from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.examine.broken import TASK, Broken, findings_of, first_act, in_json, of_tool

LEAK = "looked at before anything is changed"


def every_call_acts(task: dict[str, Any]) -> None:
    for call in task["plan"]["calls"]:
        call["purpose"] = "act"


BROKEN = {
    "a field of a wrong name": Broken(
        in_json(TASK, lambda task: task.update(dificulty=1)), "file", f"{TASK}: dificulty", "dificulty"
    ),
    "no plan": Broken(
        in_json(TASK, lambda task: task.pop("plan")), "plan", f"{TASK}: plan", "no reference plan"
    ),
    "a plan of five calls": Broken(
        in_json(TASK, lambda task: task["plan"].update(calls=task["plan"]["calls"][:5])),
        "plan-length",
        f"{TASK}: plan.calls",
        "6 to 25 calls are due, not 5",
    ),
    "a plan without an answer": Broken(
        in_json(TASK, lambda task: task["plan"].update(answer="")),
        "plan",
        f"{TASK}: plan.answer",
        "without an answer",
    ),
    "a plan that verifies nothing": Broken(
        in_json(TASK, every_call_acts), "plan-verify", f"{TASK}: plan.calls", "`verify`"
    ),
    "an argument that the tool refuses": Broken(
        in_json(TASK, lambda task: first_act(task, "clean_place")["arguments"].update(place=2)),
        "plan-arguments",
        f"{TASK}: plan.calls.4.arguments.place",
        "2 is not of type 'string'",
    ),
    "no check at all": Broken(
        in_json(TASK, lambda task: task["rubric"].update(checks=[])),
        "rubric",
        f"{TASK}: rubric.checks",
        "no check",
    ),
    "a check of a tool that there is not": Broken(
        in_json(TASK, lambda task: task["rubric"]["checks"][0].update(tool="list_rooms")),
        "rubric",
        f"{TASK}: rubric.checks (looked)",
        "list_rooms",
    ),
    "rubric text in the instruction": Broken(
        in_json(TASK, lambda task: task.update(instruction=f"{task['instruction']} The record is {LEAK}.")),
        "leak",
        f"{TASK}: instruction",
        "stands in rubric.text",
    ),
    "plan text in a tool's description": Broken(
        of_tool("get_patient", lambda one: one.update(description="Shows who was discharged to make space.")),
        "leak",
        f"{TASK}: tools.get_patient",
        "stands in plan.answer",
    ),
    "a tool named in the instruction": Broken(
        in_json(TASK, lambda task: task.update(instruction=task["instruction"] + " Use clean_place.")),
        "leak-tool",
        f"{TASK}: instruction",
        "clean_place",
    ),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_task_is_found_and_the_finding_says_where_and_why(name: str, tmp_path: Path) -> None:
    findings_of(BROKEN[name], tmp_path)


def test_every_check_that_can_not_be_read_is_named_with_what_to_do(tmp_path: Path) -> None:
    def spoil(task: dict[str, Any]) -> None:
        task["rubric"]["checks"][0]["kind"] = "caled"
        task["rubric"]["checks"][-2]["value"] = {"re": "(?:(?!cat|dog).){0,40}c"}

    found = findings_of(
        Broken(in_json(TASK, spoil), "rubric", f"{TASK}: rubric.checks (looked)", "caled"), tmp_path
    )
    rubric = [one for one in found if one.kind == "rubric"]
    assert [one.closest for one in rubric] == ["called", ""]
    assert rubric[1].where.endswith(f"{TASK}: rubric.checks (says-who-left)")
    assert "write (?!a)(?!b). in it" in rubric[1].message
