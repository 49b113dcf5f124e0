"""What an agent asks through the proxy, as places in the lanes of its trial."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import nullcontext
from typing import Any

import pytest

from replaylab.capture.trial import TrialCalls
from replaylab.cassette.tape import Tape
from replaylab.engine.captured.exchange import Exchange
from replaylab.engine.gate import Gate, Stopped
from replaylab.errors import LimitReached
from replaylab.foreign.own import OwnCalls
from replaylab.foreign.session import Session
from replaylab.schema.cassette import key_of
from replaylab.schema.interaction import Attempt, Failure, Interaction
from tests.foreign.playing import header
from tests.playground import reply

KEY = key_of(header())
BUSY = Attempt(
    status=429,
    headers={"retry-after": "30", "x-request-id": "r"},
    text="{}",
    failure=Failure(kind="rate_limited", message="HTTP 429"),
)
GOOD = Attempt(status=200, text=reply("yes")[2][0].decode())


def asked(text: str, retry: int = 0, path: str = "/v1/chat/completions") -> Exchange:
    body = json.dumps({"model": "m", "messages": [{"role": "user", "content": text}]}).encode()
    return Exchange("openai", "POST", path, body, retry=retry)


class Recorder:
    """A trial's places, live."""

    def __init__(self, gate: Any = None) -> None:
        self.tape = Tape(KEY, elapsed_ms=lambda: 5.0)
        self.session = Session()
        self.calls = TrialCalls(OwnCalls(self.tape, self.session), gate or nullcontext())

    def ask(self, text: str, *attempts: Attempt) -> None:
        for retry, attempt in enumerate(attempts):
            place = self.calls.begin(asked(text, retry))
            assert place.recorded is None
            place.commit(attempt)

    def rows(self) -> list[tuple[str, list[int | None]]]:
        return [
            (row.path.rpartition("/")[2], [one.status for one in row.attempts])
            for lane in sorted(self.tape.lanes)
            for row in self.tape.lanes[lane]
        ]


def player(
    lanes: dict[str, list[Interaction]], blob: Callable[[str], Any]
) -> tuple[TrialCalls, OwnCalls, Session]:
    tape = Tape(KEY, elapsed_ms=lambda: 5.0, recorded=lanes, blob=blob, closed=lambda lane: True)
    tape.keep("llm")
    session = Session()
    own = OwnCalls(tape, session)
    return TrialCalls(own, nullcontext()), own, session


def test_requests_are_interactions_of_the_trials_own_lane() -> None:
    recorder = Recorder()
    recorder.ask("a", GOOD)
    recorder.ask("b", GOOD)
    assert recorder.rows() == [("llm.0#0", [200]), ("llm.0#1", [200])]
    assert recorder.tape.lanes["llm.0"][0].answered_by == "test"


def test_what_an_sdk_tries_again_is_another_attempt() -> None:
    recorder = Recorder()
    recorder.ask("a", BUSY, BUSY, GOOD)
    assert recorder.rows() == [("llm.0#0", [429, 429, 200])]


def test_a_failure_that_nobody_tries_again_is_recorded_with_the_next_request_or_the_end() -> None:
    recorder = Recorder()
    recorder.ask("a", BUSY)
    assert recorder.rows() == []
    recorder.calls._calls.drain()  # nothing is under way
    recorder.ask("b", GOOD)
    assert recorder.rows() == [("llm.0#0", [429]), ("llm.0#1", [200])]
    recorder.ask("c", BUSY)
    recorder.calls.close()
    assert recorder.rows()[-1] == ("llm.0#2", [429])


def test_attempts_are_played_as_they_came_and_nobody_really_waits() -> None:
    recorder = Recorder()
    recorder.ask("a", BUSY, GOOD)
    calls, own, _ = player(recorder.tape.lanes, recorder.tape.recorded_blob)
    first, second = calls.begin(asked("a")), calls.begin(asked("a", retry=1))
    assert first.recorded is not None
    assert first.recorded.status == 429
    assert first.recorded.headers == {"retry-after-ms": "1", "x-request-id": "r"}
    assert second.recorded is not None
    assert second.recorded.text == GOOD.text
    assert own.unplayed is None


def test_a_retry_that_was_never_recorded_gets_the_final_attempt() -> None:
    recorder = Recorder()
    recorder.ask("a", GOOD)
    calls, *_ = player(recorder.tape.lanes, recorder.tape.recorded_blob)
    found = calls.begin(asked("a", retry=3)).recorded
    assert found is not None
    assert found.text == GOOD.text


def test_what_is_not_recorded_ends_an_offline_agent() -> None:
    recorder = Recorder()
    recorder.ask("a", GOOD)
    calls, _, session = player(recorder.tape.lanes, recorder.tape.recorded_blob)
    with pytest.raises(Stopped):
        calls.begin(asked("b"))
    assert session.trouble is not None
    assert "something else" in session.trouble.what


def test_after_the_end_nothing_is_asked() -> None:
    recorder = Recorder()
    recorder.session.end()
    with pytest.raises(Stopped):
        recorder.calls.begin(asked("a"))
    assert recorder.rows() == []


def test_limits_of_calls_hold_here_too() -> None:
    recorder = Recorder(Gate(1, max_calls=1))
    recorder.ask("a", GOOD)
    with pytest.raises(Stopped):
        recorder.calls.begin(asked("b"))
    assert isinstance(recorder.session.trouble, LimitReached)


def test_what_was_cut_off_is_given_up_at_the_end() -> None:
    recorder = Recorder()
    recorder.calls.begin(asked("a"))
    recorder.calls.close()
    own = recorder.calls._calls
    assert not own.under_way
    own.drain()


def test_other_apis_say_their_tokens_too() -> None:
    recorder = Recorder()
    place = recorder.calls.begin(asked("a", path="/v1/messages"))
    said = {"type": "message", "model": "other", "usage": {"input_tokens": 3, "output_tokens": 4}}
    place.commit(Attempt(status=200, text=json.dumps(said)))
    (row,) = recorder.tape.lanes["llm.0"]
    assert (row.answered_by, row.usage.completion_tokens if row.usage else None) == ("other", 4)
