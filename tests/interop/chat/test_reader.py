"""Conversations of the chat API become trials."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from replaylab.interop.chat import CHAT
from replaylab.interop.transcript import TranscriptsRefused
from tests.interop.talk.landing import calls, kept, landed, nothing_written, sample, trials, written

TOOL = {
    "type": "function",
    "function": {"name": "look", "description": "Looks.", "parameters": {"type": "object", "properties": {}}},
}


def asked(name: str = "look", arguments: Any = '{"x": 1}', call: str = "c1") -> dict[str, Any]:
    return {"id": call, "type": "function", "function": {"name": name, "arguments": arguments}}


def line(*more: dict[str, Any], **fields: Any) -> dict[str, Any]:
    messages = [
        {"role": "system", "content": "Be short."},
        {"role": "user", "content": "Look!"},
        {"role": "assistant", "content": "I look.", "tool_calls": [asked()]},
        {"role": "tool", "tool_call_id": "c1", "content": '{"y": 2}'},
        *(more or ({"role": "assistant", "content": "It is 2."},)),
    ]
    return {"messages": messages, "tools": [TOOL]} | fields


def lines(path: Path, *values: Any) -> Path:
    return written(path, b"\n".join(json.dumps(one).encode() for one in values))


def test_a_real_bare_list_is_read_whole(tmp_path: Path) -> None:
    source = sample("chat/openai_messages.json")
    landed(tmp_path, CHAT, source)
    (one,) = trials(tmp_path)
    given = json.loads(source.read_bytes())
    said = [message["content"] for message in given if message["role"] == "assistant"]
    heard = [message["content"] for message in given[2:] if message["role"] == "user"]
    assert [arguments["content"] for _, arguments, _ in calls(one)] == said[:-1]
    assert [seen["content"] for _, _, seen in calls(one)] == heard[: len(said) - 1]
    assert one.derived.trajectory.answer == said[-1]
    assert one.header.task.instruction == "\n\n".join(message["content"] for message in given[:2])


def test_the_fine_tuning_form_is_read_line_by_line(tmp_path: Path) -> None:
    path = lines(tmp_path / "a.jsonl", line(), line(metadata={"from": "x"}))
    landed(tmp_path, CHAT, path)
    found = trials(tmp_path)
    assert [one.header.subject.trial for one in found] == [0, 1]
    assert calls(found[0]) == [("look", {"x": 1}, {"y": 2})]
    assert kept(found[1])["source"]["fields"] == {"metadata": {"from": "x"}}
    assert [tool.description for tool in found[0].header.environment.tools] == ["Looks."]


def test_lines_of_bare_lists_and_one_list_over_many_lines_are_told_apart(tmp_path: Path) -> None:
    messages = line()["messages"]
    bare = landed(tmp_path, CHAT, lines(tmp_path / "a.jsonl", messages, messages), name="bare")
    pretty = written(tmp_path / "b.json", json.dumps(messages, indent=1).encode())
    assert bare.done.transcripts == 2
    assert landed(tmp_path, CHAT, pretty, name="pretty").done.transcripts == 1


def test_calls_of_one_answer_stay_one_turn(tmp_path: Path) -> None:
    messages = [
        {"role": "user", "content": "Both!"},
        {"role": "assistant", "tool_calls": [asked(call="a"), asked(arguments='{"x": 2}', call="b")]},
        {"role": "tool", "tool_call_id": "b", "content": '{"is": "b"}'},
        {"role": "tool", "tool_call_id": "a", "content": '{"is": "a"}'},
        {"role": "assistant", "content": "Done."},
    ]
    landed(tmp_path, CHAT, lines(tmp_path / "a.jsonl", messages))
    (one,) = trials(tmp_path)
    assert [len(turn.actions) for turn in one.turns] == [2, 0]
    assert [seen for _, _, seen in calls(one)] == [{"is": "a"}, {"is": "b"}]
    assert [action.id for action in one.derived.trajectory.actions] == ["a", "b"]


def test_the_older_function_call_is_read(tmp_path: Path) -> None:
    messages = [
        {"role": "user", "content": "Look!"},
        {"role": "assistant", "content": None, "function_call": {"name": "look", "arguments": "{}"}},
        {"role": "function", "name": "look", "content": '{"y": 2}'},
        {"role": "assistant", "content": "2"},
    ]
    landed(tmp_path, CHAT, lines(tmp_path / "a.jsonl", messages))
    assert calls(trials(tmp_path)[0]) == [("look", {}, {"y": 2})]


def test_parts_that_are_no_text_are_named_and_counted(tmp_path: Path) -> None:
    parts = [{"type": "text", "text": "See"}, {"type": "image_url", "image_url": {"url": "x"}}]
    messages = [{"role": "user", "content": parts}, {"role": "assistant", "content": "A cat."}]
    made = landed(tmp_path, CHAT, lines(tmp_path / "a.jsonl", messages))
    assert made.done.notes["not_text"] == 1
    assert trials(tmp_path)[0].header.task.instruction == "See\n[image_url]"


def test_a_plain_text_result_is_wrapped_and_kept_as_it_was(tmp_path: Path) -> None:
    one = line()
    one["messages"][3]["content"] = "just words"
    landed(tmp_path, CHAT, lines(tmp_path / "a.jsonl", one))
    (trial,) = trials(tmp_path)
    assert calls(trial)[0][2] == {"observation": "just words"}
    assert kept(trial)["given"] == {"0": "just words"}


def test_a_tool_of_the_sources_own_named_respond_is_not_taken_for_a_user(tmp_path: Path) -> None:
    messages = [
        {"role": "user", "content": "Hi"},
        {"role": "assistant", "content": "Who?"},
        {"role": "user", "content": "Ann"},
        {"role": "assistant", "tool_calls": [asked("respond")]},
        {"role": "tool", "tool_call_id": "c1", "content": "{}"},
        {"role": "assistant", "content": "Bye."},
    ]
    landed(tmp_path, CHAT, lines(tmp_path / "a.jsonl", messages))
    assert [tool for tool, _, _ in calls(trials(tmp_path)[0])] == ["respond_to_user", "respond"]


def test_a_call_whose_result_is_not_there_has_none(tmp_path: Path) -> None:
    messages = [
        {"role": "user", "content": "Both!"},
        {"role": "assistant", "tool_calls": [asked(call="a"), asked(call="b")]},
        {"role": "tool", "tool_call_id": "b", "content": '{"is": "b"}'},
        {"role": "assistant", "content": "Hm."},
    ]
    made = landed(tmp_path, CHAT, lines(tmp_path / "a.jsonl", messages))
    assert [seen for _, _, seen in calls(trials(tmp_path)[0])] == [{"observation": None}, {"is": "b"}]
    assert made.done.notes["unanswered"] == 1


def test_a_result_without_a_call_is_kept_aside(tmp_path: Path) -> None:
    stray = {"role": "tool", "tool_call_id": "zz", "content": "stray"}
    made = landed(
        tmp_path, CHAT, lines(tmp_path / "a.jsonl", line(stray, {"role": "assistant", "content": "2"}))
    )
    (one,) = trials(tmp_path)
    assert kept(one)["orphans"] == [{"id": "zz", "tool": "", "result": "stray"}]
    assert made.done.notes["orphan_result"] == 1


def test_a_conversation_cut_off_under_a_call_ends_before_it(tmp_path: Path) -> None:
    cut = line({"role": "assistant", "content": None, "tool_calls": [asked(call="c2")]})
    made = landed(tmp_path, CHAT, lines(tmp_path / "a.jsonl", cut))
    (one,) = trials(tmp_path)
    assert len(calls(one)) == 1
    assert one.derived.trajectory.termination == "step_limit"
    assert kept(one)["unfinished"]["calls"] == [{"id": "c2", "tool": "look", "arguments": '{"x": 1}'}]
    assert made.done.notes["unfinished"] == 1


def test_two_instructions_are_two_tasks_and_one_asked_twice_is_one(tmp_path: Path) -> None:
    other = line()
    other["messages"][1] = {"role": "user", "content": "Look again!"}
    made = landed(tmp_path, CHAT, lines(tmp_path / "a.jsonl", line(), other, line(note=1)))
    assert len({entry.key.split("/")[1] for entry in made.done.run.ledger}) == 2
    assert [entry.status for entry in made.done.run.ledger].count("missing") == 1


BAD = [
    (b'[{"role": "user", "content": "\\ud800"}]', "lone surrogate"),
    (b'{"messages": [], "messages": []}', "stands twice"),
    (b"[" * 100_000, "nested too deeply"),
    (b'{"a": ' * 300 + b"1" + b"}" * 300, "nested deeper"),
    (b'{"messages": [{"role": "user", "content": "\xff"}]}', "not UTF-8"),
    (b'{"messages": 1' + b"0" * 5000 + b"}", "a number of 5,001 digits"),
    (b'{"messages": "x"}', "it is a text and not a list"),
    (b'{"messages": [3]}', "it is a number and not an object"),
    (b'{"messages": [{"role": "user"}, {"content": "x"}]}', "it is missing"),
    (b"{}", "there are no `messages`"),
    (b"null", "it is null and not an object"),
    (b"[]", "the agent says nothing in it"),
    (b'[{"role": "assistant", "content": 7}]', "it is a number and not a list"),
    (b'[{"role": "assistant", "content": "x"', "it is not JSON"),
]


@pytest.mark.parametrize(("data", "why"), BAD)
def test_hostile_lines_are_refused_by_line_and_field(tmp_path: Path, data: bytes, why: str) -> None:
    good = json.dumps(line()).encode()
    with pytest.raises(TranscriptsRefused) as caught:
        landed(tmp_path, CHAT, written(tmp_path / "a.jsonl", good + b"\n" + data + b"\n" + good))
    (problem,) = caught.value.problems
    assert problem.where == "a.jsonl:2"
    assert why in problem.why
    assert nothing_written(tmp_path)


def test_numbers_that_nobody_can_hold_are_kept_as_texts(tmp_path: Path) -> None:
    data = json.dumps(line(x=0)).encode().replace(b'"x": 0', b'"x": [NaN, 1e999, 123456789012345678901]')
    made = landed(tmp_path, CHAT, written(tmp_path / "a.jsonl", data))
    (one,) = trials(tmp_path)
    assert kept(one)["source"]["fields"]["x"] == ["NaN", "1e999", "123456789012345678901"]
    assert made.done.notes["odd_number"] == 3


def test_the_same_files_give_the_same_bytes(tmp_path: Path) -> None:
    path = lines(tmp_path / "a.jsonl", line(), line(metadata=1))
    (tmp_path / "one").mkdir()
    (tmp_path / "two").mkdir()
    first = landed(tmp_path / "one", CHAT, path)
    assert landed(tmp_path / "two", CHAT, path).done.run_id == first.done.run_id
    again = landed(tmp_path / "one", CHAT, path)
    assert (again.done.run_id, again.done.changed) == (first.done.run_id, False)
