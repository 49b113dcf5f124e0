from __future__ import annotations

import base64
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from replaylab.errors import CallFailed
from replaylab.schema.completion import Completion
from replaylab.schema.interaction import Attempt, Chunk, Failure, Usage
from replaylab.wire.completion import classify, judge, read_answer
from tests.wire.server import ANSWER, delta, event
from tests.wire.shapes import answer, body, events


def kind(attempt: Attempt) -> str:
    failure = classify(attempt)
    assert failure is not None
    with pytest.raises(CallFailed) as caught:
        read_answer(attempt)
    assert caught.value.kind == failure.kind
    return failure.kind


def test_a_plain_answer_is_read() -> None:
    fields = {**ANSWER, "system_fingerprint": "fp"}
    assert read_answer(body(fields)) == Completion(
        text="hello",
        finish_reason="stop",
        usage=Usage(prompt_tokens=11, completion_tokens=2),
        model="m-1",
        id="c1",
        fingerprint="fp",
    )


def test_null_content_without_tool_calls_is_an_empty_text() -> None:
    assert read_answer(answer(content=None)).text == ""
    assert read_answer(answer()).text == ""


def test_the_first_choice_is_the_one_with_index_0() -> None:
    choices = [
        {"index": 1, "message": {"content": "b"}},
        {"index": 0, "message": {"content": "a"}},
    ]
    assert read_answer(body({"choices": choices})).text == "a"
    other = delta(content="no")
    other["choices"][0]["index"] = 1
    assert read_answer(events(other, delta("stop", content="yes"))).text == "yes"


def test_a_stream_may_hold_whole_messages_comments_and_empty_choices() -> None:
    first: dict[str, Any] = {"choices": [], "prompt_filter_results": []}
    whole = {"choices": [{"message": {"content": "hello"}, "finish_reason": "stop"}]}
    text = ": waiting\r\n\r\n" + "".join(
        f"event: chunk\r\ndata:{json.dumps(one)}\r\n\r\n" for one in (first, whole)
    )
    assert read_answer(body(text)).text == "hello"


def test_a_stream_is_over_with_a_finish_reason_or_with_done() -> None:
    assert read_answer(events(delta(content="x"), delta("length"), done=False)).finish_reason == "length"
    assert read_answer(events(delta(content="x"))).text == "x"
    assert kind(events(delta(content="x"), done=False)) == "truncated"


def test_a_character_split_over_chunks_and_bytes_is_whole() -> None:
    data = b"".join(event(value) for value in (delta("stop", content="é😀"), "[DONE]"))
    data = data.replace(rb"\u00e9\ud83d\ude00", "é😀".encode())
    at = data.index("é".encode()) + 1
    chunks = (
        Chunk(ms=0, b64=base64.b64encode(data[:at]).decode()),
        Chunk(ms=1, b64=base64.b64encode(data[at:]).decode()),
    )
    assert read_answer(Attempt(status=200, chunks=chunks)).text == "é😀"


def test_a_surrogate_pair_split_over_deltas_is_joined_and_a_lone_one_replaced() -> None:
    halves = '{"choices":[{"delta":{"content":"\\ud83d"}}]}', '{"choices":[{"delta":{"content":"\\ude00"}}]}'
    assert read_answer(events(*halves)).text == "😀"
    assert read_answer(events(halves[0])).text == "\ufffd"
    assert read_answer(body('{"choices":[{"message":{"content":"a\\udc00b"}}]}')).text == "a\ufffdb"


def test_what_python_reads_but_orjson_does_not_is_read() -> None:
    text = '{"choices":[{"message":{"content":"x"},"logprobs":NaN}],"created":99999999999999999999999}'
    assert read_answer(body(text)).text == "x"


@pytest.mark.parametrize(
    ("attempt", "expected"),
    [
        (Attempt(failure=Failure(kind="refused", message="ConnectError")), "refused"),
        (Attempt(), "read_error"),
        (body(ANSWER, 500), "http_status"),
        (body(ANSWER, 302), "http_status"),
        (body(ANSWER, 401), "unauthorized"),
        (body(ANSWER, 403), "unauthorized"),
        (body(ANSWER, 429), "rate_limited"),
        (body(ANSWER, 500, complete=False), "http_status"),
        (body(ANSWER, complete=False), "truncated"),
        (events(delta("stop"), done=True).model_copy(update={"complete": False}), "truncated"),
        (Attempt(status=200), "empty_body"),
        (Attempt(status=200, chunks=()), "empty_body"),
        (body(" \r\n"), "empty_body"),
        (Attempt(status=200, b64="//8="), "not_json"),
        (body("<html>"), "not_json"),
        (body("upstream timed out"), "not_json"),
        (body('{"a" 1}'), "not_json"),
        (body('{"a": 1'), "truncated"),
        (events('{"choices": ['), "not_json"),
        (events('{"choices": [', done=False), "truncated"),
        (body({"error": {"message": "x"}}), "error_object"),
        (body({"error": "x", **ANSWER}), "error_object"),
        (body({"object": "error", "message": "x"}), "error_object"),
        (body({"choices": [{"error": {"code": 502}, "message": {"content": ""}}]}), "error_object"),
        (events(delta(content="x"), {"error": {"message": "x"}}), "error_object"),
        (body([ANSWER]), "bad_shape"),
        (body("7"), "bad_shape"),
        (body({}), "bad_shape"),
        (body({"choices": None}), "bad_shape"),
        (body({"choices": []}), "bad_shape"),
        (body({"choices": {"message": {}}}), "bad_shape"),
        (body({"choices": ["x"]}), "bad_shape"),
        (body({"choices": [{"text": "legacy"}]}), "bad_shape"),
        (body({"choices": [{"message": {}}]}), "bad_shape"),
        (body({"choices": [{"message": "x"}]}), "bad_shape"),
        (answer(content=7), "bad_shape"),
        (answer(content=[7]), "bad_shape"),
        (answer(tool_calls="x"), "bad_shape"),
        (answer(tool_calls=["x"]), "bad_shape"),
        (answer(tool_calls=[{"function": "x"}]), "bad_shape"),
        (answer(tool_calls=[{"function": {"name": 7}}]), "bad_shape"),
        (events(), "bad_shape"),
        (events({"choices": [{"delta": "x"}]}), "bad_shape"),
    ],
)
def test_what_is_no_answer_has_a_kind(attempt: Attempt, expected: str) -> None:
    assert kind(attempt) == expected


def test_the_error_quotes_the_server_and_the_failure_does_not() -> None:
    attempt = body({"error": {"message": "Try again\nat 12:31", "code": "slow_down"}}, 429)
    assert classify(attempt) == Failure(kind="rate_limited", message="HTTP 429 slow_down")
    with pytest.raises(CallFailed, match="Try again at 12:31"):
        read_answer(attempt)


def test_a_body_cut_anywhere_is_truncated() -> None:
    text = json.dumps(ANSWER)
    assert {kind(body(text[:at])) for at in range(1, len(text))} == {"truncated"}


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                [
                    "choices",
                    "message",
                    "delta",
                    "content",
                    "text",
                    "tool_calls",
                    "function",
                    "name",
                    "arguments",
                    "id",
                    "index",
                    "error",
                    "usage",
                    "prompt_tokens",
                    "finish_reason",
                    "reasoning",
                    "refusal",
                    "function_call",
                    "thinking",
                    "prompt_tokens_details",
                ]
            ),
            inner,
            max_size=5,
        )
    ),
    max_leaves=25,
)


@given(JSON, st.booleans())
def test_any_json_is_an_answer_or_a_failure(value: Any, streamed: bool) -> None:
    assert isinstance(judge(events(value) if streamed else body(value)), Completion | Failure)


@given(JSON, JSON)
def test_any_message_is_an_answer_or_a_failure_that_utf8_can_hold(content: Any, calls: Any) -> None:
    for name in ("message", "delta"):
        choice = {
            name: {"role": "assistant", "content": content, "tool_calls": calls},
            "finish_reason": "stop",
        }
        found = judge(events({"choices": [choice]}) if name == "delta" else body({"choices": [choice]}))
        assert isinstance(found, Completion | Failure)
        str(found).encode()


@given(st.binary(max_size=60))
def test_any_bytes_are_an_answer_or_a_failure(data: bytes) -> None:
    attempt = Attempt(status=200, b64=base64.b64encode(data).decode())
    assert isinstance(judge(attempt), Completion | Failure)


@given(st.text(max_size=30), st.lists(st.integers(1, 9), max_size=12))
def test_a_stream_reads_the_same_however_it_was_cut_into_deltas(text: str, sizes: list[int]) -> None:
    pieces, rest = [], text
    for size in sizes:
        pieces.append(rest[:size])
        rest = rest[size:]
    found = read_answer(events(*(delta(content=piece) for piece in [*pieces, rest]), delta("stop")))
    assert found.text == text
