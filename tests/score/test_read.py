from __future__ import annotations

import os
import shutil
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from replaylab.cassette.stored import open_cassette
from replaylab.errors import StoreError, UsageError
from replaylab.schema.cassette import ScenarioFacts
from replaylab.schema.run import LedgerEntry
from replaylab.score.derive_facts import facts_of
from replaylab.score.facts import Study
from replaylab.score.read import read_study
from replaylab.store.library import Library
from tests.engine.forging import Row, forged, in_lane, reledger, replace
from tests.engine.playing import NO, scripted
from tests.engine.test_swap import swap
from tests.playground import record
from tests.score.written import CARE, EVERYTHING, TASKS, cast, model, write
from tools.authored import AuthoredTrial, Cast, author

LATER = "2026-02-02T00:00:00.000Z"


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Library:
    return write(tmp_path_factory.mktemp("read") / "library", "study", EVERYTHING)


@pytest.fixture
def library(original: Library, tmp_path: Path) -> Library:
    return Library(Path(shutil.copytree(original.root, tmp_path / "library")))


def only(library: Library, *runs: str, **more: Any) -> Study:
    (study,) = read_study(library, runs, **more)
    return study


def kinds(study: Study) -> list[tuple[str, str]]:
    return [(finding.kind, finding.where) for finding in study.findings]


def test_every_planned_trial_is_there_in_plan_order_with_what_it_came_to(library: Library) -> None:
    study = only(library, "study")
    assert [(one.key, one.outcome, one.tries) for one in study.trials] == [
        ("a,sim,judge,E0/care-1/0", "pass", 1),
        ("b,sim,judge,E0/care-1/0", "error", 1),
        ("a,sim,judge,E0/care-2/0", "fail", 1),
        ("b,sim,judge,E0/care-2/0", "pass", 2),
        ("a,sim,judge,E0/farm-1/0", "error", 1),
        ("b,sim,judge,E0/farm-1/0", "missing", 0),
    ]
    assert [entry.key for entry in library.run("study")[1].ledger] == [one.key for one in study.trials]
    assert kinds(study) == [("tied-vote", "b,sim,judge,E0/care-1/0"), ("error", "a,sim,judge,E0/farm-1/0")]


def test_a_missing_trial_knows_its_scenario_from_other_trials_of_its_task(library: Library) -> None:
    *_, missing = only(library, "study").trials
    assert (missing.facts, missing.scenario.industry) == (None, "Agriculture & Environment")
    assert (missing.agent, missing.task, missing.trial) == ("b", "farm-1", 0)


def test_where_no_trial_of_a_task_is_recorded_its_scenario_is_not_known(tmp_path: Path) -> None:
    library = write(tmp_path, "study", [AuthoredTrial("a", "care-1", "pass")], cast("a"))
    by_task = {one.task: one.scenario for one in only(library).trials}
    assert by_task["care-1"] == by_task["care-1"] == CARE
    assert by_task["farm-1"] == ScenarioFacts(id="?", name="?", industry="?", domain="?")


def test_the_study_names_its_runs_its_models_and_the_reference_condition(library: Library) -> None:
    study = only(library, "study")
    (ref,) = study.runs
    assert (ref.name, ref.run, ref.mode, ref.created) == (
        "study",
        library.ref("study"),
        "run",
        "2026-01-01T00:00:00.000Z",
    )
    assert (study.agents, study.simulators) == ({"a": model("a"), "b": model("b")}, {"sim": model("sim")})
    assert (study.sim, study.judge, study.clean, list(study.faults)) == ("sim", "judge", "E0", ["E0"])
    assert study.evidence == "authored"


def test_the_clean_plan_is_e0_wherever_it_stands_and_else_the_first(tmp_path: Path) -> None:
    for number, (plans, clean) in enumerate(((("E2", "E0"), "E0"), (("E3", "E1"), "E3"))):
        one = AuthoredTrial("a", "care-1", "pass")
        library = write(tmp_path / str(number), "study", [one], cast("a", faults=plans))
        study = only(library)
        assert (study.clean, list(study.faults)) == (clean, list(plans))


def test_the_newest_run_is_read_when_none_is_named_and_an_unknown_one_is_refused(library: Library) -> None:
    write(library.root, "later", [AuthoredTrial("c", "care-1", "pass")], cast("c", created=LATER))
    assert [run.name for run in only(library).runs] == ["later"]
    with pytest.raises(UsageError, match="no run 'studi'"):
        read_study(library, ["studi"])


def test_a_run_named_twice_is_read_once(library: Library) -> None:
    run_id = library.ref("study")
    assert run_id is not None
    assert only(library, "study", run_id[:12], "study") == only(library, "study")


def test_several_runs_are_one_study_in_the_order_in_which_they_are_named(library: Library) -> None:
    write(library.root, "other", [AuthoredTrial("c", "care-1", "pass")], cast("c", sim="sim2", created=LATER))
    study = only(library, "other", "study")
    assert ([run.name for run in study.runs], list(study.agents)) == (["other", "study"], ["c", "a", "b"])
    assert (study.sim, len(study.trials)) == ("sim2", 3 + 6)
    assert only(library, "study", "other").sim == "sim"


def test_a_trial_of_two_runs_is_counted_once_and_shown(library: Library) -> None:
    again = [AuthoredTrial("a", "care-1", "fail"), AuthoredTrial("b", "farm-1", "pass")]
    write(library.root, "again", again, cast(created=LATER))
    for order in (("study", "again"), ("again", "study")):
        study = only(library, *order)
        outcomes = {one.key: (one.outcome, one.run) for one in study.trials}
        assert len(study.trials) == len(outcomes) == 6
        assert outcomes["a,sim,judge,E0/care-1/0"] == ("fail", library.ref("again"))
        assert outcomes["b,sim,judge,E0/farm-1/0"] == ("pass", library.ref("again"))
        assert outcomes["b,sim,judge,E0/care-2/0"] == ("pass", library.ref("study"))
        assert ("duplicate-trial", "a,sim,judge,E0/care-1/0") in kinds(study)
        assert Counter(kind for kind, _ in kinds(study))["duplicate-trial"] == 1


def test_evidence_of_different_kinds_is_never_pooled(library: Library) -> None:
    record(library.root, name="real", votes=1)
    recorded, authored = read_study(library, ["study", "real"])
    assert (recorded.evidence, [run.name for run in recorded.runs]) == ("recorded", ["real"])
    assert (authored.evidence, [run.name for run in authored.runs]) == ("authored", ["study"])
    assert (len(recorded.trials), len(authored.trials)) == (1, 6)
    assert (list(recorded.agents), list(authored.agents)) == (["scripted:careful"], ["a", "b"])
    assert {one.facts.evidence for one in authored.trials if one.facts} == {"authored"}
    assert recorded.findings == ()


def test_one_run_of_two_kinds_is_two_studies_and_its_missing_trials_stand_with_the_recorded_ones(
    library: Library,
) -> None:
    def played(rows: list[Row]) -> None:
        rows[0]["lanes"] = {lane: {} for lane in rows[0]["lanes"]}

    old = library.run("study")[1].ledger[0].tries[0].cassette
    replace(library, old, forged(library.get(old, "cassette"), played))
    recorded, authored = read_study(library, ["study"])
    assert [(one.key, one.outcome) for one in recorded.trials] == [
        ("a,sim,judge,E0/care-1/0", "pass"),
        ("b,sim,judge,E0/farm-1/0", "missing"),
    ]
    assert (len(authored.trials), recorded.runs, list(recorded.agents)) == (4, authored.runs, ["a", "b"])


def test_a_missing_trial_belongs_to_the_evidence_of_its_run(tmp_path: Path) -> None:
    library = write(tmp_path, "none", [], cast("a"))
    study = only(library)
    assert (study.evidence, {one.outcome for one in study.trials}) == ("recorded", {"missing"})


def swapped(library: Library) -> None:
    """Put the cassettes of two keys in each other's place."""

    def change(ledger: list[LedgerEntry]) -> list[LedgerEntry]:
        first, second = ledger[0], ledger[2]
        return [
            first.model_copy(update={"tries": second.tries}),
            ledger[1],
            second.model_copy(update={"tries": first.tries}),
            *ledger[3:],
        ]

    reledger(library, "study", change)


def test_cassettes_under_each_others_keys_count_for_neither_and_are_shown(library: Library) -> None:
    swapped(library)
    study = only(library, "study")
    wrong = ["a,sim,judge,E0/care-1/0", "a,sim,judge,E0/care-2/0"]
    assert [one.outcome for one in study.trials if one.key in wrong] == ["missing", "missing"]
    assert [where for kind, where in kinds(study) if kind == "other-key"] == wrong


def test_one_cassette_under_two_keys_counts_once_and_is_shown(library: Library) -> None:
    def change(ledger: list[LedgerEntry]) -> list[LedgerEntry]:
        return [*ledger[:5], ledger[5].model_copy(update={"tries": ledger[0].tries, "status": "recorded"})]

    reledger(library, "study", change)
    study = only(library, "study")
    assert [one.outcome for one in study.trials].count("pass") == 2
    assert study.trials[5].outcome == "missing"
    assert ("same-cassette", "b,sim,judge,E0/farm-1/0") in kinds(study)


def test_a_forged_verdict_is_counted_as_what_its_answers_give_and_shown(library: Library) -> None:
    def turn(rows: list[Row]) -> None:
        rows[-1]["verdict"] = "pass"

    old = library.run("study")[1].ledger[2].tries[0].cassette
    replace(library, old, forged(library.get(old, "cassette"), turn), verdict="pass")
    study = only(library, "study")
    assert study.trials[2].outcome == "fail"
    assert kinds(study)[1] == ("stored-verdict", "a,sim,judge,E0/care-2/0")


def test_an_answer_that_is_changed_changes_the_verdict(library: Library) -> None:
    def turn(rows: list[Row]) -> None:
        for vote in range(3):
            (row,) = in_lane(rows, f"verifier.{vote}")
            row["attempts"][0]["text"] = row["attempts"][0]["text"].replace("false", "true")

    old = library.run("study")[1].ledger[2].tries[0].cassette
    replace(library, old, forged(library.get(old, "cassette"), turn))
    study = only(library, "study")
    assert study.trials[2].outcome == "pass"
    assert ("stored-verdict", "a,sim,judge,E0/care-2/0") in kinds(study)


def test_a_cassette_that_is_missing_or_damaged_is_an_error_of_the_library(library: Library) -> None:
    path = library.path(library.run("study")[1].ledger[0].tries[0].cassette, "cassette")
    path.write_bytes(b"x")
    with pytest.raises(StoreError, match="damaged"):
        read_study(library, ["study"])
    path.unlink()
    with pytest.raises(StoreError, match="missing"):
        read_study(library, ["study"])


def test_one_name_for_two_things_is_shown_and_the_newest_settings_stand(library: Library) -> None:
    other = Cast(
        [model("a", sampling={"temperature": 1})], [model("sim")], [model("judge")],
        cast().faults, TASKS[:1], created=LATER,
    )  # fmt: skip
    author(library, "later", other, [AuthoredTrial("a", "care-1", "pass")])
    for order in (("study", "later"), ("later", "study")):
        study = only(library, *order)
        assert study.agents["a"].sampling == {"temperature": 1}
        assert kinds(study)[0] == ("other-settings", "agent a")
    assert not [kind for kind, _ in kinds(only(library, "study")) if kind == "other-settings"]


def test_a_lockstep_trial_is_unjudged(tmp_path: Path) -> None:
    library, _ = record(tmp_path, name="run", votes=1)
    done = swap(library, "simulator", "example")
    study = only(library, done.run.name)
    assert [(one.outcome, one.simulator) for one in study.trials] == [("unjudged", "example")]
    assert study.evidence == "recorded"


def test_judging_a_trial_again_that_nobody_played_makes_no_recorded_one_of_it(tmp_path: Path) -> None:
    library = write(tmp_path, "run", [AuthoredTrial("a", "care-1", "pass")], cast("a"))
    done = swap(library, "verifier", "strict", scripted(strict=[NO]))
    study = only(library, done.run.name)
    assert (study.evidence, study.trials[0].outcome, study.trials[0].verifier) == (
        "authored",
        "fail",
        "strict",
    )


def test_the_order_in_which_a_file_system_lists_names_changes_nothing(
    library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = read_study(library, ["study"])
    (library.root / "index.db").unlink()
    listed = os.listdir
    monkeypatch.setattr(os, "listdir", lambda path: sorted(listed(path), reverse=True))
    assert read_study(library, ["study"]) == before


def test_a_call_from_the_cache_gives_the_same_study_and_says_why_it_can_t_be_kept(library: Library) -> None:
    said: list[str] = []
    first = read_study(library, ["study"], notice=said.append)
    assert read_study(library, ["study"], notice=said.append) == first
    assert said == []
    library.put(b"no cassette", "cassette")
    assert read_study(library, ["study"], notice=said.append) == first
    assert len(said) == 1


SHIPPED = Path(__file__).resolve().parents[2] / "cassettes"


def test_the_shipped_runs_are_studies_in_which_every_verdict_follows_from_its_answers(tmp_path: Path) -> None:
    library = Library(Path(shutil.copytree(SHIPPED, tmp_path / "cassettes")))
    (library.root / "index.db").unlink(missing_ok=True)
    recorded = [name for name in library.refs() if library.run(name)[1].evidence == "recorded"]
    study = only(library, *recorded)
    assert study.evidence == "recorded"
    assert {kind for kind, _ in kinds(study)} <= {"error", "tied-vote"}
    planned = sum(len(library.run(name)[1].ledger) for name in recorded)
    assert len(study.trials) == planned
    facts = {one.facts.cassette: one.facts for one in study.trials if one.facts}
    assert facts == {name: facts_of(open_cassette(library, name)) for name in facts}
    assert only(library, *recorded) == study


def test_the_shipped_run_that_nobody_recorded_is_a_study_apart() -> None:
    studies = read_study(Library(SHIPPED), ["builtin", "published-cases"])
    assert [(one.evidence, len(one.trials)) for one in studies] == [("recorded", 108), ("authored", 6)]


def test_a_trial_that_the_ledger_leaves_out_is_missing_and_a_finding(library: Library) -> None:
    reledger(library, "study", lambda ledger: [ledger[0], *ledger[3:]])
    study = only(library, "study")
    assert Counter(one.outcome for one in study.trials) == {"missing": 3, "pass": 2, "error": 1}
    gone = ["b,sim,judge,E0/care-1/0", "a,sim,judge,E0/care-2/0"]
    assert [one for one in kinds(study) if one[0] == "left-out"] == [("left-out", key) for key in gone]


def test_a_trial_that_the_ledger_lists_twice_counts_once_and_is_a_finding(library: Library) -> None:
    reledger(library, "study", lambda ledger: [*ledger, ledger[0]])
    study = only(library, "study")
    assert len(study.trials) == 6
    assert ("not-planned", "a,sim,judge,E0/care-1/0") in kinds(study)


def test_a_spec_that_plans_more_than_fits_into_memory_is_refused_at_once(library: Library) -> None:
    run = library.run("study")[1]
    spec = run.spec.model_copy(update={"tasks": run.spec.tasks * 2000, "trials": 10_000})
    library.set_ref("study", library.put_run(run.model_copy(update={"spec": spec})))
    with pytest.raises(StoreError, match="plans 120000000 trials and lists 6"):
        read_study(library, ["study"])
