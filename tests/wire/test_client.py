from __future__ import annotations

import gzip
import json
import threading
from dataclasses import replace

import pytest

from replaylab.errors import CallFailed, DivergenceError, OfflineError, UsageError
from replaylab.schema.completion import Completion
from replaylab.wire.client import Chats
from replaylab.wire.transport import ProgramTransport
from tests.wire.misbehaving import BAD, CUT, STREAMED
from tests.wire.server import (
    ANSWER,
    Bench,
    reply,
    serving,
    silent,
    stream,
)

MESSAGES = [{"role": "user", "content": "hi"}]


def fails(bench: Bench) -> CallFailed:
    with bench as chat, pytest.raises(CallFailed) as caught:
        chat.ask(MESSAGES)
    return caught.value


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
    with Bench(offline=True, recorded=bench.interactions, blob=blob) as chat:
        with pytest.raises(DivergenceError) as caught:
            chat.ask([{"role": "user", "content": "ho"}])
        assert caught.value.kind == "request"
        with pytest.raises(DivergenceError) as caught:
            chat.ask(MESSAGES)
        assert caught.value.kind == "lane_dry"


def test_without_an_inner_transport_an_open_lane_cannot_go_on() -> None:
    bench = Bench(network=False)
    with bench as chat, pytest.raises(OfflineError):
        chat.ask(MESSAGES)


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


def test_a_429_holds_back_every_lane_of_the_model() -> None:
    with serving(reply(b"", 429, Retry_After="30")) as server:
        bench = Bench(server.url, attempts=1)
        fails(bench)
    assert bench.clock.now == 0
    assert bench.limiter.wait(0).at_ms == 30_000


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

    bench = Bench(key="", key_env="")
    chats = Chats({"m": bench.endpoint}, bench.outside, {"m": ProgramTransport(program)})
    with bench:
        answer = chats.open(bench.lane, bench.settings).ask(MESSAGES)
    assert isinstance(answer, Completion)
    assert json.loads(asked[0])["messages"] == MESSAGES
    assert bench.interactions[0].final.status == 200


def test_an_unknown_model_is_a_usage_error() -> None:
    bench = Bench()
    with bench, pytest.raises(UsageError, match="no endpoint"):
        Chats({"other": bench.endpoint}, bench.outside).open(bench.lane, bench.settings)
