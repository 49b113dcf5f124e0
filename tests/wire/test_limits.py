from __future__ import annotations

import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

from replaylab.wire.limits import WINDOW_MS, Limiter
from tests.wire.server import Clock


def limiter(**limits: int) -> tuple[Limiter, Clock]:
    clock = Clock()
    return Limiter(clock, clock.sleep, **limits), clock


def worst(times: list[float], weights: list[int]) -> int:
    """The heaviest window of one minute."""
    return max(
        sum(weight for other, weight in zip(times, weights, strict=True) if at <= other < at + WINDOW_MS)
        for at in times
    )


def test_without_limits_nobody_waits() -> None:
    limit, clock = limiter()
    for _ in range(1000):
        limit.wait(10**6)
    assert clock.slept == []


def test_no_minute_holds_more_requests_than_allowed() -> None:
    limit, _ = limiter(requests=5)
    times = [limit.wait(0).at_ms for _ in range(23)]
    assert worst(times, [1] * 23) == 5
    assert times[-1] == 4 * WINDOW_MS


@given(st.lists(st.integers(0, 120), min_size=1, max_size=25))
def test_no_minute_holds_more_tokens_than_allowed(sizes: list[int]) -> None:
    limit, _ = limiter(tokens=120)
    times = [limit.wait(size).at_ms for size in sizes]
    assert worst(times, sizes) <= 120
    assert times == sorted(times)


def test_a_request_above_the_whole_limit_goes_alone() -> None:
    limit, _ = limiter(tokens=100)
    times = [limit.wait(size).at_ms for size in (60, 500, 60)]
    assert times == [0, WINDOW_MS, 2 * WINDOW_MS]


def test_a_correction_frees_what_was_estimated_too_high() -> None:
    limit, clock = limiter(tokens=100)
    limit.correct(limit.wait(90), 10)
    limit.wait(90)
    assert clock.slept == []


def test_a_correction_counts_what_was_estimated_too_low() -> None:
    limit, _ = limiter(tokens=100)
    limit.correct(limit.wait(10), 90)
    assert limit.wait(20).at_ms == WINDOW_MS


def test_a_correction_that_comes_after_its_minute_changes_nothing() -> None:
    limit, clock = limiter(tokens=100)
    late = limit.wait(90)
    clock.now = WINDOW_MS
    assert limit.wait(100).at_ms == WINDOW_MS
    limit.correct(late, 10)
    assert limit.wait(80).at_ms == 2 * WINDOW_MS


def test_nobody_waits_longer_than_needed() -> None:
    limit, _ = limiter(tokens=100)
    times = [limit.wait(size).at_ms for size in (60, 40, 60, 40, 60)]
    assert times == [0, 0, WINDOW_MS, WINDOW_MS, 2 * WINDOW_MS]


def test_a_correction_is_seen_by_one_who_waits_already() -> None:
    limit, clock = limiter(tokens=100)
    first = limit.wait(100)

    def sleep(seconds: float) -> None:
        clock.sleep(seconds)
        limit.correct(first, 1)

    limit._sleep = sleep
    assert limit.wait(50).at_ms <= 1000


def test_a_hold_lets_nobody_through() -> None:
    limit, _ = limiter()
    limit.hold(7)
    limit.hold(3)
    assert limit.wait(1).at_ms == 7000


def test_waiting_is_in_order_of_arrival() -> None:
    limit, clock = limiter(requests=1)
    order: list[int] = []
    go = threading.Event()
    arrived = threading.Semaphore(0)

    def sleep(seconds: float) -> None:
        go.wait(10)
        clock.sleep(seconds)

    limit._sleep = sleep
    limit.wait(0)

    def ask(number: int) -> None:
        arrived.release()
        limit.wait(0)
        order.append(number)

    threads = []
    for number in range(8):
        threads.append(threading.Thread(target=ask, args=(number,)))
        threads[-1].start()
        arrived.acquire()
        while len(limit._queue) <= number:
            threads[-1].join(0.001)
    go.set()
    for thread in threads:
        thread.join(10)
    assert order == list(range(8))


def test_one_who_is_stopped_while_waiting_lets_the_next_through() -> None:
    limit, clock = limiter(requests=1)
    limit.wait(0)

    def stop(seconds: float) -> None:
        raise KeyboardInterrupt

    limit._sleep = stop
    with pytest.raises(KeyboardInterrupt):
        limit.wait(0)
    limit._sleep = clock.sleep
    assert limit.wait(0).at_ms == WINDOW_MS


def test_many_threads_never_pass_the_limit() -> None:
    limit, _ = limiter(requests=7, tokens=300)
    times: list[float] = []
    lock = threading.Lock()

    def ask() -> None:
        for _ in range(10):
            ticket = limit.wait(50)
            with lock:
                times.append(ticket.at_ms)

    threads = [threading.Thread(target=ask) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(20)
    assert len(times) == 60
    assert worst(times, [50] * 60) == 300
