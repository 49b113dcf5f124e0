"""What refusals demand: what the state has a field for, and what no word speaks of."""

from __future__ import annotations

from typing import Any

import pytest

from replaylab.diff.refusals.needs import demanded, unmet_need, wants_leave_that_nobody_gives
from tests.diff.ward import call, found, reason, tool, ward

TOOLS = (
    tool("roll_back", "Restores a version.", "version", effect="write"),
    tool("lock_migration", "Takes the migration lock.", effect="write"),
    tool(
        "train",
        "Trains on the outdoor pitch for units of the clock.",
        effect="write",
        units={"type": "integer"},
    ),
)
STATE = {"is_locked": False, "valve_key": "none", "version": "v2", "clock": 10}
ABOUT = {
    "is_locked": "Whether the global migration lock is held.",
    "valve_key": "Who has the key of the valve.",
}


def refused(name: str, text: str, /, *before: Any, **arguments: Any) -> list[str]:
    of = ward(state=STATE, tools=TOOLS, system_prompt="You simulate a site.", state_description=ABOUT)
    return [kind for kind, _, _ in found(*before, call(name, {"error": text}, **arguments), of=of)]


@pytest.mark.parametrize(
    "text",
    [
        "Rollback needs the migration lock and nobody holds it",
        "A rollback requires the migration lock, which is not held",
        "The rollback must hold the migration lock; it has never been acquired",
        "No restore without the migration lock",
        "It depends on the migration lock, and no one has taken it",
    ],
)
def test_what_the_state_has_a_field_for_and_has_not_is_no_rule(text: str) -> None:
    assert refused("roll_back", text, version="v2") == []
    assert refused("roll_back", text.replace("migration lock", "harbour pilot"), version="v2") == [
        "rule_invention"
    ]


def test_what_a_call_may_have_brought_is_not_known_to_be_lacking() -> None:
    taken = call("lock_migration", {"success": True})
    text = "A rollback needs the migration lock, which nobody holds"
    of = ward(state=STATE, tools=TOOLS, state_description=ABOUT)
    one = call("roll_back", {"error": text}, version="v2")
    assert unmet_need(reason(one, of=of)) == "/initial_state/is_locked"
    assert unmet_need(reason(one, taken, of=of)) == ""


@pytest.mark.parametrize(
    "text",
    [
        "Units on the outdoor pitch need a warm-up of 10 units first",
        "Training on the pitch requires a physiotherapist",
        "Train on the outdoor pitch only after stretching",
        "A warm-up must come first before you train on the outdoor pitch",
        "Training on the outdoor pitch must be preceded by a medical",
    ],
)
def test_what_no_word_of_the_contract_speaks_of_is_made_up(text: str) -> None:
    assert refused("train", text, units=30) == ["rule_invention"]


def test_what_is_demanded_is_read_in_many_words() -> None:
    assert demanded("a drill needs the valve key of the office") == [frozenset({"valv", "key"})]
    assert demanded("A warm-up has to be done first") == [frozenset({"warm"})]
    assert demanded("the valve is shut") == []


@pytest.mark.parametrize("leave", ["permission", "approval", "authorization"])
def test_leave_counts_only_in_a_contract_that_speaks_of_it(leave: str) -> None:
    about = {"valve_key": f"Who has the key of the valve, with the {leave} of the office."}
    one = call("roll_back", {"error": f"Version v2 is not locked without {leave}"}, version="v2")
    assert wants_leave_that_nobody_gives(reason(one, of=ward(state=STATE, tools=TOOLS)))
    spoken = ward(state=STATE, tools=TOOLS, system_prompt=f"You simulate a site. {about['valve_key']}")
    assert not wants_leave_that_nobody_gives(reason(one, of=spoken))
