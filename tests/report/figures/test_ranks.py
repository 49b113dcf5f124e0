from __future__ import annotations

from replaylab.report.figures.ranks import ranks
from replaylab.report.figures.value import Matrix, Plot, Tile
from replaylab.score.value import Table
from tests.report.figures.tables import LARGE, RESAMPLED, num, table, word

COLUMNS = ("agent", "rank", "mean_rank", "p_first", "r1", "r2")


def two(unit: str, *rows: tuple[float | None, float | None]) -> Table:
    lines = [
        [word(f"agent {n}"), num(n + 1), num(1.25, 2), num(one), num(one), num(two)]
        for n, (one, two) in enumerate(rows)
    ]
    return table(
        "ranks",
        [(key, unit if key.startswith(("r", "p")) and key != "rank" else "") for key in COLUMNS],
        lines,
    )


def matrix_of(plot: Plot | None) -> Matrix:
    assert plot
    assert isinstance(plot.body, Matrix)
    return plot.body


def test_shares_are_percent_whether_the_table_has_percent_or_shares() -> None:
    percent, share = matrix_of(ranks(two("%", (75.0, 25.0)), {})), matrix_of(ranks(two("", (0.75, 0.25)), {}))
    assert percent.tiles == share.tiles == ((Tile(("75",), share=0.75), Tile(("25",), share=0.25)),)
    assert percent.right == share.right == (("1.25", "75 %"),)


def test_what_rounds_to_nothing_has_no_number() -> None:
    body = matrix_of(ranks(two("%", (99.5, 0.5), (1.5, None)), {}))
    assert body.tiles[0] == (Tile(("100",), share=0.995), Tile((), share=0.005))
    assert body.tiles[1] == (Tile(("2",), share=0.015), None)


def test_columns_are_ranks_and_rows_are_agents() -> None:
    body = matrix_of(ranks(LARGE.ranks(), {}))
    assert body.columns == tuple(map(str, range(1, 16)))
    assert body.rows == tuple(LARGE.agents)


def test_the_caption_says_how_scenarios_were_resampled_and_how_many_trials_there_are() -> None:
    plot = ranks(LARGE.ranks(), {"overall": LARGE.overall()})
    assert plot
    assert plot.caption[0] == "n: 382 planned trials for each agent."
    assert RESAMPLED in plot.caption


def test_words_tell_the_most_frequent_rank_of_each() -> None:
    plot = ranks(two("%", (75.0, 25.0), (25.0, 75.0)), {})
    assert plot
    assert plot.alt.endswith("Most frequent: agent 0 rank 1 in 75 %; agent 1 rank 2 in 75 %.")


def test_a_table_without_shares_is_not_drawn() -> None:
    assert ranks(two("%", (None, None)), {}) is None
