from __future__ import annotations

import pytest

from replaylab.score.facts import Faulted, Study
from replaylab.score.tables.recovery import build, why_not
from tests.score.studies import study
from tests.score.tables.look import cell, keys, notes, text, texts

GOOD = Faulted(planned=2, delivered=2, met=2, seen=2, retried=2, recovered=2, calls_to_recover=3)
BAD = Faulted(planned=2, delivered=2, met=2, seen=1, retried=1, recovered=0, accepted=2)


def met(**conditions: tuple[Faulted, ...]) -> Study:
    """One trial for each under the condition `agent_plan`, a scenario a trial."""
    given = iter([one for trials in conditions.values() for one in trials])
    return study(
        {
            name.replace("_", "|"): {f"s{number}": "p" for number in range(len(trials))}
            for name, trials in conditions.items()
        },
        more=lambda key, outcome: {"faulted": next(given)},
    )


def test_what_became_of_faults_is_added_up_by_agent_and_plan() -> None:
    table = build(met(ann_E1=(GOOD, BAD), bob_E1=(BAD,)), "full")
    assert table is not None
    assert keys(table) == [
        "agent", "plan", "met", "seen", "retried", "recovered", "accepted", "recovery", "calls_to_recover"
    ]  # fmt: skip
    assert texts(table) == [
        ["ann", "E1", "4", "3", "3", "2", "2", "50.0", "1.5"],
        ["bob", "E1", "2", "1", "1", "0", "2", "0.0", ""],
    ]
    assert cell(table, "bob", "calls_to_recover").note == "none recovered"


def test_the_share_has_an_interval_by_scenario() -> None:
    shown = cell(build(met(ann_E1=(GOOD, BAD, GOOD)), "full"), "ann", "recovery")
    assert shown.value == pytest.approx(100 * 4 / 6)
    assert shown.interval is not None
    # Both faults of a trial go together, so six faults are worth three.
    assert shown.interval.method == "clustered Wilson"
    assert shown.interval.low < 15
    assert shown.interval.high > 95


def test_trials_of_one_scenario_go_together() -> None:
    given = iter([GOOD, GOOD, BAD, BAD] * 2)
    more = lambda key, outcome: {"faulted": next(given)}  # noqa: E731
    apart = study({"ann|E1": {"s1": "p", "s2": "p", "s3": "p", "s4": "p"}}, more=more)
    together = study({"ann|E1": {"s1": "pp", "s2": "pp"}}, more=more)
    wide, narrow = (cell(build(one, "full"), "ann", "recovery").interval for one in (together, apart))
    assert wide is not None
    assert narrow is not None
    assert wide.high - wide.low > narrow.high - narrow.low


def test_an_agent_that_met_no_fault_has_no_share() -> None:
    table = build(met(ann_E1=(GOOD,), bob_E1=(Faulted(planned=2),)), "full")
    assert texts(table, "met", "recovered", "recovery", "calls_to_recover")[1] == ["0", "0", "", ""]
    assert cell(table, "bob", "recovery").note == "no fault was met"
    assert cell(table, "bob", "recovery").value is None


def test_an_agent_that_lacks_a_plan_has_empty_cells() -> None:
    table = build(met(ann_E1=(GOOD,), ann_E2=(GOOD,), bob_E1=(BAD,)), "full")
    assert texts(table, "agent", "plan", "met")[3] == ["bob", "E2", ""]
    assert cell(table, 3, "met").note == "no recorded trials"


def test_clean_plans_have_no_row_and_words_are_explained() -> None:
    table = build(met(ann_E0=(Faulted(),), ann_E1=(GOOD,)), "full")
    assert [row[1] for row in texts(table)] == ["E1"]
    assert "Recovered: each hit call was made again" in notes(table)


def test_where_no_fault_was_met_there_is_no_table() -> None:
    clean = study({"ann": {"s": "p"}})
    assert build(clean, "full") is None
    assert why_not(clean) == "no fault plan plans a fault"
    spared = met(ann_E1=(Faulted(planned=2),))
    assert build(spared, "full") is None
    assert why_not(spared) == "no fault was met under E1"
    assert text(build(met(ann_E1=(GOOD,)), "full"), "ann", "met") == "2"
