from __future__ import annotations

from typing import Any

import pytest

from replaylab.schema.completion import ToolCall
from replaylab.schema.interaction import Usage
from replaylab.wire.completion import classify, read_answer
from tests.wire.server import ANSWER, delta
from tests.wire.shapes import answer, body, events


def call(
    index: int | None = None, ident: str | None = None, name: str | None = None, arguments: Any = ""
) -> Any:
    value: dict[str, Any] = {"function": {"arguments": arguments}}
    if name is not None:
        value["function"]["name"] = name
    if index is not None:
        value["index"] = index
    if ident is not None:
        value["id"] = ident
    return value


def calls_of(*deltas: Any) -> tuple[ToolCall, ...]:
    chunks = [delta(tool_calls=[one]) for one in deltas]
    return read_answer(events(*chunks, delta("tool_calls"))).tool_calls


def test_parts_of_content_are_joined_and_thinking_is_reasoning() -> None:
    parts = [
        {"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]},
        {"type": "text", "text": "a"},
        "b",
        {"type": "refusal", "refusal": "no"},
    ]
    found = read_answer(answer(content=parts))
    assert (found.text, found.reasoning, found.refusal) == ("ab", "hm", "no")


@pytest.mark.parametrize("name", ["reasoning_content", "reasoning"])
def test_reasoning_is_read_under_both_names_whole_and_streamed(name: str) -> None:
    assert read_answer(answer(content="x", **{name: "because"})).reasoning == "because"
    streamed = events(delta(**{name: "be"}), delta(**{name: "cause"}), delta("stop", content="x"))
    assert read_answer(streamed).reasoning == "because"


def test_a_refusal_is_kept() -> None:
    assert read_answer(answer(content=None, refusal="I won't")).refusal == "I won't"
    assert read_answer(events(delta(refusal="I "), delta("stop", refusal="won't"))).refusal == "I won't"


def test_tool_calls_keep_their_arguments_as_written() -> None:
    written = '{"a": 1,  "a": 2'
    found = read_answer(
        answer(tool_calls=[{"id": "t1", "type": "function", **call(name="f", arguments=written)}])
    )
    assert found.tool_calls == (ToolCall("t1", "f", written),)


def test_arguments_that_are_an_object_become_json_text() -> None:
    found = read_answer(answer(tool_calls=[call(name="f", arguments={"é": [1]})]))
    assert found.tool_calls == (ToolCall("", "f", '{"é": [1]}'),)


def test_a_legacy_function_call_is_a_tool_call_without_id() -> None:
    legacy = {"name": "f", "arguments": "{}"}
    assert read_answer(answer(content=None, function_call=legacy)).tool_calls == (ToolCall("", "f", "{}"),)
    assert read_answer(events(delta("function_call", function_call=legacy))).tool_calls == (
        ToolCall("", "f", "{}"),
    )


def test_deltas_are_put_together_by_index() -> None:
    assert calls_of(
        call(0, "a", "f", ""), call(1, "b", "g", "{"), call(0, None, None, "{}"), call(1, None, None, "}")
    ) == (ToolCall("a", "f", "{}"), ToolCall("b", "g", "{}"))


def test_deltas_without_index_go_by_id_and_else_to_the_last_call() -> None:
    assert calls_of(call(None, "a", "f", "{"), call(None, None, None, "}"), call(None, "b", "g", "{}")) == (
        ToolCall("a", "f", "{}"),
        ToolCall("b", "g", "{}"),
    )
    assert calls_of(call(None, "a", "f", "{"), call(None, "a", None, "}")) == (ToolCall("a", "f", "{}"),)
    assert calls_of(call(None, None, "f", "{}"), call(None, None, "g", "{}")) == (
        ToolCall("", "f", "{}"),
        ToolCall("", "g", "{}"),
    )


def test_several_calls_under_one_index_stay_apart() -> None:
    assert calls_of(call(0, "a", "f", "{}"), call(0, "b", "f", "{}")) == (
        ToolCall("a", "f", "{}"),
        ToolCall("b", "f", "{}"),
    )


def test_an_id_or_name_repeated_in_every_delta_is_one_call() -> None:
    assert calls_of(call(0, "a", "f", "{"), call(0, "a", "f", "}")) == (ToolCall("a", "f", "{}"),)
    assert calls_of(call(0, "a", "f", "{"), call(0, "other", None, "}")) == (ToolCall("a", "f", "{}"),)
    assert calls_of(call(0, "", "f", "{"), call(0, "late", "", "}")) == (ToolCall("late", "f", "{}"),)


def test_usage_comes_from_the_last_chunk_that_has_it() -> None:
    usage = {"prompt_tokens": 5, "completion_tokens": 7, "prompt_tokens_details": {"cached_tokens": 3}}
    early = {**delta(content="x"), "usage": {"prompt_tokens": 5, "completion_tokens": 1}}
    last = {"choices": [], "usage": usage}
    found = read_answer(events(early, delta("stop"), last))
    assert found.usage == Usage(prompt_tokens=5, completion_tokens=7, cached_tokens=3)


@pytest.mark.parametrize(
    "usage",
    [
        {"prompt_tokens_details": {"cached_tokens": 3}, "completion_tokens_details": {"reasoning_tokens": 4}},
        {"prompt_cache_hit_tokens": 3, "reasoning_tokens": 4},
        {"input_tokens_details": {"cached_tokens": 3}, "output_tokens_details": {"reasoning_tokens": 4.0}},
    ],
)
def test_cached_and_reasoning_tokens_are_read_under_each_name(usage: dict[str, Any]) -> None:
    found = read_answer(body({**ANSWER, "usage": usage})).usage
    assert found == Usage(cached_tokens=3, reasoning_tokens=4)


def test_no_usage_is_none_and_odd_usage_is_zero() -> None:
    assert read_answer(body({**ANSWER, "usage": None})).usage is None
    odd = {"prompt_tokens": None, "completion_tokens": "7", "prompt_tokens_details": None}
    assert read_answer(body({**ANSWER, "usage": odd})).usage == Usage()


def test_an_answer_of_a_thousand_calls_is_read_and_one_of_more_is_none() -> None:
    for number, whole in ((1000, True), (1001, False)):
        calls = [call(index, f"c{index}", "f", "{}") for index in range(number)]
        for attempt in (answer(tool_calls=calls), events(delta(tool_calls=calls), delta("tool_calls"))):
            failure = classify(attempt)
            assert (failure is None) is whole
            assert failure is None or failure.kind == "bad_shape"
