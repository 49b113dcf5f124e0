from __future__ import annotations

import pytest
from pydantic import ValidationError

from replaylab.schema.fault import FaultEvent, FaultPlan


def test_what_came_later_is_left_out_of_old_plans_and_events() -> None:
    plan = FaultPlan(name="E1", explicit=True, count=2)
    assert plan.to_json() == {"name": "E1", "explicit": True, "count": 2}
    event = FaultEvent(fault=0, kind="timeout", call=3, tool="look", left=1)
    assert event.to_json() == {"fault": 0, "kind": "timeout", "call": 3, "tool": "look", "left": 1}


@pytest.mark.parametrize("field", ["semantic", "slow", "persistent", "correlated", "targeted"])
def test_each_sort_beyond_the_published_ones_sticks_to_tools(field: str) -> None:
    assert FaultPlan.model_validate({field: True}).bound
    assert not FaultPlan(explicit=True, implicit=True).bound


def test_a_spacing_of_no_call_is_refused() -> None:
    with pytest.raises(ValidationError):
        FaultPlan(spacing=0)
