"""What an answer says of itself, in the shapes of four interfaces, whole and streamed."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from replaylab.engine.captured.usage import Said, read_said
from replaylab.schema.interaction import Attempt, Chunk, Usage
from tests.strategies import json_values


def whole(value: Any, **fields: Any) -> Attempt:
    return Attempt(status=200, text=json.dumps(value), **fields)


def events(*values: Any, named: bool = False) -> Attempt:
    """A stream that is cut into pieces of 20 characters."""
    lines = [f"event: {one.get('type')}\n" * named + f"data: {json.dumps(one)}\n\n" for one in values]
    text = "".join(lines) + ("" if named else "data: [DONE]\n\n")
    pieces = [text[at : at + 20] for at in range(0, len(text), 20)]
    return Attempt(status=200, chunks=tuple(Chunk(ms=at, text=piece) for at, piece in enumerate(pieces)))


CHAT = {
    "model": "gpt-x-2026",
    "system_fingerprint": "fp_1",
    "choices": [{"message": {"content": "hi"}}],
    "usage": {
        "prompt_tokens": 12,
        "completion_tokens": 7,
        "prompt_tokens_details": {"cached_tokens": 4},
        "completion_tokens_details": {"reasoning_tokens": 3},
    },
}
RESPONSE = {
    "id": "resp_1",
    "model": "gpt-x-2026",
    "output": [],
    "usage": {
        "input_tokens": 12,
        "output_tokens": 7,
        "input_tokens_details": {"cached_tokens": 4},
        "output_tokens_details": {"reasoning_tokens": 3},
    },
}
FULL = Usage(prompt_tokens=12, completion_tokens=7, cached_tokens=4, reasoning_tokens=3)


def test_a_chat_completion() -> None:
    assert read_said(whole(CHAT)) == Said(FULL, "gpt-x-2026", "", "fp_1")


def test_a_streamed_chat_completion() -> None:
    first = {
        "model": "gpt-x-2026",
        "system_fingerprint": "fp_1",
        "choices": [{"delta": {"content": "h"}}],
        "usage": None,
    }
    assert read_said(events(first, {**CHAT, "choices": []})) == Said(FULL, "gpt-x-2026", "", "fp_1")


def test_a_response_and_its_stream() -> None:
    assert read_said(whole(RESPONSE)) == Said(FULL, "gpt-x-2026")
    stream = events(
        {"type": "response.created", "response": {"model": "gpt-x", "usage": None}},
        {"type": "response.output_text.delta", "delta": "hi"},
        {"type": "response.completed", "response": RESPONSE},
        named=True,
    )
    assert read_said(stream) == Said(FULL, "gpt-x-2026")


def test_a_message_of_anthropic_and_its_stream() -> None:
    usage = {
        "input_tokens": 5,
        "cache_read_input_tokens": 4,
        "cache_creation_input_tokens": 3,
        "output_tokens": 7,
    }
    expected = Said(Usage(prompt_tokens=12, completion_tokens=7, cached_tokens=4), "claude-x", "req_011")
    headers = {"request-id": "req_011"}
    assert (
        read_said(whole({"type": "message", "model": "claude-x", "usage": usage}, headers=headers))
        == expected
    )
    stream = events(
        {"type": "message_start", "message": {"model": "claude-x", "usage": {**usage, "output_tokens": 1}}},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "hi"}},
        {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 7}},
        {"type": "message_stop"},
        named=True,
    )
    assert read_said(stream.model_copy(update={"headers": headers})) == expected


def test_an_answer_of_gemini_and_its_streams() -> None:
    counts = {
        "promptTokenCount": 12,
        "candidatesTokenCount": 4,
        "thoughtsTokenCount": 3,
        "cachedContentTokenCount": 4,
    }
    value = {"candidates": [], "modelVersion": "gemini-x-001", "usageMetadata": counts}
    expected = Said(FULL, "gemini-x-001")
    assert read_said(whole(value)) == expected
    begun = {**value, "usageMetadata": {"promptTokenCount": 12}}
    assert read_said(events(begun, value)) == expected
    assert read_said(whole([begun, value])) == expected  # without alt=sse it streams a list


def test_embeddings_count_what_they_read() -> None:
    value = {"model": "embed-x", "data": [], "usage": {"prompt_tokens": 8, "total_tokens": 8}}
    assert read_said(whole(value)) == Said(Usage(prompt_tokens=8), "embed-x")


def test_a_server_that_says_nothing_is_not_taken_for_one_that_counted_nothing() -> None:
    assert read_said(whole({"choices": []})).usage is None
    assert read_said(whole({"usage": {"prompt_tokens": 0, "completion_tokens": 0}})).usage == Usage()


@pytest.mark.parametrize(
    "attempt",
    [
        Attempt(),
        Attempt(status=502, text="<html>"),
        Attempt(status=200, b64="/w=="),
        Attempt(status=200, text='{"usage": '),
        Attempt(status=200, text="data: {\n\ndata: [1]\n\n"),
        whole(
            {
                "usage": {"prompt_tokens": True, "completion_tokens": -4, "prompt_tokens_details": 3},
                "model": 7,
            }
        ),
        whole({"usage": 5, "response": [], "message": "text"}),
    ],
)
def test_what_can_t_be_read_is_left_out(attempt: Attempt) -> None:
    assert read_said(attempt) == Said()


@given(
    st.dictionaries(st.sampled_from(["usage", "usageMetadata", "model", "response", "message"]), json_values)
)
def test_nothing_that_a_server_says_makes_it_fail(value: Any) -> None:
    read_said(whole(value))
    read_said(events({"type": "x", **value}))
