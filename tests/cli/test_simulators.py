from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Call
from tests.score.written import write
from tools.authored import AuthoredTrial


def test_recorded_simulators_are_ranked_with_what_they_stand_on(call: Call, study: Path) -> None:
    ended = call("--library", str(study), "simulators", "study")
    assert ended.code == 0, ended.err
    assert "Programs and not LLMs: twin." in ended.out
    assert ended.out.count("7 of its 18 calls could be checked, and a rank needs 30") == 1
    assert "Simulators by how often they break their contract" in ended.out
    assert "What could be checked" not in ended.out
    assert "What could be checked" in call("simulators", "--all").out


def test_lockstep_answers_are_another_simulators_and_copied_ones_count_once(call: Call, study: Path) -> None:
    assert call("replay", "study", "--swap", "sim=example").code == 0
    assert call("replay", "study", "--swap", "verifier=coin").code == 0
    document = call("simulators", "--json").document
    told = {one["name"]: one for one in document["simulators"]}
    assert {name: one["trials"] for name, one in told.items()} == {"twin": 2, "example": 2}
    assert told["example"]["modes"] == {"lockstep/recorded": 2}
    assert told["twin"]["share"]["k"] == 0
    assert told["example"]["share"]["k"] > 0
    assert document["copied"] == 2
    assert document["runs"] == sorted(["study", "study.simulator-example", "study.verifier-coin"])
    assert study.is_dir()


def test_a_run_of_copies_says_where_to_look(call: Call, study: Path) -> None:
    call("replay", "study", "--swap", "verifier=coin")
    ended = call("simulators", "study.verifier-coin")
    assert (ended.code, "2 trials hold answers that were copied" in ended.err) == (2, True)
    assert study.is_dir()


@pytest.mark.usefixtures("study")
def test_json_is_one_document(call: Call) -> None:
    document = call("simulators", "study", "--json").document
    assert (document["schema"], document["ok"], document["findings"]) == ("replaylab/simulators/1", True, [])
    assert len(document["run"]) == 64
    assert document["agreement"] is None
    (one,) = document["simulators"]
    assert (one["evidence"], one["settings"]["player"], one["rank"]) == ("recorded", "program", None)
    assert one["calls"] >= one["checkable"] == one["share"]["n"]


@pytest.mark.usefixtures("study")
def test_the_same_is_printed_and_written_again(call: Call, tmp_path: Path) -> None:
    said = []
    for jobs in ("1", "2"):
        ended = call(
            "simulators", "--all", "--agreement", "--html", "x.html", "--markdown", "x.md", "--jobs", jobs
        )
        assert ended.code == 0, ended.err
        said.append((ended.out, (tmp_path / "x.html").read_bytes(), (tmp_path / "x.md").read_bytes()))
    assert said[0] == said[1]
    assert "no agreement to show: there is one simulator alone: twin" in said[0][0]
    assert f"wrote {tmp_path / 'x.html'}" in said[0][0]
    assert said[0][2].startswith(b"# Simulators\n")


def test_evidence_that_somebody_wrote_stands_apart(call: Call, study: Path) -> None:
    write(study, "written", [AuthoredTrial("a", "care-1", "pass", calls=3)])
    ended = call("simulators")
    assert "Authored, not recorded" in ended.out
    assert ended.out.index("Evidence: recorded.") < ended.out.index("Evidence: authored.")


def test_an_empty_library_says_what_to_do(call: Call, tmp_path: Path) -> None:
    (tmp_path / "cassettes").mkdir()
    ended = call("simulators")
    assert (ended.code, "replaylab record" in ended.err) == (2, True)


@pytest.mark.usefixtures("study")
def test_an_unknown_run_is_named_with_the_closest(call: Call) -> None:
    ended = call("simulators", "studi")
    assert (ended.code, "study" in ended.err) == (2, True)


@pytest.mark.usefixtures("study")
def test_without_its_packages_it_says_how_to_get_them(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    real = importlib.util.find_spec

    def without(name: str, *more: Any) -> Any:
        return None if name == "scipy" else real(name, *more)

    monkeypatch.setattr(importlib.util, "find_spec", without)
    for line in (("simulators",), ("diff", "study", "study")):
        ended = call(*line)
        assert ended.code == 2
        assert "scipy" in ended.err
        assert "make stats" in ended.err
