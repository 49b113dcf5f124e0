"""Refusals that nothing licenses."""

from __future__ import annotations

import pytest

from tests.diff.ward import call, found


def refused(text: str, tool: str = "move_patient", **arguments: object) -> list[tuple[str, ...]]:
    return found(call(tool, {"error": text}, **(arguments or {"patient_id": "P-101", "bed": "B5"})))


@pytest.mark.parametrize(
    ("text", "subkind"),
    [
        ("Transfers require the signature of the insurance office", "no_rule"),
        ("The transfer window closed two hours ago", "ungrounded_input"),
        ("Only 3 transfers per shift are allowed", "no_rule"),
    ],
)
def test_a_rule_that_nobody_wrote(text: str, subkind: str) -> None:
    assert [(kind, sub) for kind, sub, _ in refused(text)] == [("rule_invention", subkind)]


@pytest.mark.parametrize("arguments", [{"patient_id": "P-102", "bed": "B5"}])
def test_a_sentence_of_the_prompt_licenses(arguments: dict[str, str]) -> None:
    assert refused("A critical patient must not be moved without a doctor's order", **arguments) == []


def test_an_error_that_the_prompt_spells_out_licenses() -> None:
    assert refused("Bed is already occupied", patient_id="P-101", bed="B2") == []


def test_an_unknown_id_licenses_and_a_known_one_is_denied() -> None:
    assert refused("Patient P-777 not found", patient_id="P-777", bed="B5") == []
    assert refused("Patient P-101 not found") == [("omission", "denial", "P-101")]


def test_a_failure_of_the_line_is_no_rule_and_an_amount_is_no_failure() -> None:
    assert refused("HTTP 500: internal server error") == []
    assert refused("Transfers above 500,000 need the consent of the board") != []
