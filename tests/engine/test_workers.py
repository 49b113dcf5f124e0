from __future__ import annotations

import signal
import threading
from collections.abc import Callable
from functools import partial
from typing import NoReturn

import pytest

from replaylab.engine.gate import Stopped
from replaylab.engine.workers import at_once, run_all
from replaylab.errors import LimitReached, ReplaylabError, StoreError


def fail(error: BaseException) -> NoReturn:
    raise error


def nothing(why: ReplaylabError | None) -> None:
    """A stop that stops nothing."""


def test_thunks_run_side_by_side() -> None:
    meet = threading.Barrier(3)
    at_once([partial(meet.wait, 60)] * 3)


def test_all_thunks_are_run_to_their_end_before_a_failure_is_raised() -> None:
    done = list[int]()
    thunks: list[Callable[[], object]] = [partial(fail, StoreError("full"))]
    thunks += [partial(done.append, number) for number in range(3)]
    with pytest.raises(StoreError):
        at_once(thunks)
    assert sorted(done) == [0, 1, 2]


@pytest.mark.parametrize(
    ("failures", "raised"),
    [
        ([Stopped("s"), StoreError("full")], "full"),
        ([LimitReached("limit"), StoreError("full")], "full"),
        ([Stopped("s"), LimitReached("limit")], "limit"),
        ([StoreError("full"), ValueError("bug")], "bug"),
        ([StoreError("first"), StoreError("second")], "first"),
    ],
)
def test_the_gravest_failure_is_told(failures: list[Exception], raised: str) -> None:
    with pytest.raises(Exception, match=raised):
        at_once([partial(fail, one) for one in failures])


def test_a_stop_that_comes_first_does_not_hide_the_failure_of_another_trial() -> None:
    both = threading.Barrier(2)

    def work(error: Exception) -> None:
        both.wait(60)
        raise error

    _, failure = run_all(iter([Stopped("s"), StoreError("full")]), work, 2, nothing)
    assert failure is not None
    assert failure.what == "full"


@pytest.mark.parametrize("jobs", [1, 2, 8])
def test_every_item_is_worked_on_once(jobs: int) -> None:
    done = list[int]()
    assert run_all(iter(range(200)), done.append, jobs, nothing) == (False, None)
    assert sorted(done) == list(range(200))


def test_one_job_is_one_thread() -> None:
    names = set[str]()
    run_all(iter(range(5)), lambda item: names.add(threading.current_thread().name), 1, nothing)
    assert len(names) == 1


def test_after_a_failure_no_item_is_begun_and_those_that_run_are_stopped() -> None:
    done, stopped = list[int](), list[ReplaylabError | None]()

    def work(item: int) -> None:
        done.append(item)
        raise StoreError("full")

    interrupted, failure = run_all(iter(range(9)), work, 1, stopped.append)
    assert (interrupted, done, stopped) == (False, [0], [failure])


def test_a_defect_is_raised_as_it_is() -> None:
    with pytest.raises(ZeroDivisionError):
        run_all(iter([ZeroDivisionError()]), fail, 1, nothing)


@pytest.mark.parametrize("jobs", [1, 4])
def test_an_interrupt_waits_for_what_runs_and_begins_nothing_more(jobs: int) -> None:
    done, stopping = list[int](), threading.Event()
    begun = list[int]()

    def work(item: int) -> None:
        begun.append(item)
        if item == 0:
            signal.raise_signal(signal.SIGINT)
        assert stopping.wait(60)
        done.append(item)

    interrupted, failure = run_all(iter(range(100)), work, jobs, lambda why: stopping.set())
    assert (interrupted, failure) == (True, None)
    assert sorted(done) == sorted(begun)
    assert len(done) <= 2 * jobs


def test_a_second_interrupt_does_not_wait() -> None:
    forever = threading.Event()

    def work(item: int) -> None:
        signal.raise_signal(signal.SIGINT)
        forever.wait()

    with pytest.raises(KeyboardInterrupt):
        run_all(iter([0]), work, 1, lambda why: signal.raise_signal(signal.SIGINT))
    forever.set()
