"""Refusals that a sentence alone makes, under any name."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from replaylab.diff.calls.worded import worded_refusal
from replaylab.schema.scenario import Environment
from tests.diff.ward import TOOLS, call, found, tool, ward

MOVE = tool(
    "move_patient",
    "Moves a patient to another bed.",
    "patient_id",
    "bed",
    effect="write",
    example={"patient_id": "P-900", "bed": "B9", "status": "moved"},
)
GET = tool(
    "get_patient",
    "Shows one patient.",
    "patient_id",
    example={"patient_id": "P-900", "bed": "B9", "pulse": 70},
)
NURSES = tool(
    "list_nurses",
    "Lists all nurses.",
    shift={"type": "string", "enum": ["day", "night", "late"]},
    example={"nurses": [{"nurse_id": "N-9", "name": "X Y", "shift": "day"}]},
)
MINE = (MOVE, GET, NURSES)
INVENTED = (
    "Transfers are only possible between 09:00 and 11:00",
    "Patients who have been here for less than two days can't be moved",
    "A second nurse has to countersign every move first",
)


def house() -> Environment:
    return ward(tools=(*(one for one in TOOLS if one.name not in {one.name for one in MINE}), *MINE))


def forms(said: str) -> Iterator[Any]:
    yield said
    yield f"Sorry, I can't do that. {said}."
    yield f"Not moved. {said}"
    for name in ("message", "note", "info", "response", "result", "status", "blocked_by"):
        yield {name: said}
    yield {"patient_id": "P-101", "detail": said}
    yield {"patient_id": "P-101", "moved": False, "comment": said}
    yield {"code": 403, "text": said}
    yield {"ok": 0, "text": said}
    yield {"data": None, "message": said}
    yield {"response": {"state": "declined", "because": said}}


def invented(observation: Any, name: str = "move_patient", **arguments: Any) -> bool:
    seen = found(call(name, observation, **arguments), of=house())
    return any(kind == "rule_invention" for kind, _, _ in seen)


@pytest.mark.parametrize("said", INVENTED)
def test_an_invented_rule_is_found_in_every_form(said: str) -> None:
    missed = [one for one in forms(said) if not invented(one, patient_id="P-101", bed="B9")]
    assert missed == []


@pytest.mark.parametrize(
    ("said", "patient", "bed"),
    [
        ("Bed B2 is already occupied", "P-101", "B2"),
        ("B2 is taken, so the transfer can't be made", "P-101", "B2"),
        ("A critical patient can only be moved with a doctor's order", "P-102", "B9"),
        ("Patient P-999 does not exist and so can't be moved", "P-999", "B9"),
    ],
)
def test_a_refusal_that_is_due_is_so_in_every_form(said: str, patient: str, bed: str) -> None:
    assert [one for one in forms(said) if invented(one, patient_id=patient, bed=bed)] == []


@pytest.mark.parametrize(
    "said",
    [
        "P-101 was moved to bed B9.",
        "Patient P-101 has been moved from B1 to B9. Please note that visitors must wait outside until tomorrow.",
        "Transfer completed; the nurse N-7 has to be told only once.",
        "The patient is now in bed B9, and must rest until noon",
        "Moved. Do not disturb the patient before 10:00",
        "Ada Ekberg lies in B9 now. She must be monitored for an hour.",
    ],
)
def test_what_says_that_the_call_was_carried_out_refuses_nothing(said: str) -> None:
    for one in (said, {"message": said}, {"patient_id": "P-101", "note": said}):
        assert not invented(one, patient_id="P-101", bed="B9")


def test_what_a_reading_tells_of_a_thing_is_no_refusal() -> None:
    told = "Ada Ekberg is in bed B1 and stable; she must not be disturbed"
    assert not invented({"message": told}, "get_patient", patient_id="P-101")
    assert worded_refusal(NURSES, {"nurses": [], "message": "The shift does not exist yet."}, {}) == []


def test_a_reading_that_is_forbidden_is_one() -> None:
    said = "Patient records can only be viewed by the head nurse"
    assert invented({"message": said}, "get_patient", patient_id="P-101")


def test_an_answer_that_hands_anything_out_is_none() -> None:
    said = "Moves are only possible before noon"
    assert worded_refusal(MOVE, {"message": said}, {}) == [("/message", said)]
    assert worded_refusal(MOVE, {"bed": "B7", "message": said}, {}) == []
    assert worded_refusal(MOVE, {"bed": "B9", "message": said}, {"bed": "B9"}) == [("/message", said)]


def test_where_no_example_tells_what_is_handed_out_nothing_can_be_said() -> None:
    bare = tool("move_patient", "Moves a patient.", "patient_id", effect="write")
    assert worded_refusal(bare, {"message": "Moves are only possible before noon"}, {}) == []


def test_a_text_that_the_tool_hands_out_is_no_refusal() -> None:
    note = tool("get_note", "Shows the note.", example={"text": "All is well."})
    assert worded_refusal(note, {"text": "Records must only be viewed here"}, {}) == []


def test_that_there_are_none_is_an_answer_where_there_are_none() -> None:
    assert not invented({"error": "There are no nurses on the late shift"}, "list_nurses", shift="late")
    assert invented({"error": "There are no nurses on the day shift"}, "list_nurses", shift="day")
