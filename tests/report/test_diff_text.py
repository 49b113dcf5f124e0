"""The terminal view: what was invented, where, and what the contract says, on one screen."""

from __future__ import annotations

from pathlib import Path

import pytest

from replaylab.diff.parting.pair import compare_simulators
from replaylab.report.diff_text import diff_lines
from replaylab.report.score_text import columns_of
from replaylab.schema.difference import DiffReport
from tests.diff.stage import lockstep, recorded, refusing, with_place, without

RULE = "Placements are only permitted before 22:00 on weekdays."
SCREEN = 45


@pytest.fixture(scope="session")
def report(tmp_path_factory: pytest.TempPathFactory) -> DiffReport:
    library = recorded(tmp_path_factory.mktemp("text") / "library", {}, simulators=("twin",))
    invents, omits, refuses = with_place("ER-9"), without("ER-1"), refusing("place_patient", RULE)

    def wrong(tool: str, arguments: dict[str, object], said: object, asked: int) -> object:
        for alter in (invents, omits, refuses):
            said = alter(tool, arguments, said, asked)
        return said

    lockstep(library, "other", wrong)
    return compare_simulators(library, [library.run("run")])


def text(report: DiffReport, width: int = 100, *, full: bool = False) -> str:
    return "\n".join(line.text for line in diff_lines(report, width, full=full))


def test_all_three_kinds_stand_on_one_screen(report: DiffReport) -> None:
    shown = text(report)
    assert len(shown.splitlines()) <= SCREEN
    assert "other invented: ER-9" in shown
    assert "other left out: ER-1" in shown
    assert "other refused by an invented rule" in shown
    assert RULE in shown


def test_the_first_divergence_stands_open_with_both_answers_and_the_contract(report: DiffReport) -> None:
    shown = text(report)
    at = shown.index("First divergence: ed-sepsis-room, E0, row 0 of 9")
    block = shown[at : at + 900]
    assert "twin: carried out" in block
    assert "| other: carried out" in block
    assert "/places: ER-1, ER-2, H-1" in block
    assert "wrong by the contract: other" in block
    assert "/initial_state/places/ER-1" in block


def test_what_differs_several_times_at_one_place_is_shown_once(report: DiffReport) -> None:
    (trial, *others) = report.trials
    (row, *rows) = trial.rows
    several = row.model_copy(update={"differences": row.differences * 3})
    trial = trial.model_copy(update={"rows": (several, *rows)})
    shown = text(report.model_copy(update={"trials": (trial, *others)}))
    block = shown[shown.index("First divergence") : shown.index("entities: ")]
    assert block.count("/places: ER-1, ER-2, H-1") == 1


def test_a_json_document_is_nowhere_to_be_scrolled_through(report: DiffReport) -> None:
    assert max(text(report).count(mark) for mark in ("{", "[")) < 20


@pytest.mark.parametrize("width", [20, 32, 50, 66, 67, 80, 120, 300])
def test_no_line_is_longer_than_the_terminal_is_wide(report: DiffReport, width: int) -> None:
    for line in text(report, width, full=True).splitlines():
        assert columns_of(line) <= width, line


def test_where_two_columns_do_not_fit_one_stands_under_the_other(report: DiffReport) -> None:
    wide, narrow = text(report, 100), text(report, 50)
    assert "carried out" in narrow
    assert " | other:" in wide
    assert " | other:" not in narrow


def test_coverage_stands_beside_the_findings(report: DiffReport) -> None:
    shown = text(report)
    assert "twin: 4 of 9 calls could be checked" in shown
    assert "why not (a call counts for each kind)" in shown
    assert "list_places: fabrication" in text(report, full=True)


def test_without_coverage_no_findings_mean_nothing(report: DiffReport) -> None:
    bare = report.trials[0].coverage[0].model_copy(update={"rows": (), "calls": 0, "checkable": 0})
    trial = report.trials[0].model_copy(
        update={"coverage": (bare, bare), "violations": (), "rows": (), "first": None}
    )
    shown = text(report.model_copy(update={"trials": (trial,)}))
    assert "no findings here mean nothing" in shown


def test_who_played_and_whether_anybody_recorded_it_stands_above(report: DiffReport) -> None:
    head = text(report).splitlines()[:4]
    assert any("Played by programs, not LLMs: twin, other" in line for line in head)
    notice = "Authored, not recorded: somebody wrote these answers down."
    told = report.model_copy(update={"notices": (notice,), "evidence": {"authored": 1, "recorded": 1}})
    assert notice in text(told)
    assert "never add these up" in text(told)


def test_it_says_in_which_manner_it_compared(report: DiffReport) -> None:
    assert "Compared in lockstep: the same calls were put to all" in text(report)
    trial = report.trials[0].model_copy(update={"manner": "aligned"})
    assert "whole trajectories, aligned" in text(report.model_copy(update={"trials": (trial,)}))


def test_full_shows_every_row_that_differs_and_every_finding(report: DiffReport) -> None:
    shown = text(report, full=True)
    assert shown.count("list_places {}") == 2
    assert "--full" not in shown
    assert "place_patient" in shown


def test_noise_is_marked_and_does_not_count(tmp_path: Path) -> None:
    library = recorded(tmp_path / "library", {}, simulators=("twin",))
    lockstep(library, "wavers", without("ER-1", times=(0,)), repeats=3)
    shown = text(compare_simulators(library, [library.run("run")]), full=True)
    assert "2 are within a simulator's own noise" in shown
    assert "0 differences count" in shown
    assert "0 of 2 repeats the same" in shown


def test_control_characters_of_a_model_do_not_reach_the_terminal(tmp_path: Path) -> None:
    library = recorded(tmp_path / "library", {}, simulators=("twin",))
    lockstep(library, "paints", with_place("ER-\x1b[31m9\u202e"))
    shown = text(compare_simulators(library, [library.run("run")]), full=True)
    assert "\x1b" not in shown
    assert "\u202e" not in shown


def test_the_same_lines_come_out_again(report: DiffReport) -> None:
    again = DiffReport.model_validate_json(report.model_dump_json())
    assert diff_lines(report, 90) == diff_lines(again, 90)


def test_nothing_compared_says_so() -> None:
    empty = DiffReport(simulators=("a", "b"), skipped={"planned and not recorded": 3})
    shown = text(empty)
    assert "Nothing could be compared" in shown
    assert "Not compared: 3, planned and not recorded" in shown


def test_what_an_answer_does_not_have_is_no_null(report: DiffReport) -> None:
    (trial, *others) = report.trials
    (row, *rows) = trial.rows
    differs = row.differences[0].model_copy(
        update={
            "pointer": "/places/9",
            "values": {answer.simulator: None for answer in row.answers if answer},
        }
    )
    trial = trial.model_copy(update={"rows": (row.model_copy(update={"differences": (differs,)}), *rows)})
    shown = text(report.model_copy(update={"trials": (trial, *others)}))
    block = shown[shown.index("First divergence") : shown.index("entities: ")]
    assert block.count("/places/9: not shown") == 2
    assert "null" not in block
