"""Counters beside lists."""

from __future__ import annotations

from typing import Any

from tests.diff.ward import call, found, patients, tool, ward


def counted(total: int, **more: Any) -> list[tuple[str, ...]]:
    return found(call("list_patients", patients(total_patients=total, **more)))


def test_a_counter_says_no_more_than_the_list_holds() -> None:
    assert counted(3) == []
    assert counted(5) == [("fabrication", "counter_mismatch", "")]


def test_a_counter_of_something_else_or_of_all_pages_is_none() -> None:
    assert found(call("list_patients", patients(total_beds=9))) == []
    assert counted(5, page=1) == []


def test_what_calls_made_may_count_and_what_they_only_name_does_not() -> None:
    moved = call("move_patient", {"patient_id": "P-101", "until": "10:15"}, patient_id="P-101", bed="B1")
    made = call("admit_patient", {"patient_id": "P-300"}, name="Una Quell")
    shown = call("find_patients", patients(total_patients=4), condition="any")
    assert ("fabrication", "counter_mismatch", "") in found(moved, shown)
    assert ("fabrication", "counter_mismatch", "") not in found(made, shown)


def test_the_number_of_rows_beside_the_counter_is_no_page() -> None:
    for total, wrong in ((3, False), (5, True)):
        shown = call("find_patients", patients("P-102", total_patients=total, count=1), condition="critical")
        assert (("fabrication", "counter_mismatch", "") in found(shown)) == wrong
    of_a_page = call("find_patients", patients("P-102", total_patients=5, count=3), condition="critical")
    assert ("fabrication", "counter_mismatch", "") not in found(of_a_page)
    assert ("fabrication", "counter_mismatch", "") not in counted(5, count=3)


def among(total: int, quantity: int = 1, **more: Any) -> bool:
    """Whether the counter of a picking tool is told to be wrong, where the contract says that no crates are added."""
    told = {"items": more.pop("told", "Crates by id. Fixed.")}
    crates = {f"CR-{number}": {"kg": 4 + number} for number in (1, 2, 3)}
    pick = tool("recent_items", "Shows crates.", page={"type": "integer"})
    of = ward(
        state={"items": crates}, state_description=told, tools=(pick,), system_prompt="You keep crates."
    )
    shown = {"items": [{"item": "CR-2", "quantity": quantity}], "total_items": total, **more}
    return found(call("recent_items", shown, page=2), of=of) == [("fabrication", "counter_mismatch", "")]


def test_no_page_holds_more_than_there_are() -> None:
    assert among(4)
    assert not among(3)
    assert not among(4, told="Crates by id.")


def test_a_sum_over_the_rows_counts_no_rows() -> None:
    assert not among(6, quantity=6)
    assert among(7, quantity=6)
