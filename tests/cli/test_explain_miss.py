from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from replaylab.cli.explain_miss import toml_of
from replaylab.engine.captured.exchange import Exchange
from replaylab.engine.captured.missed import misses_file
from replaylab.engine.captured.session import Session
from replaylab.schema.capture import NormaliseRule
from replaylab.store.library import Library
from tests.cli.conftest import Call
from tests.engine.captured.asking import (
    RUN,
    answer,
    asked,
    asked_body,
    missed,
    opened,
    played,
    record,
    ticking,
)


@pytest.fixture
def library(tmp_path: Path) -> Path:
    """A run whose replay asked for another day and another ticket."""
    folder = tmp_path / "cassettes"
    record(folder, (asked("today is 2026-01-02", "T-3f9c"), answer("1")), (asked("x"), answer("2")))
    session = opened(folder, "offline")
    missed(session, asked("today is 2027-03-04", "T-77aa"))
    missed(session, asked("something else"))
    session.seal()
    return folder


def test_rules_are_proposed_that_make_the_recording_match(call: Call, library: Path) -> None:
    ended = call("explain-miss", "--json")
    assert ended.code == 0, ended.err
    first, second = ended.document["misses"]
    assert (first["solved"], first["pointer"], first["number"]) == (True, "/messages/0/content", 0)
    assert [one["why"] for one in first["proposed"]] == ["a date differs", "a hexadecimal id differs"]
    assert (second["solved"], second["proposed"]) == (False, [])
    rules = [NormaliseRule.model_validate(rule) for rule in ended.document["rules"]]
    session = opened(library, "offline", *rules)
    assert played(session, asked("today is 2027-03-04", "T-77aa")) == ["1"]


def test_what_it_prints_can_be_put_into_the_configuration(call: Call, library: Path, tmp_path: Path) -> None:
    shown = call("explain-miss", RUN, "--miss", "0").out
    assert "recorded: " in shown
    assert "with the rules below it is found" in shown
    (tmp_path / "replaylab.toml").write_text(shown.partition("what they cover:")[2], encoding="utf-8")
    ended = call("explain-miss", RUN, "--miss", "0")
    assert "with the rules that are in force now it is found: replay again" in ended.out
    assert "what they cover" not in ended.out
    assert call("runs", "--json").code == 0


def test_the_misses_go_away_with_a_replay_that_misses_nothing(call: Call, library: Path) -> None:
    session = opened(library, "offline")
    played(session, asked("x"))
    session.seal()
    assert not misses_file(Library(library), RUN).exists()
    ended = call("explain-miss", RUN)
    assert (ended.code, "no miss is kept" in ended.err) == (2, True)
    assert "no runs have misses" in call("explain-miss").err


def test_a_miss_that_is_not_there_is_named(call: Call, library: Path) -> None:
    assert "0 to 1" in call("explain-miss", RUN, "--miss", "2").err


@pytest.mark.parametrize("pattern", [r"\d{4}-\d\d", "it's", "a\tb", "\\"])
def test_a_rule_is_written_as_toml_that_reads_the_same(pattern: str) -> None:
    rule = NormaliseRule(pattern=pattern, pointer="/messages/*/content", replace="*X*")
    read = tomllib.loads("\n".join(toml_of(rule)))
    assert read == {"capture": {"normalise": [rule.to_json()]}}


def test_rules_in_force_are_not_proposed_again(call: Call, library: Path, tmp_path: Path) -> None:
    first = call("explain-miss", RUN, "--miss", "0", "--json").document["rules"][0]
    toml = "\n".join(toml_of(NormaliseRule.model_validate(first)))
    (tmp_path / "replaylab.toml").write_text(toml, encoding="utf-8")
    ended = call("explain-miss", RUN, "--miss", "0", "--json")
    assert [one["why"] for one in ended.document["misses"][0]["proposed"]] == ["a hexadecimal id differs"]
    assert first not in ended.document["rules"]
    assert ended.document["misses"][0]["solved"]


def test_a_question_that_came_once_more_is_explained_and_needs_no_rule(call: Call, library: Path) -> None:
    session = opened(library, "offline")
    played(session, asked("x"))
    missed(session, asked("x"))
    session.seal()
    ended = call("explain-miss", RUN)
    assert ended.code == 0, ended.err
    assert "last replay: 1 miss\n" in ended.out
    assert "recorded 1, this is the 2nd" in ended.out
    assert "no rule is proposed: the request is recorded, less often" in ended.out
    assert "what they cover" not in ended.out


def test_another_place_is_named_and_needs_no_rule(call: Call, library: Path) -> None:
    session = opened(library, "offline")
    missed(session, asked_body({"model": "m"}, path="/chat/completions"))
    session.seal()
    out = call("explain-miss", RUN).out
    assert "recorded: …POST /v1/chat/completions at openai…" in out
    assert "now:      …POST /chat/completions at openai…" in out
    assert "no rule is proposed: a rule is about bodies" in out


def test_a_query_that_differs_is_shown(call: Call, tmp_path: Path) -> None:
    folder = tmp_path / "cassettes"
    record(folder, (Exchange("x", "GET", "/v1/models?limit=5", b""), answer("1")))
    session = opened(folder, "offline")
    missed(session, Exchange("x", "GET", "/v1/models?limit=6", b""))
    session.seal()
    out = call("explain-miss", RUN).out
    assert "recorded: …/v1/models?limit=5…" in out
    assert "no rule is proposed: the bodies are alike, and the address is another one" in out


def test_a_run_that_is_not_there_is_not_one_that_missed_nothing(call: Call, library: Path) -> None:
    ended = call("explain-miss", "siute")
    assert (ended.code, "there is no run 'siute'" in ended.err, RUN in ended.err) == (2, True, True)


def test_misses_of_a_run_that_has_no_recording_yet_are_found(call: Call, tmp_path: Path) -> None:
    folder = tmp_path / "cassettes"
    session = Session(Library(folder), "fresh", "offline", ticking(), may_be_new=True)
    missed(session, asked("a"))
    session.seal()
    assert "run fresh, last replay: 1 miss\n" in call("explain-miss").out
