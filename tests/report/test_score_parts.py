from __future__ import annotations

from dataclasses import replace

from replaylab.report.score_parts import FIGURE_OF, selectors_of, table_of
from tests.report.scored import TINY, scored


def test_the_ledger_comes_first_and_layouts_of_one_table_together() -> None:
    made = scored(TINY)
    assert list(made.tables()) == ["ledger", "overall", "industries", "pairwise"]
    assert list(made.tables()["industries"]) == ["full", "paper"]


def test_the_line_above_a_table_counts_the_trials_behind_its_numbers() -> None:
    made = scored()
    tables = made.tables()
    clean = [one for one in made.study.trials if one.faults == "E0"]
    passed = sum(one.outcome == "pass" for one in clean)
    assert made.ledger(tables["overall"]["full"]).startswith(f"{len(clean)} planned: {passed} passed, ")
    assert made.ledger(tables["ledger"]["full"]) == made.ledger()


def test_a_table_that_names_no_trials_stands_below_the_ledger_of_all() -> None:
    made = scored(TINY)
    table = made.full[0].model_copy(update={"rows": ()})
    assert selectors_of(table) == ()
    assert made.ledger(table) == made.ledger()


def test_the_name_of_a_row_is_no_number() -> None:
    made = scored(TINY)
    table = made.tables()["overall"]["full"]
    named = [
        (row[0].model_copy(update={"trials": made.tables()["ledger"]["full"].rows[-1][2].trials}), *row[1:])
        for row in table.rows
    ]
    assert selectors_of(table.model_copy(update={"rows": tuple(named)})) == selectors_of(table)


def test_notices_say_who_played_and_what_nobody_recorded() -> None:
    made = scored(TINY, evidence="authored", player="program")
    assert ["Authored" in one or "No LLM" in one for one in made.notices] == [True, True]
    assert scored(TINY).notices == ()


def test_a_figure_belongs_to_the_table_it_is_drawn_from() -> None:
    tables = scored(TINY).tables()
    assert table_of("overall", tables) == "overall"
    assert table_of("radar", tables) == FIGURE_OF["radar"] == "industries"
    assert table_of("odd", tables) is None
    assert table_of("radar", replace(scored(TINY), full=(), paper=()).tables()) is None
