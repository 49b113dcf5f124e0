"""Traces become conversations, whatever their attributes are called."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from replaylab.interop.otel import OTEL
from replaylab.interop.transcript import TranscriptsRefused
from tests.interop.otel.made import (
    ARGUMENTS,
    ASKED,
    SAYS,
    WEATHER,
    attributes,
    call,
    document,
    events,
    inference,
    numbered,
    span,
    text,
    today,
)
from tests.interop.talk.landing import calls, kept, landed, nothing_written, trials, written


@pytest.mark.parametrize("spans", [today(), today(structured=True), numbered(), inference(), events()])
def test_every_naming_gives_the_same_conversation(tmp_path: Path, spans: list[dict[str, Any]]) -> None:
    landed(tmp_path, OTEL, written(tmp_path / "a.json", document(*spans)))
    (trial,) = trials(tmp_path)
    assert calls(trial) == [("weather", ARGUMENTS, WEATHER)]
    assert trial.derived.trajectory.answer == "Clear."
    assert trial.header.task.instruction == "Be short.\n\nWeather in Oslo?"
    assert trial.header.players["agent"].alias == "gpt-5"


@pytest.mark.parametrize("spans", [today(), numbered(), inference()])
def test_tools_and_tokens_come_along(tmp_path: Path, spans: list[dict[str, Any]]) -> None:
    made = landed(tmp_path, OTEL, written(tmp_path / "a.json", document(*spans)))
    (trial,) = trials(tmp_path)
    (tool,) = trial.header.environment.tools
    assert (tool.name, tool.description) == ("weather", "Says the weather.")
    usage = trial.cassette.lanes["agent"][0].usage
    assert usage is not None
    assert (usage.prompt_tokens, usage.completion_tokens) == (30, 7)
    assert "tools" not in made.lacks
    assert "tokens" not in made.lacks


def test_times_and_models_that_servers_named_come_along(tmp_path: Path) -> None:
    landed(tmp_path, OTEL, written(tmp_path / "a.json", document(*today())))
    (trial,) = trials(tmp_path)
    row = trial.cassette.lanes["agent"][0]
    assert (row.final.latency_ms, row.answered_by) == (250.0, "gpt-5-2026")
    assert trial.header.created == "2025-10-09T08:53:20.000Z"


def test_spans_of_one_trace_may_lie_on_many_lines_in_any_order(tmp_path: Path) -> None:
    lines = b"\n".join(json.dumps(document(one)).encode() for one in reversed(today()))
    landed(tmp_path, OTEL, written(tmp_path / "a.jsonl", lines))
    assert [calls(one) for one in trials(tmp_path)] == [[("weather", ARGUMENTS, WEATHER)]]


def test_a_span_that_was_sent_twice_counts_once(tmp_path: Path) -> None:
    made = landed(tmp_path, OTEL, written(tmp_path / "a.json", document(*today(), *today())))
    assert made.done.transcripts == 1
    assert made.done.notes["said_twice"] == 3


def test_two_spans_of_one_id_are_refused(tmp_path: Path) -> None:
    other = span(0, call() | {"gen_ai.request.model": "else"})
    with pytest.raises(TranscriptsRefused, match="is another one elsewhere"):
        landed(tmp_path, OTEL, written(tmp_path / "a.json", document(*today(), other)))
    assert nothing_written(tmp_path)


def test_the_same_question_asked_three_times_is_three_trials(tmp_path: Path) -> None:
    said = call() | {"gen_ai.input.messages": json.dumps(ASKED)}
    votes = [
        span(number, said | {"gen_ai.output.messages": json.dumps([text("assistant", f"vote {number}")])})
        for number in range(3)
    ]
    landed(tmp_path, OTEL, written(tmp_path / "a.json", document(*votes)))
    found = trials(tmp_path)
    assert [one.derived.trajectory.answer for one in found] == ["vote 0", "vote 1", "vote 2"]
    assert [one.header.subject.trial for one in found] == [0, 1, 2]


def test_a_result_that_only_the_span_of_the_tool_holds_is_found(tmp_path: Path) -> None:
    landed(tmp_path, OTEL, written(tmp_path / "a.json", document(*today()[:2])))
    (trial,) = trials(tmp_path)
    assert calls(trial) == [("weather", ARGUMENTS, WEATHER)]


def test_evaluations_are_kept_as_scores_of_the_source(tmp_path: Path) -> None:
    said = {"gen_ai.evaluation.name": "relevance", "gen_ai.evaluation.score.value": 0.5}
    event = {"name": "gen_ai.evaluation.result", "attributes": attributes(said)}
    spans = today()
    spans[2]["events"] = [event]
    made = landed(tmp_path, OTEL, written(tmp_path / "a.json", document(*spans)))
    (trial,) = trials(tmp_path)
    assert kept(trial)["source"]["scores"] == [{"name": "relevance", "value": 0.5}]
    assert made.scored == 1
    assert trial.derived.verdict.outcome == "none"


def test_content_that_nobody_captured_is_named_as_the_reason(tmp_path: Path) -> None:
    with pytest.raises(TranscriptsRefused, match="CAPTURE_MESSAGE_CONTENT"):
        landed(tmp_path, OTEL, written(tmp_path / "a.json", document(span(0, call()))))


def test_a_call_that_failed_is_left_out_and_counted(tmp_path: Path) -> None:
    failed = span(5, call() | {"gen_ai.input.messages": json.dumps(ASKED)}, status={"code": 2})
    made = landed(tmp_path, OTEL, written(tmp_path / "a.json", document(*today(), failed)))
    assert made.done.notes["failed_calls"] == 1
    assert made.done.transcripts == 1


@pytest.mark.parametrize(
    ("change", "field", "why"),
    [
        ({"startTimeUnixNano": "soon"}, "startTimeUnixNano", "no time in nanoseconds"),
        ({"startTimeUnixNano": "9" * 30}, "startTimeUnixNano", "no time in nanoseconds"),
        ({"attributes": 7}, "attributes", "it is a number and not a list"),
        ({"attributes": [{"key": "x", "value": {"intValue": "1e9"}}]}, "value.intValue", "no whole number"),
        ({"attributes": [{"key": "x", "value": {"oddValue": 1}}]}, "value", "nobody knows the type"),
    ],
)
def test_what_does_not_fit_is_named_by_its_place(
    tmp_path: Path, change: dict[str, Any], field: str, why: str
) -> None:
    with pytest.raises(TranscriptsRefused) as caught:
        landed(tmp_path, OTEL, written(tmp_path / "a.json", document(today()[0] | change)))
    assert field in caught.value.problems[0].field
    assert why in caught.value.problems[0].why
    assert nothing_written(tmp_path)


def test_a_number_of_64_bits_is_read_as_text_or_number(tmp_path: Path) -> None:
    one = today()[0] | {"startTimeUnixNano": 1_760_000_000_000_000_000}
    landed(tmp_path, OTEL, written(tmp_path / "a.json", document(one, *today()[1:])))
    assert trials(tmp_path)[0].header.created == "2025-10-09T08:53:20.000Z"


def test_parallel_agents_of_one_trace_stay_apart(tmp_path: Path) -> None:
    def talk(who: str, at: int) -> list[dict[str, Any]]:
        asked = [text("user", f"I am {who}")]
        said = text("assistant", f"Hello {who}", finish_reason="stop")
        again = [*asked, said, text("user", "Again")]
        first = call() | {
            "gen_ai.input.messages": json.dumps(asked),
            "gen_ai.output.messages": json.dumps([said]),
        }
        second = call() | {
            "gen_ai.input.messages": json.dumps(again),
            "gen_ai.output.messages": json.dumps([SAYS]),
        }
        return [span(at, first), span(at + 2, second)]

    landed(tmp_path, OTEL, written(tmp_path / "a.json", document(*talk("Ann", 0), *talk("Bob", 1))))
    assert [calls(one) for one in trials(tmp_path)] == [
        [("respond", {"content": f"Hello {who}"}, {"content": "Again"})] for who in ("Ann", "Bob")
    ]


def test_a_conversation_that_went_on_twice_is_two(tmp_path: Path) -> None:
    asked = [text("user", "Hi")]
    said = text("assistant", "Hello", finish_reason="stop")
    first = call() | {
        "gen_ai.input.messages": json.dumps(asked),
        "gen_ai.output.messages": json.dumps([said]),
    }
    more = [
        call()
        | {
            "gen_ai.input.messages": json.dumps([*asked, said, text("user", word)]),
            "gen_ai.output.messages": json.dumps([text("assistant", f"{word}!", finish_reason="stop")]),
        }
        for word in ("One", "Two")
    ]
    landed(
        tmp_path,
        OTEL,
        written(tmp_path / "a.json", document(span(0, first), span(1, more[0]), span(2, more[1]))),
    )
    found = trials(tmp_path)
    assert [one.derived.trajectory.answer for one in found] == ["One!", "Two!"]
    assert [len(calls(one)) for one in found] == [1, 1]
