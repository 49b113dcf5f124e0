from __future__ import annotations

from replaylab.report.synth_text import (
    funnel_table,
    head,
    kept_table,
    lost_table,
    mended_table,
    stability_line,
    stability_tables,
)
from replaylab.synthesis.compare import compare
from replaylab.synthesis.funnel import funnel
from replaylab.synthesis.history import Agreement, Tally
from tests.synthesis.test_compare import history as compared
from tests.synthesis.test_funnel import FAILED, REPAIRED, history, task


def test_the_funnel_begins_with_what_was_planned_and_ends_with_what_is_kept() -> None:
    found = funnel(history(task(1, "kept"), task(2, "dropped", "static", FAILED), levels=2))
    rows = funnel_table(found).rows
    assert (rows[0], rows[-1][:2]) == (("planned", 2, "", ""), ("kept: the level solved least", 1))


def test_reasons_and_repairs_name_the_rules() -> None:
    made = history(task(1, "kept", "", FAILED, REPAIRED), task(2, "dropped", "static", FAILED), levels=2)
    assert lost_table(funnel(made)).rows == (("static", 1, "leak 1"),)
    assert mended_table(made).rows == (("leak", 2, 1),)


def test_a_kept_task_shows_its_rate_and_its_errors_apart() -> None:
    tallies = {"a": Tally(passed=1, failed=2, error=3)}
    made = history(task(1, "kept", alone=tallies, plan_tools=("x", "y"), similar=0.5), levels=1)
    assert kept_table(made).rows == (("t1", "public", 1, 2, "1 of 3, 3 without a verdict", 0.5),)


def test_the_head_says_that_programs_played_and_that_their_agreement_says_nothing() -> None:
    agreement = Agreement(proposed=3, kept=("a",), idle=("b", "c"), alike=2, of=2, circular=True)
    made = history(task(1, "kept", agreement=agreement), levels=1)
    made = made.model_copy(update={"players": {"grammar": "program", "far": "llm"}})
    text = "\n".join(head(made, funnel(made)))
    assert "Played by programs, not LLMs: grammar" in text
    assert (
        "3 proposed, 1 kept, 0 contradict them, 2 decide nothing alone; together 2 of 2 verdicts alike"
        in text
    )
    assert "agreement says nothing" in text
    assert "0.9" in text
    real = (
        made.scenarios[0]
        .instances[0]
        .tasks[0]
        .model_copy(update={"agreement": agreement.model_copy(update={"circular": False})})
    )
    other = history(real, levels=1)
    assert "agreement says nothing" not in "\n".join(head(other, funnel(other)))


def test_stability_shows_both_sides_and_dashes_for_what_is_unknown() -> None:
    found = compare(compared("a", (3, 1), (1, 3)), compared("b", (1, 3), (3, 1)))
    scenarios, agents = stability_tables(found)
    assert scenarios.rows[0][:3] == ("s", "1 / 1", "1.00")
    assert [row[:3] for row in agents.rows] == [("x", "0.75", "0.25"), ("y", "0.25", "0.75")]
    assert stability_line(found) == "0 of 1 pairs of agents stand in the same order by both"
    nothing = compare(compared("a"), compared("b"))
    assert "can't be compared" in stability_line(nothing)
    assert next(stability_tables(nothing)).rows[0][-1] == "- / -"
