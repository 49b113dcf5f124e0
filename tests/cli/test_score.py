from __future__ import annotations

import gc
import importlib.util
import json
from pathlib import Path
from typing import Any

import pytest

from replaylab.faults.plan import named
from replaylab.schema.cassette import ScenarioFacts
from replaylab.schema.model import ModelSettings
from replaylab.store.library import Library
from tests.cli.conftest import Call, process
from tools.authored import AuthoredTrial, Cast, author, authored_task

FILES = ("index.html", "score.json", "trials.csv", "SHA256SUMS")


def test_the_main_tables_are_printed_and_everything_is_written(
    call: Call, study: Path, tmp_path: Path
) -> None:
    ended = call("--library", str(study), "score", "study")
    assert ended.code == 0, ended.err
    assert "2 planned: 1 passed, 1 failed, 0 errors, 0 missing" in ended.out
    assert "No LLM took part" in ended.out
    assert "1/1" in ended.out
    folder = tmp_path / "reports" / "study"
    assert {name for name in FILES if (folder / name).is_file()} == set(FILES)
    assert (folder / "figures" / "overall.svg").is_file()
    assert str(folder) in ended.out


def test_the_same_bytes_are_written_again(call: Call, study: Path, tmp_path: Path) -> None:
    call("--library", str(study), "score")
    sums = tmp_path / "reports" / "study" / "SHA256SUMS"
    first = sums.read_bytes()
    call("--library", str(study), "score", "--jobs", "1")
    assert sums.read_bytes() == first
    assert b"index.html" in first


def test_json_is_one_document_with_every_table(call: Call, study: Path) -> None:
    document = call("--library", str(study), "score", "--print-only", "--json").document
    assert (document["schema"], document["ok"]) == ("replaylab/score/1", True)
    assert {"ledger", "overall", "industries"} <= {one["id"] for one in document["tables"]}
    assert all(one["why"] for one in document["left_out"])
    assert {"replaylab", "parser", "recorded_parser", "scipy"} <= set(document["versions"])
    assert document["ledger"] == {
        "planned": 2,
        "pass": 1,
        "fail": 1,
        "error": 0,
        "missing": 0,
        "unjudged": 0,
    }


def test_what_only_some_scores_need_is_not_loaded_by_all() -> None:
    code = "import sys, replaylab.cli.main, replaylab.cli.scored; print(*sys.modules)"
    loaded = set(process("-c", code, cwd=Path.cwd()).stdout.decode().split())
    assert "scipy.special" in loaded
    assert (
        not {"scipy.stats", "scipy.optimize", "statsmodels", "pandas", "sqlite_utils", "matplotlib"} & loaded
    )


def test_garbage_is_collected_again_afterwards(call: Call, study: Path) -> None:
    assert gc.isenabled()
    assert call("--library", str(study), "score", "--print-only").code == 0
    assert gc.isenabled()
    assert call("--library", str(study), "score", "--print-only", "--sim", "nobody").code == 2
    assert gc.isenabled()


def test_print_only_writes_nothing(call: Call, study: Path, tmp_path: Path) -> None:
    assert call("--library", str(study), "score", "--print-only").code == 0
    assert not (tmp_path / "reports").exists()


def test_a_table_is_printed_as_published(call: Call, study: Path) -> None:
    ended = call(
        "--library", str(study), "score", "--print-only", "--table", "industries", "--layout", "paper"
    )
    assert "Model" in ended.out
    assert "Hlth" in ended.out
    assert "Completion rate by agent\n" not in ended.out


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (("--table", "industry"), "industries"),
        (("--table", "simulators"), "nothing to show"),
        (("--sim", "twim"), "twin"),
        (("--env", "E9"), "E0"),
        (("--verifier", "nobody"), "rubric"),
        (("nothing",), "no run 'nothing'"),
    ],
)
def test_a_wrong_name_is_an_error_that_says_what_there_is(
    call: Call, study: Path, options: tuple[str, ...], says: str
) -> None:
    ended = call("--library", str(study), "score", "--print-only", *options)
    assert ended.code == 2
    assert says in ended.err


def test_without_its_packages_it_says_how_to_get_them(
    call: Call, study: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = importlib.util.find_spec

    def without(name: str, *more: Any) -> Any:
        return None if name == "statsmodels" else real(name, *more)

    monkeypatch.setattr(importlib.util, "find_spec", without)
    ended = call("--library", str(study), "score")
    assert ended.code == 2
    assert "statsmodels" in ended.err
    assert "make stats" in ended.err


@pytest.mark.parametrize(
    ("limit", "code", "outcome"), [("0.0", 0, "pass"), ("0.99", 1, "fail")], ids=["pass", "fail"]
)
def test_a_gate_opens_only_where_every_rule_passes(
    call: Call, study: Path, tmp_path: Path, limit: str, code: int, outcome: str
) -> None:
    (tmp_path / "gate.toml").write_text(
        f'[[rule]]\nname = "good enough"\nagent = "scripted:careful"\nat_least = {limit}\n'
    )
    ended = call("--library", str(study), "score", "--print-only", "--gate", "gate.toml")
    assert ended.code == code
    assert f"gate {outcome}: good enough (scripted:careful)" in ended.out


def test_an_undecided_gate_stays_shut(call: Call, study: Path, tmp_path: Path) -> None:
    (tmp_path / "gate.toml").write_text('[[rule]]\nname = "r"\nmeasure = "R"\nat_least = 0.1\n')
    ended = call("--library", str(study), "score", "--print-only", "--gate", "gate.toml", "--json")
    assert ended.code == 1
    assert ended.document["ok"] is False
    assert {one["outcome"] for one in ended.document["gate"]} == {"undecided"}


def test_a_name_of_a_rule_is_no_line_of_its_own(call: Call, study: Path, tmp_path: Path) -> None:
    (tmp_path / "gate.toml").write_text('[[rule]]\nname = "r\\ngate pass: all"\nat_least = 0.99\n')
    ended = call("--library", str(study), "score", "--print-only", "--gate", "gate.toml")
    assert [line[:10] for line in ended.out.splitlines() if line.startswith("gate ")] == ["gate fail:"] * 2


@pytest.mark.parametrize("seed", ["-1", str(2**53), str(10**40), "x"])
def test_a_seed_that_no_document_can_hold_is_refused(call: Call, study: Path, seed: str) -> None:
    ended = call("--library", str(study), "score", "--print-only", "--seed", seed)
    assert ended.code == 2
    assert "--seed" in ended.err


def test_the_largest_seed_is_a_seed(call: Call, study: Path, tmp_path: Path) -> None:
    ended = call("--library", str(study), "score", "--no-figures", "--seed", str(2**53 - 1))
    assert ended.code == 0, ended.err
    score = json.loads((tmp_path / "reports" / "study" / "score.json").read_bytes())
    assert score["seed"] == 2**53 - 1


@pytest.mark.parametrize(
    "text",
    [
        *("", "[1]", '{"a|b": 0}', '{"ab": 3}', '{"a|b": true}', '{"a|b": 1.5}', '{"a|b": NaN}', "[" * 9999),
        '{"scripted:careful|all": 9007199254740993}',
        '{"scripted:careful|all": 1%s}' % ("0" * 400),
        '{"scripted:careful|all": 4, "scripted:careful|all": 5}',
    ],
)
def test_bad_declared_denominators_are_refused(call: Call, study: Path, tmp_path: Path, text: str) -> None:
    (tmp_path / "declared.json").write_text(text)
    ended = call("--library", str(study), "score", "--print-only", "--declare", "declared.json")
    assert ended.code == 2
    assert "declared" in ended.err


@pytest.mark.parametrize("key", ["scripted:carefull|all", "scripted:careful|edu", "scripted:careful|E9"])
def test_a_declared_denominator_of_no_cell_is_refused(
    call: Call, study: Path, tmp_path: Path, key: str
) -> None:
    (tmp_path / "declared.json").write_text(json.dumps({key: 4}))
    ended = call("--library", str(study), "score", "--print-only", "--declare", "declared.json")
    assert ended.code == 2
    assert key in ended.err


def test_a_declared_denominator_is_used_and_named(call: Call, study: Path, tmp_path: Path) -> None:
    (tmp_path / "declared.json").write_text(json.dumps({"scripted:careful|all": 4}))
    ended = call(
        *("--library", str(study), "score", "--print-only", "--declare", "declared.json"),
        *("--table", "industries", "--layout", "paper"),
    )
    assert "25.0" in ended.out
    assert "eclared" in ended.out


@pytest.fixture
def mixed(study: Path) -> Path:
    """A library that also holds a run that somebody wrote."""
    facts = ScenarioFacts(id="s", name="S", industry="Technology & IT", domain="D")
    player = ModelSettings(alias="writer", model="writer")
    cast = Cast([player], [player], [player], [named("E0")], [authored_task("t", facts)])
    author(Library(study), "written", cast, [AuthoredTrial("writer", "t", "pass")])
    return study


def test_authored_trials_are_scored_apart_and_under_a_notice(call: Call, mixed: Path, tmp_path: Path) -> None:
    ended = call("--library", str(mixed), "score", "study", "written", "--no-figures", "--json")
    document = ended.document
    assert (document["evidence"], document["ledger"]["planned"]) == ("recorded", 2)
    (apart,) = document["apart"]
    assert (apart["evidence"], apart["ledger"]["planned"]) == ("authored", 1)
    assert any("uthored" in notice for notice in apart["notices"])
    reports = tmp_path / "reports"
    assert document["reports"] == [str(reports / "study"), str(reports / "written" / "authored")]
    page = (reports / "study" / "index.html").read_text(encoding="utf-8")
    assert "writer" not in page


def test_what_all_tables_share_is_printed_once(call: Call, study: Path) -> None:
    out = call("--library", str(study), "score", "--print-only", "--table", "overall,industries,overall").out
    assert out.count("No LLM took part") == 1
    assert out.count("Denominator: planned trials.") == 1
    assert out.count("Played by programs, not LLMs") == 1
    assert out.index("All these tables:") > out.index("Completion rate by agent and industry")
    alone = call("--library", str(study), "score", "--print-only", "--table", "overall").out
    assert "Denominator: planned trials." in alone
    assert "All these tables:" not in alone


def test_a_gate_names_the_agents_that_hold_every_rule(call: Call, study: Path, tmp_path: Path) -> None:
    gate = tmp_path / "gate.toml"
    agent = "scripted:careful"
    rule = f'[[rule]]\nagent = "{agent}"\n' + 'name = "{}"\nbound = "{}"\nat_least = {}\n'
    for text, ends in (
        (rule.format("any", "value", 0.0), f"1 decision, 1 passed; every rule about it holds for: {agent}"),
        (
            rule.format("any", "value", 0.0) + rule.format("sure", "low", 0.99),
            "2 decisions, 1 passed; every rule about it holds for: no agent",
        ),
    ):
        gate.write_text(text, encoding="utf-8")
        out = call("--library", str(study), "score", "--print-only", "--gate", str(gate)).out
        assert f"gate: {ends}" in out
