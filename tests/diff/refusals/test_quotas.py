"""Limits on calls and spans of time: each wants a place that speaks of the same thing, with the same number."""

from __future__ import annotations

from typing import Any

import pytest

from replaylab.diff.refusals.quotas import loose_quotas
from replaylab.schema.scenario import Environment
from tests.diff.ward import DESCRIPTION, PROMPT, call, found, reason, ward


def loose(text: str, of: Environment | None = None, *before: Any) -> list[str]:
    """The limits and spans of a refusal that come from nowhere."""
    seen = reason(call("get_patient", {"error": text}, patient_id="P-101"), *before, of=of)
    return [*loose_quotas(seen.look.contract, text, []), *seen.loose_spans]


def clocked(**more: Any) -> Environment:
    """A ward with a clock, where P-101 was admitted three hours ago."""
    state = {"now": "2025-03-02T12:00:00Z", "admitted": {"P-101": "2025-03-02T09:00:00Z"}, **more}
    return ward(state=state)


@pytest.mark.parametrize(
    "text",
    [
        "at most 3 patient requests are allowed in one shift",
        "P-101 has reached the maximum of 2 accesses",
        "no more than 3 calls of this kind may be made in a row",
        "the limit of two queries is exceeded",
    ],
)
def test_a_limit_on_calls_wants_a_place_that_counts_calls(text: str) -> None:
    assert loose(text) != []  # a 2 and a 3 stand in the state, for visitors and for beds
    told = (
        PROMPT
        + "- The desk takes at most 3 requests, and 3 calls in a row.\n- 2 accesses and two queries, no more.\n"
    )
    assert loose(text, ward(system_prompt=told)) == []


def test_a_field_of_the_state_may_set_the_limit() -> None:
    text = "at most 2 requests are allowed"
    assert loose(text, ward(state={"max_requests": 2})) == []
    assert loose(text, ward(state={"max_requests": 4})) == ["2 requests"]
    assert loose(text, ward(state={"limits": {"requests": 2}})) == []


def test_a_limit_on_something_else_is_none_on_calls() -> None:
    assert loose("at most 2 visitors are allowed") == []


@pytest.mark.parametrize(
    ("text", "invented"),
    [
        ("P-101 was admitted 3 hours ago, too late to move", False),
        ("P-101 was admitted 2 hours ago, too late to move", True),
        ("180 minutes have passed since P-101 was admitted, too late", False),
        ("2 days have passed since P-101 was admitted, too late", True),
    ],
)
def test_a_span_lies_between_two_known_times(text: str, invented: bool) -> None:
    assert bool(loose(text, clocked())) is invented


def test_a_place_may_state_the_span() -> None:
    assert loose("P-101 was moved 8 minutes ago", clocked()) == ["8 minutes"]
    assert loose("P-101 was moved 8 minutes ago", clocked(rest_minutes=8)) == []
    told = {**DESCRIPTION, "admitted": "Whoever was moved rests for 8 minutes."}
    environment = ward(state=clocked().initial_state, state_description=told)
    assert loose("P-101 was moved 8 minutes ago", environment) == []


def test_a_date_is_no_number_of_days() -> None:
    text = "8 days have passed since P-101 was admitted, too late"
    assert loose(text, clocked(opened_day="2025-01-08")) == ["8 days"]


def test_where_time_has_moved_anything_may_have_passed() -> None:
    text = "P-101 was admitted 7 hours ago, too late to move"
    assert loose(text, clocked()) == ["7 hours"]
    assert loose(text, clocked(), call("advance_time", {"now": "2025-03-02T16:00:00Z"})) == []


def test_what_counts_steps_says_nothing_of_hours() -> None:
    text = "P-101 was admitted 5 hours ago, too late to move"
    assert loose(text, ward(state={"current_hour": 14, "admitted": {"P-101": 9}})) == []


def test_who_refuses_by_such_a_number_invents_a_rule() -> None:
    def kinds(text: str) -> list[tuple[str, ...]]:
        return found(call("get_patient", {"error": text}, patient_id="P-101"), of=clocked())

    assert kinds("P-101 has reached the maximum of 2 accesses") == [("rule_invention", "no_rule", "")]
    assert kinds("the window for P-101 closed 4 hours ago") == [("rule_invention", "ungrounded_input", "")]
