"""Comparisons of what was really recorded, from the library to the report."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import pytest

from replaylab.diff.parting.compared import counts
from replaylab.diff.parting.pair import compare_group, compare_simulators
from replaylab.diff.parting.pairing import pair_up
from replaylab.errors import StoreError, UsageError
from replaylab.schema.difference import DiffReport, TrialDiff
from replaylab.store.library import Library
from tests.diff.conftest import INVENTED, only_trial, report_of, row_of
from tests.diff.stage import Alter, adding, lockstep, recorded, refusing, same, saying, without
from tests.engine.forging import forged
from tests.interop.transcript.made import imported, line
from tests.playground import SHORT


def real(trial: TrialDiff) -> list[tuple[int, str]]:
    return [(row.row, one.kind) for row in trial.rows for one in row.differences if counts(one)]


def test_two_faithful_simulators_part_nowhere(stage: Library) -> None:
    report = report_of(stage, "twin", "same")
    trial = only_trial(report)
    assert (trial.manner, trial.first, real(trial), report.violations) == ("lockstep/recorded", None, [], ())
    assert len(trial.rows) == 9
    assert trial.simulators == ("twin", "same")


def test_what_is_left_out_is_a_difference_and_the_contract_says_whose_fault(stage: Library) -> None:
    trial = only_trial(report_of(stage, "twin", "omits"))
    assert trial.first == 0
    (one,) = trial.rows[0].differences
    assert (one.kind, one.blamed, one.contract) == ("entities", ("omits",), "/initial_state/places")
    assert one.values == {"twin": ["ER-1", "ER-2", "H-1"], "omits": ["ER-2", "H-1"]}
    first = trial.violations[0]
    assert (first.kind, first.entity, first.simulator) == ("omission", "ER-1", "omits")
    assert (first.agree, first.disagree) == ((), ("twin",))
    assert first.path.endswith(f"/{SHORT}/0/simulator#0")
    answer = trial.rows[0].answers[1]
    assert answer is not None
    assert first.id in answer.violations


def test_an_invented_thing_and_an_invented_rule_are_blamed(stage: Library) -> None:
    invented = only_trial(report_of(stage, "twin", "invents")).rows[0].differences[0]
    assert (invented.kind, invented.blamed, "ER-9" in invented.message) == ("entities", ("invents",), True)
    row = row_of(only_trial(report_of(stage, "twin", "refuses")), "place_patient")
    (refused,) = row.differences
    assert (refused.kind, refused.blamed) == ("acceptance", ("refuses",))
    assert refused.values == {"twin": "accepted", "refuses": f"refused: {INVENTED}"}


def test_the_order_of_the_names_changes_nothing_but_the_order(stage: Library) -> None:
    there, back = report_of(stage, "twin", "omits"), report_of(stage, "omits", "twin")
    assert [one.id for one in there.violations] == [one.id for one in back.violations]
    assert real(only_trial(there)) == real(only_trial(back))
    assert only_trial(back).simulators == ("omits", "twin")


def test_the_same_report_comes_out_again_whatever_the_number_of_processes(
    stage: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    once = report_of(stage, "twin", "omits")
    monkeypatch.setattr("replaylab.diff.parting.pair.FEW", 1)
    again = compare_simulators(stage, [stage.run("run")], ["twin", "omits"], jobs=2)
    assert once.model_dump_json() == again.model_dump_json()


def test_of_two_that_differ_where_the_contract_is_silent_nobody_is_blamed(tmp_path: Path) -> None:
    library = recorded(tmp_path / "library", {}, simulators=("twin",))
    lockstep(library, "full", refusing("start_protocol", "P-133 is already on a protocol."))
    trial = only_trial(report_of(library, "twin", "full"))
    (one,) = row_of(trial, "start_protocol").differences
    refusals = [v for v in trial.violations if v.tool == "start_protocol"]
    assert one.kind == "acceptance"
    assert bool(one.blamed) == bool(refusals)
    assert one.minority == ()


def test_what_the_contract_leaves_open_is_listed_and_does_not_count(tmp_path: Path) -> None:
    library = recorded(tmp_path / "library", {}, simulators=("twin",))
    lockstep(library, "talks", adding("remark", "All is quiet tonight."))
    trial = only_trial(report_of(library, "twin", "talks"))
    assert {one.kind for row in trial.rows for one in row.differences} == {"open"}
    assert (trial.first, real(trial)) == (None, [])
    assert trial.rows[0].differences[0].pointer == "/remark"


def test_a_value_of_the_state_that_differs_counts(tmp_path: Path) -> None:
    library = recorded(tmp_path / "library", {}, simulators=("twin",))
    lockstep(library, "dims", saying("list_places", "monitored", False))
    (one,) = only_trial(report_of(library, "twin", "dims")).rows[0].differences
    assert (one.kind, one.pointer, one.blamed) == ("value", "/places/0/monitored", ("dims",))
    assert one.values == {"twin": True, "dims": False}
    assert one.contract == "/initial_state/places/ER-1/monitored"


# ------------------------------------------------------------------------------------------- peers


def test_a_majority_of_three_makes_a_violation_surer_and_one_peer_does_not(stage: Library) -> None:
    two = report_of(stage, "twin", "omits").violations[0]
    three = next(v for v in report_of(stage, "twin", "same", "omits").violations if v.id == two.id)
    assert three.disagree == ("twin", "same")
    assert three.confidence == pytest.approx(1 - (1 - two.confidence) * 0.7)
    (one,) = only_trial(report_of(stage, "twin", "same", "omits")).rows[0].differences
    assert (one.minority, one.message) == (("omits",), "omits leaves out ER-1")


def test_what_all_do_is_no_innocence_and_is_named(tmp_path: Path) -> None:
    library = recorded(tmp_path / "library", {"a": without("ER-1")})
    lockstep(library, "b", without("ER-1"))
    trial = only_trial(report_of(library, "a", "b"))
    assert real(trial) == []
    assert {one.simulator for one in trial.violations} == {"a", "b"}
    assert all("shared prior" in one.message for one in trial.violations)
    assert all(one.agree and not one.disagree for one in trial.violations)


# ------------------------------------------------------------------------------------------- noise


def test_a_difference_within_a_simulators_own_noise_does_not_count(stage: Library) -> None:
    trial = only_trial(report_of(stage, "twin", "wavers"))
    (one,) = trial.rows[0].differences
    assert (one.kind, one.noise, trial.first) == ("entities", True, None)
    answer = trial.rows[0].answers[1]
    assert answer is not None
    assert (answer.repeats, answer.same_again) == (2, 0)
    assert trial.rows[1].answers[1] is not None
    assert trial.rows[1].answers[1].same_again == 2


def test_one_that_wavers_does_not_excuse_another_that_stays_with_it(stage: Library) -> None:
    (one,) = only_trial(report_of(stage, "twin", "omits", "wavers")).rows[0].differences
    assert (one.noise, one.values["omits"]) == (False, ["ER-2", "H-1"])


def test_the_original_put_to_its_own_calls_again_shows_its_own_noise(tmp_path: Path) -> None:
    library = recorded(tmp_path / "library", {"a": same})
    lockstep(library, "b", without("ER-1"))
    lockstep(library, "a", without("ER-1", times=(1,)), repeats=2)
    trial = only_trial(report_of(library, "a", "b"))
    answer = trial.rows[0].answers[0]
    assert answer is not None
    assert (answer.repeats, answer.same_again) == (2, 1)
    assert trial.rows[0].differences[0].noise


# --------------------------------------------------------------------------------------- histories


def test_one_step_apart_comes_before_drift(tmp_path: Path) -> None:
    library = recorded(tmp_path / "library", {"a": same})
    lockstep(library, "b", history="own")
    own = only_trial(report_of(library, "a", "b"))
    assert own.manner == "lockstep/own"
    lockstep(library, "b")
    assert only_trial(report_of(library, "a", "b")).manner == "lockstep/recorded"


def failing(*tools: str) -> Alter:
    """Fails on the line in some tools, so that by its own account it never did what they do."""

    def alter(tool: str, arguments: dict[str, Any], said: Any, asked: int) -> Any:
        return {"error": "HTTP 503: service unavailable"} if tool in tools else said

    return alter


def test_with_the_recorded_history_the_past_is_what_that_holds(tmp_path: Path) -> None:
    """By its own account nothing was placed; but its history says that ER-2 has another patient now."""
    library = recorded(tmp_path / "library", {}, simulators=("twin",))
    lockstep(library, "b", failing("discharge_patient", "clean_place", "place_patient"))
    trial = only_trial(report_of(library, "twin", "b"))
    assert trial.rows[7].tool == "list_places"
    assert [one for one in trial.violations if one.simulator == "b"] == []


def test_what_a_possible_fault_explains_is_no_difference(tmp_path: Path) -> None:
    library = recorded(tmp_path / "library", {}, simulators=("twin",))
    lockstep(library, "b", failing("place_patient"))
    trial = only_trial(report_of(library, "twin", "b"))
    assert [one.simulator for one in trial.faults_found] == ["b"]
    assert (real(trial), trial.violations) == ([], ())


def test_trials_of_edited_environments_are_not_compared(tmp_path: Path) -> None:
    """The same names over another state would be another question."""
    library = recorded(tmp_path / "library", {"a": same}, name="one")
    recorded(library.root, {"b": same}, name="two")
    group = pair_up(library, [library.run("one"), library.run("two")], ("a", "b")).groups[0]
    assert not isinstance(compare_group(library, group), str)
    other = group.sources[1]
    data = forged(
        library.get(other.cassette, "cassette"),
        lambda rows: rows[0]["environment"].update(system_prompt="Else."),
    )
    edited = library.put(data, "cassette")
    sources = (group.sources[0], dataclasses.replace(other, cassette=edited))
    found = compare_group(library, dataclasses.replace(group, sources=sources))
    assert found == "their environments or tasks are not the same"


# ----------------------------------------------------------------------------------------- aligned


def test_equal_trials_under_two_simulators_are_aligned(tmp_path: Path) -> None:
    library = recorded(tmp_path / "library", {"a": same, "b": without("ER-2")})
    trial = only_trial(report_of(library, "a", "b"))
    assert (trial.manner, trial.first) == ("aligned", 0)
    assert [row.parted for row in trial.rows] == [False] + [True] * (len(trial.rows) - 1)
    assert all(not row.differences for row in trial.rows if row.parted)


def test_lockstep_comes_before_alignment(tmp_path: Path) -> None:
    library = recorded(tmp_path / "library", {"a": same})
    recorded(library.root, {"b": same}, name="other")
    runs = [library.run("run"), library.run("other")]
    assert only_trial(compare_simulators(library, runs, ["a", "b"])).manner == "aligned"
    lockstep(library, "b")
    assert only_trial(compare_simulators(library, runs, ["a", "b"])).manner == "lockstep/recorded"


def test_a_parted_row_is_held_against_the_contract_alone(tmp_path: Path) -> None:
    library = recorded(tmp_path / "library", {"a": same, "b": without("ER-1")})
    trial = only_trial(report_of(library, "a", "b"))
    later = [one for one in trial.violations if trial.rows[0].calls[1] != one.call]
    assert later
    assert all((one.agree, one.disagree) == ((), ()) for one in later)


# ------------------------------------------------------------------------------------------ faults


@pytest.mark.parametrize("plan", ["E1", "E2", "E3"])
def test_faults_of_the_harness_are_neither_differences_nor_violations(tmp_path: Path, plan: str) -> None:
    library = recorded(tmp_path / "library", {}, simulators=("twin",), faults=(plan,))
    lockstep(library, "same")
    report = report_of(library, "twin", "same")
    trial = only_trial(report)
    assert (real(trial), report.violations, trial.first) == ([], (), None)
    if plan != "E2":
        assert "faults" in {answer.by for row in trial.rows for answer in row.answers if answer}


def test_disturbed_observations_are_compared_as_they_were_before(tmp_path: Path) -> None:
    library = recorded(tmp_path / "library", {}, simulators=("twin",), faults=("E2",))
    lockstep(library, "omits", without("ER-1"))
    (one,) = row_of(only_trial(report_of(library, "twin", "omits")), "list_places").differences
    assert one.values["twin"] == ["ER-1", "ER-2", "H-1"]


# ------------------------------------------------------------------------------------- what is broken


def test_a_simulator_that_stops_answering_is_compared_as_far_as_it_went(tmp_path: Path) -> None:
    library = recorded(tmp_path / "library", {}, simulators=("twin",))
    lockstep(library, "stops", lambda tool, arguments, said, asked: "?" if tool == "get_patient" else said)
    report = report_of(library, "twin", "stops")
    trial = only_trial(report)
    assert [row.answers[1] is not None for row in trial.rows] == [True] + [False] * 8
    assert any("no usable answer" in one for one in report.notices)
    assert real(trial) == []


def test_the_lane_of_the_original_serves_where_its_run_is_not_here(stage: Library, tmp_path: Path) -> None:
    there = report_of(stage, "twin", "omits")
    here = Library(tmp_path / "library")
    run_id, run = stage.run("run.simulator-omits")
    for entry in run.ledger:
        assert entry.counting
        here.put(stage.get(entry.counting.cassette, "cassette"), "cassette")
    here.put_run(run)
    here.set_ref(run.name, run_id)
    alone = compare_simulators(here, [here.run()], [])
    assert alone.simulators == ("twin", "omits")
    assert [one.id for one in alone.violations] == [one.id for one in there.violations]
    assert real(only_trial(alone)) == real(only_trial(there))


def test_a_damaged_cassette_is_named(tmp_path: Path) -> None:
    library = recorded(tmp_path / "library", {}, simulators=("twin",))
    done = lockstep(library, "same")
    entry = done.run.ledger[0].counting
    assert entry
    library.path(entry.cassette, "cassette").write_bytes(b"no cassette")
    with pytest.raises(StoreError) as error:
        report_of(library, "twin", "same")
    assert entry.cassette in error.value.where


def test_one_simulator_is_no_comparison(stage: Library) -> None:
    with pytest.raises(UsageError, match="two simulators"):
        report_of(stage, "twin")


def test_trials_of_one_simulator_alone_are_counted_and_not_compared(tmp_path: Path) -> None:
    library = recorded(tmp_path / "library", {"a": same}, name="one", trials=2)
    recorded(library.root, {"b": same}, name="two")
    report = compare_simulators(library, [library.run("one"), library.run("two")], ["a", "b"])
    assert len(report.trials) == 1
    assert report.skipped == {"recorded under one of these simulators only": 1}


def test_evidence_and_players_are_told(stage: Library) -> None:
    report = report_of(stage, "twin", "omits")
    assert report.evidence == {"recorded": 1}
    assert report.notices == ("Played by programs, not LLMs: twin, omits",)
    assert set(report.runs) == {"run", "run.simulator-omits"}


def test_a_report_survives_its_json(stage: Library) -> None:
    report = report_of(stage, "twin", "omits", "refuses")
    assert DiffReport.model_validate_json(report.model_dump_json()) == report


def test_a_trial_that_one_simulator_lacks_is_counted_once(tmp_path: Path) -> None:
    imported(tmp_path, line(trial=0), line(trial=1), line(trial=0, simulator="b"))
    library = Library(tmp_path / "library")
    report = compare_simulators(library, [library.run("theirs")], ["a", "b"])
    assert (len(report.trials), report.skipped) == (1, {"planned and not recorded": 1})


def test_a_trial_that_another_run_has_is_not_missing(tmp_path: Path) -> None:
    imported(tmp_path, line(trial=0), line(trial=1), line(trial=0, simulator="b"), name="one")
    imported(tmp_path, line(trial=1, simulator="b"), name="two")
    library = Library(tmp_path / "library")
    report = compare_simulators(library, [library.run("one"), library.run("two")], ["a", "b"])
    assert len(report.trials) == 2
    assert not report.skipped
