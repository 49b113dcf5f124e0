from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from replaylab.checks import passed, run_checks
from replaylab.checks.base import Check
from replaylab.checks.matcher import MATCHERS
from replaylab.schema.base import JsonObject
from replaylab.schema.trajectory import Trajectory
from tests.checks.trials import environment, trial

PAGE = (Path(__file__).parents[2] / "RUBRIC.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```json( trajectory)?\n(.*?)```", PAGE, re.DOTALL)
EXAMPLES: list[JsonObject] = [json.loads(text) for label, text in BLOCKS if not label]
(STORY,) = (json.loads(text) for label, text in BLOCKS if label)
TOOLS = ("list_batches", "list_sites", "set_status", "notify", "get_batch")


def trajectory(answer: str = STORY["answer"]) -> Trajectory:
    return trial([(one["tool"], one["arguments"], one["observation"]) for one in STORY["calls"]], answer)


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example["id"])
def test_each_example_holds_on_the_trajectory_of_the_page(example: JsonObject) -> None:
    results = {result.id: result for result in run_checks(EXAMPLES, trajectory(), environment(*TOOLS))}
    wanted = "open" if example["kind"] == "judge" else "pass"
    assert results[example["id"]].result == wanted, results[example["id"]].reason
    assert results[example["id"]].reason


@pytest.mark.parametrize("example", [one for one in EXAMPLES if one["kind"] not in ("judge", "forbid")])
def test_each_example_that_asks_for_something_can_fail(example: JsonObject) -> None:
    """On a trial that recalled the wrong batch, or on one that did nothing and said so."""
    wrong = trial(
        [
            ("list_batches", {}, {"batches": [{"batch": "RA-900", "status": "sold", "risk": "high"}]}),
            ("notify", {"site": "S-2"}, {"sent": True, "units": 10, "price": 5, "temperature_c": 9}),
        ],
        "It was recalled with no risk.",
    )
    idle = trial([("get_batch", {"batch": "RA-900"}, {"risk": "high"})], "Done.")
    silent = trial([], "")
    outcomes = {
        result.result
        for one in (wrong, idle, silent)
        for result in run_checks(EXAMPLES, one, environment(*TOOLS))
        if result.id == example["id"]
    }
    assert "fail" in outcomes


def test_the_page_shows_every_kind_and_every_matcher() -> None:
    assert {example["kind"] for example in EXAMPLES} == set(Check.kinds)
    assert all(f'"{name}"' in PAGE for name in MATCHERS)


def test_the_examples_without_the_open_one_add_up_to_a_pass() -> None:
    decided = [example for example in EXAMPLES if example["kind"] != "judge"]
    assert passed(run_checks(decided, trajectory(), environment(*TOOLS))) == "pass"
    assert passed(run_checks(EXAMPLES, trajectory(), environment(*TOOLS))) == "error"
