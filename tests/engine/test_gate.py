from __future__ import annotations

import threading
import time
from collections.abc import Callable
from decimal import Decimal

import pytest

from replaylab.engine.gate import Gate, Stopped
from replaylab.errors import DivergenceError, LimitReached
from replaylab.schema.interaction import Attempt, Interaction, RequestLine, Usage

NAME = "0" * 64


def call(alias: str = "m", attempts: int = 1, usage: Usage | None = None) -> Interaction:
    request = RequestLine(form="request/1", digest=NAME, alias=alias, path="/chat/completions")
    tried = (Attempt(status=200),) * attempts
    return Interaction(path="p", request=request, attempts=tried, usage=usage, outcome=NAME)


def threads(count: int, work: Callable[[], None]) -> list[threading.Thread]:
    started = [threading.Thread(target=work, daemon=True) for _ in range(count)]
    for thread in started:
        thread.start()
    return started


def test_no_more_calls_than_jobs_are_in_flight() -> None:
    gate, lock, now, most = Gate(3), threading.Lock(), [0], [0]

    def work() -> None:
        for _ in range(5):
            with gate:
                with lock:
                    now[0] += 1
                    most[0] = max(most[0], now[0])
                time.sleep(0.001)
                with lock:
                    now[0] -= 1

    for thread in threads(12, work):
        thread.join()
    assert (now[0], most[0]) == (0, 3)


def test_who_waits_longest_goes_next() -> None:
    gate, order = Gate(1), list[int]()
    gate.__enter__()
    waiting = []
    for number in range(5):

        def work(number: int = number) -> None:
            with gate:
                order.append(number)

        waiting += threads(1, work)
        while len(gate._waiting) <= number:
            time.sleep(0.001)
    gate.__exit__()
    for thread in waiting:
        thread.join()
    assert order == [0, 1, 2, 3, 4]


def test_max_calls_is_exact_with_many_threads_and_the_limit_is_named_once() -> None:
    gate, passed, refused = Gate(4, max_calls=7), list[int](), list[Exception]()

    def work() -> None:
        try:
            for _ in range(3):
                with gate:
                    passed.append(1)
        except (Stopped, LimitReached) as error:
            refused.append(error)

    for thread in threads(10, work):
        thread.join()
    assert len(passed) == 7
    assert [type(error) for error in refused].count(LimitReached) == 1
    assert all("--max-calls 7 is reached" in str(error) for error in refused)


def test_max_calls_0_lets_nothing_through() -> None:
    with pytest.raises(LimitReached), Gate(1, max_calls=0):
        pass


def test_max_cost_is_looked_at_before_each_call() -> None:
    gate = Gate(1, max_cost=Decimal("0.5"), price=lambda alias, usage: Decimal("0.3"))
    for _ in range(2):
        with gate:
            gate.count(call())
    with pytest.raises(LimitReached, match=r"0\.6000 US dollars spent"), gate:
        pass


def test_a_stop_wakes_everybody_who_waits_and_keeps_a_call_in_flight() -> None:
    gate, refused = Gate(1), list[Stopped]()

    def work() -> None:
        try:
            with gate:
                pass
        except Stopped as error:
            refused.append(error)

    with gate:
        waiting = threads(6, work)
        gate.stop()
        for thread in waiting:
            thread.join(60)
    assert len(refused) == 6


def test_a_stop_ends_a_sleep_at_once() -> None:
    gate, ended = Gate(1), threading.Event()

    def work() -> None:
        with pytest.raises(Stopped):
            gate.sleep(3600)
        ended.set()

    threads(1, work)
    gate.stop()
    assert ended.wait(60)


def test_a_limit_that_is_reached_ends_a_sleep_too() -> None:
    gate = Gate(1, max_calls=0)
    with pytest.raises(LimitReached), gate:
        pass
    with pytest.raises(Stopped, match="--max-calls 0"):
        gate.sleep(3600)


def test_without_a_stop_a_sleep_is_a_sleep() -> None:
    Gate(1).sleep(0)


def test_an_error_that_stopped_the_run_is_not_raised_again_by_the_gate() -> None:
    gate = Gate(2)
    gate.stop(DivergenceError("the request differs", kind="request", callpath="a/b/0/agent#0"))
    with pytest.raises(Stopped, match="the request differs"), gate:
        pass


def test_the_first_reason_to_stop_is_the_one_that_is_told() -> None:
    gate = Gate(1)
    gate.stop(LimitReached("enough"))
    gate.stop(Stopped("later"))
    with pytest.raises(Stopped, match="enough"), gate:
        pass


def test_totals_count_calls_retries_tokens_and_cost_but_programs_cost_nothing() -> None:
    gate = Gate(
        1,
        price=lambda alias, usage: Decimal(usage.prompt_tokens) if alias == "known" else None,
        players={"program": "program"},
    )
    used = Usage(prompt_tokens=3, completion_tokens=4)
    for alias in ("known", "unknown", "program"):
        gate.count(call(alias, attempts=2, usage=used))
    totals = gate.totals
    assert (totals.calls, totals.retries, totals.prompt_tokens, totals.completion_tokens) == (3, 3, 9, 12)
    assert (totals.cost, totals.unpriced) == (Decimal(3), 1)
    assert totals.by_alias == {"known": 1, "unknown": 1, "program": 1}


def test_what_an_own_agent_asked_is_paid_by_the_model_that_answered() -> None:
    price = {"answered": Decimal(2), "openai": None}
    gate = Gate(1, price=lambda alias, usage: price[alias], players={"openai": "program"})
    own = call("openai").model_copy(update={"path": "a,b,c,E0/task/0/llm.0#0", "answered_by": "answered"})
    gate.count(own)
    gate.count(own.model_copy(update={"path": "a,b,c,E0/task/0/agent#0"}))
    assert (gate.totals.cost, gate.totals.unpriced) == (Decimal(2), 0)


def test_whoever_waits_for_something_else_can_look_whether_it_stopped() -> None:
    gate = Gate(1)
    gate.check()
    gate.stop()
    with pytest.raises(Stopped):
        gate.check()
