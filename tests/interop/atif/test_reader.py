"""ATIF trajectories become trials, and trials become ATIF trajectories that give the same trials back."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from replaylab.interop.atif import ATIF
from replaylab.interop.transcript import TranscriptsRefused
from tests.interop.talk.landing import calls, kept, landed, nothing_written, sample, trials, written


def step(number: int, source: str = "agent", message: Any = "", **more: Any) -> dict[str, Any]:
    return {"step_id": number, "source": source, "message": message} | more


def looked(number: int, result: str = '{"y": 2}') -> dict[str, Any]:
    call = {"tool_call_id": "c1", "function_name": "look", "arguments": {"x": 1}}
    results = [{"source_call_id": "c1", "content": result}]
    return step(
        number,
        message="I look.",
        reasoning_content="Hm.",
        model_name="gpt-5-mini",
        tool_calls=[call],
        observation={"results": results},
        metrics={"prompt_tokens": 20, "completion_tokens": 4, "cached_tokens": 8},
    )


def trajectory(*steps: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {
        "schema_version": "ATIF-v1.8",
        "agent": {"name": "looker", "version": "1", "model_name": "gpt-5"},
        "steps": list(steps) or [step(1, "user", "Look!"), looked(2), step(3, message="It is 2.")],
    } | more


def test_a_real_file_is_read_whole(tmp_path: Path) -> None:
    source = sample("atif/example_1_7.json")
    landed(tmp_path, ATIF, source)
    (one,) = trials(tmp_path)
    given = json.loads(source.read_bytes())["steps"]
    said = [step["message"] for step in given if step["source"] == "agent"]
    assert [arguments["content"] for _, arguments, _ in calls(one)] == said[:-1]
    assert one.derived.trajectory.answer == said[-1]
    rows = one.cassette.lanes["agent"]
    assert [row.answered_by for row in rows] == ["gpt-4o", "claude-3-5-sonnet", "gemini-2.0-flash"]
    assert one.header.created == "2026-01-06T00:00:01.000Z"


def test_calls_reasoning_models_and_tokens_come_along(tmp_path: Path) -> None:
    landed(tmp_path, ATIF, written(tmp_path / "a.json", trajectory()))
    (one,) = trials(tmp_path)
    assert calls(one) == [("look", {"x": 1}, {"y": 2})]
    assert one.turns[0].reasoning == "Hm."
    row = one.cassette.lanes["agent"][0]
    assert row.usage is not None
    assert (row.answered_by, row.usage.prompt_tokens, row.usage.cached_tokens) == ("gpt-5-mini", 20, 8)


def test_an_action_that_stands_in_the_text_is_a_word_and_its_answer(tmp_path: Path) -> None:
    acted = step(2, message="```ls```", observation={"results": [{"content": "a.txt"}]})
    landed(
        tmp_path,
        ATIF,
        written(tmp_path / "a.json", trajectory(step(1, "user", "List."), acted, step(3, message="a"))),
    )
    assert calls(trials(tmp_path)[0]) == [("respond", {"content": "```ls```"}, {"content": "a.txt"})]


def test_subagents_are_trials_of_their_own(tmp_path: Path) -> None:
    inner = trajectory(trajectory_id="inner") | {"agent": {"name": "helper", "version": "1"}}
    made = landed(tmp_path, ATIF, written(tmp_path / "a.json", trajectory(subagent_trajectories=[inner])))
    assert made.done.transcripts == 2
    assert {one.header.environment.id for one in trials(tmp_path)} == {"atif-looker", "atif-helper"}


def test_scores_and_metrics_are_kept_as_what_the_source_says(tmp_path: Path) -> None:
    extra = {"scores": [{"name": "reward", "value": 0.5}], "more": 1}
    one = trajectory(extra=extra, final_metrics={"total_prompt_tokens": 20})
    made = landed(tmp_path, ATIF, written(tmp_path / "a.json", one))
    source = kept(trials(tmp_path)[0])["source"]
    assert source["scores"] == extra["scores"]
    assert source["final_metrics"] == {"total_prompt_tokens": 20}
    assert source["extra"] == {"more": 1}
    assert made.scored == 1


@pytest.mark.parametrize(
    ("changed", "field", "why"),
    [
        ({"schema_version": "ATIF-v2.0"}, "", "ATIF-v1.0 to ATIF-v1.8 are read"),
        ({"schema_version": "ATIF-v1.9"}, "", "ATIF-v1.0 to ATIF-v1.8 are read"),
        ({"steps": []}, "steps", "at least 1"),
        ({"steps": [step(2, "user", "x")]}, "", "step 1 has the step_id 2"),
        ({"steps": [step(1, "user", "x", tool_calls=[])]}, "steps.0", "only a step of an agent"),
        ({"steps": [step(1, "king", "x")]}, "steps.0.source", "'system', 'user' or 'agent'"),
        ({"steps": [step(1, timestamp="noon")]}, "steps.0", "isoformat"),
        ({"steps": [step(1, llm_call_count=0, metrics={})]}, "steps.0", "neither metrics nor reasoning"),
        ({"steps": [step(1, metrics={"prompt_tokens": "7"})]}, "steps.0.metrics.prompt_tokens", "integer"),
        ({"steps": [step(1, message=[{"type": "text"}])]}, "steps.0.message", ""),
        ({"agent": {"name": "x"}}, "agent.version", "required"),
        ({"surprise": 1}, "surprise", "not permitted"),
        ({"subagent_trajectories": [trajectory()]}, "", "trajectory_id of its own"),
    ],
)
def test_what_is_no_trajectory_is_refused_by_its_place(
    tmp_path: Path, changed: dict[str, Any], field: str, why: str
) -> None:
    with pytest.raises(TranscriptsRefused) as caught:
        landed(tmp_path, ATIF, written(tmp_path / "a.json", trajectory() | changed))
    assert any(one.field.startswith(field) and why in one.why for one in caught.value.problems), str(
        caught.value
    )
    assert nothing_written(tmp_path)


def test_a_result_of_a_call_in_another_step_is_refused(tmp_path: Path) -> None:
    stray = step(3, observation={"results": [{"source_call_id": "c1", "content": "x"}]})
    with pytest.raises(TranscriptsRefused, match='no call of this step has the id "c1"'):
        landed(
            tmp_path, ATIF, written(tmp_path / "a.json", trajectory(step(1, "user", "x"), looked(2), stray))
        )
