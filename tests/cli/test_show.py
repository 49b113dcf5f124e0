from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from replaylab.schema.outcome import body_bytes
from replaylab.store.library import Library
from tests.cli.conftest import Call, Ended
from tests.playground import SHORT, only_cassette, record
from tests.report import recordings
from tests.report.recordings import JUDGED

Show = Callable[..., Ended]


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Library:
    return recordings.plain(tmp_path_factory.mktemp("study"))


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Library:
    return recordings.hostile(tmp_path_factory.mktemp("hostile"))


@pytest.fixture(scope="module")
def broken(tmp_path_factory: pytest.TempPathFactory) -> Library:
    return recordings.broken(tmp_path_factory.mktemp("broken"))


@pytest.fixture
def show(call: Call, study: Library) -> Show:
    """`show` in the library with the run `study`."""
    return lambda *argv: call("--library", str(study.root), "show", *argv)


def document(ended: Ended) -> dict[str, Any]:
    assert ended.code == 0, ended.err
    read: dict[str, Any] = json.loads(ended.out)
    return read


@pytest.mark.parametrize(
    ("what", "kind"),
    [
        ((), "run"),
        ((JUDGED,), "trial"),
        ((f"{JUDGED}/verifier.0",), "lane"),
        ((f"{JUDGED}/agent#1",), "interaction"),
    ],
)
def test_each_kind_of_thing_has_a_document(
    show: Show, study: Library, what: tuple[str, ...], kind: str
) -> None:
    shown = document(show(*what, "--json"))
    assert (shown["schema"], shown["kind"], shown["ok"], shown["findings"]) == (
        "replaylab/show/1",
        kind,
        True,
        [],
    )
    assert shown["run"] == study.refs()["study"]


def test_a_bare_cassette_belongs_to_no_run(show: Show, study: Library) -> None:
    name = next(iter(study.objects("cassette")))
    shown = document(show(name[:10], "--json"))
    assert (shown["run"], shown["cassette"]) == (None, name)


def test_an_unknown_name_ends_with_2_and_names_the_closest(show: Show) -> None:
    ended = show(JUDGED.replace("sepsis", "sepsi"))
    assert ended.code == 2
    assert JUDGED in ended.err
    assert ended.out == ""


def test_raw_prints_the_bytes_of_the_answer_and_nothing_else(call: Call, hostile: Library) -> None:
    shown = recordings.trial(hostile, "hostile")
    ended = call("--library", str(hostile.root), "show", f"{shown.key}/agent#0", "--raw")
    assert ended.out.encode() == body_bytes(shown.cassette.lanes["agent"][0].final)


@pytest.mark.parametrize(
    "options",
    [
        ("--raw",),
        (JUDGED, "--raw"),
        (f"{JUDGED}/agent#0", "--raw", "--json"),
        (f"{JUDGED}/agent", "--html", "x.html"),
    ],
)
def test_options_that_do_not_fit_end_with_2(show: Show, options: tuple[str, ...], tmp_path: Path) -> None:
    assert show(*options).code == 2
    assert not (tmp_path / "x.html").exists()


@pytest.mark.parametrize("what", [(), (JUDGED,)])
def test_a_page_is_written_and_named(show: Show, tmp_path: Path, what: tuple[str, ...]) -> None:
    ended = show(*what, "--html", "page.html")
    path = tmp_path / "page.html"
    assert path.read_bytes().startswith(b"<!doctype html>")
    assert f"wrote {path}" in ended.out
    again = document(show(*what, "--html", "again.html", "--json"))
    assert again["html"] == {"path": str(tmp_path / "again.html"), "bytes": path.stat().st_size}
    assert (tmp_path / "again.html").read_bytes() == path.read_bytes()


def test_a_page_into_a_folder_that_is_not_there_ends_with_2(show: Show) -> None:
    assert show("--html", "no/such/folder/page.html").code == 2


def test_another_try_is_shown_when_asked_for(call: Call, broken: Library) -> None:
    key = recordings.trial(broken, "broken").key
    tries = [
        document(call("--library", str(broken.root), "show", key, "--json", *number))["try"]
        for number in ((), ("--try", "0"), ("--try", "1"))
    ]
    assert tries == [1, 0, 1]
    assert call("--library", str(broken.root), "show", key, "--try", "2").code == 2


def test_a_damaged_cassette_of_a_run_ends_with_4_and_the_rest_is_shown(call: Call, tmp_path: Path) -> None:
    library, _ = record(tmp_path / "lib")
    path = only_cassette(library)
    path.write_bytes(path.read_bytes()[:-1])
    ended = call("--library", str(library.root), "show", "--json")
    shown = json.loads(ended.out)
    assert (ended.code, shown["ok"], shown["counts"]["planned"]) == (4, False, 1)
    assert path.name in shown["findings"][0]["message"]
    assert call("--library", str(library.root), "show", shown["trials"][0]["key"]).code == 4


def test_an_llm_is_priced_by_the_configuration_and_unknown_without(
    call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from tests import playground

    monkeypatch.setattr(playground, "program", lambda alias, **settings: _llm(alias))
    library, _ = record(tmp_path / "lib", votes=1)
    argv = ("--library", str(library.root), "show", "--json")
    assert document(call(*argv))["totals"]["cost_usd"] is None
    (tmp_path / "replaylab.toml").write_text(
        "".join(
            f'[prices."{name}"]\ninput = 1000000\noutput = 0\n'
            for name in ("scripted:careful", "twin", "rubric")
        ),
        encoding="utf-8",
    )
    totals = document(call(*argv))["totals"]
    assert float(totals["cost_usd"]) == totals["prompt_tokens"] > 0


def _llm(alias: str) -> Any:
    from replaylab.schema.model import ModelSettings

    return ModelSettings(alias=alias, model=alias)


@pytest.mark.parametrize("what", [JUDGED, "misspelt", "study"])
def test_a_run_that_is_not_there_is_said_before_all_else(show: Show, what: str) -> None:
    ended = show(what, "--run", "stduy")
    assert (ended.code, "there is no run 'stduy'" in ended.err) == (2, True)
    assert "closest: study" in ended.err


ON_ONE = ("--task", SHORT, "--votes", "1")


def trial_key(plan: str, agent: str = "hasty") -> str:
    return f"scripted:{agent},twin,rubric,{plan}/{SHORT}/0"


@pytest.mark.parametrize("plan", ["persistent", "correlated", "targeted", "semantic", "slow", "E2+targeted"])
def test_a_run_under_each_plan_is_recorded_shown_replayed_and_sound(call: Call, plan: str) -> None:
    assert call("record", *ON_ONE, "--env", plan, "--agent", "scripted:hasty").code == 0
    document = call("show", "--json").document
    assert document["exposure"]["planned"] == 2
    assert "2 planned" in call("show").out
    assert call("replay", "--offline").code == 0
    assert call("verify").code == 0


def test_a_trial_shows_its_exposure_its_recovery_and_why_it_failed(call: Call) -> None:
    call("record", *ON_ONE, "--env", "E1", "--agent", "scripted:hasty")
    shown, document = call("show", trial_key("E1")).out, call("show", trial_key("E1"), "--json").document
    assert document["exposure"]["delivered"] == 2
    assert document["recovery"]["met"] == 2
    assert document["verdict"]["outcome"] == "fail"
    assert document["failures"]
    for label in document["failures"]:
        assert f"failure     {label['kind']}" in shown
    assert "exposure    2 planned, 2 delivered" in shown
    assert "recovery    fault 0" in shown


def test_a_program_asked_for_faults_injects_none_and_the_report_says_so(call: Call) -> None:
    call("record", *ON_ONE, "--env", "E0,E1,E2", "--fault-mode", "prompt")
    document = call("show", "--json").document
    assert [plan["name"] for plan in document["faults"]] == ["E0", "E1+prompt", "E2+prompt"]
    assert [(one["planned"], one["seen"]) for one in document["conformance"]] == [(2, 0), (2, 0)]
    assert "asked for 4 faults (8 calls); 0 (0 calls) can be seen" in call("show").out
    assert call("show", trial_key("E1+prompt", "careful"), "--json").document["recovery"]["met"] == 0
    assert call("replay", "--offline").code == 0
    assert call("verify").code == 0


def test_seed_and_spacing_of_the_schedule_are_part_of_the_plan(call: Call) -> None:
    call("record", *ON_ONE, "--env", "E1", "--fault-seed", "7", "--fault-spacing", "3")
    (plan,) = call("show", "--json").document["faults"]
    assert (plan["seed"], plan["spacing"]) == (7, 3)


def test_the_help_lists_the_plans(call: Call) -> None:
    said = " ".join(call("record", "--help").out.split())
    for name in ("E1", "E2", "E3", "semantic", "slow", "persistent", "correlated", "targeted"):
        assert name in said


def test_a_plan_that_there_is_not_is_refused_with_the_closest(call: Call) -> None:
    ended = call("record", *ON_ONE, "--env", "persitent")
    assert ended.code == 2
    assert "persistent" in ended.err


def test_a_hint_carries_the_library_that_was_named(call: Call, study: Library) -> None:
    root = str(study.root)
    assert f"next: replaylab --library {root} show " in call("--library", root, "show").out
