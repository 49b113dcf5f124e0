from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import pytest

from replaylab.cassette.tape import Tape, expand
from replaylab.engine.trial import in_turn, seeded
from replaylab.faults.plan import named
from replaylab.schema.base import JsonObject
from replaylab.schema.cassette import Limits
from replaylab.schema.trajectory import Verdict
from tests.engine.playing import NO, YES, Respond, failure, header, play, scripted, sealed, votes
from tests.engine.playing import seeded as settings
from tests.playground import program

LOOK: list[Any] = [("list_places", {})]
LOOKS: list[Any] = [("list_places", {}), ("list_waiting", {})]


def bodies(tape: Tape, lane: str) -> list[JsonObject]:
    """The requests of a lane, whole."""
    rows = tape.lanes[lane]
    return [expand(rows, ordinal, tape.recorded_blob) for ordinal in range(len(rows))]


def verdict(respond: Respond, **changed: Any) -> Verdict:
    """The verdict of a trial whose models are `agent`, `sim` and `judge` where `respond` knows them."""
    roles = {"agent": "agent", "verifier": "judge", **changed}
    return sealed(header(**roles), respond)[1].verdict


@pytest.mark.parametrize(
    ("given", "outcome"),
    [
        ((YES, YES, YES), "pass"),
        ((YES, NO, YES), "pass"),
        ((NO, NO, YES), "fail"),
        ((NO, NO, NO), "fail"),
    ],
)
def test_the_majority_of_the_votes_decides(given: Sequence[str], outcome: str) -> None:
    found = verdict(scripted(agent=["Done."], judge=votes(*given)))
    assert (found.outcome, len(found.votes)) == (outcome, 3)


def test_a_tie_is_an_error_and_never_a_fail() -> None:
    found = verdict(scripted(agent=["Done."], judge=votes(YES, NO)), limits=Limits(votes=2, asks=1))
    assert (found.outcome, [vote.outcome for vote in found.votes]) == ("error", ["pass", "fail"])


def test_votes_that_cannot_be_read_are_asked_again_and_then_are_errors() -> None:
    found = verdict(scripted(agent=["Done."], judge=["Looks fine to me.", '{"is_correct": "false"}', YES]))
    assert [(vote.outcome, vote.asked) for vote in found.votes] == [("error", 2), ("pass", 1), ("pass", 1)]
    assert found.outcome == "pass"


def test_no_valid_vote_is_an_error() -> None:
    assert verdict(scripted(agent=["Done."], judge=["INCORRECT"])).outcome == "error"


def test_a_failing_judge_turns_no_pass_into_a_fail() -> None:
    found = verdict(scripted(agent=["Done."], judge=[YES, failure(400)]))
    assert (found.outcome, [vote.outcome for vote in found.votes]) == ("pass", ["pass", "error", "error"])


def test_an_agent_that_fails_is_an_error_that_nobody_judges() -> None:
    tape = play(header(agent="agent"), scripted(agent=[LOOK, failure(400)]))
    assert set(tape.lanes) == {"agent", "simulator"}
    assert verdict(scripted(agent=[LOOK, failure(400)])).outcome == "error"


@pytest.mark.parametrize("answer", [failure(400), "I am not JSON.", ""])
def test_a_simulator_that_fails_is_an_error_and_no_observation(answer: Any) -> None:
    respond = scripted(agent=[LOOK, "Done."], sim=[answer])
    cassette, result = sealed(header(agent="agent", simulator="sim"), respond)
    assert (result.trajectory.termination, result.verdict.outcome) == ("simulator_error", "error")
    assert result.trajectory.actions == ()
    assert set(cassette.lanes) == {"agent", "simulator"}


def test_an_unusable_observation_is_asked_again_and_never_shown() -> None:
    respond = scripted(
        agent=[LOOK, "Done."], sim=["<think>hm</think> no JSON", '{"places": []}'], judge=[YES]
    )
    tape = play(header(agent="agent", simulator="sim", verifier="judge"), respond)
    assert len(tape.lanes["simulator"]) == 2
    shown = [one["content"] for one in bodies(tape, "agent")[-1]["messages"] if one["role"] == "tool"]
    assert shown == ['{"places":[]}']


def test_the_step_limit_ends_a_trial_as_such_and_it_is_judged() -> None:
    respond = scripted(agent=[LOOK], judge=[NO])
    limits = Limits(max_steps=3, votes=3, asks=1)
    _, result = sealed(header(agent="agent", verifier="judge", limits=limits), respond)
    assert (result.trajectory.termination, len(result.trajectory.actions)) == ("step_limit", 3)
    assert result.verdict.outcome == "fail"


def test_calls_of_one_turn_are_answered_in_call_order_and_the_next_turn_sees_all() -> None:
    tape = play(header(agent="agent"), scripted(agent=[LOOKS, "Done."]))
    asked = [json.loads(body["messages"][-1]["content"])["name"] for body in bodies(tape, "simulator")]
    assert asked == ["list_places", "list_waiting"]
    last = bodies(tape, "agent")[-1]["messages"]
    assert [one["tool_call_id"] for one in last if one["role"] == "tool"] == ["call-0", "call-1"]


def test_a_call_that_cannot_be_made_reaches_no_simulator() -> None:
    tape = play(header(agent="agent"), scripted(agent=[[("no_such_tool", {})], "Done."]))
    assert "simulator" not in tape.lanes
    seen = bodies(tape, "agent")[-1]["messages"][-1]
    assert "There is no tool named" in seen["content"]


def test_an_explicit_fault_never_reaches_the_simulator() -> None:
    agent = [LOOK] * 8 + ["Done."]
    head = header(agent="agent", faults=named("E1", count=2, duration=2))
    tape = play(head, scripted(agent=agent))
    _, result = sealed(head, scripted(agent=agent))
    hit = [action for action in result.trajectory.actions if action.by == "faults"]
    assert len(hit) == 4
    assert len(tape.lanes["simulator"]) == 8 - 4
    told = json.dumps(bodies(tape, "simulator")[-1]["messages"][1:])
    for action in hit:
        assert json.dumps(action.observation)[1:-1] not in told


def test_an_implicit_fault_never_enters_the_simulators_history() -> None:
    agent = [LOOK] * 8 + ["Done."]
    clean, disturbed = (
        play(header(agent="agent", faults=named(name)), scripted(agent=agent)) for name in ("E0", "E2")
    )
    assert [row.request.digest for row in disturbed.lanes["simulator"]] == [
        row.request.digest for row in clean.lanes["simulator"]
    ]
    seen = [
        [one["content"] for one in bodies(tape, "agent")[-1]["messages"] if one["role"] == "tool"]
        for tape in (clean, disturbed)
    ]
    assert sum(one != other for one, other in zip(*seen, strict=True)) >= 1


def test_the_agent_is_told_the_frozen_clock() -> None:
    head = header()
    system = bodies(play(head), "agent")[0]["messages"][0]["content"]
    assert head.clock in system


def seeds(tape: Tape) -> dict[str, set[int]]:
    return {lane: {body["seed"] for body in bodies(tape, lane)} for lane in tape.lanes}


@pytest.mark.parametrize("trial", [0, 2])
def test_a_seed_counts_up_by_trial_and_by_thousands_of_votes(trial: int) -> None:
    head = header()
    players = {
        "agent": settings("scripted:careful", 7),
        "simulator": settings("twin", 7),
        "verifier": settings("rubric", 7),
    }
    subject = head.subject.model_copy(update={"trial": trial})
    assert seeds(play(head.model_copy(update={"players": players, "subject": subject}))) == {
        "agent": {7 + trial},
        "simulator": {7 + trial},
        "verifier.0": {7 + trial},
        "verifier.1": {7 + trial + 1000},
        "verifier.2": {7 + trial + 2000},
    }


def test_without_a_seed_none_is_sent() -> None:
    one = program("x", sampling={"temperature": 0})
    assert seeded(one, 3, 2) == one
    assert all("seed" not in body for body in bodies(play(header()), "verifier.2"))


def test_the_sampling_of_a_model_is_in_every_request_of_its_role() -> None:
    head = header()
    agent = program("scripted:careful", sampling={"temperature": 0.25, "reasoning_effort": "high"})
    tape = play(head.model_copy(update={"players": {**head.players, "agent": agent}}))
    for body in bodies(tape, "agent"):
        assert (body["temperature"], body["reasoning_effort"]) == (0.25, "high")
    assert all("temperature" not in body for body in bodies(tape, "simulator"))


def test_in_turn_runs_one_after_the_other_and_stops_at_a_failure() -> None:
    done: list[int] = []

    def thunk(number: int) -> None:
        done.append(number)
        if number == 1:
            raise ValueError("stop")

    with pytest.raises(ValueError, match="stop"):
        in_turn([lambda n=n: thunk(n) for n in range(3)])  # type: ignore[misc]
    assert done == [0, 1]
