"""What holds for every table of every study, however few trials it has and however odd they are."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from decimal import Decimal
from typing import Any, get_args

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from replaylab.faults.plan import named
from replaylab.schema.callpath import TrialKey
from replaylab.schema.model import ModelSettings
from replaylab.score.facts import Faulted, Spent, Study
from replaylab.score.money import Prices
from replaylab.score.slices import slices
from replaylab.score.tables.registry import TABLES, build_document
from replaylab.score.value import Layout, Table
from tests.score.studies import model, study

AGENTS = {
    "ann": model("ann", family="F", generation="1", size=7, effort="low").model_copy(update={"model": "m"}),
    "bob": model("bob", family="F", generation="1", size=7, effort="high").model_copy(update={"model": "m"}),
    "cat": model("cat", family="F", generation="1", size=70, effort="low"),
    "dan": model("dan", family="F", generation="10", size=7, effort="low", player="program"),
}
PLANS = {
    "E0": named("E0"),
    "E3": named("E3"),
    "E3x4": named("E3", 4).model_copy(update={"name": "E3x4"}),
}
PRICES: Prices = {"m": (Decimal(1), Decimal(2), None), "vendor/sim": (Decimal(1), Decimal(1), Decimal(0))}
LAYOUTS: tuple[Layout, ...] = get_args(Layout)

CONDITIONS = [
    f"{agent}|{plan}|{simulator}|{judge}"
    for agent in AGENTS
    for plan in PLANS
    for simulator in ("sim", "other")
    for judge in ("judge", "strict")
]
WORDS = st.one_of(
    st.text("pfemu", min_size=1, max_size=3),
    st.lists(st.text("pfemu", min_size=1, max_size=3), min_size=1, max_size=2),
)
OUTCOMES = st.dictionaries(st.sampled_from(["s1", "s2", "s3", "?"]), WORDS, min_size=1, max_size=3)
STUDIES = st.dictionaries(st.sampled_from(CONDITIONS), OUTCOMES, min_size=1, max_size=10)


def rich(conditions: Mapping[str, Any], **fields: Any) -> Study:
    """A study whose facts follow from the outcomes: votes, tokens, faults, reasons."""

    def more(key: TrialKey, outcome: str) -> dict[str, Any]:
        number = sum(map(ord, str(key)))
        votes = {"pass": ("pass", "pass", "fail"), "fail": ("fail", "error", "fail")}.get(outcome, ("error",))
        used = Spent(
            calls=1 + number % 3, attempts=4, prompt_tokens=number % 900, completion_tokens=number % 70
        )
        return {
            "votes": votes if number % 4 else (),
            "spent": {"agent": used, "simulator": used} if number % 5 else {},
            "faulted": Faulted(
                planned=2, delivered=number % 3, met=number % 3, recovered=number % 2 * (number % 3)
            ),
            "failures": ("tool_misuse",) if outcome == "fail" and number % 2 else (),
        }

    return study(conditions, models=AGENTS, plans=PLANS, more=more, draws=19, **fields)


def tables(given_: Study, layout: Layout) -> tuple[Table, ...]:
    return build_document(given_, layout, PRICES).tables


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(STUDIES, st.sampled_from(["planned", "decided"]), st.sampled_from(LAYOUTS))
@example(
    {"ann|E0|sim": {"s1": "e"}, "ann|E0|other": {"s1": "m"}}, "decided", "paper"
)  # a table without rows, once
def test_every_table_of_any_study_can_be_printed(
    conditions: Mapping[str, Any], denominator: str, layout: Layout
) -> None:
    made = rich(conditions, denominator=denominator)
    document = build_document(made, layout, PRICES)
    assert {table.id for table in document.tables} | {one.id for one in document.left_out} == set(TABLES)
    assert all(one.why for one in document.left_out)
    for table in document.tables:
        assert table.rows
        assert table.notes
        assert len({column.key for column in table.columns}) == len(table.columns)
        for row in table.rows:
            assert len(row) == len(table.columns)
    again = tables(rich(conditions, denominator=denominator), layout)
    assert [one.to_json() for one in document.tables] == [one.to_json() for one in again]


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(STUDIES, st.sampled_from(["planned", "decided"]))
def test_an_empty_cell_is_no_number_and_a_number_is_finite(
    conditions: Mapping[str, Any], denominator: str
) -> None:
    made = rich(conditions, denominator=denominator)
    for table in tables(made, "full"):
        for row in table.rows:
            for column, cell in zip(table.columns, row, strict=True):
                where = f"{table.id} {row[0].text} {column.key}: {cell}"
                if not cell.text:
                    assert cell.value is None, where
                    assert cell.interval is None, where
                if isinstance(cell.value, float):
                    assert math.isfinite(cell.value), where
                if cell.interval:
                    low, high = cell.interval.low, cell.interval.high
                    assert math.isfinite(low), where
                    assert math.isfinite(high), where
                    assert low <= high, where
                json.dumps(cell.to_json(), allow_nan=False)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(STUDIES)
def test_what_is_behind_a_rate_is_as_many_trials_as_it_counts(conditions: Mapping[str, Any]) -> None:
    made = rich(conditions)
    for table in tables(made, "full"):
        for row in table.rows:
            for cell in row:
                if cell.count is not None and cell.text and len(cell.trials) == 1:
                    behind = slices(made).select(cell.trials[0])
                    judged = sum(trial.outcome != "unjudged" for trial in behind)
                    assert cell.count.planned == judged, (table.id, cell)


def test_a_rich_study_has_every_table() -> None:
    letters = {"s1": ["pf", "fp"], "s2": ["pp", "ff"]}
    made = rich(dict.fromkeys(CONDITIONS, letters))
    document = build_document(made, "full", PRICES)
    assert [one.id for one in document.left_out] == []
    assert [table.id for table in document.tables] == list(TABLES)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_study_of_programs_says_so_under_every_table(layout: Layout) -> None:
    programs: dict[str, ModelSettings] = {
        name: one.model_copy(update={"player": "program"}) for name, one in AGENTS.items()
    }
    letters = {"s1": ["pf", "fp"], "s2": ["pp", "ff"]}
    made = rich(dict.fromkeys(CONDITIONS, letters)).model_copy(update={"agents": programs})
    for table in tables(made, layout):
        assert any("programs, not LLMs" in note for note in table.notes), table.id


def test_authored_verdicts_are_said_to_be_authored_under_every_table() -> None:
    letters = {"s1": ["pf", "fp"], "s2": ["pp", "ff"]}
    made = rich(dict.fromkeys(CONDITIONS, letters), evidence="authored")
    for layout in LAYOUTS:
        for table in tables(made, layout):
            assert any("authored" in note for note in table.notes), table.id
