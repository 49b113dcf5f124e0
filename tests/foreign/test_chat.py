"""The agent's lane of a trial whose agent is the user's own."""

from __future__ import annotations

import json
import threading
import time
from typing import Any

import pytest

from replaylab.cassette.codec import Cassette
from replaylab.engine.gate import Gate, Stopped
from replaylab.engine.replay import replay_cassette
from replaylab.engine.seal import result_of_cassette
from replaylab.engine.verify import deep_check
from replaylab.schema.cassette import Limits
from replaylab.schema.interaction import Interaction
from replaylab.wire.redact import Redactor
from tests.foreign.playing import Stage, answered, careful, header, play, sealed

LOOK = ("list_places", "{}")


def termination(cassette: Cassette) -> tuple[str, str, str]:
    result = result_of_cassette(cassette)
    return result.trajectory.termination, result.trajectory.error, result.verdict.outcome


def rerun(cassette: Cassette, stage: Any) -> list[str]:
    """The kinds of what differs when the agent runs again over a recording."""
    stage = stage if isinstance(stage, Stage) else Stage(stage)
    return [one.kind for one in replay_cassette(cassette, stage.open_chat()).findings]


@pytest.fixture(scope="module")
def recorded() -> Cassette:
    return sealed(careful)


def test_moves_are_recorded_as_a_model_would_have_answered(recorded: Cassette) -> None:
    moves = answered(recorded.lanes["agent"])
    assert all(isinstance(move, list) for move in moves[:-1])
    assert isinstance(moves[-1], str)
    assert termination(recorded) == ("answered", "", "pass")


def test_what_the_agent_asked_llms_is_a_lane_of_its_trial(recorded: Cassette) -> None:
    assert len(recorded.lanes["llm.0"]) == len(recorded.lanes["agent"])
    assert recorded.header.lanes["llm.0"].how == "recorded"
    assert "llm.0" in recorded.seal.lanes


def test_a_recording_is_sound_and_replays_without_the_agent(recorded: Cassette) -> None:
    assert list(deep_check(recorded)) == []
    replayed = replay_cassette(recorded)
    assert replayed.findings == ()
    assert replayed.outcome == recorded.seal.outcome
    assert replayed.interactions == sum(map(len, recorded.lanes.values()))


def test_the_same_agent_does_the_same_again(recorded: Cassette) -> None:
    assert rerun(recorded, Stage(careful, respond=nobody)) == []


def nobody(path: str, body: bytes) -> Any:
    raise AssertionError("an LLM was asked while offline")


def test_an_agent_that_asks_otherwise_diverges(recorded: Cassette) -> None:
    def other(task: Any, tools: Any, call: Any) -> str:
        task.instruction += " Now."
        return careful(task, tools, call)

    assert rerun(recorded, Stage(other, respond=nobody)) == ["request"]


def test_an_agent_that_acts_otherwise_diverges(recorded: Cassette) -> None:
    def other(task: Any, tools: Any, call: Any) -> str:
        return careful(task, tools, call) + "!"

    assert rerun(recorded, Stage(other, respond=nobody)) == ["action"]


def test_an_agent_that_asks_less_diverges(recorded: Cassette) -> None:
    moves = answered(recorded.lanes["agent"])

    def other(task: Any, tools: Any, call: Any) -> str:
        for move in moves[:-1]:
            for tool, arguments in move:
                call(tool, arguments)
        return str(moves[-1])

    assert rerun(recorded, other) == ["lane_unplayed"]


def test_an_agent_that_asks_more_diverges(recorded: Cassette) -> None:
    def other(task: Any, tools: Any, call: Any) -> str:
        answer = careful(task, tools, call)
        task.client().chat.completions.create(model="coin", messages=[{"role": "user", "content": "And?"}])
        return answer

    assert rerun(recorded, Stage(other, respond=nobody)) == ["lane_dry"]


def test_calls_of_one_turn_are_answered_together() -> None:
    def agent(task: Any, tools: Any, call: Any) -> str:
        places, waiting = call.together([("list_places", None), ("list_waiting", {})])
        return json.dumps([sorted(places), sorted(waiting)])

    cassette = sealed(agent)
    assert answered(cassette.lanes["agent"])[0] == [LOOK, ("list_waiting", "{}")]
    assert answered(cassette.lanes["agent"])[1] == '[["places"], ["waiting"]]'
    assert rerun(cassette, agent) == []


def test_calls_of_several_threads_are_turns_one_after_the_other_and_repeat_in_any_order() -> None:
    def agent(task: Any, tools: Any, call: Any) -> str:
        threads = [threading.Thread(target=call, args=(tool,)) for tool in order]
        for thread in threads:
            thread.start()
            time.sleep(0.05)
        for thread in threads:
            thread.join()
        return "done"

    order = ["list_places", "list_waiting"]
    cassette = sealed(agent)
    order.reverse()
    assert rerun(cassette, agent) == []
    assert rerun(cassette, Stage(agent)) == []


def test_unknown_tools_and_arguments_that_are_none_are_answered_and_not_fatal() -> None:
    seen: list[Any] = []

    def agent(task: Any, tools: Any, call: Any) -> str:
        tried: list[tuple[str, Any]] = [("nope", {}), ("get_patient", "{not json"), ("get_patient", {})]
        seen.extend(call(*one) for one in tried)
        return "done"

    assert termination(sealed(agent))[0] == "answered"
    assert all("error" in one for one in seen)


def test_an_exception_is_an_error_and_never_a_fail() -> None:
    def agent(task: Any, tools: Any, call: Any) -> str:
        call("list_places")
        raise ValueError("no idea")

    stage = Stage(agent)
    cassette = sealed(stage)
    assert termination(cassette) == ("agent_error", "turn 1: agent_crashed", "error")
    assert "ValueError: no idea" in (cassette.lanes["agent"][-1].final.text or "")
    assert "no idea" in stage.told[0]
    assert list(deep_check(cassette)) == []
    assert replay_cassette(cassette).findings == ()
    assert rerun(cassette, agent) == []
    assert rerun(cassette, lambda task, tools, call: str(call("list_places"))) == ["action"]


def test_a_silent_agent_is_an_error() -> None:
    gone = threading.Event()

    def agent(task: Any, tools: Any, call: Any) -> str:
        call("list_places")
        gone.wait(20)
        return "late"

    cassette = sealed_and(gone, Stage(agent, silence_s=0.3))
    assert termination(cassette) == ("agent_error", "turn 1: agent_silent", "error")
    assert rerun(cassette, agent) == []


def sealed_and(gone: threading.Event, stage: Stage) -> Cassette:
    threading.Timer(1.0, gone.set).start()
    return sealed(stage)


def test_an_answer_that_is_no_text_is_an_error() -> None:
    cassette = sealed(lambda task, tools, call: None)
    assert termination(cassette) == ("agent_error", "turn 0: agent_crashed", "error")


def test_a_trial_ends_at_its_step_limit_and_its_agent_with_it() -> None:
    ended: list[str] = []

    def agent(task: Any, tools: Any, call: Any) -> str:
        try:
            while True:
                try:
                    call("list_places")
                except Exception:  # noqa: BLE001 - what the rule is about
                    continue
        finally:
            ended.append("yes")

    cassette = sealed(agent, header(limits=Limits(max_steps=3, votes=1)))
    assert termination(cassette)[0] == "step_limit"
    assert len(cassette.lanes["agent"]) == 3
    assert ended == ["yes"]
    assert rerun(cassette, agent) == []


def test_secrets_in_moves_are_not_recorded_and_the_engine_sees_what_is() -> None:
    secret = "kq82hfy3nxw0"

    def agent(task: Any, tools: Any, call: Any) -> str:
        call("get_patient", {"patient": secret})
        return f"the key is {secret}"

    cassette = sealed(Stage(agent, redactor=Redactor([secret])))
    assert secret not in json.dumps([row.to_json() for rows in cassette.lanes.values() for row in rows])
    assert secret not in result_of_cassette(cassette).trajectory.answer


def test_a_run_that_is_stopped_ends_the_wait_for_an_agent() -> None:
    gate = Gate(1)
    gone = threading.Event()

    def agent(task: Any, tools: Any, call: Any) -> str:
        gate.stop()
        gone.wait(2)
        return "late"

    with pytest.raises(Stopped):
        play(Stage(agent, check=gate.check))


def cut(cassette: Cassette, **kept: int) -> dict[str, list[Interaction]]:
    """The lanes of a recording that was killed."""
    return {lane: rows[: kept.get(lane.replace(".", "_"), 0)] for lane, rows in cassette.lanes.items()}


def test_an_interrupted_trial_goes_on_where_its_agent_was(recorded: Cassette) -> None:
    asked: list[bytes] = []

    def respond(path: str, body: bytes) -> Any:
        from tests.playground import responder

        asked.append(body)
        return responder().respond(path, body)

    lanes = cut(recorded, agent=3, simulator=3, llm_0=4)
    tape = play(Stage(careful, respond=respond), recorded=lanes, blob=recorded.blob)
    assert answered(tape.lanes["agent"]) == answered(recorded.lanes["agent"])
    assert len(asked) == len(recorded.lanes["llm.0"]) - 4
    assert [row.request.digest for row in tape.lanes["llm.0"]] == [
        row.request.digest for row in recorded.lanes["llm.0"]
    ]
    tape.check_played()


def test_an_agent_that_does_not_come_back_to_where_it_was_ends_its_try_as_an_error(
    recorded: Cassette,
) -> None:
    def other(task: Any, tools: Any, call: Any) -> str:
        return str(call("list_waiting"))

    for agent in (other, careful_with("Now.")):
        lanes = cut(recorded, agent=3, simulator=3, llm_0=4)
        tape = play(agent, recorded=lanes, blob=recorded.blob)
        tape.check_played()
        assert answered(tape.lanes["agent"])[-1] == "agent_diverged"
        assert len(tape.lanes["agent"]) == 4
        assert len(tape.lanes["llm.0"]) == 4


def careful_with(more: str) -> Any:
    def later(task: Any, tools: Any, call: Any) -> str:
        task.instruction += more
        return careful(task, tools, call)

    return later


def test_a_live_move_that_skips_what_was_asked_before_is_a_divergence(recorded: Cassette) -> None:
    moves = answered(recorded.lanes["agent"])

    def silent(task: Any, tools: Any, call: Any) -> str:
        for move in moves[:-1]:
            for tool, arguments in move:
                call(tool, arguments)
        return str(moves[-1])

    lanes = cut(recorded, agent=3, simulator=3, llm_0=4)
    tape = play(silent, recorded=lanes, blob=recorded.blob)
    assert answered(tape.lanes["agent"])[-1] == "agent_diverged"


def test_a_try_that_ended_so_replays_and_is_not_asked_of_the_agent_again(recorded: Cassette) -> None:
    lanes = cut(recorded, agent=3, simulator=3, llm_0=4)
    cassette = sealed(careful_with("Now."), recorded=lanes, blob=recorded.blob)
    assert termination(cassette) == ("agent_error", "turn 3: agent_diverged", "error")
    assert replay_cassette(cassette).findings == ()
    assert rerun(cassette, Stage(nobody)) == []
    assert list(deep_check(cassette)) == []


def test_the_agent_is_told_what_a_model_in_its_place_is_told_and_nothing_else(recorded: Cassette) -> None:
    heard: list[Any] = []

    def agent(task: Any, tools: Any, call: Any) -> str:
        heard.append({"task": vars(task), "tools": tools})
        return "done"

    cassette = sealed(agent)
    head = cassette.header
    told = json.dumps(heard, default=lambda value: "" if callable(value) else str(value))
    assert head.task.instruction in heard[0]["task"]["instruction"]
    assert head.task.plan is not None
    hidden = [
        head.environment.system_prompt,
        head.task.rubric.text,
        head.task.plan.answer,
        json.dumps(head.environment.initial_state),
    ]
    for text in hidden:
        for sentence in (part.strip() for part in text.split(". ")):
            assert len(sentence) < 25 or sentence not in told
