"""Which number each transcript gets, and what contradicts itself."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from replaylab.interop.transcript import TranscriptsRefused
from replaylab.schema.base import JsonObject
from replaylab.store.library import Library
from tests.interop.transcript.made import CONFIG, imported, line, step


def keys(tmp_path: Path, *lines: JsonObject) -> list[str]:
    run = imported(tmp_path, *lines).run
    return [entry.key for entry in run.ledger if entry.tries]


def numbers(tmp_path: Path, *lines: JsonObject) -> list[str]:
    return [key.rpartition("/")[2] for key in keys(tmp_path, *lines)]


def refused(tmp_path: Path, *lines: JsonObject) -> str:
    with pytest.raises(TranscriptsRefused) as caught:
        imported(tmp_path, *lines)
    assert not Library(tmp_path / "library").exists()
    return f"{caught.value.what} {caught.value.where}"


def test_lines_of_one_trial_without_a_number_are_repeats_even_where_they_say_the_same(tmp_path: Path) -> None:
    assert numbers(tmp_path, line(), line(), line(final_answer="x")) == ["0", "1", "2"]


def test_lines_without_a_number_take_the_free_ones(tmp_path: Path) -> None:
    made = imported(tmp_path, line(final_answer="first"), line(trial=0, final_answer="zero"), line(trial=2))
    assert [entry.status for entry in made.run.ledger] == ["recorded"] * 3


def test_the_same_numbered_line_again_counts_once_and_is_said(tmp_path: Path) -> None:
    made = imported(tmp_path, line(trial=0), line(trial=0))
    assert (made.transcripts, made.notes) == (1, {"said_twice": 1})


def test_another_conversation_under_the_same_number_is_a_conflict(tmp_path: Path) -> None:
    said = refused(tmp_path, line(trial=0), line(trial=0, final_answer="other"))
    assert "theirs.jsonl:1" in said
    assert "theirs.jsonl:2" in said
    assert "unknown,a,none,E0" in said


@pytest.mark.parametrize(
    ("one", "other", "what"),
    [
        (
            {"task": {"id": "t", "instruction": "a"}},
            {"task": {"id": "t", "instruction": "b"}},
            "task.instruction",
        ),
        ({}, {"environment": {**CONFIG, "task_initial_state": {}}}, "environment.initial_state"),
        ({}, {"industry": "Safety"}, "scenario.industry"),
        ({"simulator": {"alias": "a", "size": 1}}, {"simulator": {"alias": "a", "size": 2}}, "simulator 'a'"),
        ({"agent": {"alias": "x"}}, {"agent": {"alias": "x", "family": "f"}}, "agent 'x'"),
    ],
)
def test_one_name_for_two_things_is_a_conflict(tmp_path: Path, one: Any, other: Any, what: str) -> None:
    said = refused(tmp_path, line(**one), line(**other))
    assert what in said
    assert "theirs.jsonl:1" in said
    assert "theirs.jsonl:2" in said


def test_one_name_in_two_roles_is_none(tmp_path: Path) -> None:
    assert keys(tmp_path, line(agent={"alias": "a", "family": "f"}))[0].startswith("a,a,none,E0/")


def test_names_with_slashes_and_dots_are_escaped_and_no_paths(tmp_path: Path) -> None:
    given = line(
        simulator="../../x", agent="/etc/passwd", task={"id": "../t,#~", "instruction": "i"}, steps=[step()]
    )
    (key,) = keys(tmp_path, given)
    assert key == "%2Fetc%2Fpasswd,..%2F..%2Fx,none,E0/..%2Ft%2C%23%7E/0"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["library", "theirs.jsonl"]
