from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from replaylab.derive.digests import verdict_digest
from replaylab.derive.trajectory import trajectory_of
from replaylab.derive.verdict import derive, verdict_of
from replaylab.errors import CallFailed
from replaylab.roles.verifier import Judge, decide
from replaylab.schema.base import JsonObject
from replaylab.schema.cassette import Limits
from replaylab.schema.scenario import Rubric
from replaylab.schema.trajectory import JudgedBy, Verdict
from tests.derive.recording import Answer, header, lanes
from tests.roles.fakes import ENVIRONMENT, NATIVE, TASK, FakeChat

YES = '{"is_correct": true, "feedback": "yes"}'
NO = '{"is_correct": false, "feedback": "no"}'
FAILED = CallFailed("503", kind="http_status")
ANSWERS = st.sampled_from(
    [YES, NO, f"```json\n{NO}\n```", "INCORRECT", '{"is_correct": "false", "feedback": ""}', FAILED]
)


def verdict(*votes: list[Answer], agent: Answer = "Done.", limits: Limits | None = None) -> Verdict:
    recorded = lanes(agent=[agent], **{f"verifier_{index}": given for index, given in enumerate(votes)})
    return derive(header(limits=limits), recorded).verdict


@given(st.lists(st.lists(ANSWERS, min_size=2, max_size=2), min_size=3, max_size=3))
def test_a_recording_gives_the_verdict_that_was_live(answers: list[list[Answer]]) -> None:
    head = header()
    trajectory = trajectory_of(head, lanes(agent=["Done."]))
    chats = [FakeChat(given) for given in answers]
    judges = [Judge(chat, ENVIRONMENT, TASK, NATIVE, vote=n, asks=2) for n, chat in enumerate(chats)]
    live = decide([judge.vote(trajectory) for judge in judges])
    used = {f"verifier_{n}": answers[n][: len(chat.asked)] for n, chat in enumerate(chats)}
    derived = verdict_of(head, lanes(agent=["Done."], **used), trajectory)
    assert derived == live
    assert verdict_digest(derived) == verdict_digest(live)


def test_a_judges_failure_is_an_error_vote_and_turns_no_pass_into_a_fail() -> None:
    given = verdict([YES], [FAILED], [FAILED])
    assert (given.outcome, [vote.outcome for vote in given.votes]) == ("pass", ["pass", "error", "error"])


def test_a_tie_is_an_error_and_keeps_every_vote_and_its_reason() -> None:
    given = verdict([YES], [NO], ["INCORRECT", "CORRECT"])
    assert given.outcome == "error"
    assert [(vote.outcome, vote.reason, vote.asked) for vote in given.votes] == [
        ("pass", "yes", 1), ("fail", "no", 1), ("error", "unparsable", 2),
    ]  # fmt: skip


def test_no_valid_vote_is_an_error() -> None:
    assert verdict(["hm", "hm"], ["", ""], [FAILED]).outcome == "error"


def test_a_broken_trial_is_an_error_that_no_judge_was_asked_about() -> None:
    given = verdict([YES], [YES], [YES], agent=FAILED)
    assert given == Verdict(outcome="error", reason="agent_error: turn 0: http_status")


def test_a_trial_at_its_step_limit_is_judged() -> None:
    assert verdict([NO], [NO], [YES], limits=Limits(max_steps=0, votes=3, asks=2)).outcome == "fail"


def test_a_vote_that_was_never_recorded_is_an_error_vote() -> None:
    given = verdict([YES], [YES])
    assert [vote.reason for vote in given.votes] == ["yes", "yes", "lane_dry"]
    assert given.outcome == "pass"


def test_a_lockstep_run_has_no_verdict() -> None:
    recorded = lanes(agent=["Done."], verifier_0=[YES], verifier_1=[YES], verifier_2=[YES])
    given = derive(header(mode="lockstep/own"), recorded).verdict
    assert (given.outcome, given.votes) == ("none", ())


SAYS_DONE: JsonObject = {"id": "done", "kind": "said", "value": "done"}
SAYS_MORE: JsonObject = {"id": "more", "kind": "said", "value": "more"}
READER: JsonObject = {"id": "tone", "kind": "judge", "question": "Is it kind?"}


def judged(by: JudgedBy, votes: list[str], *checks: JsonObject, agent: Answer = "Done.") -> Verdict:
    task = TASK.model_copy(update={"rubric": Rubric(text="", checks=checks)})
    recorded = lanes(agent=[agent], **{f"verifier_{index}": [one] for index, one in enumerate(votes)})
    head = header(limits=Limits(votes=len(votes)), judged_by=by).model_copy(update={"task": task})
    return derive(head, recorded).verdict


@pytest.mark.parametrize(
    ("by", "votes", "checks", "outcome"),
    [
        ("votes", [YES], [SAYS_MORE], "pass"),
        ("checks", [], [SAYS_DONE], "pass"),
        ("checks", [], [SAYS_DONE, SAYS_MORE], "fail"),
        ("checks", [], [SAYS_DONE, READER], "error"),
        ("both", [YES], [SAYS_DONE], "pass"),
        ("both", [YES], [SAYS_DONE, READER], "pass"),
        ("both", [YES], [SAYS_DONE, SAYS_MORE], "fail"),
        ("both", [NO], [SAYS_DONE], "fail"),
        ("both", ["hm"], [SAYS_MORE], "error"),
    ],
)
def test_votes_checks_or_both_decide_as_the_header_says(
    by: JudgedBy, votes: list[str], checks: list[JsonObject], outcome: str
) -> None:
    given = judged(by, votes, *checks)
    assert given.outcome == outcome
    assert len(given.votes) == len(votes)
    assert [one.id for one in given.checks] == ([] if by == "votes" else [check["id"] for check in checks])


@pytest.mark.parametrize(
    ("vote", "check", "parted"),
    [(YES, SAYS_DONE, False), (YES, SAYS_MORE, True), (NO, SAYS_DONE, True), (NO, SAYS_MORE, False)],
)
def test_the_reason_says_where_votes_and_checks_disagree(vote: str, check: JsonObject, parted: bool) -> None:
    assert ("disagree" in judged("both", [vote], check).reason) is parted


@pytest.mark.parametrize("by", ["checks", "both"])
def test_a_broken_trial_stays_an_error_whatever_decides(by: JudgedBy) -> None:
    given = judged(by, [YES], SAYS_DONE, agent=FAILED)
    assert (given.outcome, given.checks) == ("error", ())


def test_checks_that_cannot_be_read_decide_nothing_and_say_so() -> None:
    given = judged("checks", [], {"id": "a", "kind": "sayd"})
    assert (given.outcome, given.checks[0].result) == ("error", "open")
    assert "sayd" in given.checks[0].reason
