"""Result files of tau-bench and tau2 become trials; what they grade stays what they say."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from replaylab.interop.tau import TAU
from replaylab.interop.transcript import TranscriptsRefused
from tests.interop.talk.landing import SECRET, calls, kept, landed, nothing_written, sample, trials, written


def test_a_real_file_is_read_whole(tmp_path: Path) -> None:
    source = sample("tau/gpt-4o-airline-first-tasks.json")
    made = landed(tmp_path, TAU, source)
    found = trials(tmp_path)
    given = json.loads(source.read_bytes())
    assert len(found) == len(given) == 12
    for one in found:
        name, trial = one.header.task.id.rpartition("-")[2], one.header.subject.trial
        (episode,) = [one for one in given if (str(one["task_id"]), one["trial"]) == (name, trial)]
        said = [message for message in episode["traj"] if message["role"] == "assistant"]
        wanted = [call["function"] for message in said for call in message.get("tool_calls") or ()]
        tools = [(tool, arguments) for tool, arguments, _ in calls(one) if tool != "respond"]
        assert tools == [(call["name"], json.loads(call["arguments"])) for call in wanted]
        texts = [message["content"] for message in said if not message.get("tool_calls")]
        words = [arguments["content"] for tool, arguments, _ in calls(one) if tool == "respond"]
        answer = one.derived.trajectory.answer
        assert [*words, *([answer] if answer else [])] == texts
        assert kept(one)["source"]["scores"] == [{"name": "reward", "value": episode["reward"]}]
        assert one.derived.verdict.outcome == "none"
    assert made.lacks == {"tools": 10, "tokens": 12, "times": 12, "created": 12, "model": 12}


def episode(**changed: Any) -> dict[str, Any]:
    call = {"id": "c", "type": "function", "function": {"name": "look", "arguments": '{"x": 1}'}}
    return {
        "task_id": 3,
        "trial": 0,
        "reward": 1.0,
        "info": {
            "task": {
                "instruction": "Be Ann.",
                "actions": [{"name": "look", "kwargs": {"x": 1}}],
                "outputs": [],
            },
            "user_cost": 0.1,
        },
        "traj": [
            {"role": "system", "content": "The policy."},
            {"role": "user", "content": "Hi"},
            {"role": "assistant", "content": None, "tool_calls": [call]},
            {"role": "tool", "tool_call_id": "c", "name": "look", "content": '{"y": 2}'},
            {"role": "assistant", "content": "It is 2."},
            {"role": "user", "content": "Bye"},
        ],
    } | changed


def test_what_the_agent_was_told_is_the_policy_and_the_opening_is_kept(tmp_path: Path) -> None:
    landed(tmp_path, TAU, written(tmp_path / "a.json", [episode()]))
    (one,) = trials(tmp_path)
    assert one.header.task.instruction == "The policy."
    assert "The simulated user was told: Be Ann." in one.header.task.rubric.text
    assert kept(one)["opening"][1] == {"role": "user", "text": "Hi"}
    assert kept(one)["after"] == {"0": [{"role": "user", "text": "Bye"}]}
    assert calls(one) == [("look", {"x": 1}, {"y": 2})]


def test_two_episodes_of_one_number_are_two_trials(tmp_path: Path) -> None:
    other = episode(reward=0.0)
    made = landed(tmp_path, TAU, written(tmp_path / "a.json", [episode(), other, episode()]))
    assert [one.header.subject.trial for one in trials(tmp_path)] == [0, 1]
    assert (made.done.notes["renumbered"], made.done.notes["said_twice"]) == (1, 1)


def results(**changed: Any) -> dict[str, Any]:
    """A small file in the newer form."""
    call = {"id": "c1", "name": "look", "arguments": {"x": 1}, "requestor": "assistant"}
    own = {"id": "u1", "name": "reboot", "arguments": {}, "requestor": "user"}
    simulation = {
        "id": "sim-1",
        "task_id": "t1",
        "trial": 0,
        "start_time": "2026-01-02T03:04:05",
        "termination_reason": "user_stop",
        "reward_info": {"reward": 1.0, "db_check": {"db_match": True, "db_reward": 1.0}},
        "messages": [
            {"role": "assistant", "content": "Hi! How can I help you today?"},
            {"role": "user", "content": "Look at x", "usage": {"prompt_tokens": 5, "completion_tokens": 2}},
            {
                "role": "assistant",
                "content": None,
                "tool_calls": [call],
                "usage": {"prompt_tokens": 20, "completion_tokens": 4},
                "generation_time_seconds": 0.5,
            },
            {"role": "tool", "id": "c1", "content": '{"y": 2}', "requestor": "assistant", "error": False},
            {"role": "assistant", "content": "Please reboot."},
            {"role": "user", "content": None, "tool_calls": [own]},
            {"role": "tool", "id": "u1", "content": "done", "requestor": "user"},
            {"role": "user", "content": "Did that. ###STOP###"},
        ],
    } | changed
    tool = {"name": "look", "doc": "Looks.", "params": {"type": "object", "properties": {"x": {}}}}
    return {
        "timestamp": "2026-01-02",
        "info": {
            "agent_info": {"implementation": "llm_agent", "llm": "gpt-5"},
            "user_info": {"implementation": "user_simulator", "llm": "gpt-4.1"},
            "environment_info": {"domain_name": "telecom", "policy": "Be kind.", "tool_defs": {"look": tool}},
        },
        "tasks": [{"id": "t1", "user_scenario": {"instructions": "Be Ann."}}],
        "simulations": [simulation],
    }


def test_the_newer_form_is_read(tmp_path: Path) -> None:
    made = landed(tmp_path, TAU, written(tmp_path / "a.json", results()))
    (one,) = trials(tmp_path)
    assert calls(one) == [
        ("respond", {"content": "Hi! How can I help you today?"}, {"content": "Look at x"}),
        ("look", {"x": 1}, {"y": 2}),
    ]
    assert one.derived.trajectory.answer == "Please reboot."
    assert [one.header.players[role].alias for role in ("agent", "simulator")] == ["gpt-5", "gpt-4.1"]
    assert one.header.created == "2026-01-02T03:04:05.000Z"
    usage = one.cassette.lanes["agent"][1].usage
    assert usage is not None
    assert usage.prompt_tokens == 20
    assert one.cassette.lanes["agent"][1].final.latency_ms == 500
    assert made.done.notes["user_tools"] == 2
    assert kept(one)["source"]["scores"] == [{"name": "reward", "value": 1.0}]


def test_several_results_in_one_message_are_told_apart(tmp_path: Path) -> None:
    wanted = [{"id": name, "name": "look", "arguments": {"x": name}} for name in ("a", "b")]
    results_of = [{"role": "tool", "id": name, "content": f'{{"is": "{name}"}}'} for name in ("b", "a")]
    messages = [
        {"role": "assistant", "content": "", "tool_calls": wanted},
        {"role": "tool", "tool_messages": results_of},
        {"role": "assistant", "content": "Done."},
    ]
    landed(tmp_path, TAU, written(tmp_path / "a.json", results(messages=messages)))
    (one,) = trials(tmp_path)
    assert calls(one) == [("look", {"x": "a"}, {"is": "a"}), ("look", {"x": "b"}, {"is": "b"})]
    assert len(one.turns) == 2


def test_a_simulation_that_broke_off_before_it_began_is_missing_and_counted(tmp_path: Path) -> None:
    good = results()
    broken = dict(good["simulations"][0], trial=1, messages=[], termination_reason="infrastructure_error")
    good["simulations"].append(broken)
    made = landed(tmp_path, TAU, written(tmp_path / "a.json", good))
    assert made.done.notes["never_started"] == 1
    assert [entry.status for entry in made.done.run.ledger] == ["recorded"]


def test_what_was_spoken_in_full_duplex_is_refused_by_name(tmp_path: Path) -> None:
    with pytest.raises(TranscriptsRefused, match="full duplex"):
        landed(tmp_path, TAU, written(tmp_path / "a.json", results(messages=None, ticks=[{}])))


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"traj": 7}, "0.traj"),
        ({"traj": None}, "0.traj"),
        ({"traj": [{"role": "king", "content": ""}]}, "0.traj.0.role"),
        ({"traj": [{"role": "assistant", "tool_calls": [{"function": {"name": 4}}]}]}, "function.name"),
        ({"task_id": ""}, "0.task_id"),
        ({"task_id": None}, "0.task_id"),
        ({"trial": -1}, "0.trial"),
        ({"trial": 10**9}, "0.trial"),
        ({"trial": True}, "0.trial"),
    ],
)
def test_what_does_not_fit_is_named_by_its_place(tmp_path: Path, change: dict[str, Any], field: str) -> None:
    with pytest.raises(TranscriptsRefused) as caught:
        landed(tmp_path, TAU, written(tmp_path / "a.json", [episode(), episode(**change)]))
    (problem,) = caught.value.problems
    assert field.replace("0.", "1.", 1) in problem.field
    assert problem.where == "a.json#1"
    assert nothing_written(tmp_path)


def test_a_bad_episode_can_be_left_out(tmp_path: Path) -> None:
    made = landed(tmp_path, TAU, written(tmp_path / "a.json", [episode(), episode(traj=7)]), skip_bad=True)
    assert (made.done.transcripts, made.done.skipped_lines) == (1, 1)


def test_a_file_that_is_cut_off_is_refused(tmp_path: Path) -> None:
    whole = json.dumps([episode()]).encode()
    for end in (0, 1, len(whole) // 2, len(whole) - 1):
        with pytest.raises(TranscriptsRefused):
            landed(tmp_path, TAU, written(tmp_path / "a.json", whole[:end]))
    assert nothing_written(tmp_path)


def test_a_secret_reaches_no_file(tmp_path: Path) -> None:
    secret = episode()
    secret["traj"][1]["content"] = secret["traj"][3]["content"] = SECRET
    landed(tmp_path, TAU, written(tmp_path / "a.json", [secret]))
    (one,) = trials(tmp_path)
    whole = str([one.header, one.cassette.lanes, one.cassette.labels, list(one.cassette.blobs)])
    assert SECRET not in whole
    assert "*REDACTED*" in whole
