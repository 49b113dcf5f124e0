"""What may have changed by now, by what descriptions say and by what was done."""

from __future__ import annotations

from replaylab.diff.calls.changes import changed_only_by, may_have_changed
from replaylab.diff.calls.fixed import never_changes
from replaylab.diff.calls.looking import Look
from replaylab.diff.contract.contract import contract_of
from tests.diff.ward import call, look
from tests.diff.yard import TOLD, yard


def test_the_rest_is_all_of_which_no_change_is_told() -> None:
    told = "All people by id. load changes only through assign. The rest never changes."
    assert never_changes(told, "tier")
    assert not never_changes(told, "load")


def test_a_word_for_a_change_speaks_of_what_stands_before_it() -> None:
    told = "All hosts by id. implant changes with disabled accounts. The rest never changes."
    assert never_changes(told, "accounts")
    assert not never_changes(told, "implant")


def test_each_part_of_a_sentence_may_say_it() -> None:
    told = "Of an order, status changes once, and dose changes while it waits; its name never changes. The rest never changes."
    assert not never_changes(told, "dose")
    assert not never_changes(told, "status")
    assert never_changes(told, "name")


def test_what_gets_fewer_changes() -> None:
    assert not never_changes(
        "All by id. holds stand in order and get fewer. The rest never changes.", "holds"
    )


def test_a_whole_that_never_changes_or_stands_still() -> None:
    assert never_changes("The day. It stands still.", "today")
    assert never_changes("Never changes: the holds stand elsewhere.", "name")
    assert not never_changes("The day. Moves with each call.", "today")


def test_what_stays_as_it_is_or_is_called_constant() -> None:
    told = "By name. kind and gust_kmh stay as they are; running and crew change when one is started."
    assert never_changes(told, "gust_kmh")
    assert not never_changes(told, "running")
    told = "All tanks. place, limit_l: constant. In a tank litres: by fill. Its name is constant."
    assert never_changes(told, "limit_l")
    assert never_changes(told, "name")
    assert not never_changes(told, "litres")
    assert never_changes("Pairs of hazards. Constant.", "pairs")
    assert not never_changes("level is a constant concern and follows the pumps.", "level")


def test_the_tools_by_which_alone_a_field_changes() -> None:
    contract = contract_of(yard())
    assert changed_only_by(contract, TOLD["boats"], "berth") == {"move_boat"}
    assert changed_only_by(contract, TOLD["boats"], "status") == frozenset()


def test_a_field_may_change_by_its_tool_alone_and_a_constant_by_none() -> None:
    status = call("set_status", {"boat": "BT-1", "status": "ashore"}, boat="BT-1", status="ashore")
    moved = call("move_boat", {"boat": "BT-1", "berth": "BR-12"}, boat="BT-1", berth="BR-12")
    for before, expected in ((status, {"status"}), (moved, {"status", "berth"})):
        one = look(call("get_boat", {"boat": "BT-1"}, boat="BT-1"), before, of=yard())
        assert {field for field in ("hull", "berth", "status") if _may(one, "BT-1", field)} == expected


def test_what_no_call_has_reached_is_as_it_was() -> None:
    status = call("set_status", {"boat": "BT-1", "status": "ashore"}, boat="BT-1", status="ashore")
    one = look(call("get_boat", {"boat": "BT-3"}, boat="BT-3"), status, of=yard())
    assert not _may(one, "BT-3", "status")


def _may(one: Look, name: str, field: str) -> bool:
    boats = next(each for each in one.contract.collections if each.name == "boats")
    entity = next(each for each in boats.entities if each.id == name)
    return may_have_changed(one, boats, entity, field)
