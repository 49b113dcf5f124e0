"""Ways that nothing shows whole."""

from __future__ import annotations

from typing import Any

import pytest

from replaylab.diff.check import Observed
from replaylab.diff.contract.tables import Record
from replaylab.diff.omissions.taken import stands_alike
from replaylab.schema.scenario import Environment
from tests.diff.plainly import said, takes
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


NOTES: dict[str, Any] = {
    "n1": {"title": "Boiler repair", "box": "house", "read": False},
    "n2": {"title": "Trip to Bergen", "box": "travel", "read": True},
    "n3": {"title": "Re: boiler repair", "box": "old", "read": True},
    "n4": {"title": "Bergen hotel", "box": "bin", "read": True},
}


def notebook(about: str) -> Environment:
    return Environment(
        id="notebook",
        system_prompt="You simulate a notebook.",
        state_description={"state": "All notes."},
        tools=(takes("search", about, "query"), takes("bin_note", "Puts a note into the bin.", "note")),
        initial_state={"notes": NOTES, "boxes": ["house", "travel", "old", "bin"]},
    )


def hits(*names: str, query: str = "boiler", **more: Any) -> Observed:
    return call("search", {"hits": list(names), **more}, query=query)


@pytest.mark.parametrize(
    ("one", "missed"),
    [
        (hits("n1", "n3"), []),
        (hits("n1"), ["n3"]),
        (hits("n3"), ["n1"]),
        (hits("n1", count=1), ["n3"]),
        (hits("n2", "n4", query="Bergen"), []),
        (hits("n2", query="Bergen"), ["n4"]),
        (hits("n2", query="trip"), []),
        (hits("n1", page=1, pages=2), []),
        (hits("n1", next_page=2), []),
    ],
)
def test_all_that_have_the_word_are_hits(one: Observed, missed: list[str]) -> None:
    assert [name for kind, name in said(notebook("Searches all boxes."), one) if kind == "omission"] == missed


def test_what_a_search_does_not_say_to_look_at_is_no_omission() -> None:
    assert said(notebook("Finds a few notes that fit best."), hits("n1")) == []
