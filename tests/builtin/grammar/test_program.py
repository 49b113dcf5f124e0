"""The program behind the model `grammar`: each part from the question alone, and each step consistent with the others."""

from __future__ import annotations

import json
from typing import Any

import pytest

from replaylab.roles.generator import Question, Step, read_written
from tests.builtin.grammar.worlds import FEW
from tests.playground import catalogue, responder


def ask(step: Step, parts: dict[str, Any] | None = None, name: str = FEW[0], **more: Any) -> tuple[int, Any]:
    order = {"scenario": {"id": name}, "seed": 0, "instance": 1, "level": 1, "round": 0} | more.pop(
        "order", {}
    )
    text = Question(step, order, parts or {}, **more).text()
    messages = [{"role": "system", "content": "s"}, {"role": "user", "content": text}]
    body = json.dumps({"model": "grammar", "messages": messages}).encode()
    status, _, pieces = responder().respond("/v1/chat/completions", body)
    answer = json.loads(b"".join(pieces))
    return status, answer["choices"][0]["message"]["content"] if status == 200 else answer["error"]


def part(step: Step, parts: dict[str, Any] | None = None, **more: Any) -> dict[str, Any]:
    status, text = ask(step, parts, **more)
    assert status == 200, text
    return read_written(step, text)


def environment(**more: Any) -> dict[str, Any]:
    return {"environment": part("environment", **more), **part("tools", **more), **part("state", **more)}


def whole(**more: Any) -> dict[str, Any]:
    parts = environment(**more)
    parts["instruction"] = part("task", parts, **more)["instruction"]
    parts["plan"] = part("plan", parts, **more)
    parts["rubric"] = part("rubric", parts, **more)["text"]
    return parts | part("checks", parts, **more)


def test_reference_and_sub_topics_are_those_of_the_scenario() -> None:
    shipped = catalogue().scenario(FEW[0])
    assert part("subtopics")["subtopics"] == list(shipped.subtopics)
    assert part("reference")["summary"] == shipped.summary
    assert all(len(text) > 20 for text in part("reference").values())


def test_a_part_follows_from_the_question_alone() -> None:
    assert whole() == whole()
    assert whole()["instruction"] != whole(order={"instance": 2})["instruction"]
    assert whole()["instruction"] != whole(order={"seed": 5})["instruction"]
    assert whole()["instruction"] != whole(order={"level": 2})["instruction"]


def test_a_repair_gives_the_part_that_belongs_to_the_others() -> None:
    parts = whole()
    good = parts.pop("plan")
    again = part("plan", parts, before={"calls": []}, findings=[{"kind": "plan"}], order={"round": 1})
    assert again == good
    without = {name: value for name, value in whole().items() if name != "instruction"}
    told = part("task", without, before={"instruction": "x"}, findings=[{"kind": "leak"}], order={"round": 1})
    assert told["instruction"] == parts["instruction"]


def test_a_task_anew_in_a_later_round_is_another_one() -> None:
    parts = environment()
    assert part("task", parts)["instruction"] != part("task", parts, order={"round": 2})["instruction"]


def test_an_example_of_what_the_state_does_not_hold_gets_an_id_that_it_holds() -> None:
    example = json.dumps(part("tools")["tools"])
    held = next(iter(part("state")["state"]["zones"]))
    other = f"{held.rpartition('-')[0]}-4711"
    finding = {"kind": "example-state", "observed": held}
    mended = part("tools", {"state": {"zones": {other: {}}}}, before={"tools": []}, findings=[finding])
    assert held in example
    assert json.dumps(mended["tools"]) == example.replace(held, other)


@pytest.mark.parametrize(("kind", "wrong"), [("refused", "plan"), ("judged", "checks")])
def test_a_diagnosis_says_whether_the_plan_was_refused(kind: str, wrong: str) -> None:
    assert part("diagnosis", findings=[{"kind": kind}])["part"] == wrong


def test_a_twin_is_the_code_of_the_shipped_one() -> None:
    assert "class Twin(ToolTwin)" in part("twin")["code"]


def test_what_is_no_question_or_no_shipped_scenario_is_refused() -> None:
    status, error = ask("task", name="no-such-scenario")
    assert (status, error["type"]) == (400, "invalid_request_error")
    assert "is none" in error["message"]
    assert ask("plan", {"environment": {}})[0] == 400
    body = json.dumps({"model": "grammar", "messages": [{"role": "user", "content": "hello"}]}).encode()
    assert responder().respond("/v1/chat/completions", body)[0] == 400
