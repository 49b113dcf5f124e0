from __future__ import annotations

import pytest

from replaylab.report.figures.difficulty import difficulty
from replaylab.report.figures.value import GREEN, ORANGE, RED, Plot, Row, Rows
from replaylab.score.value import Cell, Selector, Table
from tests.report.figures.tables import LARGE, rate, table, word

KEYS = [("industry", ""), ("rate", "%"), ("mean", "%"), ("agents", ""), ("tasks", ""), ("scenarios", "")]


def line(name: str, mean: float | None, *agents: str, note: str = "") -> list[Cell]:
    trials = tuple(Selector(agent=agent) for agent in agents)
    shown = Cell(text="", value=mean, trials=trials, note=note)
    return [word(name), rate(7, 10), shown, word("2"), word("10"), word("3")]


def rows_of(plot: Plot | None) -> dict[str, Row]:
    assert plot
    assert isinstance(plot.body, Rows)
    return {group.name: group.rows[0] for group in plot.body.sections[0].groups}


def averaged(given: Table) -> str:
    plot = difficulty(given, {})
    assert plot
    return plot.caption[3]


@pytest.mark.parametrize(
    ("mean", "colour"),
    [(100, GREEN), (65, GREEN), (64.99, ORANGE), (60, ORANGE), (59.99, RED), (0, RED)],
)
def test_bands_begin_at_65_and_60(mean: float, colour: str) -> None:
    row = rows_of(difficulty(table("difficulty", KEYS, [line("x", mean)]), {}))["x"]
    assert row.look.fill == colour


def test_bands_differ_in_hatch_and_the_key_names_those_that_occur() -> None:
    plot = difficulty(table("difficulty", KEYS, [line("a", 70), line("b", 50)]), {})
    assert plot
    assert isinstance(plot.body, Rows)
    assert [text for _, text in plot.body.key] == ["65 % or more", "below 60 %"]
    assert len({look.hatch for look, _ in plot.body.key}) == 2


def test_the_bar_is_the_mean_and_the_diamond_the_pooled_rate_with_its_interval() -> None:
    row = rows_of(difficulty(table("difficulty", KEYS, [line("x", 61.5)]), {}))["x"]
    assert (row.point.value, row.point.bounded) == (61.5, False)
    assert (row.second.value, row.second.bounded) == (70.0, True)
    assert row.right == ("61.5", rate(7, 10).text + row.right[1][4:], "10", "3")


def test_without_a_mean_the_pooled_rate_is_the_bar() -> None:
    assert rows_of(difficulty(table("difficulty", KEYS, [line("x", None)]), {}))["x"].point.value == 70.0


def test_the_footer_says_who_was_averaged() -> None:
    given = table("difficulty", KEYS, [line("x", 70)], "Averaged over 2 agents: b, a.")
    assert averaged(given) == "Averaged over 2 agents: b, a."


def test_else_the_trials_behind_the_means_do() -> None:
    assert averaged(table("difficulty", KEYS, [line("x", 70, "b", "a"), line("y", 60, "a", "b")])) == (
        "Averaged: 2 agents (a and b)."
    )


def test_agents_that_differ_by_industry_are_told() -> None:
    assert averaged(table("difficulty", KEYS, [line("x", 70, "a"), line("y", 60, "b")])) == (
        "Averaged: not the same agents in every industry, out of a and b."
    )


def test_else_their_number_is_told() -> None:
    assert averaged(table("difficulty", KEYS, [line("x", 70)])) == "Averaged: 2 agents."


def test_what_a_mean_leaves_out_is_told() -> None:
    plot = difficulty(table("difficulty", KEYS, [line("x", 70, note="without ann")]), {})
    assert plot
    assert "x: without ann." in plot.caption


def test_words_tell_every_industry_and_who_was_averaged() -> None:
    plot = difficulty(LARGE.difficulty(), {})
    assert plot
    first = LARGE.difficulty().rows[0]
    assert f"in 10 industries: {first[0].text} {first[2].value:.1f} %, " in plot.alt
    assert "Averaged: 15 agents (" in plot.alt


def test_a_table_without_rates_is_not_drawn() -> None:
    assert difficulty(LARGE.difficulty().model_copy(update={"rows": ()}), {}) is None
