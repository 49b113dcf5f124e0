from __future__ import annotations

import pytest

from replaylab.report.figures.additive import additive
from replaylab.report.figures.colour import mixed
from replaylab.report.figures.heat import agreement, industry_agents
from replaylab.report.figures.industries import grid
from replaylab.report.figures.value import BLUE, FAINT, RED, WHITE, Matrix, Plot, Tile
from replaylab.report.figures.words import signed
from replaylab.score.value import Cell, Interval, Table
from tests.report.figures.tables import INDUSTRIES, LARGE, SMALL, Made, names

TABLES = LARGE.all()


def matrix_of(plot: Plot | None) -> Matrix:
    assert plot
    assert isinstance(plot.body, Matrix)
    return plot.body


def tile(body: Matrix, row: int, column: int) -> Tile:
    found = body.tiles[row][column]
    assert found
    return found


def rates(*rows: tuple[float, ...], width: float = 1) -> Table:
    """Those rates, each within an interval of that width to both sides."""
    made = Made(names(len(rows)), len(rows[0])).industries()
    cells = [
        [
            cell.model_copy(
                update={
                    "value": value,
                    "interval": Interval(low=value - width, high=value + width, method="m"),
                }
            )
            for cell, value in zip(line[3:], row, strict=True)
        ]
        for line, row in zip(made.rows, rows, strict=False)
    ]
    lines = tuple((*line[:3], *row) for line, row in zip(made.rows, cells, strict=False))
    return made.model_copy(update={"rows": (*lines, made.rows[-1])})


def test_what_just_adds_up_deviates_nowhere() -> None:
    body = matrix_of(industry_agents(rates((70, 60, 50), (60, 50, 40)), {}))
    assert [[cell and (cell.lines, cell.fill, cell.framed) for cell in row] for row in body.tiles] == [
        [(("0",), WHITE, False)] * 3
    ] * 2


def test_deviations_are_from_the_model_weighted_by_trials() -> None:
    body = matrix_of(industry_agents(TABLES["industries"], TABLES))
    given = grid(TABLES["industries"], {})
    values = [[line[column.key].value for column in given.columns] for line in given.lines]
    weights = [
        [cell.count.planned if cell.count else 0 for cell in row[3:]]
        for row in TABLES["industries"].rows[:-1]
    ]
    fitted = additive(values, weights)
    for i, row in enumerate(values):
        assert [tile(body, i, j).lines for j in range(10)] == [
            (signed(value - fit, 0),) for value, fit in zip(row, fitted[i], strict=True)
        ]


def test_better_is_blue_and_worse_is_red_and_a_sign_says_it_too() -> None:
    body = matrix_of(industry_agents(rates((90, 40), (40, 90)), {}))
    strong, weak = tile(body, 0, 0), tile(body, 0, 1)
    assert strong.lines[0].startswith("+")
    assert weak.lines[0].startswith("−")
    assert int(strong.fill[1:3], 16) < int(strong.fill[5:7], 16)
    assert int(weak.fill[1:3], 16) > int(weak.fill[5:7], 16)
    assert body.ramp
    assert (body.ramp.colours[0], body.ramp.colours[-1]) == (RED, BLUE)


def test_only_industries_with_too_few_scenarios_for_a_test_are_hatched() -> None:
    plot = industry_agents(TABLES["industries"], TABLES)
    body = matrix_of(plot)
    hatched = {body.columns[j] for row in body.tiles for j, one in enumerate(row) if one and one.hatch}
    assert hatched == {"Science & Research"}  # four scenarios: 2^(1-4) > 0.05; Agriculture has six
    assert next(text for _, text in body.key) == "fewer than 6 scenarios"
    assert plot
    assert not any("not known" in one for one in plot.caption)


def test_unknown_numbers_of_scenarios_are_confessed() -> None:
    plot = industry_agents(TABLES["industries"], {})
    assert plot
    assert any("number of scenarios is not known" in one for one in plot.caption)


def test_a_cell_is_framed_where_the_model_lies_outside_its_interval() -> None:
    far, near = rates((90, 40), (40, 90), width=1), rates((90, 40), (40, 90), width=60)
    assert all(tile(matrix_of(industry_agents(far, {})), i, j).framed for i in (0, 1) for j in (0, 1))
    assert not any(tile(matrix_of(industry_agents(near, {})), i, j).framed for i in (0, 1) for j in (0, 1))


def test_hatched_cells_are_never_framed() -> None:
    made = Made(names(4), extremes=True).all()
    body = matrix_of(industry_agents(made["industries"], made))
    assert any(one and one.hatch for row in body.tiles for one in row)
    assert not any(one and one.hatch and one.framed for row in body.tiles for one in row)


def test_a_cell_without_trials_is_a_dash() -> None:
    made = Made(names(4), holes=True).all()
    body = matrix_of(industry_agents(made["industries"], made))
    assert tile(body, 0, 3) == Tile(("–",))


def test_one_agent_or_one_industry_deviates_from_nothing() -> None:
    assert industry_agents(SMALL.industries(), {}) is None
    assert industry_agents(Made(["a"], 10).industries(), {}) is None
    assert industry_agents(Made(["a", "b"], 1).industries(), {}) is None


def test_words_tell_the_largest_deviations() -> None:
    plot = industry_agents(rates((90, 40, 50), (40, 60, 50)), {})
    assert plot
    assert f"{LARGE.agents[0]} in {INDUSTRIES['agri']}" in plot.alt
    assert "In 6 cells the model lies outside the interval" in plot.alt


def test_each_pair_of_simulators_stands_once_with_pairs_and_ties() -> None:
    body = matrix_of(agreement(LARGE.agreement(), {}))
    assert (body.rows, body.columns) == (
        ("Qwen 3.5 Plus", "gpt-5.2"),
        ("Gemini-3-Flash-Preview", "Qwen 3.5 Plus"),
    )
    assert tile(body, 0, 0).lines == ("85.7 %", "[73.7, 94.7]", "28 pairs, 0 tied")
    assert tile(body, 1, 0).lines == ("75.0 %", "[63.0, 84.0]", "28 pairs, 1 tied")
    assert tile(body, 1, 1).lines == ("42.9 %", "[30.9, 51.9]", "28 pairs, 2 tied")
    assert body.tiles[0][1] is None


def test_of_many_simulators_no_pair_stands_twice() -> None:
    body = matrix_of(agreement(LARGE.agreement(("a", "b", "c", "d")), {}))
    assert [[one is not None for one in row] for row in body.tiles] == [
        [True, False, False],
        [True, True, False],
        [True, True, True],
    ]


def test_the_scale_of_agreement_runs_from_chance_to_everything() -> None:
    body = matrix_of(agreement(LARGE.agreement(), {}))
    assert body.ramp
    assert (body.ramp.low, body.ramp.high) == (50, 100)
    assert tile(body, 0, 0).fill == mixed(WHITE, BLUE, (85.7 - 50) / 50)
    assert tile(body, 1, 1).fill == FAINT


def test_shares_from_zero_to_one_are_shown_as_percent() -> None:
    table = LARGE.agreement(("a", "b"))
    columns = tuple(column.model_copy(update={"unit": ""}) for column in table.columns)
    interval = Interval(low=0.5, high=0.9, method="m")
    rows = tuple(
        Cell(text="", value=0.75, interval=interval) if column.key == "agreement" else cell
        for column, cell in zip(table.columns, table.rows[0], strict=True)
    )
    body = matrix_of(agreement(table.model_copy(update={"columns": columns, "rows": (rows,)}), {}))
    assert tile(body, 0, 0).lines[:2] == ("75.0 %", "[50.0, 90.0]")


def test_a_pair_that_is_missing_is_a_dash_and_not_an_agreement() -> None:
    table = LARGE.agreement()
    body = matrix_of(agreement(table.model_copy(update={"rows": table.rows[:2]}), {}))
    assert tile(body, 1, 1) == Tile(("–",))


@pytest.mark.parametrize("keep", [0])
def test_without_pairs_there_is_no_agreement_to_draw(keep: int) -> None:
    table = LARGE.agreement()
    assert agreement(table.model_copy(update={"rows": table.rows[:keep]}), {}) is None


def test_words_tell_every_pair() -> None:
    plot = agreement(LARGE.agreement(), {})
    assert plot
    assert "Gemini-3-Flash-Preview and gpt-5.2 75.0 % (63.0 to 84.0) of 28 pairs, 1 tied" in plot.alt
