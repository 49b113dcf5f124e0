from __future__ import annotations

from replaylab.report.faults_text import plan_line, run_facts, trial_facts
from replaylab.report.page import run_page, trial_page
from replaylab.schema.fault import FaultPlan
from replaylab.store.library import Library
from tests.report.recordings import trial, view


def test_a_plan_stands_in_a_line() -> None:
    assert plan_line(FaultPlan(name="E0")) == "E0"
    assert plan_line(FaultPlan(name="E1", explicit=True, count=2, duration=1)) == "E1: 2 of 1 call"


def test_a_trial_under_faults_has_its_exposure_its_recovery_and_why_it_failed_on_its_page(
    study: Library,
) -> None:
    shown = trial(study, "study", lambda key: "hasty" in key and ",E2/" in key)
    told = dict(trial_facts(shown))
    assert {"exposure", "recovery", "failure"} <= set(told)
    page = trial_page(shown).decode()
    for name in ("Why it failed", "Exposure", "Recovery"):
        assert f"<dt>{name}</dt>" in page
    assert told["exposure"] in page
    label = shown.failures[0]
    assert label.kind in page
    if label.call >= 0:
        assert f'<a href="#t0-c{label.call}">call {label.call}</a>' in page


def test_a_trial_without_faults_has_none_of_it(study: Library) -> None:
    shown = trial(study, "study", lambda key: "careful" in key and ",E0/" in key)
    assert list(trial_facts(shown)) == []
    assert "<dt>Exposure</dt>" not in trial_page(shown).decode()


def test_a_run_says_how_many_faults_were_met(study: Library) -> None:
    shown = view(study, "study")
    (line,) = run_facts(shown)
    assert "planned" in line
    assert line in run_page(study, shown).decode()
