from __future__ import annotations

import pytest

from replaylab.report.figures.draw import draw_one
from replaylab.report.figures.funnel import plot
from replaylab.report.figures.value import Plot, Rows
from replaylab.synthesis.funnel import funnel
from tests.synthesis.test_funnel import FAILED, REPAIRED, history, task


def drawn(planned: int = 3) -> Plot:
    made = history(
        task(1, "kept", "", FAILED, REPAIRED), task(2, "dropped", "static", FAILED), task(3), levels=planned
    )
    return plot(made.model_copy(update={"players": {"grammar": "program"}}), funnel(made))


def test_there_is_a_bar_for_what_was_planned_and_for_each_stage() -> None:
    body = drawn().body
    assert isinstance(body, Rows)
    rows = {group.name: group.rows[0] for section in body.sections for group in section.groups}
    assert [row.point.value for row in rows.values()] == [3, 3, 2, 2, 2, 2, 2, 1]
    assert rows["proved"].right == ("2", "1", "1")


@pytest.mark.parametrize("planned", [3, 4, 5, 6, 60, 460, 5000])
def test_the_scale_holds_everything_that_was_planned(planned: int) -> None:
    body = drawn(planned).body
    assert isinstance(body, Rows)
    assert body.axis.high >= planned
    assert 2 <= len(body.axis.ticks) <= 7
    assert body.axis.ticks[-1] == body.axis.high


def test_it_says_that_programs_played_and_in_words_what_it_shows() -> None:
    assert drawn().notices == ("Played by programs, not LLMs: grammar.",)
    assert "1 kept" in drawn().alt


def test_it_is_drawn_alike_twice() -> None:
    assert draw_one("funnel", drawn()) == draw_one("funnel", drawn())
