from __future__ import annotations

from typing import Any

from replaylab.builtin.explorer import MAX_CALLS
from replaylab.builtin.responder import Responder
from tests.builtin.playing import asked, said, trial


def test_the_explorer_calls_every_tool_once_with_what_it_has_seen_and_then_answers(models: Responder) -> None:
    played = trial(models, "ed-sepsis-room", "scripted:explorer")
    _, environment, _ = models.models.index.catalogue.task("ed-sepsis-room")
    actions = played.trajectory.actions
    assert [action.tool for action in actions] == [tool.name for tool in environment.tools]
    assert actions[2].arguments == {"patient": "P-121"}  # the first patient that was seen
    assert "did not try to solve" in played.trajectory.answer


def test_the_explorer_needs_no_catalogue_and_stops_after_a_bound(models: Responder) -> None:
    tools = [{"type": "function", "function": {"name": f"tool_{n}"}} for n in range(MAX_CALLS + 5)]
    messages: list[Any] = [{"role": "user", "content": "Look around."}]
    for made in range(MAX_CALLS):
        answer = asked(models, "scripted:explorer", *messages, tools=tools)[1]
        message = answer["choices"][0]["message"]
        assert message["tool_calls"][0]["function"]["name"] == f"tool_{made}"
        assert answer["choices"][0]["finish_reason"] == "tool_calls"
        messages += [
            message,
            {"role": "tool", "tool_call_id": message["tool_calls"][0]["id"], "content": '{"error": "no"}'},
        ]
    assert f"I made {MAX_CALLS} calls" in said(asked(models, "scripted:explorer", *messages, tools=tools)[1])


def test_the_explorer_says_which_tools_it_had_no_arguments_for(models: Responder) -> None:
    code = {"type": "string", "pattern": "^[A-Z]{9}$"}
    schema = {"type": "object", "properties": {"code": code}, "required": ["code"]}
    tools = [{"type": "function", "function": {"name": "odd", "parameters": schema}}]
    answer = said(asked(models, "scripted:explorer", {"role": "user", "content": "Look."}, tools=tools)[1])
    assert "no valid arguments for odd" in answer


def test_a_request_without_tools_is_refused(models: Responder) -> None:
    status, body = asked(models, "scripted:explorer", {"role": "user", "content": "Look."})
    assert (status, body["error"]["param"]) == (400, "tools")
