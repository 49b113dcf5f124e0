"""Refusals that give no reason: sure where nothing forbids, a candidate where much may."""

from __future__ import annotations

from typing import Any

import pytest

from replaylab.schema.fault import FaultPlan
from replaylab.schema.scenario import Environment
from tests.diff.kiln import TOOLS, pottery
from tests.diff.ward import call, check

LAX = pottery(system_prompt="You simulate a pottery.", tools=TOOLS)


def verdict(tool: str, refused: Any, *before: Any, of: Environment | None = None, **arguments: Any) -> str:
    """What a bare refusal counts as."""
    report = check(*before, call(tool, refused, **arguments), of=of or pottery())
    last = len(before)
    if any(
        (one.kind, one.subkind, one.call) == ("rule_invention", "no_reason", last) for one in report.findings
    ):
        return "found"
    return (
        "candidate"
        if any((one.subkind, one.call) == ("no_reason", last) for one in report.candidates)
        else ""
    )


@pytest.mark.parametrize(
    "refused", [{"success": False}, {"error": "Reason for failure"}, {"error": "Failed to get the kiln"}]
)
def test_a_reading_of_what_is_known_is_forbidden_by_nothing(refused: Any) -> None:
    assert verdict("get_kiln", refused, kiln_id="K-1") == "found"
    assert verdict("get_shift", {"success": False}) == "found"
    assert verdict("get_kiln", refused, kiln_id="K-7") == ""
    assert verdict("get_kiln", refused) == ""  # what is required is not there


def test_where_calls_fail_by_chance_nothing_is_said() -> None:
    chance = pottery(also="- Each reading fails with a probability of 10 %.\n")
    assert verdict("get_kiln", {"success": False}, of=chance, kiln_id="K-1") == ""


def test_a_reason_is_a_reason() -> None:
    for text in ("The kiln is glazing", "Not available", "Unknown kiln", "Only a potter may read"):
        assert verdict("get_kiln", {"error": text}, kiln_id="K-1") == "", text


def test_a_write_may_be_forbidden_by_what_is_left_open() -> None:
    assert verdict("fire_kiln", {"success": False}, of=LAX, kiln_id="K-1", minutes=9) == "candidate"
    assert verdict("set_mode", {"success": False}, of=LAX, kiln_id="K-1", mode="drying") == "found"
    assert verdict("set_mode", {"success": False}, kiln_id="K-1", mode="drying") == "candidate"  # it is ruled


def test_what_was_set_before_can_be_set_again() -> None:
    done = call("set_mode", {"success": True}, kiln_id="K-1", mode="drying")
    other = call("fire_kiln", {"success": True}, kiln_id="K-1", minutes=9)
    assert verdict("set_mode", {"success": False}, done, kiln_id="K-1", mode="drying") == "found"
    assert verdict("set_mode", {"success": False}, done, other, kiln_id="K-1", mode="drying") == "candidate"


def test_an_open_fault_that_was_asked_for_explains_it_as_long_as_it_may_last() -> None:
    once = call("get_kiln", {"error": "Reason for failure"}, kiln_id="K-1")
    plan = FaultPlan(name="E1", explicit=True, implicit=False, count=2, duration=2, mode="prompt")
    hidden = plan.model_copy(update={"explicit": False, "implicit": True})
    assert [one.subkind for one in check(once, once, of=pottery(), faults=plan).faults] == ["transport"] * 2
    assert [one.call for one in check(once, once, once, of=pottery(), faults=plan).findings] == [2]
    assert len(check(once, of=pottery(), faults=hidden).findings) == 1
