"""Reasons that speak against themselves."""

from __future__ import annotations

from typing import Any

import pytest

from replaylab.diff.refusals.selfmade import untrue_of_itself
from replaylab.schema.scenario import Environment
from tests.diff.ward import call, found, reason
from tests.diff.yard import STATE, yard


def against(text: str, of: Environment | None = None) -> str:
    return untrue_of_itself(reason(call("list_boats", {"error": text}), of=of or yard()))


@pytest.mark.parametrize(
    ("text", "stands"),
    [
        ("BR-13 takes 7 m at most, and BT-3 has 12", ""),
        ("BR-13 takes 576 m at most, and BT-3 has 12", "12 is no more than 576"),
        ("BR-13 takes 20 at most, but BT-3 needs 12", "12 is no more than 20"),
        ("BR-13 takes 20 m at most, and BT-3 has 12 hands", ""),  # of another measure
        ("BR-13 takes 20 m at most, and room for 12 is left", ""),
    ],
)
def test_a_limit_that_the_told_amount_keeps_to(text: str, stands: str) -> None:
    assert against(text) == stands


def test_no_time_has_passed_since_this_call_was_made() -> None:
    late = "5 days have passed since this request was opened, which is too late"
    assert against(late) == "the request is made now"
    assert against("5 days have passed since the request was opened") == ""
    state: dict[str, Any] = {**STATE, "requests": {"RQ-1": {"opened": "2025-03-27"}}}
    assert against(late, of=yard(initial_state=state)) == ""
    assert found(call("list_boats", {"error": late}, status="moored"), of=yard()) == [
        ("rule_invention", "untrue_reason", "")
    ]
