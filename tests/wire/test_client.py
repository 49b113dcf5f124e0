from __future__ import annotations

import gzip
import json
import socket
import threading
from dataclasses import replace
from typing import Any

import pytest

from replaylab.errors import CallFailed, DivergenceError, OfflineError, UsageError
from replaylab.schema.completion import Completion
from replaylab.schema.interaction import Interaction
from replaylab.wire.client import Chats
from replaylab.wire.played import PlayedChat
from replaylab.wire.transport import ProgramTransport
from tests.wire.server import (
    ANSWER,
    Bench,
    Step,
    delta,
    event,
    raw,
    reply,
    reset,
    serving,
    silent,
    stream,
)

MESSAGES = [{"role": "user", "content": "hi"}]
STREAMED = [
    event(delta(role="assistant", content="hel")),
    event(delta(content="lo")),
    event(delta("stop")),
    event({"choices": [], "usage": {"prompt_tokens": 11, "completion_tokens": 2}}),
    event("[DONE]"),
]
CUT = [event(delta(content="hel"))]
QUOTA = {"error": {"message": "You exceeded your quota", "code": "insufficient_quota"}}

# what the server does -> what the interaction ends as, and how many attempts were made of at most three
BAD: dict[str, tuple[Step, str, int]] = {
    "reset before the answer": (reset(), "read_error", 3),
    "reset mid-body": (reset(b"HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n{"), "read_error", 3),
    "no answer": (silent, "timeout", 3),
    "closed without an answer": (raw(b""), "read_error", 3),
    "not HTTP": (raw(b"SSH-2.0-OpenSSH\r\n\r\n"), "read_error", 3),
    "wrong content-length": (reply(length=9999), "truncated", 3),
    "JSON cut, connection closed": (
        raw(b'HTTP/1.1 200 OK\r\n\r\n{"choices": [{"index": 0, "mess'),
        "truncated",
        3,
    ),
    "stream cut, well closed": (stream(*CUT), "truncated", 3),
    "stream cut, connection closed": (stream(*CUT, end=False), "truncated", 3),
    "stream of an error": (
        stream(event({"error": {"message": "overloaded", "code": 502}})),
        "error_object",
        3,
    ),
    "empty 200": (reply(b""), "empty_body", 3),
    "HTML 200": (reply(b"<html><title>Sign in</title></html>", kind="text/html"), "not_json", 1),
    "broken gzip": (reply(b"no gzip", Content_Encoding="gzip"), "not_json", 1),
    "gzip cut": (
        reply(gzip.compress(json.dumps(ANSWER).encode())[:60], Content_Encoding="gzip"),
        "truncated",
        3,
    ),
    "error object 200": (
        reply({"error": {"message": "bad model", "code": "model_not_found"}}),
        "error_object",
        1,
    ),
    "passing error object 200": (reply({"error": {"message": "later", "code": 503}}), "error_object", 3),
    "no choices": (reply({"choices": []}), "bad_shape", 1),
    "400": (reply({"error": {"message": "no"}}, 400), "http_status", 1),
    "302": (reply(b"", 302, Location="/elsewhere"), "http_status", 1),
    "401": (reply({"error": {"message": "no"}}, 401), "unauthorized", 1),
    "403": (reply(b"<html>", 403), "unauthorized", 1),
    "404": (reply(b"", 404), "http_status", 1),
    "408": (reply(b"", 408), "http_status", 3),
    "409": (reply(b"", 409), "http_status", 3),
    "429": (reply({"error": {"message": "slow down"}}, 429), "rate_limited", 3),
    "429 without quota": (reply(QUOTA, 429), "rate_limited", 1),
    "429 for a day": (reply(b"", 429, Retry_After="86400"), "rate_limited", 1),
    "500": (reply(b"oops", 500), "http_status", 3),
    "503 cut": (reply(b"oops", 503, length=99), "http_status", 3),
}


def fails(bench: Bench) -> CallFailed:
    with bench as chat, pytest.raises(CallFailed) as caught:
        chat.ask(MESSAGES)
    return caught.value


def replayed(recorded: list[Interaction], **options: Any) -> tuple[object, object, list[Bench]]:
    """The same question over the SDK without an inner transport, and without SDK."""
    ends: list[object] = []
    benches = [
        Bench("http://127.0.0.1:1/v1", offline=True, recorded=recorded, key="", **options) for _ in range(2)
    ]
    for bench, played in zip(benches, (False, True), strict=True):
        with bench as live:
            chat = PlayedChat(bench.lane, bench.settings) if played else live
            try:
                ends.append(chat.ask(MESSAGES))
            except CallFailed as error:
                ends.append((error.kind, str(error)))
    return ends[0], ends[1], benches


@pytest.mark.parametrize("name", BAD)
def test_every_bad_answer_is_a_typed_failure_on_the_interaction(name: str) -> None:
    step, kind, attempts = BAD[name]
    with serving(step) as server:
        bench = Bench(server.url, attempts=3, timeout_s=0.2 if step is silent else 5)
        error = fails(bench)
        assert len(server.requests) == attempts
    assert error.kind == kind
    (interaction,) = bench.interactions
    assert [attempt.failure.kind for attempt in interaction.attempts if attempt.failure] == [kind] * attempts
    assert interaction.path in str(error)
    assert "127.0.0.1" not in interaction.model_dump_json()


@pytest.mark.parametrize("name", BAD)
def test_a_failure_plays_the_same_with_and_without_the_sdk(name: str) -> None:
    step, kind, _ = BAD[name]
    with serving(step) as server:
        bench = Bench(server.url, attempts=1, timeout_s=0.2 if step is silent else 5)
        error = fails(bench)
    over_sdk, played, benches = replayed(bench.interactions)
    assert over_sdk == played == (kind, str(error))
    assert all(one.interactions == bench.interactions for one in benches)


@pytest.mark.parametrize("streamed", [False, True])
def test_an_answer_plays_the_same_with_and_without_the_sdk(streamed: bool) -> None:
    with serving(stream(*STREAMED) if streamed else reply()) as server:
        bench = Bench(server.url, stream=streamed)
        with bench as chat:
            live = chat.ask(MESSAGES)
    assert live.text == "hello"
    assert live.usage is not None
    assert (live.usage.prompt_tokens, live.usage.completion_tokens) == (11, 2)
    over_sdk, played, benches = replayed(bench.interactions, stream=streamed)
    assert over_sdk == played == live
    assert all(one.interactions == bench.interactions for one in benches)


def test_a_refused_connection_is_a_typed_failure() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        bench = Bench(f"http://127.0.0.1:{taken.getsockname()[1]}/v1", attempts=3)
        assert fails(bench).kind == "refused"
    (interaction,) = bench.interactions
    assert [attempt.status for attempt in interaction.attempts] == [None] * 3
    over_sdk, played, _ = replayed(bench.interactions)
    assert over_sdk == played


def test_429_with_retry_after_is_waited_for_and_every_attempt_recorded() -> None:
    with serving(reply(b"", 429, Retry_After="7"), reply()) as server:
        bench = Bench(server.url)
        with bench as chat:
            assert chat.ask(MESSAGES).text == "hello"
    (interaction,) = bench.interactions
    assert [attempt.status for attempt in interaction.attempts] == [429, 200]
    assert 7 <= sum(bench.clock.slept) <= 7.7 + 0.001
    assert interaction.attempts[1].started_ms >= 7000
    assert interaction.attempts[0].headers["retry-after"] == "7"


def test_a_replay_never_waits() -> None:
    with serving(reply(b"", 429, Retry_After="7"), reply()) as server:
        bench = Bench(server.url)
        with bench as chat:
            chat.ask(MESSAGES)
    _, _, benches = replayed(bench.interactions)
    assert [one.clock.slept for one in benches] == [[], []]


def test_what_is_sent_is_our_body_with_the_key_and_nothing_else_of_the_sdk() -> None:
    tools = [{"type": "function", "function": {"name": "f", "parameters": {}}}]
    with serving(reply()) as server:
        bench = Bench(server.url, sampling={"temperature": 0.5})
        with bench as chat:
            chat.ask(MESSAGES, tools=tools, extra={"response_format": {"type": "json_object"}})
        ((path, headers, body),) = server.requests
    assert path == "/v1/chat/completions"
    assert headers["authorization"] == "Bearer k-123"
    assert headers["content-type"] == "application/json"
    assert "openai-organization" not in headers
    assert json.loads(body) == {
        "model": "vendor/m",
        "temperature": 0.5,
        "response_format": {"type": "json_object"},
        "messages": MESSAGES,
        "tools": tools,
    }
    assert bench.lane.tape.recorded_blob(str(bench.interactions[0].request.params)).value == {
        "model": "vendor/m",
        "temperature": 0.5,
        "response_format": {"type": "json_object"},
    }


def test_a_stream_asks_for_usage() -> None:
    with serving(stream(*STREAMED)) as server:
        with Bench(server.url, stream=True) as chat:
            chat.ask(MESSAGES)
        body = json.loads(server.requests[0][2])
    assert body["stream"] is True
    assert body["stream_options"] == {"include_usage": True}


def test_variables_of_the_sdk_change_nothing_that_is_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in (
        "OPENAI_API_KEY",
        "OPENAI_ADMIN_KEY",
        "OPENAI_ORG_ID",
        "OPENAI_PROJECT_ID",
        "OPENAI_BASE_URL",
    ):
        monkeypatch.setenv(name, "http://planted.invalid")
    monkeypatch.setenv("OPENAI_CUSTOM_HEADERS", "Authorization: Bearer planted")
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:1")
    for key in ("k-123", ""):
        with serving(reply()) as server:
            with Bench(server.url, key=key, key_env="") as chat:
                chat.ask(MESSAGES)
            headers = server.requests[0][1]
        assert "planted" not in str(headers)
        assert headers.get("authorization") == ("Bearer k-123" if key else None)


def test_a_missing_key_is_named_before_anything_is_sent() -> None:
    with serving(reply()) as server:
        bench = Bench(server.url, key="", key_env="VENDOR_KEY")
        with bench as chat, pytest.raises(UsageError, match="VENDOR_KEY"):
            chat.ask(MESSAGES)
        assert server.requests == []
    assert bench.interactions == []


def test_compressed_and_streamed_bodies_are_kept_decoded_and_redacted() -> None:
    answer = json.dumps({**ANSWER, "note": "s3cret-s3cret"}).encode()
    with serving(reply(gzip.compress(answer), Content_Encoding="gzip", Set_Cookie="s3cret")) as server:
        bench = Bench(server.url)
        with bench as chat:
            chat.ask(MESSAGES)
    final = bench.interactions[0].final
    assert final.text == answer.decode().replace("s3cret-s3cret", "*REDACTED*")
    assert final.headers == {"content-type": "application/json"}


def test_the_role_gets_the_redacted_answer() -> None:
    body = json.dumps(ANSWER).replace("hello", "it is s3cret-s3cret").encode()
    with serving(reply(body)) as server, Bench(server.url) as chat:
        assert chat.ask(MESSAGES).text == "it is *REDACTED*"


def test_the_chunks_of_a_stream_are_kept_as_they_came() -> None:
    pieces = [b"".join(STREAMED)[at : at + 50] for at in range(0, 600, 50)]
    with serving(stream(*filter(None, pieces))) as server:
        bench = Bench(server.url, stream=True)
        with bench as chat:
            assert chat.ask(MESSAGES).text == "hello"
    final = bench.interactions[0].final
    assert final.chunks is not None
    assert "".join(chunk.text or "" for chunk in final.chunks).encode() == b"".join(STREAMED)
    assert final.text is None


def test_the_part_that_came_before_a_cut_is_kept() -> None:
    with serving(stream(*CUT, end=False)) as server:
        bench = Bench(server.url, stream=True, attempts=1)
        fails(bench)
    final = bench.interactions[0].final
    assert final.chunks is not None
    assert final.chunks[0].text == CUT[0].decode()
    assert final.complete is False


def test_the_ordinal_is_taken_when_the_request_starts() -> None:
    seen: list[int] = []
    with serving(reply()) as server:
        bench = Bench(server.url)

        class Watch:
            def __enter__(self) -> None:
                seen.append(bench.lane._started)

            def __exit__(self, *_: object) -> None: ...

        bench.outside = replace(bench.outside, gate=Watch())
        with bench as chat:
            chat.ask(MESSAGES)
    assert seen == [1]


def test_a_resumed_lane_plays_what_it_has_and_goes_on_live() -> None:
    with serving(reply()) as server:
        first = Bench(server.url)
        with first as chat:
            chat.ask(MESSAGES)
        again = Bench(server.url, recorded=first.interactions)
        longer = [*MESSAGES, {"role": "assistant", "content": "hello"}, {"role": "user", "content": "more"}]
        with again as chat:
            assert chat.ask(MESSAGES) == chat.ask(longer)
        assert len(server.requests) == 2
    assert [one.path.rpartition("#")[2] for one in again.interactions] == ["0", "1"]


def test_offline_another_question_diverges_and_a_longer_lane_runs_dry() -> None:
    with serving(reply()) as server:
        bench = Bench(server.url)
        with bench as chat:
            chat.ask(MESSAGES)
    blob = bench.tape.recorded_blob
    with Bench("http://127.0.0.1:1/v1", offline=True, recorded=bench.interactions, blob=blob) as chat:
        with pytest.raises(DivergenceError) as caught:
            chat.ask([{"role": "user", "content": "ho"}])
        assert caught.value.kind == "request"
        with pytest.raises(DivergenceError) as caught:
            chat.ask(MESSAGES)
        assert caught.value.kind == "lane_dry"


def test_without_an_inner_transport_an_open_lane_cannot_go_on() -> None:
    bench = Bench("http://127.0.0.1:1/v1", network=False)
    with bench as chat, pytest.raises(OfflineError):
        chat.ask(MESSAGES)
    with bench, pytest.raises(OfflineError):
        PlayedChat(bench.lane, bench.settings).ask(MESSAGES)


def test_the_gate_bounds_the_calls_in_flight_and_is_free_while_a_call_backs_off() -> None:
    held: list[int] = []
    gate = threading.Semaphore(1)
    with serving(reply(b"", 500), reply()) as server:
        bench = Bench(server.url, gate=gate)
        sleep = bench.clock.sleep

        def watching(seconds: float) -> None:
            held.append(gate._value)
            sleep(seconds)

        bench.outside = replace(bench.outside, sleep=watching)
        with bench as chat:
            chat.ask(MESSAGES)
    assert held == [1]


def test_the_limiter_counts_what_the_server_counted() -> None:
    with serving(reply()) as server:
        bench = Bench(server.url)
        with bench as chat:
            chat.ask(MESSAGES)
    assert bench.limiter._used == 13


def test_a_program_is_asked_and_recorded_like_any_model() -> None:
    asked: list[bytes] = []

    def program(path: str, body: bytes) -> tuple[int, dict[str, str], list[bytes]]:
        asked.append(body)
        return 200, {"content-type": "application/json"}, [json.dumps(ANSWER).encode()]

    bench = Bench("http://127.0.0.1:1/v1", key="", key_env="")
    chats = Chats({"m": bench.endpoint}, bench.outside, {"m": ProgramTransport(program)})
    with bench:
        answer = chats.open(bench.lane, bench.settings).ask(MESSAGES)
    assert isinstance(answer, Completion)
    assert json.loads(asked[0])["messages"] == MESSAGES
    assert bench.interactions[0].final.status == 200


def test_an_unknown_model_is_a_usage_error() -> None:
    bench = Bench("http://127.0.0.1:1/v1")
    with bench, pytest.raises(UsageError, match="no endpoint"):
        Chats({"other": bench.endpoint}, bench.outside).open(bench.lane, bench.settings)
