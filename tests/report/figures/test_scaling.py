from __future__ import annotations

from replaylab.report.figures.scaling import LARGE as LARGE_LOOK
from replaylab.report.figures.scaling import SMALL as SMALL_LOOK
from replaylab.report.figures.scaling import effort, fault_ablation, generations, size
from replaylab.report.figures.value import Panels, Plot, Rows
from replaylab.score.value import Cell, Table
from tests.report.figures.tables import LARGE, PAIR, SMALL, rate, table, word


def rows_of(plot: Plot | None) -> Rows:
    assert plot
    assert isinstance(plot.body, Rows)
    return plot.body


def panels_of(plot: Plot | None) -> Panels:
    assert plot
    assert isinstance(plot.body, Panels)
    return plot.body


def with_column(given: Table, key: str, text: str, value: float) -> Table:
    extra = table("x", [(key, "")], [[]]).columns
    rows = tuple((*row, Cell(text=text, value=value)) for row in given.rows)
    return given.model_copy(update={"columns": (*given.columns, *extra), "rows": rows})


def test_a_family_is_a_pair_of_bars_that_differ_in_hatch() -> None:
    body = rows_of(size(PAIR.size(), {}))
    first = body.sections[0].groups[0]
    assert (first.name, [row.sub for row in first.rows]) == (
        "scripted:careful 0.5",
        ["scripted:careful", "scripted:careful-mini"],
    )
    assert [row.look for row in first.rows] == [LARGE_LOOK, SMALL_LOOK]
    assert LARGE_LOOK.hatch != SMALL_LOOK.hatch
    assert [text for _, text in body.key] == ["large", "small"]


def test_what_was_gained_stands_beside_the_larger_one() -> None:
    body = rows_of(size(PAIR.size(), {}))
    large, small = body.sections[0].groups[0].rows
    gap = (large.point.value or 0) - (small.point.value or 0)
    assert large.right[1].startswith(f"{gap:+.1f}".replace("-", "−"))
    assert large.right[2] == "0.004"
    assert len(small.right) == 1


def test_the_adjusted_p_is_shown_where_there_is_one() -> None:
    plain, adjusted = PAIR.size(), with_column(PAIR.size(), "p_holm", "0.03", 0.03)
    assert rows_of(size(plain, {})).columns[-1] == "p"
    body = rows_of(size(adjusted, {}))
    assert body.columns[-1] == "p (Holm)"
    assert body.sections[0].groups[0].rows[0].right[2] == "0.03"


def test_generations_of_a_series_are_joined_from_the_oldest_on() -> None:
    body = rows_of(generations(SMALL.generations(), {}))
    (group,) = body.sections[0].groups
    assert group.joined
    assert [row.sub for row in group.rows] == [f"{n}.1: scripted:hasty-{n}" for n in (3, 4, 5)]
    assert body.columns == ("passed", "% [interval]")


def test_generations_that_were_compared_say_what_was_gained() -> None:
    given = with_column(with_column(SMALL.generations(), "difference", "8.0", 8.0), "p_holm", "0.01", 0.01)
    plot = generations(given, {})
    body = rows_of(plot)
    assert body.columns == ("passed", "% [interval]", "gained [interval]", "p (Holm)")
    assert body.sections[0].groups[0].rows[1].right[2:] == ("+8.0", "0.01")
    assert plot
    assert (
        plot.caption[-1] == "Gained: percentage points, paired on the same tasks, over the generation before."
    )


def test_efforts_stand_from_none_to_the_most_and_unknown_words_last() -> None:
    columns = [("model", ""), ("effort", ""), ("rate", "%")]
    words = ("max", "odd", "Low", "none", "xhigh", "even", "medium")
    rows = [[word("m"), word(effort), rate(n + 1, 10)] for n, effort in enumerate(words)]
    (panel,) = panels_of(effort(table("effort", columns, rows), {})).panels
    assert [name for name, _ in panel.points] == ["none", "Low", "medium", "xhigh", "max", "odd", "even"]


def test_words_compare_the_ends_of_a_ladder() -> None:
    columns = [("model", ""), ("effort", ""), ("rate", "%")]
    rows = [[word("m"), word("high"), rate(9, 10)], [word("m"), word("low"), rate(4, 10)]]
    plot = effort(table("effort", columns, rows), {})
    assert plot
    assert plot.alt.endswith("Most effort minus least: +50.0 points (m).")


def test_fault_axes_are_drawn_apart_all_agents_of_one_first() -> None:
    body = panels_of(fault_ablation(PAIR.ablation(), {}))
    assert [(panel.title, panel.below) for panel in body.panels] == [
        ("scripted:careful", "faults in a trial"),
        ("scripted:hasty", "faults in a trial"),
        ("scripted:careful", "duration of a fault (tool calls)"),
        ("scripted:hasty", "duration of a fault (tool calls)"),
    ]
    assert [name for name, _ in body.panels[2].points] == ["1", "2", "3", "4"]


def test_more_faults_stand_further_right_whatever_the_order_of_the_table() -> None:
    given = SMALL.ablation()
    turned = given.model_copy(update={"rows": tuple(reversed(given.rows))})
    straight, back = panels_of(fault_ablation(given, {})), panels_of(fault_ablation(turned, {}))
    assert {panel.below: panel.points for panel in straight.panels} == {
        panel.below: panel.points for panel in back.panels
    }


def test_words_tell_the_largest_fall() -> None:
    plot = fault_ablation(LARGE.ablation(), {})
    assert plot
    assert "From the mildest to the hardest setting −" in plot.alt
    assert "largest fall −" in plot.alt


def test_tables_without_rates_are_not_drawn() -> None:
    for figure, given in (
        (size, LARGE.size()),
        (generations, LARGE.generations()),
        (effort, LARGE.effort()),
        (fault_ablation, LARGE.ablation()),
    ):
        assert figure(given.model_copy(update={"rows": ()}), {}) is None
