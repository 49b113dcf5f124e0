"""When a failed attempt is tried again, and after how long. Tenacity runs the loop; the policy is ours.

Tried again: 408, 409, 429 and 5xx, errors of the connection, an empty body, an answer that was cut, and an error object
that names such a status. Not: other statuses, exhausted quota, and whatever a second asking won't change.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC
from email.utils import parsedate_to_datetime

from tenacity import RetryCallState, Retrying, retry_if_result, stop_after_attempt

from replaylab.schema.interaction import Attempt
from replaylab.wire.completion import body_text, error_code
from replaylab.wire.ports import Clock, Sleep

_PASSING = frozenset({"refused", "timeout", "read_error", "truncated", "empty_body"})
_FINAL_CODES = frozenset({"insufficient_quota", "billing_hard_limit_reached", "billing_not_active"})


@dataclass(frozen=True)
class RetryPolicy:
    """Seconds. `max_wait_s` caps the backoff; a server that wants a longer wait than it is not asked again."""

    max_attempts: int = 6
    base_s: float = 0.5
    max_wait_s: float = 120.0


def is_passing(attempt: Attempt) -> bool:
    """Whether the failure may pass, so that asking again makes sense."""
    if attempt.failure is None:
        return False
    status = attempt.status or 0
    if status < 400 and attempt.failure.kind in _PASSING:
        return True
    code = (
        ""
        if status < 400 and attempt.failure.kind != "error_object"
        else error_code(body_text(attempt) or "")
    )
    if attempt.failure.kind == "error_object":
        status = int(code) if code.isdecimal() and len(code) == 3 else 0
    return (status in (408, 409, 429) or 500 <= status < 600) and code not in _FINAL_CODES


def retry_after_s(attempt: Attempt, now_s: float) -> float | None:
    """The wait that the server asks for, in seconds; None when it doesn't. `now_s` is Unix time, for an HTTP date."""
    for name, unit in (("retry-after-ms", 1000), ("retry-after", 1)):
        text = attempt.headers.get(name, "")
        try:
            found = float(text) / unit
        except ValueError:
            found = _date_s(text) - now_s
        if math.isfinite(found):
            return max(0.0, found)
    return None


def _date_s(text: str) -> float:
    """An HTTP date as Unix time; NaN when it is none."""
    try:
        date = parsedate_to_datetime(text)
    except ValueError:
        return math.nan
    # A date without a zone would be read in the zone of this machine.
    return (date if date.tzinfo else date.replace(tzinfo=UTC)).timestamp()


def backoff_s(policy: RetryPolicy, number: int, asked_s: float | None, rng: random.Random) -> float:
    """The wait after attempt `number` (from 1): exponential, capped, jittered, and never earlier than asked for."""
    backoff = min(policy.max_wait_s, policy.base_s * 2.0 ** min(number - 1, 32)) * rng.uniform(0.5, 1.0)
    return backoff if asked_s is None else max(backoff, asked_s * rng.uniform(1.0, 1.1))


def attempts_of(
    try_once: Callable[[], Attempt], policy: RetryPolicy, *, seed: str, sleep: Sleep, now_s: Clock
) -> list[Attempt]:
    """Try until an attempt holds an answer, its failure is final, or `max_attempts` were made. Returns all of them.

    `seed` is the CallPath, so that the same call jitters alike in every recording.
    """
    rng = random.Random(seed)
    attempts: list[Attempt] = []

    def once() -> Attempt:
        attempts.append(try_once())
        return attempts[-1]

    def again(attempt: Attempt) -> bool:
        return is_passing(attempt) and (retry_after_s(attempt, now_s()) or 0) <= policy.max_wait_s

    def wait(state: RetryCallState) -> float:
        return backoff_s(policy, state.attempt_number, retry_after_s(attempts[-1], now_s()), rng)

    Retrying(
        retry=retry_if_result(again),
        wait=wait,
        stop=stop_after_attempt(policy.max_attempts),
        sleep=sleep,
        retry_error_callback=lambda state: None,
    )(once)
    return attempts
