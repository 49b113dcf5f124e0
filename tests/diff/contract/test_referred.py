"""Fields that refer, and how ids are written."""

from __future__ import annotations

from replaylab.diff.contract.contract import contract_of
from tests.diff.ward import call
from tests.diff.yard import STATE, boat, hand, seen, yard


def test_fields_that_hold_members_of_one_collection() -> None:
    referring = {field: one.name for field, one in contract_of(yard()).referring.items()}
    assert referring == {"berth": "berths", "hand": "hands", "parts": "parts", "boat": "boats"}


def test_no_value_refers_to_nothing() -> None:
    state = {**STATE, "dry": {"DK-1": {"next": "none"}, "DK-2": {"next": "DK-1"}}}
    assert contract_of(yard(initial_state=state)).referring["next"].name == "dry"


def test_a_queue_holds_those_that_wait_and_not_all() -> None:
    state = {**STATE, "waiting": {"WT-1": {"at": 1}, "WT-2": {"at": 2}}}
    assert ("wt", "#") not in contract_of(yard(initial_state=state)).families
    assert contract_of(yard()).families[("bt", "#")].name == "boats"


def test_a_bare_name_refers_to_what_is_called_so() -> None:
    assert seen(boat("BT-1", berth="BR-19")) == [("fabrication", "BR-19")]
    assert seen(boat("BT-1", berth="BR-11")) == []


def test_an_unknown_name_among_members_is_invented() -> None:
    assert seen(hand("HN-51", "BT-1", "BT-2", "Annex Q")) == [("fabrication", "Annex Q")]


def test_members_by_what_they_refer_to() -> None:
    contract = contract_of(yard())
    boats = next(one for one in contract.collections if one.name == "boats")
    found = {
        field: [one.id for one in members] for field, members in contract.referrers(boats, "hn51").items()
    }
    assert found == {"crew": ["BT-1", "BT-2"]}


def test_what_came_without_an_id_may_be_what_nobody_knows() -> None:
    made = call("open_job", {"status": "success"}, boat="BT-1")
    shown = call("list_jobs", {"jobs": [{"job": "JB-77", "boat": "BT-1"}]})
    assert seen(made, shown) == []
