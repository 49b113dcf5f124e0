from __future__ import annotations

import json
from pathlib import Path

import pytest

from replaylab.compare.regressions import Regressions, regressions
from replaylab.report.regressions_text import (
    FLIPS,
    VALUE,
    as_markdown,
    fields,
    findings,
    headline,
    short,
    text,
)
from replaylab.schema.cassette import ScenarioFacts
from replaylab.schema.model import ModelSettings
from replaylab.store.library import Library
from tests.playground import SHORT, record
from tests.score.written import cast, write
from tools.authored import AuthoredTrial, Cast, author, authored_task

OUTCOMES = {"care-1": ("pass", "fail"), "care-2": ("fail", "pass"), "farm-1": ("pass", "error")}


@pytest.fixture
def found(tmp_path: Path) -> tuple[Regressions, ...]:
    for side, name in enumerate(("old", "new")):
        trials = [AuthoredTrial(name, task, said[side], calls=2) for task, said in OUTCOMES.items()]  # type: ignore[arg-type]
        write(tmp_path, f"run-{name}", trials, cast(name))
    return regressions(Library(tmp_path), "run-old", "run-new")


def test_the_answer_comes_first_and_says_what_has_no_verdict(found: tuple[Regressions, ...]) -> None:
    assert headline(found[0]) == (
        "3 pairs: 1 regressed, 1 improved, 1 without a verdict on one side alone, 0 as before"
    )
    lines = text(found).splitlines()
    assert lines[0].startswith("first: run run-old  ")
    assert "differs: agent: old -> new" in lines
    assert any(line.startswith("! Authored, not recorded") for line in lines)
    assert lines.index(headline(found[0])) < lines.index(
        "Regressed (1): passed in the first run, failed in the second"
    )


def test_errors_are_told_apart_in_the_table_of_verdicts(found: tuple[Regressions, ...]) -> None:
    said = text(found)
    table = said[said.index("What became of the verdicts") :].splitlines()[3:8]
    assert [line.split() for line in table if not line.startswith("-")] == [
        ["First", "run,", "then", "passed", "failed", "error", "All"],
        ["passed", "0", "1", "1", "2"],
        ["failed", "1", "0", "0", "1"],
        ["error", "0", "0", "0", "0"],
    ]


def test_a_flip_shows_both_sides_where_they_part(found: tuple[Regressions, ...]) -> None:
    lines = text(found).splitlines()
    at = lines.index("  new,sim,judge,E0/care-1/0  passed, then failed")
    assert lines[at + 1].startswith("    failed by: ")
    assert lines[at + 2] == "    first difference: the same trajectory, and vote 0 judges it otherwise"
    assert lines[at + 3] == '    first:  old,sim,judge,E0/care-1/0/verifier.0#0: "pass"'
    assert lines[at + 4] == '    second: new,sim,judge,E0/care-1/0/verifier.0#0: "fail"'


def test_regressions_alone_are_findings(found: tuple[Regressions, ...]) -> None:
    (one,) = findings(found)
    assert (one.kind, one.where, one.expected, one.observed) == (
        "regressed",
        "new,sim,judge,E0/care-1/0",
        "pass",
        "fail",
    )
    assert "care-1 under E0 passed in run-old and fails in run-new" in one.message


def test_the_document_is_json_and_has_every_flip(found: tuple[Regressions, ...]) -> None:
    told = fields(found)
    assert json.loads(json.dumps(told, allow_nan=False)) == told
    assert [one["kind"] for one in told["comparisons"][0]["flips"]] == ["regressed", "improved", "undecided"]


def test_markdown_has_every_flip_in_a_table(found: tuple[Regressions, ...]) -> None:
    said = as_markdown(found)
    assert "## Every trial that ended another way" in said
    assert said.count("| regressed |") == 1


def test_many_flips_are_cut_and_counted(tmp_path: Path) -> None:
    facts = ScenarioFacts(id="s", name="S", industry="Technology & IT", domain="D")
    tasks = [authored_task(f"t{number:02}", facts) for number in range(FLIPS + 3)]
    for name, said in (("old", "pass"), ("new", "fail")):
        given = Cast([_model(name)], [_model("sim")], [_model("judge")], cast().faults, tasks)
        author(Library(tmp_path), name, given, [AuthoredTrial(name, one.task.id, said) for one in tasks])  # type: ignore[arg-type]
    said = text(regressions(Library(tmp_path), "old", "new"))
    assert said.count("passed, then failed") == FLIPS
    assert "  … and 3 more; --json lists all" in said


def _model(alias: str) -> ModelSettings:
    return ModelSettings(alias=alias, model=alias)


def test_a_hostile_name_is_one_line_of_text(tmp_path: Path) -> None:
    hostile = "a\nRegressed (9): \x1b[31m|x|\u202e<b>"
    for name in ("old", hostile):
        write(tmp_path, f"run{name == hostile:d}", [AuthoredTrial(name, "care-1", "pass")], cast(name))
    found = regressions(Library(tmp_path), "run0", "run1")
    for said in (text(found), as_markdown(found)):
        assert "\x1b" not in said
        assert "\u202e" not in said
        assert not any(line.startswith("Regressed (9)") for line in said.splitlines())
    assert "<b>" not in as_markdown(found)


def test_a_long_value_is_cut_and_says_how_long_it_is() -> None:
    assert short({"b": 1, "a": "\x1b"}) == '{"a": "\\u001b", "b": 1}'
    told = short("x" * 500)
    assert told == '"' + "x" * (VALUE - 1) + "… (502 characters)"


def test_runs_of_two_simulators_say_what_drives_them_apart(tmp_path: Path) -> None:
    record(tmp_path, tasks=(SHORT,), name="one")
    library, _ = record(tmp_path, tasks=(SHORT,), simulators=("example",), name="two")
    found = regressions(library, "one", "two")
    (between,) = found[0].between
    assert (between.found.a, between.found.b) == ("twin", "example")
    said = text(found)
    assert "Scenarios that drive twin and example apart" in said
    assert "Whether violations explain the flips between twin and example" in said
    assert fields(found)["comparisons"][0]["between"][0]["found"]["a"] == "twin"


def test_a_side_that_makes_no_call_there_says_so(tmp_path: Path) -> None:
    for name, outcome, calls in (("old", "pass", 2), ("new", "fail", 1)):
        trial = AuthoredTrial(name, "care-1", outcome, calls=calls)  # type: ignore[arg-type]
        write(tmp_path, name, [trial], cast(name))
    said = text(regressions(Library(tmp_path), "old", "new"))
    assert "    second: new,sim,judge,E0/care-1/0/agent#1: no call" in said.splitlines()
