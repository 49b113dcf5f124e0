from __future__ import annotations

from collections.abc import Mapping

from replaylab.faults.plan import named
from replaylab.score.facts import Faulted, Study
from replaylab.score.tables.exposure import build, disturbing, faulted, why_not
from replaylab.score.value import Selector
from tests.score.studies import study
from tests.score.tables.look import cell, keys, notes, text, texts


def met(conditions: Mapping[str, tuple[Faulted, ...]]) -> Study:
    """One passed trial for each, in one scenario."""
    given = iter([one for trials in conditions.values() for one in trials])
    return study(
        {name: {"s": "p" * len(trials)} for name, trials in conditions.items()},
        more=lambda key, outcome: {"faulted": next(given)},
    )


FULL = Faulted(planned=2, delivered=2, calls_hit=3)
SHORT = Faulted(planned=2, delivered=1, not_due=1, calls_hit=1)
NONE = Faulted(planned=2, nothing_to_hit=2)


def test_faults_are_added_up_by_agent_and_plan() -> None:
    table = build(met({"ann|E1": (FULL, SHORT), "bob|E1": (NONE,)}), "full")
    assert table is not None
    assert keys(table) == [
        "agent", "plan", "planned", "delivered", "not_due", "nothing_to_hit", "calls_hit", "exposure"
    ]  # fmt: skip
    assert texts(table) == [
        ["ann", "E1", "4", "3", "1", "0", "4", "75.0"],
        ["bob", "E1", "2", "0", "0", "2", "0", "0.0"],
    ]
    assert cell(table, "ann", "delivered").trials == (
        Selector(agent="ann", simulator="sim", verifier="judge", faults="E1"),
    )


def test_unequal_exposure_is_said() -> None:
    told = notes(
        build(met({"ann|E1": (FULL,), "bob|E1": (SHORT,), "ann|E2": (FULL,), "bob|E2": (FULL,)}), "full")
    )
    assert "E1: from 50.0 % (bob) to 100.0 % (ann)." in told
    assert "E2: the same exposure for all agents." in told


def test_an_agent_that_lacks_a_plan_has_empty_cells() -> None:
    table = build(met({"ann|E1": (FULL,), "ann|E2": (FULL,), "bob|E1": (FULL,)}), "full")
    assert texts(table, "agent", "plan", "planned", "exposure")[3] == ["bob", "E2", "", ""]
    assert cell(table, 3, "planned").note == "no recorded trials"
    assert cell(table, 3, "planned").value is None


def test_a_plan_without_faults_is_checked_and_has_no_row() -> None:
    table = build(met({"ann": (Faulted(),), "ann|E1": (FULL,)}), "full")
    assert [row[1] for row in texts(table)] == ["E1"]
    assert "E0 plans no faults: 0 calls were disturbed." in notes(table)


def test_where_the_simulator_was_asked_there_is_no_exposure_to_count() -> None:
    asked = met({"ann|E1+prompt": (Faulted(planned=2),), "ann|E1": (FULL,)})
    table = build(asked, "full")
    shown = cell(table, 0, "exposure")
    assert text(table, 0, "planned") == "2"
    assert (shown.text, shown.value) == ("", None)
    assert "asked to inject" in shown.note


def test_plans_that_plan_no_fault_disturb_nothing() -> None:
    assert disturbing(study({"ann": {"s": "p"}, "ann|E1": {"s": "p"}})) == ["E1"]


def test_missing_trials_met_nothing() -> None:
    assert faulted(study({"ann|E1": {"s": "m"}}).trials) == Faulted()


def test_where_no_fault_was_planned_there_is_no_table() -> None:
    clean = study({"ann": {"s": "p"}})
    assert build(clean, "full") is None
    assert why_not(clean) == "no fault plan plans a fault"
    empty = study({"ann|E1": {"s": "p"}}, plans={"E1": named("E1")})
    assert build(empty, "full") is None
    assert why_not(empty) == "no recorded trial under a plan with faults tells of one"
