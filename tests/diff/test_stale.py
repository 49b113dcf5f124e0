"""Values that a call has changed and a later answer shows as they were."""

from __future__ import annotations

from tests.diff.ward import call, found


def test_the_old_value_after_an_accepted_write_is_stale() -> None:
    moved = call("move_patient", {"status": "success", "bed": "B5"}, patient_id="P-101", bed="B5")
    assert found(moved, call("get_patient", {"patient_id": "P-101", "bed": "B1"}, patient_id="P-101")) == [
        ("contradiction", "stale", "P-101")
    ]
    assert found(moved, call("get_patient", {"patient_id": "P-101", "bed": "B5"}, patient_id="P-101")) == []


def test_of_another_thing_nothing_is_said() -> None:
    moved = call("move_patient", {"status": "success", "bed": "B5"}, patient_id="P-101", bed="B5")
    assert found(moved, call("get_patient", {"patient_id": "P-205", "bed": "B4"}, patient_id="P-205")) == []


def test_after_time_has_passed_it_may_be_so() -> None:
    moved = call("move_patient", {"status": "success", "bed": "B5"}, patient_id="P-101", bed="B5")
    later = call("advance_time", {"status": "success"})
    assert (
        found(moved, later, call("get_patient", {"patient_id": "P-101", "bed": "B1"}, patient_id="P-101"))
        == []
    )
