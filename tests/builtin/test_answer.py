from __future__ import annotations

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from replaylab.builtin.answer import Call, completion, stream
from replaylab.builtin.asked import Asked, read_asked
from replaylab.schema.interaction import Attempt
from replaylab.wire.completion import read_answer

TOOLS = [{"type": "function", "function": {"name": "look", "parameters": {"type": "object"}}}]


def request(**more: Any) -> Asked:
    return read_asked({"model": "coin", "messages": [{"role": "user", "content": "x"}], **more})


def events(asked: Asked, answer: dict[str, Any]) -> str:
    chunks = [f"data: {json.dumps(chunk)}\n\n" for chunk in stream(asked.body, answer)]
    return "".join([*chunks, "data: [DONE]\n\n"])


@given(st.one_of(st.text(), st.builds(Call, st.just("look"), st.dictionaries(st.text(), st.text()))))
def test_a_stream_holds_the_same_answer(answer: Any) -> None:
    asked = request(stream=True, stream_options={"include_usage": True}, tools=TOOLS)
    whole = completion(asked, answer, "test")
    plain = read_answer(Attempt(status=200, text=json.dumps(whole)))
    assert read_answer(Attempt(status=200, text=events(asked, whole))) == plain


def test_long_texts_come_in_several_pieces() -> None:
    asked = request(stream=True)
    chunks = list(stream(asked.body, completion(asked, "a" * 4000, "test")))
    pieces = [one["choices"][0]["delta"].get("content") for one in chunks]
    assert sum(bool(piece) for piece in pieces) == 8
    called = completion(request(tools=TOOLS), Call("look", {"at": "b" * 400}), "test")
    assert sum("tool_calls" in one["choices"][0]["delta"] for one in stream(asked.body, called)) > 3


def test_usage_is_streamed_only_when_asked_for() -> None:
    asked = request(stream=True)
    assert not any("usage" in chunk for chunk in stream(asked.body, completion(asked, "x", "test")))
    more = request(stream=True, stream_options={"include_usage": True})
    chunks = list(stream(more.body, completion(more, "x", "test")))
    assert [chunk["usage"] is not None for chunk in chunks] == [False] * (len(chunks) - 1) + [True]
    assert chunks[-1]["choices"] == []


def test_a_call_becomes_text_where_no_tools_are_offered() -> None:
    message = completion(request(), Call("look", {"at": 1}), "test")["choices"][0]["message"]
    assert message["content"] == '{"action":{"arguments":{"at":1},"tool":"look"}}'
    assert "tool_calls" not in message
