"""Values of the state that are shown otherwise."""

from __future__ import annotations

from typing import Any

import pytest

from replaylab.diff.contradictions.contradiction import differs
from replaylab.schema.scenario import Tool
from tests.diff.ward import STATE, TOOLS, call, found, patients, tool, ward

CHANGED = ("contradiction", "changed_value")


def patient(**fields: Any) -> Any:
    return call("get_patient", {"patient_id": "P-101", **fields}, patient_id="P-101")


@pytest.mark.parametrize(
    ("expected", "observed", "wrong"),
    [
        ("treated", "untreated", True),
        ("inactive", "Active", True),
        ("stable", "stable condition", False),
        ("North Ward", "the North Ward", False),
        ("P-101", "P-101-B", True),
        (72, 73, True),
        (72, "72 bpm", False),
        (0.725, 72.5, False),
        (True, False, True),
        (True, "yes", False),
    ],
)
def test_what_cannot_mean_the_same_differs(expected: Any, observed: Any, wrong: bool) -> None:
    assert differs(expected, observed) is wrong


def test_a_value_is_held_against_the_state_under_its_own_name_and_a_renamed_one() -> None:
    assert found(patient(pulse=72)) == found(patient(current_pulse=72)) == []
    assert found(patient(pulse=99)) == found(patient(current_pulse=99)) == [(*CHANGED, "P-101")]
    # Of two fields that could be meant, neither is.
    assert found(patient(current_pulse=99, latest_pulse=72)) == []
    assert found(patient(resting_pulse=55)) == []


def test_one_word_for_each_unit() -> None:
    of = ward(state={"patients": {"P-101": {"oxygen_percent": 97}, "P-102": {"oxygen_percent": 91}}})
    assert found(patient(oxygen_percentage=97), of=of) == []
    assert found(patient(oxygen_pct=50), of=of) == [(*CHANGED, "P-101")]


@pytest.mark.parametrize(("counts", "wrong"), [((1, 1, 10), False), ((40,), True), ((5, 5), True)])
def test_rows_of_one_thing_may_add_up_to_it(counts: tuple[int, ...], wrong: bool) -> None:
    rows = [{"item": "Gauze-10", "lot": f"L{at}", "quantity": count} for at, count in enumerate(counts)]
    said = found(call("get_stock", {"stock": [*rows, {"item": "Saline-500", "lot": "L9", "quantity": 40}]}))
    assert ((*CHANGED, "Gauze-10") in said) is wrong


def test_an_entry_of_a_map_is_called_as_the_map_is() -> None:
    tool = Tool(
        name="get_rule",
        description="The rule of an airport.",
        parameters={"type": "object", "properties": {"airport": {"type": "string"}}, "required": ["airport"]},
        effect="read",
    )
    state = {"countries": {"MID": "Midland", "LYR": "Lyria", "KAP": "Kapland"}}
    of = ward(state=state, tools=(*TOOLS, tool))

    def said(**fields: Any) -> list[tuple[str, ...]]:
        return found(call("get_rule", {"airport": "MID", **fields}, airport="MID"), of=of)

    assert said(country="Midland") == said(language="Lyrian") == []
    assert said(country="Lyria") == [(*CHANGED, "MID")]


def test_numbers_of_what_a_write_reaches_may_have_changed() -> None:
    moved = call("assign_nurse", {"status": "success"}, nurse_id="N-7")
    assign = Tool(
        name="assign_nurse",
        description="Gives a nurse more to do.",
        parameters={
            "type": "object",
            "properties": {"nurse_id": {"type": "string"}},
            "required": ["nurse_id"],
        },
        effect="write",
    )
    nurses = [{**STATE["nurses"][0], "rounds": ["P-101"]}, STATE["nurses"][1]]
    of = ward(tools=(*TOOLS, assign), state={"nurses": nurses})
    # N-7 has rounds with P-101, so that its pulse may follow; that of P-102, of another nurse, does not.
    assert found(moved, patient(pulse=99), of=of) == []
    assert found(patient(pulse=99), of=of) == [(*CHANGED, "P-101")]
    other = call("get_patient", {"patient_id": "P-102", "pulse": 99}, patient_id="P-102")
    assert found(moved, other, of=of) == [(*CHANGED, "P-102")]
    # A text has no reason to follow.
    assert found(moved, patient(bed="B9"), of=of) == [(*CHANGED, "P-101")]


def test_an_answer_for_another_than_asked() -> None:
    one = call("get_patient", {"patient_id": "P-102", "bed": "B2"}, patient_id="P-101")
    assert ("contradiction", "other_entity", "P-101") in found(one)


def test_rows_of_a_faithful_list_say_nothing() -> None:
    assert found(call("list_patients", patients())) == []


def test_an_answer_for_another_thing_also_where_the_field_is_no_id_by_name() -> None:
    from tests.diff.yard import seen

    answered = call("get_boat", {"boat": "BT-2", "status": "moored"}, boat="BT-1")
    assert ("contradiction", "BT-1") in seen(answered)
    assert seen(call("get_boat", {"boat": "BT-1", "status": "moored"}, boat="BT-1")) == []


def test_what_another_record_of_the_thing_says_is_no_contradiction() -> None:
    ordered = {"orders": [{"order_id": "OR-1", "items": [{"item_id": "Saline-500", "qty": 20}]}]}
    state = {
        "stock": {"Saline-500": {"qty": 0, "bay": "A1"}, "Gauze-10": {"qty": 12, "bay": "A2"}},
        **ordered,
    }
    tools = (tool("query_item", "Finds how much of an item there is.", "item_id"),)

    def shown(qty: int) -> list[str]:
        said = found(
            call("query_item", {"qty": qty}, item_id="Saline-500"), of=ward(state=state, tools=tools)
        )
        return [kind for kind, _, _ in said]

    assert shown(0) == shown(20) == []
    assert shown(7) == ["contradiction"]


def test_a_number_under_another_word_for_its_measure_is_the_same() -> None:
    assert found(call("get_status", {"oxygen_percent": 60.5})) == [("contradiction", "changed_value", "")]
    assert found(call("get_status", {"oxygen_percent": 94.5})) == []
    assert found(call("get_status", {"oxygen_flow": 60.5})) == []
