"""Where the agent and the engine meet."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest

from replaylab.errors import UsageError
from replaylab.foreign.session import Call, Failed, Move, Session, TrialOver


def anything(move: Move) -> bool:
    return True


def never() -> bool:
    return False


def always() -> bool:
    return True


def taken(session: Session, fits: Callable[[Move], bool] = anything) -> Move:
    move = session.next_move(fits, never, never)
    assert move is not None
    return move


def test_a_call_waits_for_its_observations() -> None:
    session = Session()
    with ThreadPoolExecutor() as agents:
        asked = agents.submit(session.call, [Call("a", "{}"), Call("b", "{}")])
        move = taken(session)
        assert move.calls == (Call("a", "{}"), Call("b", "{}"))
        assert not asked.done()
        session.observed(move, ["1", "2"])
        assert asked.result(5) == ["1", "2"]


def test_moves_come_in_the_order_in_which_they_were_made() -> None:
    session = Session()
    with ThreadPoolExecutor(8) as agents:
        for number in range(8):
            agents.submit(session.call, [Call(str(number), "{}")])
            while len(session._pending) <= number:
                time.sleep(0.001)
        assert [taken(session).calls[0].tool for _ in range(8)] == list("01234567")
        session.end()


def test_of_waiting_calls_the_one_that_fits_goes_first() -> None:
    session = Session()
    with ThreadPoolExecutor(2) as agents:
        agents.submit(session.call, [Call("a", "{}")])
        agents.submit(session.call, [Call("b", "{}")])
        assert taken(session, lambda move: move.calls[0].tool == "b").calls[0].tool == "b"
        session.end()


def test_a_call_that_does_not_fit_is_taken_when_no_other_will_come() -> None:
    session = Session()
    with ThreadPoolExecutor(1) as agents:
        agents.submit(session.call, [Call("a", "{}")])
        looked: list[int] = []

        def settled() -> bool:
            looked.append(1)
            return len(looked) > 2

        move = session.next_move(lambda move: False, never, settled)
        assert move is not None
        assert move.calls[0].tool == "a"
        assert len(looked) == 3
        session.end()


def test_the_answer_comes_after_the_calls_that_wait_and_nothing_after_it() -> None:
    session = Session()
    with ThreadPoolExecutor(1) as agents:
        agents.submit(session.call, [Call("a", "{}")])
        while not session._pending:
            time.sleep(0.001)
        session.answer("done")
        assert taken(session).calls
        assert taken(session).answer == "done"
        with pytest.raises(TrialOver):
            session.call([Call("b", "{}")])
        with pytest.raises(TrialOver):
            session.answer("again")
        session.end()


def test_the_end_wakes_whoever_waits() -> None:
    session = Session()
    with ThreadPoolExecutor(1) as agents:
        asked = agents.submit(session.call, [Call("a", "{}")])
        taken(session)
        session.end()
        assert isinstance(asked.exception(5), TrialOver)


def test_a_failure_after_the_end_is_none() -> None:
    session = Session()
    session.end()
    session.fail("agent_crashed", "late")
    session.conclude("late")
    assert session.next_move(anything, always, never) is None


def test_a_failure_is_a_move() -> None:
    session = Session()
    session.fail("agent_crashed", "why")
    assert taken(session).failed == Failed("agent_crashed", "why")


def test_nobody_is_waited_for_for_ever() -> None:
    assert Session().next_move(anything, always, never) is None


def test_trouble_is_raised_to_the_engine_and_ends_the_agent() -> None:
    session = Session()
    first, second = UsageError("first"), UsageError("second")
    session.trip(first)
    session.trip(second)
    with pytest.raises(UsageError, match="first"):
        session.next_move(anything, never, never)
    with pytest.raises(TrialOver):
        session.call([Call("a", "{}")])


def test_the_end_of_a_trial_is_no_exception_that_an_agent_catches() -> None:
    assert not issubclass(TrialOver, Exception)


def test_a_late_call_is_slowed_down() -> None:
    session = Session()
    session.end()
    begun = time.monotonic()
    for _ in range(3):
        with pytest.raises(TrialOver):
            session.call([Call("a", "{}")])
    assert time.monotonic() - begun > 0.2


def test_a_thread_that_is_told_late_leaves_the_others_alone() -> None:
    session = Session()
    ended = threading.Event()

    def late() -> None:
        with pytest.raises(TrialOver):
            session.call([Call("a", "{}")])
        ended.set()

    session.end()
    threading.Thread(target=late, daemon=True).start()
    assert ended.wait(5)
