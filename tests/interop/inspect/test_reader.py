"""Logs of Inspect become trials, however they are packed."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Any

import pytest

from replaylab.interop.inspect import INSPECT
from replaylab.interop.transcript import TranscriptsRefused
from tests.interop.inspect.made import log, members, packed, packed_by_hand, sample
from tests.interop.talk.landing import calls, kept, landed, nothing_written, trials, written
from tests.interop.talk.landing import sample as real


@pytest.mark.parametrize(("name", "number"), [("popularity", 10), ("two_epochs", 4), ("message_pool", 1)])
def test_real_logs_are_read_whole(tmp_path: Path, name: str, number: int) -> None:
    path = real(f"inspect/{name}.eval")
    landed(tmp_path, INSPECT, path)
    found = trials(tmp_path)
    with zipfile.ZipFile(path) as archive:
        given = [json.loads(archive.read(one)) for one in archive.namelist() if one.startswith("samples/")]
        head = json.loads(archive.read("header.json"))
    assert len(found) == len(given) == number
    for one in found:
        identifier = one.header.task.id.removeprefix(f"{head['eval']['task']}-")
        (their,) = [
            theirs
            for theirs in given
            if (str(theirs["id"]), theirs["epoch"]) == (identifier, one.header.subject.trial + 1)
        ]
        assert one.derived.trajectory.answer == their["messages"][-1]["content"]
        asked = [call for message in their["messages"] for call in message.get("tool_calls") or ()]
        assert [(tool, given_) for tool, given_, _ in calls(one)] == [
            (call["function"], call["arguments"]) for call in asked
        ]
        values = {score["name"]: score["value"] for score in kept(one)["source"]["scores"]}
        assert values == {key: score["value"] for key, score in their["scores"].items()}
    counted = [row.usage for one in found for row in one.cassette.lanes["agent"] if row.usage]
    stats = list(head["stats"]["model_usage"].values())
    assert sum(one.prompt_tokens for one in counted) == sum(one["input_tokens"] for one in stats)
    assert sum(one.completion_tokens for one in counted) == sum(one["output_tokens"] for one in stats)


def check(root: Path) -> None:
    (one,) = trials(root)
    assert calls(one) == [("look", {"x": 1}, {"y": 2})]
    assert one.derived.trajectory.answer == "It is 2."
    row = one.cassette.lanes["agent"][0]
    assert row.usage is not None
    assert (row.usage.prompt_tokens, row.usage.cached_tokens, row.final.latency_ms) == (20, 8, 500)
    assert row.answered_by == "m-1"
    assert kept(one)["source"]["metadata"] == {"level": 3}


def test_a_document_is_read(tmp_path: Path) -> None:
    landed(tmp_path, INSPECT, written(tmp_path / "a.json", log()))
    check(tmp_path)


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, 93])
def test_every_compression_is_read(tmp_path: Path, method: int) -> None:
    pack = packed_by_hand if method == 93 else packed
    landed(tmp_path, INSPECT, pack(tmp_path / "a.eval", members(log()), method))
    check(tmp_path)


def chunked() -> dict[str, Any]:
    """The sample in pieces, as large ones are kept."""
    whole = sample()
    folder = "samples/1_epoch_1/"
    shell = {key: whole[key] for key in ("id", "epoch", "input", "target", "scores")}
    messages = [*whole["messages"][:3], dict(whole["messages"][3], content="attachment://0")]
    events = json.loads(json.dumps(whole["events"]).replace("attachment://long", "attachment://0"))
    return {
        f"{folder}sample.json": shell | {"message_refs": [[0, 2], [2, 4]]},
        f"{folder}metadata.json": whole["metadata"],
        f"{folder}messages/0.json": messages[:3],
        f"{folder}messages/3.json": messages[3:],
        f"{folder}events/0.json": events[:1],
        f"{folder}events/1.json": events[1:],
        f"{folder}events/stats.json": {},
        f"{folder}attachments/0.json": ["It is 2."],
        "header.json": members(log())["header.json"],
    }


def test_a_sample_in_pieces_is_put_together(tmp_path: Path) -> None:
    landed(tmp_path, INSPECT, packed(tmp_path / "a.eval", chunked()))
    check(tmp_path)


def test_a_piece_that_is_missing_is_named(tmp_path: Path) -> None:
    parts = chunked()
    del parts["samples/1_epoch_1/messages/0.json"]
    with pytest.raises(TranscriptsRefused, match="one is missing"):
        landed(tmp_path, INSPECT, packed(tmp_path / "a.eval", parts))


def test_a_log_that_was_never_finished_is_read_as_far_as_it_goes(tmp_path: Path) -> None:
    parts = members(log())
    parts["_journal/start.json"] = parts.pop("header.json") | {"status": "started"}
    landed(tmp_path, INSPECT, packed(tmp_path / "a.eval", parts))
    assert kept(trials(tmp_path)[0])["source"]["status"] == "started"


def test_a_sample_without_messages_is_read_from_its_last_call_of_the_model(tmp_path: Path) -> None:
    one = sample()
    pool, one["messages"] = one["messages"], []
    one["events_data"] = {"messages": pool[:3], "calls": []}
    one["events"][2]["input_refs"] = [[0, 3]]
    landed(tmp_path, INSPECT, written(tmp_path / "a.json", log(one)))
    check(tmp_path)


def test_epochs_are_trials_and_each_model_an_agent(tmp_path: Path) -> None:
    other = log(sample(1, 1), sample(1, 2))
    other["eval"] = other["eval"] | {"model": "n"}
    files = [
        written(tmp_path / "a.json", log(sample(1, 1), sample(1, 2))),
        written(tmp_path / "b.json", other),
    ]
    made = landed(tmp_path, INSPECT, *files)
    assert sorted(entry.key for entry in made.done.run.ledger) == [
        f"{model},tools,none,E0/looking-1/{trial}" for model in "mn" for trial in (0, 1)
    ]


def test_a_member_that_belongs_to_no_sample_is_named_and_not_passed_over(tmp_path: Path) -> None:
    parts = members(log()) | {"samples/odd.json": sample()}
    with pytest.raises(TranscriptsRefused, match="named like no sample") as caught:
        landed(tmp_path, INSPECT, packed(tmp_path / "a.eval", parts))
    assert caught.value.problems[0].where == "a.eval:samples/odd.json"


def test_a_sample_that_broke_off_at_once_is_counted_and_no_trial(tmp_path: Path) -> None:
    broken = sample(1, 2, messages=[], events=[], scores=None, error={"message": "boom"})
    made = landed(tmp_path, INSPECT, written(tmp_path / "a.json", log(sample(), broken)))
    assert (made.done.transcripts, made.done.notes["never_started"]) == (1, 1)


def test_an_error_of_a_tool_is_its_result(tmp_path: Path) -> None:
    one = sample()
    one["messages"][2] |= {"content": "", "error": {"type": "timeout", "message": "too slow"}}
    landed(tmp_path, INSPECT, written(tmp_path / "a.json", log(one)))
    assert calls(trials(tmp_path)[0])[0][2] == {"error": {"type": "timeout", "message": "too slow"}}


def test_a_score_that_is_no_number_is_kept_as_text(tmp_path: Path) -> None:
    data = json.dumps(log()).replace('"value": "C"', '"value": NaN').encode()
    made = landed(tmp_path, INSPECT, written(tmp_path / "a.json", data))
    assert kept(trials(tmp_path)[0])["source"]["scores"][0]["value"] == "NaN"
    assert made.done.notes["odd_number"] == 1


def test_attachments_that_grow_beyond_measure_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("replaylab.interop.inspect.log.MAX_RESOLVED", 100)
    one = sample(attachments={"long": "x" * 60})
    with pytest.raises(TranscriptsRefused, match="more than 100 characters"):
        landed(tmp_path, INSPECT, written(tmp_path / "a.json", log(one)))


@pytest.mark.parametrize(
    ("changed", "field"),
    [
        ({"id": None}, "id"),
        ({"epoch": 0}, "epoch"),
        ({"messages": {}}, "messages"),
        ({"messages": [{"role": "king"}]}, "messages.0.role"),
        ({"events": [{"event": "model", "output": 7}]}, "events.0.output"),
        ({"attachments": {"x": 7}}, "attachments.x"),
        ({"messages": [], "events": [{"event": "model", "input_refs": [[0, 5]]}]}, "input_refs.0"),
    ],
)
def test_what_does_not_fit_is_named_by_its_place(tmp_path: Path, changed: dict[str, Any], field: str) -> None:
    with pytest.raises(TranscriptsRefused) as caught:
        landed(tmp_path, INSPECT, packed(tmp_path / "a.eval", members(log(sample(2), sample(**changed)))))
    (problem,) = caught.value.problems
    assert field in problem.field
    assert problem.where.startswith("a.eval:samples/")
    assert nothing_written(tmp_path)
