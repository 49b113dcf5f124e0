"""Where the three published failures stand, rebuilt as a shipped run: no projection knows those collections."""

from __future__ import annotations

import pytest

from replaylab.diff.parting.compared import counts, value_at
from replaylab.diff.parting.pair import compare_simulators
from replaylab.schema.difference import DiffReport
from replaylab.store.library import Library
from tests.conftest import REPO


@pytest.fixture(scope="module")
def report() -> DiffReport:
    library = Library(REPO / "cassettes")
    return compare_simulators(library, [library.run("published-cases")], ["gemini", "gpt"])


def test_an_answer_with_a_violation_differs_in_what_counts_and_the_violation_says_who_is_wrong(
    report: DiffReport,
) -> None:
    found = [one for trial in report.trials for row in trial.rows for one in row.differences if counts(one)]
    assert [(one.kind, one.blamed) for one in found] == [
        ("entities", ("gpt",)), ("entities", ("gpt",)), ("acceptance", ("gpt",)),
    ]  # fmt: skip
    assert all(trial.first is not None for trial in report.trials)


def test_the_peer_that_shows_it_otherwise_disagrees_with_each_violation(report: DiffReport) -> None:
    assert [(one.simulator, one.agree, one.disagree) for one in report.violations] == [
        ("gpt", (), ("gemini",))
    ] * 3


@pytest.mark.parametrize(
    ("pointer", "value"),
    [("", {"a/b": [1, {"~": 2}]}), ("/a~1b/1/~0", 2), ("/a~1b/7", None), ("/c", None), ("/a~1b/x", None)],
)
def test_a_pointer_leads_to_its_value_or_to_nothing(pointer: str, value: object) -> None:
    assert value_at({"a/b": [1, {"~": 2}]}, pointer) == value
