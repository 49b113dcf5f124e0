from __future__ import annotations

from pathlib import Path

import pytest

from tests.examine.broken import Broken, all_as_hard, findings_of, in_json, in_text, only_tasks, remove

BROKEN = {
    "a sub-topic too few": Broken(
        in_json("scenario.json", lambda one: one["subtopics"].pop()),
        "subtopics",
        "scenario.json: subtopics",
        "16 different sub-topics are due, not 15",
    ),
    "a sub-topic twice": Broken(
        in_json(
            "scenario.json", lambda one: one.update(subtopics=[*one["subtopics"][:15], one["subtopics"][0]])
        ),
        "subtopics",
        "scenario.json: subtopics",
        "not 15",
    ),
    "another industry than the index has": Broken(
        in_json("scenario.json", lambda one: one.update(industry="Farming")),
        "index",
        "scenario.json: industry",
        "Healthcare",
    ),
    "no summary": Broken(
        in_json("scenario.json", lambda one: one.update(summary=" ")),
        "summary",
        "scenario.json: summary",
        "empty",
    ),
    "no reference": Broken(remove("reference.md"), "reference", "reference.md", "missing"),
    "a section missing": Broken(
        in_text("reference.md", "\n## Edge cases\n", "\n## Other cases\n"),
        "reference",
        "reference.md: ## Edge cases",
        "'Edge cases' is missing",
    ),
    "a state variable not explained": Broken(
        in_text("reference.md", "`places`", "places"), "reference", "reference.md", "`places` of ed-two-rooms"
    ),
    "two tasks only": Broken(
        only_tasks("ed-sepsis-room", "ed-chest-pain-monitor"), "task-count", "tasks", "at least 3 tasks"
    ),
    "one level for all tasks": Broken(all_as_hard, "difficulty", "tasks", "levels have to differ"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_scenario_is_found_and_the_finding_says_where_and_why(name: str, tmp_path: Path) -> None:
    findings_of(BROKEN[name], tmp_path)
