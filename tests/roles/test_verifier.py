from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from replaylab.errors import CallFailed
from replaylab.roles.verifier import Judge, decide, read_blocks, read_vote, trajectory_block
from replaylab.schema.completion import Completion
from replaylab.schema.fault import FaultEvent
from replaylab.schema.model import ModelSettings
from replaylab.schema.trajectory import Action, Outcome, Trajectory, Turn, Vote
from tests.roles.fakes import BOUND, ENVIRONMENT, NATIVE, TASK, FakeChat

YES = '{"is_correct": true, "feedback": "R1 was free."}'
STALE = FaultEvent(
    fault=1,
    kind="stale",
    call=1,
    tool="list_rooms",
    left=1,
    clean={"rooms": ["SECRET"]},
    delivered={"rooms": []},
)
DOWN = FaultEvent(fault=0, kind="http_500", call=2, tool="ping", left=0, delivered={"error": "500"})
TRAJECTORY = Trajectory(
    turns=(
        Turn(
            text="Looking.",
            reasoning="HIDDEN",
            finish_reason="tool_calls",
            actions=(
                Action(
                    call=0,
                    id="x",
                    tool="list_rooms",
                    arguments=None,
                    raw_arguments="{",
                    observation={"error": "e"},
                    by="engine",
                ),
                Action(
                    call=1,
                    id="y",
                    tool="list_rooms",
                    arguments={"floor": 1},
                    observation={"rooms": []},
                    fault=STALE,
                ),
                Action(
                    call=2,
                    id="z",
                    tool="ping",
                    arguments={},
                    observation={"error": "500"},
                    by="faults",
                    fault=DOWN,
                ),
            ),
        ),
        Turn(text="P-1 is in R1."),
    ),
    answer="P-1 is in R1.",
    termination="answered",
)


def judge(chat: FakeChat, settings: ModelSettings = NATIVE, asks: int = 3) -> Vote:
    return Judge(chat, ENVIRONMENT, TASK, settings, vote=1, asks=asks).vote(TRAJECTORY)


def votes(*outcomes: Outcome) -> list[Vote]:
    return [Vote(vote=index, outcome=outcome) for index, outcome in enumerate(outcomes)]


def test_a_judge_gets_the_prompt_the_task_and_the_trajectory() -> None:
    chat = FakeChat([YES])
    assert judge(chat) == Vote(vote=1, outcome="pass", reason="R1 was free.", asked=1)
    system, task, trajectory = chat.messages(0)
    assert [system["role"], task["role"], trajectory["role"]] == ["system", "user", "user"]
    assert json.loads(task["content"].removeprefix("## Task\n")) == {
        "environment": "ward",
        "initial_state": ENVIRONMENT.initial_state,
        "instruction": TASK.instruction,
        "rubric": TASK.rubric.text,
        "state_description": ENVIRONMENT.state_description,
        "task": "task/1",
    }
    assert trajectory["content"].startswith("## Trajectory\n{")


def test_the_state_description_goes_out_as_json_and_not_as_python() -> None:
    chat = FakeChat([YES])
    judge(chat)
    assert (
        """"state_description":{"rooms":"Rooms by id; it's free until assigned."}"""
        in chat.messages(0)[1]["content"]
    )


def test_a_judge_sees_what_the_agent_saw_and_that_a_fault_was_there_but_not_what_it_hid() -> None:
    text = trajectory_block(TRAJECTORY)
    view = json.loads(text.removeprefix("## Trajectory\n"))
    assert view["turns"][0]["actions"] == [
        {
            "call": 0, "tool": "list_rooms", "arguments": None, "raw_arguments": "{",
            "observation": {"error": "e"}, "by": "engine",
        },
        {"call": 1, "tool": "list_rooms", "arguments": {"floor": 1}, "observation": {"rooms": []}, "fault": "stale"},
        {
            "call": 2, "tool": "ping", "arguments": {}, "observation": {"error": "500"},
            "by": "faults", "fault": "http_500",
        },
    ]  # fmt: skip
    assert (view["answer"], view["termination"]) == ("P-1 is in R1.", "answered")
    assert "SECRET" not in text
    assert "HIDDEN" not in text


def test_a_program_finds_task_and_trajectory_again() -> None:
    chat = FakeChat([YES])
    judge(chat)
    found = read_blocks(chat.messages(0))
    assert found is not None
    task, trajectory = found
    assert task["task"] == "task/1"
    assert trajectory_block(trajectory) == trajectory_block(TRAJECTORY)
    assert trajectory.actions[1].clean == {"rooms": []}
    assert read_blocks([{"role": "user", "content": "## Task\nno json"}]) is None
    assert read_blocks([{"role": "user", "content": None}]) is None


@pytest.mark.parametrize(
    "text",
    [
        '{"is_correct": "false", "feedback": "no"}',
        '{"is_correct": "true", "feedback": "yes"}',
        '{"is_correct": 1, "feedback": "yes"}',
        '{"is_correct": null, "feedback": "?"}',
        '{"is_correct": true}',
        '{"is_correct": true, "feedback": null}',
        '{"feedback": "yes"}',
        '[{"is_correct": true, "feedback": "yes"}]',
        "true",
        "CORRECT",
        "INCORRECT",
        "The agent is correct.",
        "",
        '{"is_correct": true, "feedback": "a"} {"is_correct": false, "feedback": "b"}',
        '{"is_correct": true, "is_correct": false, "feedback": "b"}',
        '{"is_correct": true, "feedback": "cut',
    ],
)
def test_what_is_not_a_boolean_with_feedback_is_no_vote(text: str) -> None:
    with pytest.raises(CallFailed) as caught:
        read_vote(Completion(text=text))
    assert caught.value.kind == "unparsable"


def test_braces_in_prose_and_extra_keys_do_not_spoil_a_vote() -> None:
    text = 'By {rubric}: ```json\n{"is_correct": false, "feedback": "used {R9}", "score": 0.2}\n```'
    assert read_vote(Completion(text=text)) == (False, "used {R9}", ())


def test_a_program_may_give_its_checks_with_the_vote() -> None:
    checks = [{"id": "c1", "result": "fail", "reason": "never called", "call": -1}]
    body: dict[str, Any] = {"is_correct": False, "feedback": "c1", "checks": checks}
    vote = judge(FakeChat([json.dumps(body)]))
    assert [(check.id, check.result) for check in vote.checks] == [("c1", "fail")]
    assert read_vote(Completion(text=json.dumps(body | {"checks": ["c1"]}))).checks == ()


def test_an_answer_that_is_no_vote_is_asked_again() -> None:
    chat = FakeChat(["INCORRECT", '{"is_correct": "false", "feedback": ""}', YES])
    assert judge(chat) == Vote(vote=1, outcome="pass", reason="R1 was free.", asked=3)
    last = chat.messages(2)
    assert [m["role"] for m in last[3:]] == ["assistant", "user", "assistant", "user"]
    assert last[3]["content"] == "INCORRECT"
    assert "neither true nor false" in last[6]["content"]
    assert all(a is b for a, b in zip(chat.messages(1), last, strict=False))


def test_a_judge_without_a_valid_vote_gives_an_error_vote_and_no_fail() -> None:
    assert judge(FakeChat(["no"] * 5), asks=2) == Vote(vote=1, outcome="error", reason="unparsable", asked=2)


def test_a_failed_call_is_an_error_vote_and_no_fail() -> None:
    chat = FakeChat([CallFailed("the words of the server", kind="rate_limited"), YES])
    assert judge(chat) == Vote(vote=1, outcome="error", reason="rate_limited", asked=1)
    assert len(chat.asked) == 1


def test_only_a_bound_judge_sends_a_schema() -> None:
    free, bound = FakeChat([YES]), FakeChat([YES])
    judge(free)
    judge(bound, BOUND)
    assert free.asked[0][2] is None
    extra = bound.asked[0][2]
    assert extra is not None
    validator = Draft202012Validator(extra["response_format"]["json_schema"]["schema"])
    assert validator.is_valid(json.loads(YES))
    assert not validator.is_valid({"is_correct": "true", "feedback": ""})


@given(st.lists(st.sampled_from(["pass", "fail", "error"]), max_size=7))
def test_the_majority_of_valid_votes_decides_and_a_tie_or_none_is_an_error(outcomes: list[Outcome]) -> None:
    verdict = decide(votes(*outcomes))
    passed, failed = outcomes.count("pass"), outcomes.count("fail")
    wanted = "error" if passed == failed else "pass" if passed > failed else "fail"
    assert verdict.outcome == wanted
    assert [vote.outcome for vote in verdict.votes] == outcomes


def test_one_valid_vote_beside_two_errors_decides() -> None:
    verdict = decide(votes("pass", "error", "error"))
    assert (verdict.outcome, verdict.reason) == ("pass", "1 pass, 0 fail, 2 error")
