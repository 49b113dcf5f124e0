from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from replaylab.schema.finding import Finding
from replaylab.score.facts import Study
from replaylab.score.slices import slices
from replaylab.score.tables.ledger import build, why_not
from replaylab.score.value import Denominator, Layout, Selector
from tests.score.studies import study, study_of
from tests.score.tables.look import cell, keys, notes, text, texts

COUNTS = ("planned", "recorded", "passed", "failed", "error", "missing")
KEYS = ["agent", "simulator", "verifier", "faults", *COUNTS, "rate", "worst", "best"]


def small(**fields: object) -> Study:
    return study(
        {
            "ann": {"s1": "ppf", "s2": "em"},
            "ann|E1": {"s1": "fff", "s2": "pp"},
            "bob|E0|two": {"s1": "ppp"},
        }
    ).model_copy(update=fields)


@pytest.mark.parametrize("layout", ["full", "paper"])
def test_each_condition_has_its_line_in_plan_order_and_the_total_comes_last(layout: Layout) -> None:
    table = build(small(), layout)
    assert table is not None
    assert keys(table) == KEYS
    assert texts(table) == [
        ["ann", "sim", "judge", "E0", "5", "4", "2", "1", "1", "1", "40.0", "40.0", "80.0"],
        ["ann", "sim", "judge", "E1", "5", "5", "2", "3", "0", "0", "40.0", "40.0", "40.0"],
        ["bob", "two", "judge", "E0", "3", "3", "3", "0", "0", "0", "100.0", "100.0", "100.0"],
        ["total", "", "", "", "13", "12", "7", "4", "1", "1", "53.8", "53.8", "69.2"],
    ]


def test_decided_leaves_errors_and_missing_out_of_the_rate_and_never_out_of_the_counts() -> None:
    table = build(small(denominator="decided"), "full")
    assert texts(table, *COUNTS)[0] == ["5", "4", "2", "1", "1", "1"]
    assert texts(table, "rate", "worst", "best")[0] == ["66.7", "40.0", "80.0"]
    assert text(table, "total", "rate") == "63.6"
    assert notes(table).startswith("Denominator: decided")


@given(
    outcomes=st.dictionaries(st.sampled_from("abcd"), st.text("pfemu", min_size=1, max_size=6), min_size=1),
    denominator=st.sampled_from(["planned", "decided"]),
)
def test_the_columns_add_up_to_planned_and_the_rows_to_the_total(
    outcomes: dict[str, str], denominator: Denominator
) -> None:
    held = study({name: {"s1": letters} for name, letters in outcomes.items()}, denominator=denominator)
    table = build(held, "full")
    assert table is not None
    parts = [key for key in (*COUNTS[2:], "unjudged") if key in keys(table)]
    rows = [
        {key: int(cell(table, number, key).value) for key in (*COUNTS[:2], *parts)}
        for number in range(len(table.rows))
    ]
    for row in rows:
        assert row["planned"] == sum(row[key] for key in parts)
        assert row["recorded"] == row["planned"] - row["missing"]
    for key in rows[0]:
        assert rows[-1][key] == sum(row[key] for row in rows[:-1])


def test_what_nobody_judged_has_a_column_where_there_is_any() -> None:
    table = build(study({"ann": {"s1": "pfuu"}, "bob": {"s1": "uuuu"}}), "full")
    assert table is not None
    assert keys(table)[9:11] == ["missing", "unjudged"]
    assert texts(table, "planned", "failed", "unjudged", "rate") == [
        ["4", "1", "2", "50.0"],
        ["4", "0", "4", ""],
        ["8", "1", "6", "50.0"],
    ]
    assert cell(table, "bob", "rate").note == "no judged trials (4 not judged)"
    assert "6 trials recorded for the observations alone" in notes(table)
    assert "unjudged" not in keys(build(small(), "full") or table)


def test_every_number_names_the_trials_behind_it() -> None:
    held = small()
    table = build(held, "full")
    assert table is not None
    which = Selector(agent="ann", simulator="sim", verifier="judge", faults="E0", outcome="error")
    assert cell(table, 0, "error").trials == (which,)
    sliced = slices(held)
    for number in range(len(table.rows)):
        for key in ("planned", *COUNTS[2:]):
            one = cell(table, number, key)
            assert len(sliced.select(one.trials[0])) == one.value


def test_a_rate_has_its_interval_in_the_full_layout_and_the_total_none() -> None:
    full, paper = build(small(), "full"), build(small(), "paper")
    assert cell(full, 0, "rate").interval is not None
    assert cell(full, "total", "rate").interval is None
    assert cell(paper, 0, "rate").interval is None


def test_declared_denominators_change_no_ledger() -> None:
    assert texts(build(small(declared={"ann|all": 3, "ann|E0": 3}), "full")) == texts(build(small(), "full"))


def test_the_total_of_repeats_is_k_over_n() -> None:
    held = study({"ann": {"s1": ["pppp"]}, "bob": {"s1": ["f"], "s2": ["f"]}})
    assert text(build(held, "full"), "total", "rate") == "66.7"


def test_odd_things_are_counted_by_kind() -> None:
    findings = tuple(
        Finding.of(kind, where, "…") for kind, where in [("tied", "a"), ("duplicate", "b"), ("tied", "c")]
    )
    assert "Findings: 1 duplicate, 2 tied." in notes(build(small(findings=findings), "full"))
    assert "Findings" not in notes(build(small(), "full"))


def test_trials_of_an_unknown_scenario_are_said() -> None:
    table = build(study({"ann": {"s1": "p", "?a": "mm"}}), "full")
    assert (
        '2 trials of tasks that no cassette tells the scenario of: one cluster, in an industry "?".'
        in notes(table)
    )
    assert texts(table, "planned", "missing", "rate")[0] == ["3", "2", "33.3"]


def test_worst_and_best_case_say_what_they_take_for_what() -> None:
    table = build(study({"ann": {"s1": "peemu"}}), "full")
    assert cell(table, 0, "worst").note == "if 2 errors, 1 missing had failed"
    assert cell(table, 0, "best").note == "if 2 errors, 1 missing had passed"
    assert cell(build(study({"ann": {"s1": "pf"}}), "full"), 0, "best").note == ""


def test_nothing_planned_is_no_ledger() -> None:
    assert build(study_of([]), "full") is None
    assert why_not(study_of([])) == "no trials were planned"
    assert why_not(small()) == ""
