"""What a refusal says of a thing, against what is known to stand: each untrue reason beside one that may hold."""

from __future__ import annotations

from typing import Any

import pytest

from replaylab.diff.refusals.standing import untrue_standing
from replaylab.schema.scenario import Environment
from tests.diff.ward import call, found, reason, tool
from tests.diff.yard import STATE, TOLD, TOOLS, boat, yard

LOCK = call("set_status", {"boat": "BT-1", "status": "sold"}, boat="BT-1", status="sold")
LIFTED = yard(
    state_description={
        **TOLD,
        "boats": "All boats by id. status changes with set_status. locked is kept by hand. hull, length, locked and banned never "
        "change.",
    },
    initial_state={
        **STATE,
        "boats": {
            name: {**one, "locked": name == "BT-2", "banned": ["HN-52"] if name == "BT-1" else []}
            for name, one in STATE["boats"].items()
        },
    },
    tools=(*TOOLS, tool("sell_boat", "Sells a boat.", "boat", effect="write")),
)


def against(text: str, *before: Any, of: Environment | None = None, **arguments: str) -> str:
    one = call("move_boat", {"error": text}, **{"boat": "BT-1", "berth": "BR-12", **arguments})
    return untrue_standing(reason(one, *before, of=of or yard()))


@pytest.mark.parametrize(
    ("text", "stands"),
    [
        ("BT-1 is ashore", 'status of BT-1 is "moored"'),
        ("BT-1 is already ashore, and only a moored boat is moved", 'status of BT-1 is "moored"'),
        ("BT-1 is not moored", 'status of BT-1 is "moored"'),
        ("BT-1 is moored", ""),
        ("BT-1 is not ashore", ""),
        ("BT-3 is ashore", ""),
        ("BT-1 is haunted", ""),  # no boat has that, so nobody can tell
        ("BT-1 is rigged by HN-51", ""),
    ],
)
def test_a_word_is_held_against_the_field_whose_values_it_is_one_of(text: str, stands: str) -> None:
    assert against(text) == stands


def test_what_a_call_has_set_stands_from_then_on() -> None:
    def said(text: str) -> list[tuple[str, ...]]:
        return found(LOCK, call("move_boat", {"error": text}, boat="BT-1", berth="BR-12"), of=yard())

    assert said("BT-1 is moored") == [("rule_invention", "untrue_reason", "")]
    assert said("BT-1 is sold") == []


def test_what_a_call_may_have_changed_disproves_nothing() -> None:
    sold = call("sell_boat", {"done": True}, boat="BT-1")
    assert against("BT-1 is ashore", of=LIFTED) != ""
    assert (
        against("BT-1 is ashore", call("set_status", {"ok": True}, boat="BT-1", status="x"), of=LIFTED) == ""
    )
    assert against("BT-1 is locked", sold, of=LIFTED) == "locked of BT-1 is false"  # that never changes


def test_what_a_call_on_the_thing_has_said_bears_it_out() -> None:
    hauled = call("open_job", {"job": "JB-901", "boat": "BT-1", "place": "ashore"}, boat="BT-1")
    other = call("open_job", {"job": "JB-901", "boat": "BT-2", "place": "ashore"}, boat="BT-2")
    assert against("BT-1 is ashore", hauled) == ""
    assert against("BT-1 is ashore", other) == 'status of BT-1 is "moored"'


def test_yes_and_no_speak_of_the_field_of_that_name() -> None:
    assert against("BT-1 is locked", of=LIFTED) == "locked of BT-1 is false"
    assert against("BT-2 is locked", of=LIFTED, boat="BT-2") == ""


def test_a_list_that_never_changes_has_the_thing_or_not() -> None:
    text = "{} of BT-{} is banned"
    assert against(text.format("HN-51", 1), of=LIFTED, hand="HN-51") == "banned of BT-1 does not hold HN-51"
    assert against(text.format("HN-52", 1), of=LIFTED, hand="HN-52") == ""


@pytest.mark.parametrize(
    ("text", "stands"),
    [
        ("BT-1 has 14 length, too much for the berth", "length of BT-1 is 9"),
        ("BT-1 has 9 length, too much for the berth", ""),
        ("BT-1 has 14 passengers", ""),  # nothing is known of those
        ("BT-1 has 2 hours left", ""),
    ],
)
def test_a_number_is_held_against_the_field_of_its_words(text: str, stands: str) -> None:
    assert against(text) == stands


def test_the_refusal_is_a_violation() -> None:
    one = call("move_boat", {"error": "BT-1 is ashore"}, boat="BT-1", berth="BR-12")
    assert found(one, of=yard()) == [("rule_invention", "untrue_reason", "")]
    due = call("move_boat", {"error": "BT-3 is ashore"}, boat="BT-3", berth="BR-12")
    assert found(due, of=yard()) == []
    seen = boat("BT-1", status="ashore")  # what an answer said, right or not
    assert found(seen, one, of=yard()) == [("rule_invention", "untrue_reason", "")]


def test_what_is_yes_is_not_denied() -> None:
    assert against("BT-2 is not locked", of=LIFTED, boat="BT-2") == "locked of BT-2 is true"
    assert against("BT-1 is not locked", of=LIFTED) == ""


def test_a_number_without_a_unit_has_that_of_the_number_before() -> None:
    state = {**STATE, "boats": {**STATE["boats"], "BT-1": {**STATE["boats"]["BT-1"], "weight_t": 9}}}
    heavy = yard(initial_state=state, state_description={**TOLD, "boats": "weight_t and hull never change."})
    assert against("the berth takes 8 t at most, and BT-1 has 41", of=heavy) == "weight_t of BT-1 is 9"
    assert against("the berth takes 8 t at most, and BT-1 has 9", of=heavy) == ""


def test_the_word_for_a_field_is_told_by_its_description() -> None:
    state = {**STATE, "boats": {**STATE["boats"], "BT-1": {**STATE["boats"]["BT-1"], "balance": 42}}}
    told = {**TOLD, "boats": "balance is what the boat owes. hull and balance never change."}
    owing = yard(initial_state=state, state_description=told)
    assert against("BT-1 owes 131, more than 40", of=owing) == "balance of BT-1 is 42"
    assert against("BT-1 owes 42, more than 40", of=owing) == ""
    assert against("BT-1 weighs 131, more than 40", of=owing) == ""


def test_where_a_thing_is_said_to_be_is_no_word_for_how_it_stands() -> None:
    told = {
        "about": "All boats. Nothing here changes.",
        "name": "A boat lies in the queue for its berth already.",
    }
    of = yard(state_description={**TOLD, "boats": told}, initial_state={**STATE, "queue": ["BT-1"]})
    assert against("BT-1 is in the queue already", of=of) == ""
