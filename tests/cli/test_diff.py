from __future__ import annotations

from pathlib import Path

import pytest

from replaylab.store.library import Library
from tests.cli.conftest import Call


@pytest.fixture
def swapped(call: Call, study: Path) -> Path:
    """The run `study` of the twin, and its calls put to `example`, which knows no state."""
    assert call("replay", "study", "--swap", "sim=example").code == 0
    return study


@pytest.mark.usefixtures("swapped")
def test_without_arguments_the_newest_run_with_two_simulators_is_shown(call: Call) -> None:
    ended = call("diff")
    assert ended.code == 1
    assert ended.out.startswith("twin against example  (2 trials of ")
    assert "Compared in lockstep" in ended.out
    assert "Played by programs, not LLMs: twin, example" in ended.out
    assert "First divergence: " in ended.out
    assert "example left out: ER-1" in ended.out
    assert "could be checked for something" in ended.out


@pytest.mark.usefixtures("swapped")
def test_the_order_of_the_simulators_is_the_one_asked_for(call: Call) -> None:
    ended = call("diff", "--sim", "example,twin", "--json")
    assert ended.document["simulators"] == ["example", "twin"]
    again = call("diff", "--sim", "twin", "--sim", "example", "--run", "study", "--json").document
    assert again["simulators"] == ["twin", "example"]
    assert again["counts"] == ended.document["counts"]


@pytest.mark.usefixtures("swapped")
def test_json_has_findings_trials_and_what_counts(call: Call) -> None:
    document = call("diff", "--json").document
    assert (document["schema"], document["ok"]) == ("replaylab/diff/1", False)
    assert document["evidence"] == {"recorded": 2}
    assert {"id", "kind", "where", "expected", "observed", "message"} <= set(document["findings"][0])
    unblamed = document["counts"]["differences"] - document["counts"]["blamed"]
    assert len(document["findings"]) == document["counts"]["violations"] + unblamed
    assert {trial["manner"] for trial in document["trials"]} == {"lockstep/recorded"}
    ids = [one["id"] for one in document["findings"]]
    assert len(set(ids)) == len(ids)


@pytest.mark.usefixtures("swapped")
def test_the_same_bytes_come_out_again(call: Call) -> None:
    assert call("diff", "--json") == call("diff", "--json", "--jobs", "1")
    assert call("diff").out == call("diff").out


@pytest.mark.usefixtures("study")
def test_two_that_say_the_same_end_with_0(call: Call) -> None:
    call("replay", "study", "--swap", "sim=twin", "--run", "again")
    call("replay", "study", "--swap", "sim=example", "--run", "other")
    ended = call("diff", "--run", "again", "--sim", "twin", "--sim", "example", "--json")
    noise = [one for trial in ended.document["trials"] for row in trial["rows"] for one in row["answers"]]
    assert {one["repeats"] for one in noise if one["simulator"] == "twin"} == {1}
    assert all(one["same_again"] == one["repeats"] for one in noise)


@pytest.mark.usefixtures("study")
def test_repeats_are_recorded_replayed_and_read(call: Call) -> None:
    made = call("replay", "study", "--swap", "sim=example", "--repeats", "3", "--json").document
    assert made["name"] == "study.simulator-example-x3"
    replayed = call("replay", made["name"], "--offline", "--json")
    assert (replayed.code, replayed.document["outcome"]) == (0, made["outcome"])
    assert call("verify").code == 0
    answers = [
        answer
        for trial in call("diff", "--json").document["trials"]
        for row in trial["rows"]
        for answer in row["answers"]
        if answer["simulator"] == "example"
    ]
    assert {one["repeats"] for one in answers} == {2}
    shown = call("show", answers[0]["path"] + "~1", "--run", made["name"], "--json")
    assert shown.code == 0


@pytest.mark.usefixtures("study")
def test_repeats_are_of_a_swapped_simulator_only(call: Call) -> None:
    assert call("replay", "study", "--repeats", "3").code == 2
    ended = call("replay", "study", "--swap", "verifier=coin", "--repeats", "3")
    assert (ended.code, "--swap sim=NAME only" in ended.err) == (2, True)


@pytest.mark.usefixtures("swapped")
def test_a_page_is_written_with_the_findings_and_the_contract(call: Call, tmp_path: Path) -> None:
    document = call("diff", "--html", "diff.html", "--json").document
    page = (tmp_path / "diff.html").read_text(encoding="utf-8")
    assert document["html"] == {"path": str(tmp_path / "diff.html"), "bytes": len(page.encode())}
    assert "ER-1" in page
    assert "initial_state" in page
    assert "wrote " in call("diff", "--html", "diff.html").out
    again = (tmp_path / "diff.html").read_text(encoding="utf-8")
    assert again == page


# ------------------------------------------------------------------- what was never recorded


@pytest.mark.usefixtures("swapped")
def test_a_simulator_that_was_never_recorded_gets_the_command_that_records_it(call: Call) -> None:
    ended = call("diff", "--sim", "twin", "--sim", "gpt", "--json")
    assert ended.code == 2
    error = ended.document["error"]
    assert "recorded are twin, example" in error["what"]
    assert error["fix"] == "record it on the same calls: replaylab replay study --swap sim=gpt"


@pytest.mark.usefixtures("swapped")
def test_a_misspelt_one_is_answered_with_the_closest_first(call: Call) -> None:
    error = call("diff", "--sim", "twin", "--sim", "exampel", "--json").document["error"]
    assert error["closest"] == "example"
    assert "recorded are example, twin" in error["what"]


@pytest.mark.usefixtures("study")
def test_the_command_that_is_given_works(call: Call) -> None:
    fix = call("diff", "--sim", "twin", "--sim", "example", "--json").document["error"]["fix"]
    words = fix.partition(": replaylab ")[2].split()
    assert call(*words).code == 0
    assert call("diff", "--sim", "twin", "--sim", "example").code == 1


def test_of_a_run_with_two_simulators_that_is_a_recording_of_the_same_trials(call: Call) -> None:
    options = ("--task", "ed-sepsis-room", "--env", "E0,E2", "--votes", "1")
    call("record", "--run", "two", "--sim", "twin,example", *options)
    fix = call("diff", "--sim", "twin", "--sim", "gpt", "--json").document["error"]["fix"]
    assert fix.endswith(
        "replaylab record --agent scripted:careful --sim gpt --env E0,E2 --task ed-sepsis-room"
    )
    assert call("diff", "--json").document["counts"]["trials"] == 2


@pytest.mark.usefixtures("study")
def test_with_one_simulator_alone_the_command_for_another_is_given(call: Call) -> None:
    ended = call("diff")
    assert ended.code == 2
    assert "only one simulator was recorded in study: twin" in ended.err
    assert "replaylab replay study --swap sim=NAME" in ended.err
    assert call("diff", "study").code == 2
    named = call("diff", "--sim", "twin")
    assert (named.code, "replaylab check study --sim twin" in named.err) == (2, True)


def test_an_empty_library_says_what_to_do(call: Call) -> None:
    ended = call("diff")
    assert (ended.code, "replaylab record" in ended.err) == (2, True)


@pytest.mark.usefixtures("swapped")
def test_an_unknown_run_names_the_closest(call: Call) -> None:
    ended = call("diff", "--run", "studdy")
    assert (ended.code, "closest: " in ended.err, "study" in ended.err) == (2, True, True)


def test_runs_that_share_no_trial_say_so(call: Call) -> None:
    call("record", "--run", "a", "--task", "ed-sepsis-room", "--sim", "twin")
    call("record", "--run", "b", "--task", "oncall-two-handovers", "--sim", "example")
    ended = call("diff", "--sim", "twin", "--sim", "example", "--run", "a", "--run", "b")
    assert (ended.code, "no trial in common" in ended.err) == (2, True)
    apart = call("diff", "--sim", "twin", "--sim", "example")
    assert (apart.code, "replaylab replay a --swap sim=example" in apart.err) == (2, True)


@pytest.mark.usefixtures("swapped")
def test_a_rejudged_run_leads_to_the_one_it_was_made_from(call: Call) -> None:
    call("replay", "study", "--swap", "verifier=coin")
    document = call("diff", "--run", "study.verifier-coin", "--json").document
    assert document["simulators"] == ["twin", "example"]
    assert set(document["runs"]) == {"study", "study.simulator-example"}


def test_a_damaged_cassette_ends_with_4_and_its_path(call: Call, swapped: Path) -> None:
    entry = Library(swapped).run("study.simulator-example")[1].ledger[0].counting
    assert entry is not None
    path = Library(swapped).path(entry.cassette, "cassette")
    path.write_bytes(b"torn")
    ended = call("diff")
    assert (ended.code, str(path) in ended.err) == (4, True)
