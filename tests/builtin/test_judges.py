from __future__ import annotations

import json
from typing import Any

import pytest

from replaylab.builtin.responder import Responder
from replaylab.catalogue.loader import Catalogue
from replaylab.faults.plan import named
from replaylab.roles.chat import response_format
from replaylab.roles.shapes import vote_schema
from replaylab.roles.verifier import task_block, trajectory_block
from replaylab.schema.scenario import Rubric
from replaylab.schema.trajectory import Action, Trajectory, Turn
from tests.builtin.playing import asked, changed, said, trial

TASK = "ed-sepsis-room"
READ = {"id": "read", "kind": "called", "tool": "list_places"}
OPEN = {"id": "polite", "kind": "judge", "question": "Is the answer polite?"}
NEVER = {"id": "never", "kind": "forbid", "tool": "list_places"}
ONE_CALL = Trajectory(
    turns=(
        Turn(actions=(Action(call=0, id="", tool="list_places", arguments={}, observation={"places": []}),)),
    ),
    answer="Done.",
    termination="answered",
)


def judged(catalogue: Catalogue, *checks: Any, trajectory: Trajectory = ONE_CALL, **more: Any) -> str:
    """What `rubric` says of a trajectory under these checks."""
    other = changed(catalogue, TASK, rubric=Rubric(text="see the checks", checks=checks))
    _, environment, task = other.task(TASK)
    blocks = (task_block(environment, task), trajectory_block(trajectory))
    messages = [{"role": "user", "content": block} for block in blocks]
    status, answer = asked(Responder(other), "rubric", *messages, **more)
    assert status == 200, answer
    return said(answer)


def test_all_checks_pass(catalogue: Catalogue) -> None:
    vote = json.loads(judged(catalogue, READ))
    assert vote["is_correct"] is True
    assert [check["result"] for check in vote["checks"]] == ["pass"]


def test_feedback_names_the_checks_that_failed_and_the_call(catalogue: Catalogue) -> None:
    vote = json.loads(judged(catalogue, READ, NEVER))
    assert vote["is_correct"] is False
    assert "1 of 2 checks fail" in vote["feedback"]
    assert "never (call 0)" in vote["feedback"]
    assert "read" not in vote["feedback"].split(":")[1]


def test_a_failed_check_decides_whatever_is_open(catalogue: Catalogue) -> None:
    assert json.loads(judged(catalogue, OPEN, NEVER))["is_correct"] is False


@pytest.mark.parametrize("checks", [(READ, OPEN), (OPEN,), ()])
def test_what_a_program_cannot_decide_gets_no_vote(catalogue: Catalogue, checks: Any) -> None:
    assert judged(catalogue, *checks).startswith("cannot decide: ")


def test_no_vote_ends_as_an_error_and_not_as_a_fail(catalogue: Catalogue) -> None:
    other = changed(catalogue, TASK, rubric=Rubric(text="polite", checks=(OPEN,)))
    played = trial(Responder(other), TASK, "scripted:careful")
    assert played.verdict.outcome == "error"
    assert [(vote.outcome, vote.reason, vote.asked) for vote in played.verdict.votes] == [
        ("error", "unparsable", 3)
    ]


def test_a_schema_for_votes_is_kept_to(catalogue: Catalogue) -> None:
    vote = json.loads(judged(catalogue, READ, **response_format("vote", vote_schema())))
    assert set(vote) == {"is_correct", "feedback"}


def test_wrong_checks_are_an_error_that_names_them(catalogue: Catalogue) -> None:
    other = changed(catalogue, TASK, rubric=Rubric(text="", checks=({"id": "odd", "kind": "cald"},)))
    _, environment, task = other.task(TASK)
    blocks = (task_block(environment, task), trajectory_block(ONE_CALL))
    messages = [{"role": "user", "content": block} for block in blocks]
    status, body = asked(Responder(other), "rubric", *messages)
    assert status == 400
    assert f"the checks of {TASK} are wrong" in body["error"]["message"]


def test_blocks_that_are_not_there_or_not_known_are_refused(catalogue: Catalogue, models: Responder) -> None:
    _, environment, task = catalogue.task(TASK)
    known = task_block(environment, task)
    for blocks in (
        ["hello"],
        [known],
        [known, "## Trajectory\n{}"],
        [known, '## Trajectory\n{"turns": [{}], "answer": "", "termination": "answered"}'],
        [known.replace("ER-2", "ER-9"), trajectory_block(ONE_CALL)],
    ):
        status, body = asked(models, "rubric", *({"role": "user", "content": block} for block in blocks))
        assert (status, body["error"]["param"]) == (400, "messages")


def test_the_verdict_carries_every_check_of_the_program(models: Responder) -> None:
    played = trial(models, TASK, "scripted:hasty", named("E1"))
    checks = models.models.index.catalogue.task(TASK).task.rubric.checks
    assert [check.id for check in played.verdict.votes[0].checks] == [check["id"] for check in checks]
