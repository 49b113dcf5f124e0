"""Runs of which nothing is known: every trial ended in an error, or nobody recorded any."""

from __future__ import annotations

from pathlib import Path

import pytest

from replaylab.audit.dossier import open_dossier
from replaylab.audit.run import audit_run
from replaylab.audit.value import Step
from replaylab.engine.merge import merge
from replaylab.faults.plan import named
from replaylab.schema.cassette import ScenarioFacts
from replaylab.schema.model import ModelSettings
from replaylab.schema.run import LedgerEntry
from replaylab.store.library import Library
from tests.audit.honest import TASKS, audited, reseal
from tests.playground import fake_seams, record
from tools.authored import AuthoredTrial, Cast, author, authored_task


def broken(alias: str, body: bytes) -> tuple[int, dict[str, str], list[bytes]]:
    """A server that refuses everything."""
    assert alias
    assert body
    return 400, {"content-type": "application/json"}, [b'{"error": {"message": "no"}}']


def test_tasks_whose_trials_all_ended_in_an_error_are_not_covered_and_nobody_answered(tmp_path: Path) -> None:
    library = record(tmp_path / "library", respond=broken)[0]
    steps = audited(library)
    assert library.run("run")[1].ledger[0].status == "error"
    assert (steps[6].outcome, steps[19].outcome) == ("warn", "not_checkable")
    assert any(
        "is missing or ended in an error: of it nothing is known" in line for line in steps[6].evidence
    )
    assert not any(step.outcome == "fail" for step in steps.values())
    honest = audited(record(tmp_path / "other")[0])
    assert (honest[6].outcome, honest[19].outcome) == ("pass", "pass")


def test_a_task_of_which_no_trial_was_recorded_yet_is_a_warning_and_one_left_out_of_the_ledger_fails(
    tmp_path: Path,
) -> None:
    """A shard, or a recording that was interrupted, is honest about what it lacks."""
    library = record(tmp_path / "library", tasks=TASKS)[0]
    ledger = library.run("run")[1].ledger
    missing = LedgerEntry(key=ledger[-1].key, status="missing")
    reseal(library, lambda run: {"ledger": (*run.ledger[:-1], missing)}, clean=True)
    steps = audited(library)
    assert (steps[4].outcome, steps[6].outcome, steps[6].findings) == ("warn", "warn", ())
    reseal(library, lambda run: {"ledger": run.ledger[:-1]})
    assert [one.kind for one in audited(library)[6].findings] == ["task-missing"]


def test_of_two_recordings_that_are_alike_merge_keeps_one_and_nothing_was_dropped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = record(tmp_path / "a")[0]
    monkeypatch.setattr("tests.playground.fake_seams", lambda: fake_seams(7))
    other = record(tmp_path / "b")[0]
    mine, theirs = (library.run("run")[1].ledger[0].tries[0] for library in (one, other))
    assert (mine.outcome, mine.cassette == theirs.cassette) == (theirs.outcome, False)
    united = Library(tmp_path / "united")
    assert not merge(united, [one, other], "2030-01-01T00:00:00Z").conflicts
    steps = audited(united)
    assert len(steps[5].evidence) > 1
    assert {number for number, step in steps.items() if step.outcome == "fail"} == set()


def authored(root: Path) -> Library:
    """Two simulators, three trials of each task, an agent that does not try: nothing to warn of but that it is made up."""
    facts = ScenarioFacts(id="s", name="S", industry="Healthcare", domain="D")
    tasks = [authored_task(name, facts, difficulty=2, text=name) for name in ("t0", "t1")]
    models = [
        ModelSettings(alias=alias, model=alias, family="f", generation="1", effort="high")
        for alias in ("a", "sim", "other", "judge")
    ]
    library = Library(root)
    cast = Cast(models[:1], models[1:3], models[3:], [named("E0")], tasks)
    trials = [
        AuthoredTrial("a", task, "pass", simulator=sim) for task in ("t0", "t1") for sim in ("sim", "other")
    ]
    author(library, "study", cast, trials)
    return library


OF_FILES = {2, 4, 7, 8, 25}


def test_an_authored_run_passes_what_is_of_files_alone(tmp_path: Path) -> None:
    steps = {one.number: one for one in audit_run(open_dossier(authored(tmp_path), "study"))}
    assert {number for number, step in steps.items() if step.outcome == "pass"} == OF_FILES
    assert steps[3].outcome == "fail"
    told = "authored, not recorded: it is no evidence of what happened"
    assert {number for number, step in steps.items() if told in step.evidence} >= {6, 12, 14, 19, 21, 23, 24}


def evidence_in_the_run_alone(library: Library) -> dict[int, Step]:
    """As a swap leaves it: the lanes of the cassettes are copied and recorded, what they rest on was not."""
    run = library.run("run")[1].model_copy(update={"evidence": "imported"})
    library.set_ref("run", library.put_run(run))
    return audited(library)


def test_what_rests_on_lanes_that_nobody_recorded_is_no_evidence_either(tmp_path: Path) -> None:
    steps = evidence_in_the_run_alone(record(tmp_path / "library")[0])
    assert (steps[3].outcome, [one.kind for one in steps[3].findings]) == ("fail", ["not-recorded"])
    assert {number for number in (6, 12, 14, 19, 21, 23) if steps[number].outcome == "pass"} == set()


def test_a_task_with_a_space_in_its_name_is_in_the_ledger(tmp_path: Path) -> None:
    facts = ScenarioFacts(id="s", name="S", industry="Healthcare", domain="D")
    models = [ModelSettings(alias=alias, model=alias) for alias in ("a", "sim", "judge")]
    library = Library(tmp_path)
    cast = Cast(models[:1], models[1:2], models[2:], [named("E0")], [authored_task("Night Depot-1/2", facts)])
    author(library, "study", cast, [AuthoredTrial("a", "Night Depot-1/2", "pass", simulator="sim")])
    steps = {one.number: one for one in audit_run(open_dossier(library, "study"))}
    assert steps[6].findings == ()
