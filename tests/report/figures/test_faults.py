from __future__ import annotations

from itertools import pairwise

import pytest

from replaylab.report.figures.faults import difference_axis, fault_effects, faults, supported, was_testable
from replaylab.report.figures.value import Plot, Rows
from replaylab.score.value import Cell, Column, Interval, Selector, Table
from tests.report.figures.tables import LARGE, PAIR, Made


def rows_of(plot: Plot | None) -> Rows:
    assert plot
    assert isinstance(plot.body, Rows)
    return plot.body


def test_each_agent_has_a_bar_a_plan_with_hatches_of_their_own() -> None:
    body = rows_of(faults(LARGE.faults(), {}))
    for group in body.sections[0].groups:
        assert [row.sub for row in group.rows] == ["E0", "E1", "E2", "E3"]
        assert len({row.look.hatch for row in group.rows}) == 4
        assert all(row.look.bar and row.point.bounded for row in group.rows)


def test_agents_are_sorted_by_the_clean_plan_and_averages_are_no_agent() -> None:
    groups = rows_of(faults(LARGE.faults(), {})).sections[0].groups
    clean = [group.rows[0].point.value or 0 for group in groups]
    assert len(groups) == 15
    assert all(a >= b for a, b in pairwise(clean))


def test_an_agent_called_avg_is_an_agent() -> None:
    groups = rows_of(faults(Made(["Avg", "b"]).faults(), {})).sections[0].groups
    assert {group.name for group in groups} == {"Avg", "b"}


def test_robustness_stands_beside_the_first_bar() -> None:
    body = rows_of(faults(PAIR.faults(), {}))
    assert body.columns == ("% [interval]", "R [interval]")
    rights = [row.right[1] for row in body.sections[0].groups[0].rows]
    assert rights[0].count("[") == 1
    assert rights[1:] == ["", "", ""]


def test_the_clean_plan_is_the_one_that_robustness_stands_on_whatever_it_is_called() -> None:
    table = Made(["a", "b"]).faults(("calm", "E0", "storm"))
    at = [column.key for column in table.columns].index("R")
    behind = (Selector(faults="storm"), Selector(faults="E0"))
    rows = [
        tuple(c.model_copy(update={"trials": behind}) if n == at else c for n, c in enumerate(r))
        for r in table.rows
    ]
    plot = faults(table.model_copy(update={"rows": tuple(rows)}), {})
    assert plot
    assert "Agents are sorted by storm." in plot.caption


@pytest.mark.parametrize(("plans", "clean"), [(("x", "E0"), "E0"), (("x", "y"), "x")])
def test_else_it_is_e0_or_the_first(plans: tuple[str, ...], clean: str) -> None:
    plot = faults(Made(["a"]).faults(plans), {})
    assert plot
    assert f"Agents are sorted by {clean}." in plot.caption


def test_plans_are_called_as_their_columns_are_headed() -> None:
    table = Made(["a"]).faults(("plan R",))
    columns = tuple(c.model_copy(update={"title": "R"}) if c.key == "plan R" else c for c in table.columns)
    body = rows_of(faults(table.model_copy(update={"columns": columns}), {}))
    assert [row.sub for row in body.sections[0].groups[0].rows] == ["R"]


def test_words_tell_the_averages_and_the_least_robust() -> None:
    plot = faults(LARGE.faults(), {})
    assert plot
    mean = LARGE.faults().rows[-1][1].text
    assert f"E0 {mean} % on average, from " in plot.alt
    assert "lowest robustness R " in plot.alt


def test_effects_have_a_section_a_pair_in_which_every_agent_stands() -> None:
    body = rows_of(fault_effects(LARGE.fault_effects(), {}))
    assert [section.heading for section in body.sections] == ["E0−E1", "E0−E2", "E0−E3", "E3−E2"]
    assert all([group.name for group in section.groups] == LARGE.agents for section in body.sections)
    assert body.axis.line == 0


def line(p: float, *, tested: bool | None = True) -> dict[str, Cell]:
    shown = (
        {} if tested is None else {"testable": Cell(text="yes" if tested else "not testable", value=tested)}
    )
    return {"p_holm": Cell(text=f"{p}", value=p), **shown}


def test_a_mark_is_filled_where_the_adjusted_p_supports_it_and_it_was_testable() -> None:
    assert supported(line(0.049))
    assert not supported(line(0.05))
    assert not supported(line(0.01, tested=False))
    assert supported(line(0.01, tested=None))
    assert not supported({})


@pytest.mark.parametrize(
    ("text", "expected"), [("yes", True), ("not testable: 4 scenarios", False), ("no", False)]
)
def test_testable_is_also_read_from_its_text(text: str, *, expected: bool) -> None:
    assert was_testable({"testable": Cell(text=text, value=text)}) is expected


def test_marks_and_texts_follow_the_table() -> None:
    table = LARGE.fault_effects()
    body = rows_of(fault_effects(table, {}))
    shown = {(s.heading, g.name): g.rows[0] for s in body.sections for g in s.groups}
    for agent, pair, _, _, p_holm, _, _, tested in table.rows:
        row = shown[pair.text.replace("-", "−"), agent.text]
        assert row.look.solid is bool(p_holm.value < 0.05 and tested.value)
        assert row.right[1] == (p_holm.text if tested.value else "not testable")


def test_n_comes_from_the_rates_that_are_compared() -> None:
    plot = fault_effects(PAIR.fault_effects(), {"faults": PAIR.faults()})
    assert plot
    assert plot.caption[0] == "n: 382 planned trials for each side of a pair."


@pytest.mark.parametrize(
    ("ends", "ticks"),
    [
        ((-4.5, 9.1), (-6, -4, -2, 0, 2, 4, 6, 8, 10)),
        ((2.0, 3.0), (0, 1, 2, 3)),
        ((-120.0, 90.0), (-150, -100, -50, 0, 50, 100)),
        ((0.0, 0.0), (0, 1)),
    ],
)
def test_a_scale_of_differences_holds_everything_and_zero(
    ends: tuple[float, float], ticks: tuple[float, ...]
) -> None:
    interval = Interval(low=ends[0], high=ends[1], method="m")
    axis = difference_axis([{"d": Cell(text="", value=sum(ends) / 2, interval=interval)}], "d")
    assert axis.ticks == ticks
    assert (axis.low, axis.high) == (ticks[0], ticks[-1])


def test_tables_without_numbers_are_not_drawn() -> None:
    columns = (Column(key="agent", title="Agent"), Column(key="E0", title="E0"))
    empty = Table(
        id="faults", title="", layout="full", columns=columns, rows=((Cell(text="a"), Cell(text="")),)
    )
    assert faults(empty, {}) is None
    assert fault_effects(empty, {}) is None
