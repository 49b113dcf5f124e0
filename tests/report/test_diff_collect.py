from __future__ import annotations

from replaylab.report.diff_collect import Collected
from tests.report.compared import small


def test_what_checks_depend_on_comes_first_and_the_rest_keeps_its_order() -> None:
    report = small()[0]
    swapped = report.model_copy(update={"trials": report.trials[::-1]})
    assert [one.one.entity for one in Collected(report, 9).violations] == ["Raj", "", "R3", "Ann"]
    assert [one.one.entity for one in Collected(swapped, 9).violations] == ["Raj", "Ann", "", "R3"]


def test_ids_are_those_of_the_findings_and_rows_and_each_stands_once() -> None:
    report = small()[0]
    twice = report.model_copy(update={"trials": report.trials * 2})
    made = Collected(twice, 99)
    names = [one.id for one in made.all] + list(made.links.rows.values())
    assert len(set(names)) == len(names) == 22
    known = {
        one.id
        for trial in report.trials
        for one in (*trial.violations, *trial.candidates, *trial.faults_found)
    }
    known |= {row.id for trial in report.trials for row in trial.rows}
    assert known <= set(names)
    assert {name.removesuffix("-2") for name in names} == known


def test_a_finding_is_found_in_its_row_by_path_or_by_call() -> None:
    made = Collected(small()[0], 99)
    assert [(one.number, one.at, one.side) for one in made.violations] == [
        (0, 0, 0),
        (0, 1, 1),
        (0, 2, 0),
        (1, 0, 0),
    ]
    report = small()[0]
    pathless = report.trials[0].violations[1].model_copy(update={"path": ""})
    lost = pathless.model_copy(update={"call": 77})
    trial = report.trials[0].model_copy(update={"violations": (pathless, lost)})
    made = Collected(report.model_copy(update={"trials": (trial,)}), 99)
    assert [(one.at, one.side) for one in made.violations] == [(1, 1), (-1, 1)]
    assert made.violations[1].row is None


def test_what_has_no_room_is_counted() -> None:
    made = Collected(small()[0], 4)
    assert (len(made.violations), len(made.candidates), len(made.faults), made.left_out) == (4, 0, 0, 2)
