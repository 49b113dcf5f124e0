"""What captured tests share: questions, answers, a clock of their own, and sessions over a library in a folder."""

from __future__ import annotations

import itertools
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from replaylab.engine.captured.exchange import Exchange
from replaylab.engine.captured.miss import Miss, MissError
from replaylab.engine.captured.rules import Rules
from replaylab.engine.captured.session import Mode, Session
from replaylab.engine.seams import Seams
from replaylab.schema.base import JsonObject
from replaylab.schema.capture import CaptureFacts, NormaliseRule
from replaylab.schema.interaction import Attempt, Failure
from replaylab.schema.outcome import body_bytes
from replaylab.schema.run import Run
from replaylab.store.library import Library

PATH = "/v1/chat/completions"
RUN = "suite"


def ticking() -> Seams:
    """A clock that moves on by a millisecond each time somebody looks."""
    ticks = itertools.count(1)
    when = itertools.count(1)
    return Seams(
        now=lambda: f"2026-01-02T03:04:05.{next(when):03d}Z",
        elapsed_ms=lambda: float(next(ticks)),
        sleep=lambda seconds: None,
    )


def body(*said: str, **fields: Any) -> JsonObject:
    """A chat request: each text is a message of the user."""
    return {"model": "m", **fields, "messages": [{"role": "user", "content": text} for text in said]}


def asked(*said: str, lane: str = "", retry: int = 0, **fields: Any) -> Exchange:
    return asked_body(body(*said, **fields), lane=lane, retry=retry)


def asked_body(value: Any, lane: str = "", retry: int = 0, path: str = PATH) -> Exchange:
    return Exchange("openai", "POST", path, json.dumps(value).encode(), lane, retry)


def answer(text: str, status: int = 200, **fields: Any) -> Attempt:
    whole = {
        "model": "m-1",
        "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": text}}],
        "usage": {"prompt_tokens": 3, "completion_tokens": 2},
    }
    headers = {"content-type": "application/json", "x-request-id": f"req-{text}"}
    return Attempt(
        **{"status": status, "headers": headers, "text": json.dumps(whole), "latency_ms": 1.0, **fields}
    )


def busy(**fields: Any) -> Attempt:
    """A 429 that asks to wait for half a minute."""
    given = {"status": 429, "headers": {"retry-after": "30"}, "text": '{"error": {"message": "busy"}}'}
    return Attempt(**{**given, **fields})


def broken() -> Attempt:
    return Attempt(status=200, text='data: {"cho', complete=False, failure=Failure(kind="read_error"))


def text_of(attempt: Attempt | None) -> str:
    """The text of a recorded answer, or what it is instead."""
    assert attempt is not None
    if attempt.failure is not None or attempt.status != 200:
        return f"{attempt.status}"
    return str(json.loads(body_bytes(attempt))["choices"][0]["message"]["content"])


def opened(folder: Path, mode: Mode, *rules: NormaliseRule, run: str = RUN) -> Session:
    facts = CaptureFacts(client="test", command=("python", "suite.py"))
    return Session(Library(folder), run, mode, ticking(), rules=Rules(rules), facts=facts)


def say(session: Session, exchange: Exchange, attempt: Attempt) -> str:
    """Ask, and record what came; the CallPath."""
    place = session.begin(exchange)
    assert place.recorded is None, "it was played"
    place.commit(attempt)
    return place.path


def record(
    folder: Path, *pairs: tuple[Exchange, Attempt], mode: Mode = "record", run: str = RUN
) -> Run | None:
    """A session that asks these things one after the other."""
    session = opened(folder, mode, run=run)
    for exchange, attempt in pairs:
        say(session, exchange, attempt)
    return session.seal()


def played(session: Session, *exchanges: Exchange) -> list[str]:
    """The texts of what is served for these questions."""
    return [text_of(session.begin(exchange).recorded) for exchange in exchanges]


def missed(session: Session, exchange: Exchange) -> Miss:
    """The miss that a question is."""
    try:
        session.begin(exchange)
    except MissError as error:
        return error.miss
    raise AssertionError("it was answered")


def ends(paths: Sequence[str]) -> list[str]:
    """CallPaths without the condition that all of them share."""
    return [path.removeprefix("capture,none,none,none/") for path in paths]
