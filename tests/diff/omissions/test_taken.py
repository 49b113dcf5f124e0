"""Ways that nothing shows whole."""

from __future__ import annotations

from typing import Any

from replaylab.diff.check import Observed
from replaylab.diff.contract.tables import Record
from replaylab.diff.omissions.taken import stands_alike
from replaylab.schema.scenario import Environment
from tests.diff.ward import call, found, tool

SHIFTS = [
    {"guard": "Ems", "gate": "G-1", "day": "monday", "status": "set"},
    {"guard": "Ott", "gate": "G-1", "day": "friday", "status": "set"},
    {"guard": "Ems", "gate": "G-2", "day": "monday", "status": "set"},
    {"guard": "Vale", "gate": "G-1", "day": "sunday", "status": "set"},
    {"guard": "Vale", "gate": "G-1", "day": "tuesday", "status": "open"},
]


def gates(about: str = "Shows a gate.") -> Environment:
    tools = (tool("get_gate", about, "gate"),)
    return Environment(
        id="gates",
        initial_state={"shifts": SHIFTS, "gates": {"G-1": {"width": 3}, "G-2": {"width": 5}}},
        system_prompt="You simulate.",
        state_description={},
        tools=tools,
    )


def plan(*days: str, **more: Any) -> Observed:
    rows = [
        {"guard": one["guard"], "day": one["day"]}
        for one in SHIFTS
        if one["gate"] == "G-1" and one["day"] in days
    ]
    return call("get_gate", {"gate": "G-1", "plan": rows, **more}, gate="G-1")


def gone(said: Observed, about: str = "Shows a gate.") -> int:
    return sum(kind == "omission" for kind, _, _ in found(said, of=gates(about)))


def test_rows_that_stand_like_those_that_are_shown_are_missed() -> None:
    assert gone(plan("monday", "friday", "sunday")) == 0, "the open one stands otherwise"
    assert gone(plan("monday", "friday")) == 1
    assert gone(plan("monday")) == 0, "one row tells too little"


def test_who_says_that_it_shows_a_part_may_leave_out() -> None:
    assert gone(plan("monday", "friday"), "Shows a gate with its next shifts.") == 0
    assert gone(plan("monday", "friday", pages=2)) == 0


def test_standing_is_told_by_yes_and_no_and_by_status() -> None:
    one, other = Record("/0", {"on": True, "day": "monday"}), Record("/1", {"on": True, "day": "friday"})
    off, plain = Record("/2", {"on": False}), Record("/3", {"day": "monday"})
    assert stands_alike(one, [other])
    assert not stands_alike(one, [off])
    assert stands_alike(plain, [])
