"""What counts as checked does not hang on whether it is right."""

from __future__ import annotations

from typing import Any

import pytest

from replaylab.schema.violation import CheckedFor
from tests.diff.ward import STATE, call, check


def checked(kind: CheckedFor, observation: Any, tool: str = "get_patient", **arguments: str) -> int:
    """How many calls of this one could be checked for a kind."""
    rows = check(call(tool, observation, **arguments)).coverage.rows
    return sum(one.checked for one in rows if one.kind == kind)


@pytest.mark.parametrize("bed", [STATE["patients"]["P-101"]["bed"], "B-99"])
def test_an_answer_about_one_thing_is_checked_whether_it_is_right_or_wrong(bed: str) -> None:
    shown = {"patient_id": "P-101", "bed": bed}
    assert checked("contradiction", shown, patient_id="P-101") == 1


def test_an_answer_of_which_nothing_is_known_is_not_checked() -> None:
    assert checked("contradiction", {"weather": "fair"}, patient_id="P-101") == 0
    assert checked("contradiction", {"error": "no"}, patient_id="P-101") == 0
