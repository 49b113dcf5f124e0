from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.examine.broken import TASK, TWIN, Broken, findings_of, first_act, in_json, in_text, of_tool, remove


def only_looked(task: dict[str, Any]) -> None:
    task["rubric"]["checks"] = task["rubric"]["checks"][:1]


BROKEN = {
    "no twin": Broken(remove(TWIN), "twin", TWIN, "no twin"),
    "a twin that does not load": Broken(
        in_text(TWIN, "class Twin(ToolTwin):", "class Twin(ToolTwin)"), "twin", TWIN, "does not load"
    ),
    "a twin without a method for a tool": Broken(
        in_text(TWIN, "def clean_place", "def clean_a_place"), "twin", "Twin.clean_place", "no method"
    ),
    "a twin that breaks": Broken(
        in_text(TWIN, 'bed["status"] = "vacant"', 'bed["status"] = self._state["nothing"]'),
        "twin",
        "clean_place",
        "broke in clean_place: KeyError",
    ),
    "a twin that takes arguments as they come": Broken(
        in_text(
            TWIN,
            "class Twin(ToolTwin):",
            "class Twin(ToolTwin):\n    def call(self, tool, arguments):\n        return {'taken': True}\n",
        ),
        "twin-accepts",
        f"{TWIN}: list_places",
        "accepts an argument that it does not have",
    ),
    "a plan that the twin refuses": Broken(
        in_json(TASK, lambda task: first_act(task, "clean_place")["arguments"].update(place="ER-1")),
        "plan-refused",
        f"{TASK}: plan.calls.4",
        "only a dirty place",
    ),
    "a plan that a check fails": Broken(
        in_json(TASK, lambda task: task["plan"].update(answer="P-133 lies in a room with acuity 2.")),
        "plan-fails",
        f"{TASK}: rubric.checks",
        "'says-room'",
    ),
    "checks that a wrong way passes": Broken(
        in_json(TASK, only_looked), "wrong-passes", f"{TASK}: rubric.checks", "the plan without an answer"
    ),
    "a read that writes": Broken(
        of_tool("assess_patient", lambda one: one.update(effect="read")),
        "effect",
        f"{TASK}: plan.calls.2",
        "is a read, but changes the state",
    ),
    "an observation that the example does not have": Broken(
        in_text(TWIN, '"status": "vacant"}', '"state": "vacant"}'),
        "shape",
        f"{TASK}: plan.calls.4",
        "clean_place",
    ),
    "a twin that rolls dice": Broken(
        in_text(
            TWIN,
            '"status": "vacant"}',
            "\"status\": str(__import__('time').perf_counter_ns())}",
        ),
        "twin-random",
        f"{TASK}: plan.calls",
        "the second time",
    ),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_twin_or_plan_is_found_and_the_finding_says_where_and_why(name: str, tmp_path: Path) -> None:
    findings_of(BROKEN[name], tmp_path)
