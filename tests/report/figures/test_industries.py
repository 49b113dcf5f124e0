from __future__ import annotations

from replaylab.report.figures.industries import grid, industries, radar
from replaylab.report.figures.value import Dots, Plot, Radar
from replaylab.score.value import Cell, Table
from tests.report.figures.tables import INDUSTRIES, LARGE, PAIR, SIZES, SMALL, Made, names

EXTREME = Made(names(7), extremes=True)
TABLES = LARGE.all()


def dots_of(plot: Plot | None) -> Dots:
    assert plot
    assert isinstance(plot.body, Dots)
    return plot.body


def radar_of(plot: Plot | None) -> Radar:
    assert plot
    assert isinstance(plot.body, Radar)
    return plot.body


def without_intervals(table: Table) -> Table:
    rows = tuple(tuple(cell.model_copy(update={"interval": None}) for cell in row) for row in table.rows)
    return table.model_copy(update={"rows": rows})


def test_the_table_is_taken_apart_by_industry() -> None:
    given = grid(TABLES["industries"], TABLES)
    assert given.agents == tuple(LARGE.agents)
    assert list(given.names.values()) == list(INDUSTRIES.values())
    assert given.tasks["sci"] == 16
    assert given.scenarios == dict(zip(INDUSTRIES, (6, 19, 9, 8, 7, 11, 7, 4, 16, 11), strict=True))


def test_without_names_behind_the_cells_an_industry_is_called_as_its_column() -> None:
    table = TABLES["industries"]
    rows = tuple(tuple(cell.model_copy(update={"trials": ()}) for cell in row) for row in table.rows)
    given = grid(table.model_copy(update={"rows": rows}), {})
    assert given.names["sci"] == "Sci"
    assert given.scenarios == {}


def test_there_is_a_strip_for_all_and_one_an_industry_with_what_it_stands_on() -> None:
    body = dots_of(industries(TABLES["industries"], TABLES))
    assert [strip.title for strip in body.strips] == ["All, pooled", *INDUSTRIES.values()]
    assert [strip.sub for strip in body.strips][:2] == [f"{sum(SIZES)} tasks", "31 tasks, 6 scenarios"]
    assert body.names == tuple(LARGE.agents)
    assert all(point.bounded for strip in body.strips for point in strip.points)


def test_the_line_of_a_strip_is_the_mean_of_the_agents() -> None:
    body = dots_of(industries(TABLES["industries"], TABLES))
    values = [point.value or 0 for point in body.strips[3].points]
    assert body.strips[3].line == sum(values) / len(values)
    assert dots_of(industries(SMALL.industries(), {})).strips[1].line is None


def test_without_a_row_of_tasks_the_trials_are_counted() -> None:
    table = TABLES["industries"]
    body = dots_of(industries(table.model_copy(update={"rows": table.rows[:-1]}), {}))
    assert [strip.sub for strip in body.strips][:2] == [f"n {sum(SIZES)}", "n 31"]


def test_words_tell_the_easiest_and_the_hardest() -> None:
    plot = industries(TABLES["industries"], TABLES)
    assert plot
    given = grid(TABLES["industries"], {})
    means = {
        name: sum(cell.value for cell in given.cells(key)) / len(LARGE.agents)
        for key, name in given.names.items()
    }
    easy, hard = max(means, key=lambda name: means[name]), min(means, key=lambda name: means[name])
    assert f"highest in {easy} ({means[easy]:.1f} %), lowest in {hard} ({means[hard]:.1f} %)" in plot.alt


def test_a_radar_shows_the_first_five_and_says_so() -> None:
    plot = radar(TABLES["industries"], TABLES)
    body = radar_of(plot)
    assert body.names == tuple(LARGE.agents[:5])
    assert plot
    assert any("the first 5 of 15 by pooled rate" in one for one in plot.caption)


def test_beside_a_radar_every_number_has_its_interval() -> None:
    body = radar_of(radar(TABLES["industries"], TABLES))
    assert len(body.cells) == len(body.spokes) == 10
    assert all("[" in cell for row in body.cells for cell in row)


def test_a_radar_starts_at_thirty_unless_something_lies_below() -> None:
    strong = radar(TABLES["industries"], TABLES)
    assert radar_of(strong).floor == 30
    assert strong
    assert any("The scale starts at 30 %" in one for one in strong.caption)
    assert radar_of(radar(EXTREME.industries(), {})).floor == 0


def test_there_is_no_radar_without_intervals_or_with_two_spokes() -> None:
    assert radar(without_intervals(TABLES["industries"]), TABLES) is None
    assert radar(PAIR.industries(), {}) is None


def test_industries_that_nobody_has_a_rate_in_are_no_spokes() -> None:
    table = TABLES["industries"]
    at = [column.key for column in table.columns].index("sci")
    rows = [tuple(Cell(text="") if n == at else cell for n, cell in enumerate(row)) for row in table.rows]
    body = radar_of(radar(table.model_copy(update={"rows": tuple(rows)}), {}))
    assert "Science & Research" not in body.spokes
    assert len(body.spokes) == 9


def test_a_table_without_rates_is_not_drawn() -> None:
    empty = TABLES["industries"].model_copy(update={"rows": ()})
    assert industries(empty, {}) is None
    assert radar(empty, {}) is None
