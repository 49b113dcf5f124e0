"""Denials in answers that refuse nothing by their form."""

from __future__ import annotations

from typing import Any

import pytest

from tests.diff.ward import call, found


def said(answer: Any, patient: str = "P-101") -> list[tuple[str, ...]]:
    return found(call("get_patient", answer, patient_id=patient))


DENIAL = [("omission", "denial", "P-101")]


@pytest.mark.parametrize(
    "answer",
    [
        {"patient": None, "note": "Nobody is registered as P-101"},
        {"message": "Patient P-101 not found"},
        {"result": "No record of P-101"},
        {"patient": {}, "count": 0, "info": "The ward holds no file under P-101"},
        {"patient_id": "P-101", "details": "P-101 does not exist"},
        "P-101 is not on the register.",
    ],
)
def test_an_answer_with_nothing_else_denies_what_exists(answer: Any) -> None:
    assert said(answer) == DENIAL


@pytest.mark.parametrize(
    "answer",
    [
        {"alerts": [], "note": "No alerts recorded for P-101"},
        {"message": "No visits found for P-101"},
        {"message": "Nothing is wrong with P-101"},
        {"message": "P-101 is not critical"},
        {"message": "P-101 was not moved"},
        {"ward_nurse": "Ann", "message": "P-101 not found"},
        {"minutes": 7, "message": "P-101 not found"},
    ],
)
def test_who_has_none_of_something_else_or_is_told_of_exists(answer: Any) -> None:
    assert said(answer) == []


def test_an_unknown_name_may_be_denied() -> None:
    assert said({"message": "Patient P-999 not found"}, "P-999") == []
