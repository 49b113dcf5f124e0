"""Whatever a simulator says and a schema holds, the check ends, and soon."""

from __future__ import annotations

import time

import pytest

from replaylab.diff.check import Observed
from replaylab.schema.base import JsonObject
from replaylab.schema.scenario import Environment
from tests.diff.ward import call, check, tool, ward


def quickly(*calls: Observed, of: Environment | None = None) -> None:
    """The check ends in a second, however long the texts are."""
    began = time.process_time()
    check(*calls, of=of)
    assert time.process_time() - began < 3


@pytest.mark.parametrize("piece", [" ", "\n", "word ", "at most 5 ", "3 of 5 ", "1-2 ", "#1 ", "must be 3. "])
def test_a_refusal_that_repeats_itself_is_read_in_time(piece: str) -> None:
    quickly(call("move_patient", {"error": f"Cannot move: {piece * 10_000}"}, patient_id="P-101", bed="B9"))


@pytest.mark.parametrize("text", [" " * 50_000, f"pulse{' ' * 50_000}", "\n" * 50_000, "(" * 50_000])
def test_an_answer_of_one_long_text_is_read_in_time(text: str) -> None:
    seen = {"patient_id": "P-101", "notes": text, "wards": text}
    quickly(call("get_patient", seen, patient_id="P-101"))


def test_ids_of_thousands_of_digits_are_names_like_others() -> None:
    digits = "1" * 5000
    rows = [{"patient_id": f"P-{digits}", "bed": digits, "notes": f"pulse {digits}"}]
    check(call("list_patients", {"patients": rows}), call("admit_patient", {"id": f"P-{digits}"}, name="x"))


def test_fields_whose_names_have_no_letter_break_nothing() -> None:
    rows = [{"#": "P-101", "→": "B1", "": "N-7"}, {"#": "P-102", "→": "B2", "": "N-8"}]
    report = check(
        call("list_patients", {"patients": rows}),
        call("move_patient", {"ok": True}, **{"#": "P-101", "→": "B9"}),
        call("list_nurses", {"nurses": rows}),
    )
    assert [one.entity for one in report.findings if one.call == 0] == ["P-205"]


@pytest.mark.parametrize(
    "parameters",
    [
        {"properties": None},
        {"properties": [{"name": "patient_id"}], "required": "patient_id"},
        {"properties": {"patient_id": True, "bed": None, "ward": {"enum": None}}, "required": None},
    ],
)
def test_a_schema_may_be_odd(parameters: JsonObject) -> None:
    odd = tool("move_patient", "Moves a patient.", effect="write").model_copy(
        update={"parameters": parameters}
    )
    calls = [
        call("move_patient", {"error": "Missing bed"}, patient_id="P-101"),
        call("move_patient", {"error": "bed B9 is locked"}, patient_id="P-101", bed="B9"),
        call("move_patient", {"moved": True}, patient_id="P-101", bed="B9"),
    ]
    check(*calls, of=ward(tools=(odd,)))
