"""The desk at which an agent from outside is served."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

from replaylab.engine.seal import result_of_cassette
from replaylab.foreign.desk import EMPTY, OVER, Desk, Said
from tests.foreign.playing import Stage, answered, play, sealed


def stage(desk: Desk) -> Stage:
    return Stage(lambda: None, start=desk)


def test_whoever_comes_plays_the_trial_that_is_seated() -> None:
    desk = Desk()
    with ThreadPoolExecutor(1) as trials:
        trial = trials.submit(sealed, stage(desk))
        assigned = desk.seated(10)
        assert assigned is not None
        assert "list_places" in [tool["function"]["name"] for tool in assigned.tools]
        assert desk.call("list_places", "{}").text.startswith('{"places"')
        assert not desk.submit("done").refused
        cassette = trial.result(30)
    assert answered(cassette.lanes["agent"]) == [[("list_places", "{}")], "done"]
    assert desk.call("list_places", "{}") == Said(OVER, refused=True)
    assert desk.submit("again") == Said(OVER, refused=True)


def test_before_the_first_trial_there_is_none() -> None:
    desk = Desk()
    assert desk.seated() is None
    assert desk.call("a", "{}") == Said(EMPTY, refused=True)
    assert desk.submit("a") == Said(EMPTY, refused=True)
    desk.leave()


def test_one_that_goes_away_without_an_answer_leaves_an_error() -> None:
    desk = Desk()
    threading.Timer(0.2, desk.leave).start()
    cassette = sealed(stage(desk))
    result = result_of_cassette(cassette)
    assert (result.trajectory.error, result.verdict.outcome) == ("turn 0: agent_left", "error")


def test_one_that_left_before_does_not_play_the_next_trial() -> None:
    desk = Desk()
    desk.leave()
    assert answered(sealed(stage(desk)).lanes["agent"]) == ["agent_left"]


def test_one_that_goes_away_after_its_answer_leaves_nothing() -> None:
    desk = Desk()
    with ThreadPoolExecutor(1) as trials:
        trial = trials.submit(sealed, stage(desk))
        desk.seated(10)
        desk.submit("done")
        desk.leave()
        assert answered(trial.result(30).lanes["agent"]) == ["done"]


def test_an_interrupted_trial_is_not_given_to_another_client() -> None:
    first = Desk()
    with ThreadPoolExecutor(1) as trials:
        trial = trials.submit(sealed, stage(first))
        first.seated(10)
        first.call("list_places", "{}")
        first.submit("done")
        cassette = trial.result(30)
    lanes = {lane: rows[:1] for lane, rows in cassette.lanes.items() if lane in ("agent", "simulator")}
    second = Desk()
    tape = play(stage(second), recorded=lanes, blob=cassette.blob)
    assert answered(tape.lanes["agent"])[-1] == "agent_left"
    assert second.seated() is None


def test_an_answer_returns_when_the_next_trial_is_seated() -> None:
    desk = Desk(trials=2)
    with ThreadPoolExecutor(1) as trials:
        first = trials.submit(sealed, stage(desk))
        before = desk.seated(10)
        answer = threading.Thread(target=desk.submit, args=("done",))
        answer.start()
        first.result(30)
        answer.join(0.3)
        assert answer.is_alive()
        second = trials.submit(sealed, stage(desk))
        answer.join(30)
        assert not answer.is_alive()
        assert desk.seated() is not before
        assert not desk.submit("done as well").refused
        second.result(30)


def test_an_answer_does_not_wait_for_ever_for_a_trial_that_does_not_come() -> None:
    desk = Desk(trials=2, next_s=0.1)
    with ThreadPoolExecutor(1) as trials:
        first = trials.submit(sealed, stage(desk))
        desk.seated(10)
        assert not desk.submit("done").refused
        first.result(30)


def test_who_waits_for_a_trial_is_told_that_none_comes_any_more() -> None:
    desk = Desk()
    threading.Timer(0.1, desk.close).start()
    assert desk.seated(60) is None
    assert desk.closed
