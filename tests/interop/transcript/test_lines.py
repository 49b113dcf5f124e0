"""How a file is read: what is let in, and what is named as wrong with its place."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from replaylab.errors import UsageError
from replaylab.interop.transcript.lines import Problem, Raw, read_lines
from replaylab.schema.base import JsonObject
from replaylab.wire.redact import PLACEHOLDER, Redactor
from tests.interop.transcript.made import line, step, written

SECRET = "a-very-secret-value"


def read(tmp_path: Path, *lines: JsonObject | bytes, keep_unknown: bool = False) -> list[Any]:
    path = written(tmp_path / "t.jsonl", *lines)
    return list(read_lines({"t.jsonl": path}, Redactor([SECRET]).value, keep_unknown=keep_unknown))


def problems(tmp_path: Path, *lines: JsonObject | bytes) -> list[str]:
    return [str(one) for found in read(tmp_path, *lines) if not isinstance(found, Raw) for one in found]


def test_each_line_keeps_its_place(tmp_path: Path) -> None:
    assert [one.where for one in read(tmp_path, line(), b"", line())] == ["t.jsonl:1", "t.jsonl:3"]


def test_a_byte_order_mark_and_carriage_returns_are_no_part_of_a_line(tmp_path: Path) -> None:
    text = json.dumps(line()).encode()
    (one, two) = read(tmp_path, b"\xef\xbb\xbf" + text + b"\r", text + b"\r")
    assert one.line == two.line


def test_a_byte_order_mark_inside_of_a_file_is_wrong(tmp_path: Path) -> None:
    assert problems(tmp_path, line(), b"\xef\xbb\xbf" + json.dumps(line()).encode())[0].startswith(
        "t.jsonl:2: "
    )


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"{", "not JSON"),
        (b'{"steps": NaN}', "NaN"),
        (b'{"a": 1, "a": 2}', "a"),
        (b'{"a": "\\ud800"}', "surrogate"),
        (b'{"a": 9007199254740993}', "9007199254740993"),
        (b"\xff\xfe", "not JSON"),
        (b"[" * 100_000 + b"]" * 100_000, "deep"),
        (b'{"a":' * 250 + b"1" + b"}" * 250, "deep"),
    ],
    ids=["cut", "nan", "twice", "surrogate", "huge", "utf-16", "very-deep", "deep"],
)
def test_what_is_no_strict_json_is_wrong_by_its_line(tmp_path: Path, data: bytes, why: str) -> None:
    (found,) = problems(tmp_path, line(), data)[:1]
    assert found.startswith("t.jsonl:2: ")
    assert why in found


@pytest.mark.parametrize(
    ("changed", "field"),
    [
        ({"simulator": ...}, "simulator"),
        ({"task": ...}, "task"),
        ({"environment": ...}, "environment"),
        ({"steps": ...}, "steps"),
        ({"steps": {}}, "steps"),
        ({"steps": [step(), 7]}, "steps.1"),
        ({"steps": [{"tool": "list_gates", "arguments": {}}]}, "steps.0.observation"),
        ({"steps": [step(tool="")]}, "steps.0.tool"),
        ({"steps": [{**step(), "tool": 7}]}, "steps.0.tool"),
        ({"final_answer": 7}, "final_answer"),
        ({"trial": -1}, "trial"),
        ({"trial": "0"}, "trial"),
        ({"trial": True}, "trial"),
        ({"trial": 10_000}, "trial"),
        ({"condition": "E0", "mode": "E0"}, "mode"),
    ],
)
def test_a_field_that_does_not_fit_is_named(tmp_path: Path, changed: JsonObject, field: str) -> None:
    found = problems(tmp_path, line(**changed))
    assert found
    assert all(one.startswith(f"t.jsonl:1: {field}: ") for one in found)


def test_a_line_that_is_no_object_is_wrong(tmp_path: Path) -> None:
    assert problems(tmp_path, b"[]") == ["t.jsonl:1: it is a list and not an object"]


def test_an_unknown_field_is_wrong_and_what_it_may_mean_is_said(tmp_path: Path) -> None:
    found = problems(tmp_path, line(final_answr="x"), line(steps=[step(observaton=1)]))
    assert found[0].startswith("t.jsonl:1: final_answr: ")
    assert "final_answer" in found[0]
    assert found[1].startswith("t.jsonl:2: steps.0.observaton: ")
    assert "observation" in found[1]


def test_unknown_fields_can_be_kept(tmp_path: Path) -> None:
    (one,) = read(tmp_path, line(note=1, steps=[step(took=2.5)]), keep_unknown=True)
    assert one.kept == {"note": 1, "steps.0.took": 2.5}
    assert one.line.steps[0].tool == "list_gates"


def test_mode_is_another_word_for_condition(tmp_path: Path) -> None:
    assert read(tmp_path, line(mode="E2"))[0].line.condition == "E2"


def test_secrets_are_gone_before_anything_is_read(tmp_path: Path) -> None:
    given = line(steps=[step(observation={SECRET: f"x {SECRET}"})], final_answer=SECRET)
    (one,) = read(tmp_path, given)
    assert one.line.steps[0].observation == {PLACEHOLDER: f"x {PLACEHOLDER}"}
    assert one.line.final_answer == PLACEHOLDER


def test_no_problem_shows_a_secret(tmp_path: Path) -> None:
    found = problems(tmp_path, line(**{SECRET: 1}), line(trial=SECRET))
    assert len(found) == 2
    assert not any(SECRET in one for one in found)


def test_no_problem_holds_a_line_break_or_an_escape_of_its_own(tmp_path: Path) -> None:
    (found,) = problems(tmp_path, line(**{"a\nt.jsonl:9\x1b[2J": 1}))
    assert found.isprintable()


def test_a_line_of_ten_megabytes_is_read(tmp_path: Path) -> None:
    (one,) = read(tmp_path, line(steps=[step(observation={"text": "word " * 2_000_000})]))
    assert len(one.line.steps[0].observation["text"]) == 10_000_000


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="can't be read") as caught:
        list(read_lines({"x": tmp_path / "x"}, lambda value: value))
    assert str(tmp_path / "x") in caught.value.where


def test_a_problem_is_one_line_of_place_field_and_reason() -> None:
    assert str(Problem("f:1", "steps.0", "why")) == "f:1: steps.0: why"
    assert str(Problem("f:1", "", "why")) == "f:1: why"


def test_a_place_inside_a_line_is_told_by_its_column_alone(tmp_path: Path) -> None:
    (found,) = problems(tmp_path, line(), b'{"steps": oops}')
    assert found.startswith("t.jsonl:2: ")
    assert "column 11" in found
    assert "line 1" not in found
