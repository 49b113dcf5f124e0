from __future__ import annotations

import pytest

from replaylab.capture.received import HUNG_UP, TOO_LARGE, Received
from replaylab.engine.captured.exchange import MAX_BODY
from replaylab.schema.interaction import Failure
from replaylab.wire.redact import Redactor

SECRET = "sk-proj-9fKq27LmXw84ZtRb61VyHd05"


def received(
    *pieces: bytes, kind: str = "text/event-stream", length: int | None = None, status: int = 200
) -> Received:
    found = Received()
    found.head(status, [("Content-Type", kind), ("Server", "x")], length=length)
    for at, piece in enumerate(pieces):
        found.piece(float(at), piece)
    return found


def test_a_stream_keeps_its_pieces_and_their_times() -> None:
    attempt = received(b"data: a\n\n", b"\xff").attempt(Redactor(), 7.1234, None)
    assert attempt.chunks is not None
    assert [(one.ms, one.text, one.b64) for one in attempt.chunks] == [
        (0, "data: a\n\n", None),
        (1, None, "/w=="),
    ]
    assert (attempt.latency_ms, attempt.complete, attempt.failure) == (7.123, True, None)
    assert attempt.headers == {"content-type": "text/event-stream"}


def test_what_came_in_pieces_only_by_the_way_is_one_body() -> None:
    attempt = received(b'{"a"', b": 1}", kind="application/json", length=8).attempt(Redactor(), 1, None)
    assert (attempt.text, attempt.chunks) == ('{"a": 1}', None)


@pytest.mark.parametrize("cut", [1, 5, 13, 20])
@pytest.mark.parametrize(
    "end",
    [
        b"data: [DONE]\n\n",
        b"event: message_stop\ndata: {}\n\n",
        b"event: response.failed\n\n",
        b"data:[DONE]\r\n",
    ],
)
def test_the_stated_end_is_seen_however_it_is_cut(end: bytes, cut: int) -> None:
    found = received(b"data: x\n\n")
    assert not found.ended
    found.piece(1, end[:cut])
    found.piece(2, end[cut:])
    assert found.ended


def test_a_length_that_is_reached_is_an_end() -> None:
    assert not received(b"123", kind="x/y", length=4).ended
    assert received(b"1234", kind="x/y", length=4).ended


def test_a_secret_across_pieces_is_taken_out_whole() -> None:
    attempt = received(b"data: " + SECRET[:9].encode(), SECRET[9:].encode() + b"\n\n").attempt(
        Redactor(), 1, None
    )
    assert attempt.chunks is not None
    assert "".join(one.text or "" for one in attempt.chunks) == "data: *REDACTED*\n\n"


def test_a_body_that_is_too_large_is_not_kept_and_says_so() -> None:
    found = received(kind="x/y", length=None)
    for _ in range(5):
        found.piece(0, bytes(MAX_BODY // 4))
    attempt = found.attempt(Redactor(), 1, None)
    assert (attempt.complete, attempt.failure, attempt.text) == (False, TOO_LARGE, None)


def test_an_attempt_that_broke_off_is_incomplete() -> None:
    attempt = received(b"data: a\n\n").attempt(Redactor(), 1, HUNG_UP)
    assert (attempt.complete, attempt.failure) == (False, HUNG_UP)


@pytest.mark.parametrize(("status", "kind"), [(429, "rate_limited"), (401, "unauthorized"), (403, "unauthorized"), (500, "http_status")])  # fmt: skip
def test_a_status_says_more_than_a_broken_body(status: int, kind: str) -> None:
    attempt = received(b"{", kind="application/json", length=9, status=status).attempt(Redactor(), 1, HUNG_UP)
    assert attempt.failure == Failure(kind=kind, message=f"HTTP {status}")
    assert not attempt.complete


def test_no_head_at_all_is_a_failure_alone() -> None:
    attempt = Received().attempt(Redactor(), 3, Failure(kind="refused", message="ConnectError"))
    assert (attempt.status, attempt.complete, attempt.failure and attempt.failure.kind) == (
        None,
        False,
        "refused",
    )
