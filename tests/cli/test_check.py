from __future__ import annotations

import json
from pathlib import Path

import pytest

from replaylab.schema.subkinds import SUBKINDS
from replaylab.store.library import Library
from tests.cli.conftest import Call
from tests.interop.transcript.made import imported, line


@pytest.fixture
def swapped(call: Call, study: Path) -> Path:
    """The run `study` of the twin, and its calls put to `example`, which knows no state."""
    assert call("replay", "study", "--swap", "sim=example").code == 0
    return study


@pytest.mark.usefixtures("study")
def test_the_faithful_twin_ends_with_0_and_coverage(call: Call) -> None:
    ended = call("check", "study")
    assert ended.code == 0
    row = next(line.split() for line in ended.out.splitlines() if line.startswith("twin "))
    assert row[:6] == ["twin", "0", "0", "0", "0", "2"]
    assert "calls could be checked for something" in ended.out
    assert "Played by programs, not LLMs" in ended.out


@pytest.mark.usefixtures("swapped")
def test_a_simulator_that_breaks_its_contract_ends_with_1(call: Call) -> None:
    ended = call("check", "study.simulator-example")
    assert ended.code == 1
    assert "example left out: ER-1" in ended.out
    assert "/initial_state/places/ER-1" in ended.out


@pytest.mark.usefixtures("swapped")
def test_json_has_findings_coverage_and_why_not(call: Call) -> None:
    document = call("check", "study.simulator-example", "--json").document
    assert (document["schema"], document["ok"]) == ("replaylab/check/1", False)
    assert {"id", "kind", "where", "expected", "observed", "message"} <= set(document["findings"][0])
    assert [one["id"] for one in document["violations"]] == [one["id"] for one in document["findings"]]
    (summary,) = document["simulators"]
    assert (summary["simulator"], summary["player"], summary["evidence"]) == (
        "example",
        "program",
        "recorded",
    )
    assert sum(summary["violations"].values()) == len(document["findings"])
    rows = [one for one in document["coverage"] if one["tool"] == "list_places" and one["kind"] == "omission"]
    assert rows[0]["calls"] >= rows[0]["checked"] > 0
    assert all(one["calls"] == one["checked"] or one["why_not"] for one in document["coverage"])


@pytest.mark.usefixtures("swapped")
def test_what_comes_again_is_in_the_document_as_it_is_in_the_view(call: Call) -> None:
    document = call("check", "study.simulator-example", "--json").document
    ids = {one["id"] for one in document["findings"]}
    assert document["patterns"]
    assert all(one["example"] in ids and one["calls"] <= one["answers"] for one in document["patterns"])
    shown = call("check", "study.simulator-example").out
    assert "What comes again" in shown
    assert f"answers of {document['patterns'][0]['tool']}" in " ".join(shown.split())


@pytest.mark.usefixtures("swapped")
def test_the_same_bytes_come_out_again(call: Call) -> None:
    first = call("check", "study.simulator-example", "--json")
    assert call("check", "study.simulator-example", "--json", "--jobs", "1").out == first.out


@pytest.mark.usefixtures("swapped")
def test_a_page_is_written(call: Call, tmp_path: Path) -> None:
    ended = call("check", "study.simulator-example", "--html", "check.html")
    assert (ended.code, "wrote " in ended.out) == (1, True)
    assert "ER-1" in (tmp_path / "check.html").read_text(encoding="utf-8")


@pytest.mark.usefixtures("swapped")
def test_the_newest_run_is_checked_where_none_is_named(call: Call, study: Path) -> None:
    newest = Library(study).run()[0]
    assert call("check", "--json").document["run"] == newest


@pytest.mark.usefixtures("swapped")
def test_several_runs_and_one_simulator_of_them(call: Call) -> None:
    both = call("check", "study", "study.simulator-example", "--json").document
    assert [one["simulator"] for one in both["simulators"]] == ["twin", "example"]
    one = call("check", "study", "study.simulator-example", "--sim", "twin", "--json").document
    assert [part["simulator"] for part in one["simulators"]] == ["twin"]
    assert one["ok"]


@pytest.mark.usefixtures("study")
def test_an_unknown_run_or_simulator_names_what_there_is(call: Call) -> None:
    ended = call("check", "studdy")
    assert (ended.code, "study" in ended.err) == (2, True)
    ended = call("check", "--sim", "twn")
    assert ended.code == 2
    assert "closest: twin" in ended.err


@pytest.mark.usefixtures("study")
def test_a_rejudged_run_is_said_to_hold_the_observations_of_another(call: Call) -> None:
    call("replay", "study", "--swap", "verifier=coin")
    ended = call("check", "study.verifier-coin")
    assert ended.code == 0
    assert "are those of the run study" in ended.out
    assert "twin (copied)" in ended.out


@pytest.mark.usefixtures("study")
def test_a_run_of_which_nothing_is_recorded_has_nothing_to_check(call: Call) -> None:
    call("record", "--run", "empty", "--max-calls", "0")
    ended = call("check", "empty")
    assert (ended.code, "no trial of the run 'empty'" in ended.err) == (2, True)


def test_an_empty_library_says_what_to_do(call: Call) -> None:
    ended = call("check")
    assert (ended.code, "replaylab record" in ended.err) == (2, True)


def test_a_damaged_cassette_ends_with_4_and_its_path(call: Call, study: Path) -> None:
    entry = Library(study).run("study")[1].ledger[0].counting
    assert entry is not None
    path = Library(study).path(entry.cassette, "cassette")
    path.write_bytes(b"torn")
    ended = call("check", "study")
    assert (ended.code, str(path) in ended.err) == (4, True)


@pytest.mark.usefixtures("study")
def test_it_says_which_run_it_took_when_none_was_named(call: Call) -> None:
    note = "(the newest run; none was named)"
    assert note in call("check").out
    assert note not in call("check", "study").out


def test_the_subkinds_are_told_without_a_run(call: Call) -> None:
    ended = call("check", "--subkinds")
    assert ended.code == 0
    assert any(
        line.startswith("omission/denial  ") and "said not to be" in line for line in ended.out.splitlines()
    )
    assert len(call("check", "--subkinds", "--json").document["subkinds"]) == sum(map(len, SUBKINDS.values()))


def test_missing_trials_are_told_in_the_page_too(call: Call, tmp_path: Path) -> None:
    imported(tmp_path, line(trial=0), line(trial=1), line(trial=0, simulator="b"))
    assert call("--library", "library", "check", "theirs", "--html", "check.html").code == 0
    assert "3 trials checked, 1 missing" in (tmp_path / "check.html").read_text(encoding="utf-8")


def test_kinds_are_spelt_as_in_the_documents_json_everywhere(call: Call, tmp_path: Path) -> None:
    imported(tmp_path, line())
    told = call("--library", "library", "check", "theirs", "--full", "--html", "check.html").out
    told += call("--library", "library", "simulators", "--all").out
    told += (tmp_path / "check.html").read_text(encoding="utf-8")
    assert "rule_invention" in told
    assert "rule invention" not in told
    assert "state fabrication" not in told


def test_of_one_simulator_only_its_own_trials_are_missing(call: Call, tmp_path: Path) -> None:
    """Two simulators that played a task each: each has a hole where the other one played."""
    lines = [json.dumps(line(simulator=one, task=f"Look after {one}.")) for one in ("a", "b")]
    (tmp_path / "two.jsonl").write_text("\n".join(lines), encoding="utf-8")
    assert call("import", "transcript", "two.jsonl").code == 0
    both, one = (call("check", "two", *sims, "--json").document for sims in ((), ("--sim", "a")))
    assert (both["missing"], one["missing"]) == (2, 1)
