"""What an audit says of published tables that were tampered with, beside the honest run they claim to come from."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from typing import Any

import pytest

from replaylab.audit.check import audit_claims
from replaylab.audit.dossier import Dossier, open_dossier
from replaylab.audit.run import report_of
from replaylab.audit.value import AuditReport
from replaylab.score.tables import build_document
from tests.audit.files import file_of, table
from tests.audit.honest import recorded

CAREFUL, FORGETFUL, HASTY = AGENTS = ("scripted:careful", "scripted:forgetful", "scripted:hasty")
TASKS = ("ed-sepsis-room", "hazmat-power-station", "screening-nerve-pain")
COLUMNS = {"E0": {"n": 6}, "E2": {"n": 6}, "R": {"title": "Rob.", "unit": "ratio"}}
ROWS = {
    CAREFUL: ["100.0", "100.0", "1.00"],
    FORGETFUL: ["100.0", "33.3", "0.33"],
    HASTY: ["100.0", "33.3", "0.33"],
    "Avg": ["100.0", "55.6", "0.56"],
}
MORE = {
    "rebuilds": "faults",
    "rounding": "half_even",
    "summary": {"Avg": {"how": "mean"}},
}


@pytest.fixture(scope="module")
def dossier(tmp_path_factory: pytest.TempPathFactory) -> Dossier:
    library = recorded(tmp_path_factory.mktemp("tables") / "library", agents=AGENTS, tasks=TASKS)
    return open_dossier(library, "run")


def audited(dossier: Dossier, published: dict[str, Any]) -> AuditReport:
    tables = {one.id: one for one in build_document(dossier.studies[0], "full").tables}
    return report_of(dossier, audit_claims(file_of({"t": published}), tables))


def failing(report: AuditReport) -> dict[int, str]:
    """The steps on tables that fail, each with what is said of all that fails there."""
    said: dict[int, list[str]] = {}
    for one in report.assessments:
        if one.outcome == "fails":
            place = 10 if one.kind.startswith("rebuild") else 11
            said.setdefault(place, []).append(f"{one.id}: {one.reason}; {one.explanation}")
    assert {step.number for step in report.steps if step.outcome == "fail"} == set(said)
    return {number: " | ".join(texts) for number, texts in said.items()}


def honest() -> dict[str, Any]:
    return table(deepcopy(ROWS), deepcopy(COLUMNS), **deepcopy(MORE))


def cell(row: str, at: int, text: str) -> Callable[[dict[str, Any]], None]:
    def change(published: dict[str, Any]) -> None:
        published["rows"][row][at] = text

    return change


def a_row_left_out(published: dict[str, Any]) -> None:
    del published["rows"][HASTY]


def rows_swapped(published: dict[str, Any]) -> None:
    rows = published["rows"]
    rows[CAREFUL], rows[HASTY] = rows[HASTY], rows[CAREFUL]


def a_smaller_denominator(published: dict[str, Any]) -> None:
    published["columns"]["E2"]["n"] = 5
    published["rows"][HASTY][1] = "40.0"


# The step that fails, and what it says; the nearest explanation where there is one.
TAMPERED: dict[str, tuple[Callable[[dict[str, Any]], None], dict[int, str]]] = {
    "a cell edited to a rate that six trials can have": (cell(HASTY, 1, "50.0"), {10: "1 more"}),
    "a cell edited to a rate that they can't have": (cell(HASTY, 1, "36.7"), {10: "33.3 (2 of 6)", 11: "36.7"}),
    "rounded up": (cell(HASTY, 1, "33.4"), {10: "rounded always away from zero", 11: "33.4"}),
    "the number of another agent": (cell(HASTY, 1, "100.0"), {10: f"is the number of {CAREFUL}"}),
    "an average over the better two": (cell("Avg", 1, "66.7"), {11: "without"}),
    "a better ratio": (cell(HASTY, 2, "0.50"), {10: "0.50 was published, the recordings give 0.33"}),
    "a trial that left the denominator": (a_smaller_denominator, {10: "left the denominator"}),
    "two rows swapped": (rows_swapped, {10: "is the number of"}),
    "a row left out of a table whose average has it": (a_row_left_out, {11: "Avg"}),
}  # fmt: skip


def test_the_honest_table_gives_no_alarm(dossier: Dossier) -> None:
    report = audited(dossier, honest())
    assert failing(report) == {}
    outcomes = {step.number: step.outcome for step in report.steps}
    # Two cells of the table can't be decided by arithmetic alone, so nothing says that it is consistent throughout.
    assert (outcomes[10], outcomes[11]) == ("pass", "not_checkable")


@pytest.mark.parametrize("name", TAMPERED)
def test_a_table_that_was_tampered_with_is_found_and_explained(dossier: Dossier, name: str) -> None:
    change, expected = TAMPERED[name]
    published = honest()
    change(published)
    found = failing(audited(dossier, published))
    for number, words in expected.items():
        assert words in found.get(number, ""), found
