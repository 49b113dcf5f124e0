from __future__ import annotations

import json
from typing import Any

import pytest

from replaylab.builtin.asked import Asked, Refusal, read_asked
from replaylab.builtin.responder import Responder
from replaylab.builtin.steps import Offered, Step, offered, steps
from replaylab.catalogue.loader import Catalogue
from replaylab.faults.plan import named
from tests.builtin.playing import trial


def native(*messages: Any) -> Asked:
    tools = [{"type": "function", "function": {"name": "look", "parameters": {"type": "object"}}}]
    return read_asked({"model": "x", "messages": list(messages), "tools": tools})


def call(identifier: str, arguments: str, name: str = "look") -> dict[str, Any]:
    return {"id": identifier, "type": "function", "function": {"name": name, "arguments": arguments}}


def test_calls_of_a_turn_go_with_their_results_whatever_order_those_have() -> None:
    found = steps(
        native(
            {"role": "assistant", "content": None, "tool_calls": [call("1", "{}"), call("2", '{"at":1}')]},
            {"role": "tool", "tool_call_id": "2", "content": '{"b":2}'},
            {"role": "tool", "tool_call_id": "1", "content": '{"a":1}'},
        )
    )
    assert found == (Step("look", {}, {"a": 1}), Step("look", {"at": 1}, {"b": 2}))


def test_a_call_without_a_result_is_no_step_and_odd_texts_are_kept() -> None:
    found = steps(
        native(
            {"role": "assistant", "content": None, "tool_calls": [call("1", "{"), call("2", "{}")]},
            {"role": "tool", "tool_call_id": "1", "content": "not JSON"},
        )
    )
    assert found == (Step("look", None, "not JSON"),)


@pytest.mark.parametrize("tools", ["native", "json_schema"])
def test_both_ways_of_calling_tools_are_read_alike(models: Responder, tools: str) -> None:
    played = trial(models, "oncall-unanswered-page", "scripted:careful", named("E3"), tools=tools)
    last = [json.loads(request) for request, _ in played.log if b"scripted:careful" in request][-1]
    assert steps(read_asked(last)) == tuple(
        Step(one.tool, one.arguments, one.observation) for one in played.trajectory.actions
    )


def test_tools_are_found_in_the_schema_of_the_answer(models: Responder, catalogue: Catalogue) -> None:
    played = trial(models, "ed-sepsis-room", "scripted:careful", tools="json_schema")
    names = [tool.name for tool in catalogue.environment("ed-two-rooms").tools]
    assert [tool.name for tool in offered(read_asked(json.loads(played.log[0][0])))] == names


def test_a_tool_without_parameters_is_offered_with_none() -> None:
    body = {"model": "x", "messages": [{"role": "user"}], "tools": [{"function": {"name": "ping"}}]}
    assert offered(read_asked(body)) == (Offered("ping", {}),)


def test_odd_schemas_offer_nothing() -> None:
    for schema in (
        {"anyOf": [1, {"properties": 2}, {"properties": {"tool": {"const": 3}}}]},
        {"type": "object"},
    ):
        form = {"type": "json_schema", "json_schema": {"name": "x", "schema": schema}}
        body = {"model": "x", "messages": [{"role": "user"}], "response_format": form}
        with pytest.raises(Refusal, match="offers no tools"):
            offered(read_asked(body))
