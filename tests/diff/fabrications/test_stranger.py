"""Records of what nobody knows."""

from __future__ import annotations

from typing import Any

from tests.diff.ward import TOOLS, call, found, task, ward


def record(patient: str, **more: Any) -> dict[str, Any]:
    return {"patient_id": patient, "name": "Una Quell", "bed": "B7", "pulse": 70, **more}


def test_a_record_of_an_unknown_id_is_invented() -> None:
    said = found(call("get_patient", record("P-999"), patient_id="P-999"))
    assert ("fabrication", "unknown", "P-999") in said


def test_an_echo_or_what_was_told_or_made_is_none() -> None:
    assert found(call("get_patient", {"patient_id": "P-999", "status": "none"}, patient_id="P-999")) == []
    asked = task("Look after P-999.")
    assert found(call("get_patient", record("P-999"), patient_id="P-999"), asked=asked) == []
    came = call("admit_patient", {"patient_id": "P-999"}, name="Una Quell")
    assert found(came, call("get_patient", record("P-999"), patient_id="P-999")) == []


def test_all_fields_of_the_example_make_a_record() -> None:
    ward_tools = [
        one.model_copy(update={"example_output": {"patient_id": "P-1", "visits": []}, "has_example": True})
        if one.name == "get_patient"
        else one
        for one in TOOLS
    ]
    shown = call("get_patient", {"patient_id": "P-999", "visits": []}, patient_id="P-999")
    assert found(shown) == []
    assert found(shown, of=ward(tools=ward_tools)) == [("fabrication", "unknown", "P-999")]
