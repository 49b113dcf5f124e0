from __future__ import annotations

from replaylab.report.figures.overall import overall
from replaylab.report.figures.value import Plot, Point, Row, Rows
from replaylab.score.value import Cell, Table
from tests.report.figures.tables import AUTHORED, LARGE, METHOD, PROGRAMS, SMALL, Made


def drawn(table: Table) -> tuple[Plot, dict[str, Row]]:
    plot = overall(table, {})
    assert plot
    assert isinstance(plot.body, Rows)
    return plot, {
        group.name: row for section in plot.body.sections for group in section.groups for row in group.rows
    }


def without(table: Table, *keys: str) -> Table:
    keep = [n for n, column in enumerate(table.columns) if column.key not in keys]
    rows = tuple(tuple(row[n] for n in keep) for row in table.rows)
    return table.model_copy(update={"columns": tuple(table.columns[n] for n in keep), "rows": rows})


def test_agents_stand_in_the_order_of_the_table_with_their_intervals() -> None:
    _, rows = drawn(LARGE.overall())
    table = LARGE.overall()
    assert list(rows) == [row[0].text for row in table.rows]
    for row in table.rows:
        interval = row[2].interval
        assert interval
        assert rows[row[0].text].point == Point(row[2].value, interval.low, interval.high)


def test_the_ranks_that_the_data_allow_stand_at_the_right() -> None:
    plot, rows = drawn(LARGE.overall())
    assert isinstance(plot.body, Rows)
    assert plot.body.columns == ("passed", "% [interval]", "rank", "no verdict")
    assert rows["scripted:careful"].right[2] == "11–15"
    assert rows["scripted:careful"].right[0].endswith("/382")


def test_trials_without_a_verdict_are_shown_apart_and_as_a_band() -> None:
    _, rows = drawn(LARGE.overall())
    assert [row.right[3] for row in rows.values()][:4] == ["", "3", "", ""]
    second = list(rows.values())[1]
    assert second.range.low == second.point.value
    assert round((second.range.high or 0) - (second.range.low or 0), 6) == round(300 / 382, 6)


def test_where_every_trial_has_a_verdict_there_is_no_column_for_others() -> None:
    plot, _ = drawn(SMALL.overall())
    assert isinstance(plot.body, Rows)
    assert "no verdict" not in plot.body.columns
    assert not any("Grey band" in one for one in plot.caption)


def test_without_rank_intervals_there_is_no_column_for_them() -> None:
    plot, _ = drawn(without(SMALL.overall(), "rank_interval"))
    assert isinstance(plot.body, Rows)
    assert plot.body.columns == ("passed", "% [interval]")
    assert not any("Rank:" in one for one in plot.caption)


def test_the_caption_names_n_method_condition_and_evidence() -> None:
    plot, _ = drawn(LARGE.overall())
    assert plot.caption[0] == "n: 382 planned trials for each agent."
    assert f"Whiskers: 95 % interval, {METHOD}." in plot.caption
    assert "Condition: simulator twin, faults E0." in plot.caption
    assert plot.notices == (AUTHORED, PROGRAMS)


def test_words_tell_the_ends_with_intervals_and_ranks() -> None:
    made = Made(["b", "a"])
    table = made.overall()
    plot, rows = drawn(table)
    assert plot.alt.startswith("Forest plot of the completion rates of 2 agents with intervals. Highest: b ")
    assert "rank 1–2. Lowest: a " in plot.alt
    assert f"{rows['b'].point.value:.1f} % (" in plot.alt


def test_an_agent_without_a_rate_has_an_empty_row() -> None:
    table = SMALL.overall()
    row = list(table.rows[0])
    row[0], row[2], row[8] = Cell(text="nobody"), Cell(text=""), Cell(text="")
    _, rows = drawn(table.model_copy(update={"rows": (*table.rows, tuple(row))}))
    assert rows["nobody"].point == Point()
    assert rows["nobody"].right[1] == "–"
    assert rows["nobody"].range == Point()


def test_a_table_without_any_rate_is_not_drawn() -> None:
    assert overall(without(SMALL.overall(), "rate"), {}) is None
