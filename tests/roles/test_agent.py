from __future__ import annotations

import json
import time

import pytest
from jsonschema import Draft202012Validator

from replaylab.errors import CallFailed
from replaylab.roles.agent import Agent, read_turn, refusal
from replaylab.roles.shapes import answer_tool
from replaylab.schema.completion import Completion, ToolCall
from replaylab.schema.model import ModelSettings
from replaylab.schema.scenario import Tool
from tests.roles.fakes import BOUND, ENVIRONMENT, NATIVE, TASK, FakeChat, call, calling


def started(chat: FakeChat, settings: ModelSettings = NATIVE, clock: str = "") -> Agent:
    agent = Agent(chat, ENVIRONMENT, TASK, settings, clock=clock)
    agent.start()
    return agent


def test_the_first_request_holds_the_prompt_the_instruction_and_the_tools() -> None:
    chat = FakeChat(["Done."])
    started(chat, clock="2025-03-01T08:00:00Z").next_turn()
    messages, tools, extra = chat.asked[0]
    assert [m["role"] for m in messages] == ["system", "user"]
    assert messages[1]["content"] == TASK.instruction
    assert "2025-03-01T08:00:00Z" in messages[0]["content"]
    assert [tool["function"]["name"] for tool in tools] == [tool.name for tool in ENVIRONMENT.tools]
    assert extra is None


def test_the_agent_is_told_neither_example_outputs_nor_effects_nor_the_state() -> None:
    for settings in (NATIVE, BOUND):
        chat = FakeChat(['{"answer": "x"}'])
        started(chat, settings).next_turn()
        sent = json.dumps(chat.asked[0])
        assert not any(
            secret in sent for secret in ("R-EXAMPLE", "example_output", "effect", "R2", "play a ward")
        )


def test_all_calls_of_a_turn_are_answered_in_call_order() -> None:
    chat = FakeChat([calling(("a", "ping", "{}"), ("b", "list_rooms", '{"floor": 1}')), "Done."])
    agent = started(chat)
    for index, asked in enumerate(agent.next_turn().calls):
        agent.observe(asked, {"n": index})
    assert agent.next_turn().text == "Done."
    assert chat.messages(1)[3:] == [
        {"role": "tool", "tool_call_id": "a", "content": '{"n":0}'},
        {"role": "tool", "tool_call_id": "b", "content": '{"n":1}'},
    ]


def test_a_message_once_sent_is_sent_again_as_the_same_object_unchanged() -> None:
    chat = FakeChat([call("ping"), call("ping"), "Done."])
    agent = started(chat)
    sent = []
    for _ in range(3):
        for asked in agent.next_turn().calls:
            agent.observe(asked, {})
        sent.append(json.dumps(chat.messages(0)))
    first, last = chat.messages(0), chat.messages(2)
    assert all(one is other for one, other in zip(first, last[: len(first)], strict=True))
    assert len(first) == 2
    assert len(set(sent)) == 1


@pytest.mark.parametrize("finish", ["stop", "tool_calls", "length", ""])
def test_only_the_absence_of_calls_ends_the_conversation_whatever_the_finish_reason(finish: str) -> None:
    turn = read_turn(calling(("a", "ping", "{}"), finish=finish), ENVIRONMENT, NATIVE)
    assert [c.tool for c in turn.calls] == ["ping"]
    turn = read_turn(Completion(text="Done.", finish_reason=finish), ENVIRONMENT, NATIVE)
    assert (turn.calls, turn.text, turn.finish_reason) == ((), "Done.", finish)


@pytest.mark.parametrize(
    "text", ['{"floor": ', "[1]", "null", '"x"', '{"a": 1, "a": 2}', '{"a": NaN}', "floor=1"]
)
def test_arguments_that_are_not_one_strict_object_are_malformed(text: str) -> None:
    asked = read_turn(calling(("a", "list_rooms", text), finish="length"), ENVIRONMENT, NATIVE).calls[0]
    assert (asked.problem, asked.arguments, asked.raw_arguments) == ("malformed_arguments", None, text)
    assert refusal(asked, ENVIRONMENT) == {"error": "The arguments of 'list_rooms' are not one JSON object."}


def test_no_arguments_text_is_no_arguments_unless_the_answer_was_cut() -> None:
    assert read_turn(calling(("a", "ping", "")), ENVIRONMENT, NATIVE).calls[0].arguments == {}
    cut = read_turn(calling(("a", "ping", ""), finish="length"), ENVIRONMENT, NATIVE).calls[0]
    assert cut.problem == "malformed_arguments"


def test_an_unknown_tool_is_told_which_tools_there_are() -> None:
    asked = read_turn(call("open_door"), ENVIRONMENT, NATIVE).calls[0]
    assert asked.problem == "unknown_tool"
    error = refusal(asked, ENVIRONMENT)["error"]
    assert "'open_door'" in error
    assert all(tool.name in error for tool in ENVIRONMENT.tools)


def test_missing_and_repeated_ids_are_replaced_by_the_number_of_the_call() -> None:
    asked = calling(
        ("", "ping", "{}"),
        ("x", "ping", "{}"),
        ("x", "ping", "{}"),
        ("call_5", "ping", "{}"),
        ("", "ping", ""),
    )
    ids = [c.id for c in read_turn(asked, ENVIRONMENT, NATIVE, first_call=3).calls]
    assert ids == ["call_3", "x", "call_5_", "call_5", "call_7"]


def test_made_ids_count_over_the_whole_trial_and_are_those_in_the_history() -> None:
    chat = FakeChat([call("ping", identifier=""), call("ping", identifier=""), "Done."])
    agent = started(chat)
    for _ in range(2):
        for asked in agent.next_turn().calls:
            agent.observe(asked, {})
    agent.next_turn()
    history = chat.messages(2)
    assert [m["tool_calls"][0]["id"] for m in history if "tool_calls" in m] == ["call_0", "call_1"]
    assert [m["tool_call_id"] for m in history if m["role"] == "tool"] == ["call_0", "call_1"]


def test_tool_calls_go_back_as_they_were_received() -> None:
    chat = FakeChat([calling(("a", "ping", '{"z":1,  "a":2}'), text="Let me see.", reasoning="hm"), "Done."])
    agent = started(chat)
    agent.observe(agent.next_turn().calls[0], {})
    agent.next_turn()
    assert chat.messages(1)[2] == {
        "role": "assistant",
        "content": "Let me see.",
        "tool_calls": [
            {"id": "a", "type": "function", "function": {"name": "ping", "arguments": '{"z":1,  "a":2}'}}
        ],
        "reasoning_content": "hm",
    }


def test_no_text_goes_back_as_null_and_no_reasoning_as_no_field() -> None:
    chat = FakeChat([call("ping"), "Done."])
    agent = started(chat)
    agent.observe(agent.next_turn().calls[0], {})
    agent.next_turn()
    said = chat.messages(1)[2]
    assert said["content"] is None
    assert "reasoning_content" not in said


def test_thinking_left_in_the_text_is_reasoning_and_no_part_of_the_answer() -> None:
    turn = read_turn(Completion(text="<think>room 1?</think>\nRoom 1."), ENVIRONMENT, NATIVE)
    assert (turn.text, turn.reasoning) == ("Room 1.", "room 1?")


def test_a_refusal_is_the_answer_of_a_turn_without_text() -> None:
    turn = read_turn(Completion(refusal="I can't help with that."), ENVIRONMENT, NATIVE)
    assert (turn.text, turn.calls) == ("I can't help with that.", ())


def test_a_failed_call_is_a_failure_and_no_empty_turn() -> None:
    with pytest.raises(CallFailed, match="boom"):
        started(FakeChat([CallFailed("boom", kind="http_status")])).next_turn()


def test_observations_are_told_as_canonical_json() -> None:
    chat = FakeChat([call("ping"), "Done."])
    agent = started(chat)
    agent.observe(agent.next_turn().calls[0], {"b": 1.0, "a": "é"})
    agent.next_turn()
    assert chat.messages(1)[-1]["content"] == '{"a":"é","b":1}'


def test_with_structured_output_the_tools_stand_in_the_prompt_and_a_schema_binds_the_answer() -> None:
    answer = '{"action": {"tool": "list_rooms", "arguments": {"floor": 2}}}'
    final = {"action": {"tool": "final_answer", "arguments": {"answer": "Done."}}}
    chat = FakeChat([answer, json.dumps(final)])
    agent = started(chat, BOUND)
    turn = agent.next_turn()
    assert [(c.tool, c.arguments, c.id) for c in turn.calls] == [("list_rooms", {"floor": 2}, "call_0")]
    agent.observe(turn.calls[0], {"rooms": []})
    assert agent.next_turn().text == "Done."
    messages, tools, extra = chat.asked[1]
    assert list(messages[2:]) == [
        {"role": "assistant", "content": answer},
        {"role": "user", "content": 'Observation of list_rooms: {"rooms":[]}'},
    ]
    assert tools == ()
    assert "list_rooms" in messages[0]["content"]
    assert extra is not None
    validator = Draft202012Validator(extra["response_format"]["json_schema"]["schema"])
    assert validator.is_valid(json.loads(answer))
    assert validator.is_valid(final)
    assert not validator.is_valid({"action": {"tool": "open_door", "arguments": {}}})
    assert not validator.is_valid({"action": {"tool": "final_answer", "arguments": {"answer": "x" * 5000}}})
    assert not validator.is_valid({"action": {"answer": "Done."}})
    assert not validator.is_valid({"answer": "Done."})


def test_an_answer_without_the_form_of_a_call_is_understood_where_the_server_let_it_through() -> None:
    turn = read_turn(Completion(text='{"action": {"answer": "Done."}}'), ENVIRONMENT, BOUND)
    assert (turn.text, turn.calls) == ("Done.", ())


def test_the_final_answer_takes_no_name_of_a_tool() -> None:
    tools = [Tool(name="final_answer"), Tool(name="final_answer_")]
    assert answer_tool(tools) == "final_answer__"
    environment = ENVIRONMENT.model_copy(update={"tools": tuple(tools)})
    said = '{"action": {"tool": "final_answer", "arguments": {"answer": "x"}}}'
    assert [call.tool for call in read_turn(Completion(text=said), environment, BOUND).calls] == [
        "final_answer"
    ]


def test_with_structured_output_prose_is_an_answer_and_broken_json_is_a_malformed_call() -> None:
    assert read_turn(Completion(text="All done."), ENVIRONMENT, BOUND).text == "All done."
    for broken in (
        '{"action": {"tool": "ping", "argum',
        '{"action": {"tool": 1}}',
        "{}",
        '{"answer": "x"}',
        '{"action": "x"}',
    ):
        turn = read_turn(Completion(text=broken, finish_reason="length"), ENVIRONMENT, BOUND)
        assert [(c.problem, c.raw_arguments) for c in turn.calls] == [("malformed_arguments", broken)]
        assert "ping" in refusal(turn.calls[0], ENVIRONMENT)["error"]
    chat = FakeChat(["{}", "Done."])
    agent = started(chat, BOUND)
    agent.observe(agent.next_turn().calls[0], {"error": "x"})
    agent.next_turn()
    assert [m["content"] for m in chat.messages(1)[2:]] == ["{}", 'Observation: {"error":"x"}']
    wrong = read_turn(Completion(text='{"action": {"tool": "ping", "arguments": [1]}}'), ENVIRONMENT, BOUND)
    assert wrong.calls[0].problem == "malformed_arguments"


def test_a_hundred_thousand_calls_in_one_answer_are_read_at_once() -> None:
    calls = tuple(ToolCall(f"c{number}", "nothing", "{}") for number in range(100_000))
    begun = time.process_time()
    turn = read_turn(Completion(tool_calls=calls), ENVIRONMENT, NATIVE)
    assert time.process_time() - begun < 20
    assert len({call.id for call in turn.calls}) == 100_000
