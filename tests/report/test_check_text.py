from __future__ import annotations

import pytest

from replaylab.diff.reading import CheckedTrial, checked
from replaylab.report.check_text import check_lines, grouped
from replaylab.report.coverage_text import coverage_lines
from replaylab.schema.violation import Coverage, Covered
from tests.diff.stage import lockstep, recorded, without


@pytest.fixture(scope="session")
def trials(tmp_path_factory: pytest.TempPathFactory) -> list[CheckedTrial]:
    library = recorded(tmp_path_factory.mktemp("check") / "library", {}, simulators=("twin",), trials=2)
    lockstep(library, "omits", without("ER-1"))
    return checked(library, library.run("run.simulator-omits")[1])


def text(trials: list[CheckedTrial], *, full: bool = False) -> str:
    return "\n".join(line.text for line in check_lines(trials, 100, full=full))


def test_findings_stand_beside_coverage(trials: list[CheckedTrial]) -> None:
    shown = text(trials)
    assert "omits left out: ER-1" in shown
    assert "and 3 more like it" in shown
    assert "Coverage" in shown
    assert " of 18 calls could be checked for something" in shown


def test_the_table_counts_findings_trials_and_calls(trials: list[CheckedTrial]) -> None:
    row = next(line for line in text(trials).splitlines() if line.startswith("omits "))
    assert row.split() == ["omits", "0", "4", "0", "0", "2", "18"]


def test_what_was_authored_is_never_added_to_what_was_recorded(trials: list[CheckedTrial]) -> None:
    mixed = [trials[0], trials[1].model_copy(update={"evidence": "authored"})]
    assert list(grouped(mixed)) == [("omits", "recorded"), ("omits", "authored")]
    rows = [line.split() for line in text(mixed).splitlines() if line.startswith("omits ")]
    assert rows[0] == ["omits", "0", "2", "0", "0", "1", "9"]
    assert rows[1] == ["omits", "(authored)", "0", "2", "0", "0", "1", "9"]


def test_full_names_every_tool(trials: list[CheckedTrial]) -> None:
    assert "start_protocol: " in text(trials, full=True)
    assert "start_protocol: " not in text(trials)


def test_a_finding_names_the_trial_that_it_is_in_and_how_sure_it_is(trials: list[CheckedTrial]) -> None:
    shown = text(trials)
    found = trials[0].report.findings[0]
    assert f"  in       {found.path}" in shown
    assert f"  sure     confidence {found.confidence:.2f}" in shown
    assert "peers" not in shown


def test_one_candidate_is_told_as_one(trials: list[CheckedTrial]) -> None:
    found = trials[0].report.findings[0]
    report = trials[0].report.model_copy(update={"candidates": (found,), "faults": ()})
    shown = text([trials[0].model_copy(update={"report": report})])
    assert "See --json for 1 candidate too unsure to count." in shown


def test_reasons_that_are_left_out_are_counted() -> None:
    row = Covered(tool="t", kind="fabrication", calls=6, checked=0, why_not={"one": 3, "two": 2, "three": 1})
    part = Coverage(environment="e", calls=6, checkable=0, rows=(row,))
    short = " ".join(line.text.strip() for line in coverage_lines("s", [part], 100, full=False))
    assert "one (3); two (2); 1 more reason: --full" in short
    whole = " ".join(line.text.strip() for line in coverage_lines("s", [part], 100, full=True))
    assert "one (3); two (2); three (1)" in whole
