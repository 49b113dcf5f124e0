from __future__ import annotations

import json
import random
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from replaylab.schema.interaction import Attempt, Failure, FailureKind
from replaylab.wire.retry import RetryPolicy, attempts_of, backoff_s, is_passing, retry_after_s
from tests.wire.server import Clock

NOW_S = 1_000_000_000.0  # Sun, 09 Sep 2001 01:46:40 GMT
OK = Attempt(status=200, text="{}")


def failed(kind: FailureKind, status: int | None = None, text: str | None = None, **headers: str) -> Attempt:
    names = {name.replace("_", "-"): value for name, value in headers.items()}
    return Attempt(status=status, text=text, headers=names, failure=Failure(kind=kind))


def run(
    *script: Attempt, policy: RetryPolicy | None = None, seed: str = "path"
) -> tuple[list[Attempt], list[float]]:
    clock, steps = Clock(), iter(script)
    made = attempts_of(
        lambda: next(steps), policy or RetryPolicy(), seed=seed, sleep=clock.sleep, now_s=lambda: NOW_S
    )
    return made, clock.slept


@pytest.mark.parametrize("kind", ["refused", "timeout", "read_error", "truncated", "empty_body"])
def test_connection_errors_and_cut_answers_pass(kind: FailureKind) -> None:
    assert is_passing(failed(kind, 200 if kind in {"truncated", "empty_body"} else None))


@pytest.mark.parametrize("status", range(300, 600))
def test_of_the_statuses_408_409_429_and_5xx_pass(status: int) -> None:
    kind: FailureKind = "rate_limited" if status == 429 else "http_status"
    assert is_passing(failed(kind, status)) == (status in {408, 409, 429} or status >= 500)


@pytest.mark.parametrize("kind", ["not_json", "bad_shape", "error_object"])
def test_a_wrong_answer_does_not_pass(kind: FailureKind) -> None:
    assert not is_passing(failed(kind, 200))


@pytest.mark.parametrize(
    ("error", "passing"),
    [
        ({"code": 429}, True),
        ({"code": "503"}, True),
        ({"code": 400}, False),
        ({"code": "insufficient_quota"}, False),
        ("overloaded", False),
    ],
)
def test_an_error_object_passes_when_it_names_a_passing_status(error: Any, passing: bool) -> None:
    assert is_passing(failed("error_object", 200, json.dumps({"error": error}))) == passing


@pytest.mark.parametrize("field", ["code", "type"])
def test_exhausted_quota_does_not_pass(field: str) -> None:
    text = json.dumps({"error": {field: "insufficient_quota", "message": "pay"}})
    assert not is_passing(failed("rate_limited", 429, text))
    assert not is_passing(failed("http_status", 500, text))


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"retry_after": "7"}, 7.0),
        ({"retry_after": "0.5"}, 0.5),
        ({"retry_after_ms": "250", "retry_after": "7"}, 0.25),
        ({"retry_after": "Sun, 09 Sep 2001 01:47:10 GMT"}, 30.0),
        ({"retry_after": "Sun, 09 Sep 2001 01:00:00 GMT"}, 0.0),
        ({"retry_after": "Sun, 09 Sep 2001 03:47:10 +0200"}, 30.0),
        ({"retry_after": "Sun, 09 Sep 2001 01:47:10 -0000"}, 30.0),
        ({"retry_after": "Mon, 01 Jan 0001 00:00:00 GMT"}, 0.0),
        ({"retry_after": "-3"}, 0.0),
        ({"retry_after": "nan"}, None),
        ({"retry_after": "inf"}, None),
        ({"retry_after": "soon"}, None),
        ({"retry_after_ms": "soon"}, None),
        ({"retry_after_ms": "soon", "retry_after": "7"}, 7.0),
    ],
)
def test_retry_after_is_read_in_every_form(headers: dict[str, str], seconds: float | None) -> None:
    assert retry_after_s(failed("rate_limited", 429, **headers), NOW_S) == seconds


@given(st.text(max_size=30))
def test_any_retry_after_is_read_or_ignored(text: str) -> None:
    found = retry_after_s(failed("rate_limited", 429, retry_after=text), NOW_S)
    assert found is None or found >= 0


def test_every_attempt_is_kept_and_the_last_decides() -> None:
    bad = failed("http_status", 500)
    assert run(bad, bad, OK)[0] == [bad, bad, OK]
    assert run(OK)[0] == [OK]


def test_a_final_failure_ends_it_at_once() -> None:
    bad = failed("http_status", 400)
    made, slept = run(bad, OK)
    assert made == [bad]
    assert slept == []


def test_attempts_are_bounded() -> None:
    bad = failed("http_status", 500)
    made, slept = run(*[bad] * 9, policy=RetryPolicy(max_attempts=3))
    assert len(made) == 3
    assert len(slept) == 2


def test_a_wait_longer_than_the_cap_is_not_waited_for() -> None:
    patient = failed("rate_limited", 429, retry_after="121")
    assert run(patient, OK) == ([patient], [])


def test_the_server_is_never_asked_earlier_than_it_said() -> None:
    _, slept = run(failed("rate_limited", 429, retry_after="20"), OK)
    assert 20 <= slept[0] <= 22


def test_waits_grow_up_to_the_cap_and_differ_by_call_path_only() -> None:
    def waits(seed: str) -> Iterator[float]:
        bad = failed("http_status", 500)
        yield from run(*[bad] * 12, policy=RetryPolicy(max_attempts=12, max_wait_s=30), seed=seed)[1]

    first = list(waits("a"))
    assert first == list(waits("a"))
    assert first != list(waits("b"))
    bounds = [min(30, 0.5 * 2**number) for number in range(11)]
    assert all(bound / 2 <= wait <= bound for wait, bound in zip(first, bounds, strict=True))


def test_what_stops_the_run_while_it_waits_goes_through() -> None:
    class StoppedError(Exception): ...

    def stop(seconds: float) -> None:
        raise StoppedError

    with pytest.raises(StoppedError):
        attempts_of(
            lambda: failed("http_status", 500), RetryPolicy(), seed="a", sleep=stop, now_s=lambda: NOW_S
        )


@given(st.integers(1, 2000), st.none() | st.floats(0, 120))
def test_a_backoff_is_bounded(number: int, asked: float | None) -> None:
    wait = backoff_s(RetryPolicy(), number, asked, random.Random(0))
    assert 0 < wait <= 132
    assert wait >= (asked or 0)
