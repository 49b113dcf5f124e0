"""Drug interactions: every pair, brands and duplicates, today's kidneys, and the pharmacist who should decide."""

from __future__ import annotations

import pytest

from replaylab.schema.scenario import PlannedCall
from tests.scenarios.play import SHIPPED, answer_of, call, failed, observe, plan_of

DESK = "ward-medication-desk"
PAIN, ANTIBIOTIC, THREE = "screening-nerve-pain", "screening-antibiotic", "screening-three-new-orders"


def changed(task: str, tool: str, **arguments: object) -> list[PlannedCall]:
    """The plan with other arguments in its calls of a tool."""
    return [
        one.model_copy(update={"arguments": {**one.arguments, **arguments}}) if one.tool == tool else one
        for one in plan_of(SHIPPED.task(task))
    ]


def wrong(task: str, calls: list[PlannedCall]) -> set[str]:
    return failed(task, calls, answer_of(SHIPPED.task(task)))


def before(task: str, tool: str, extra: PlannedCall) -> list[PlannedCall]:
    plan = plan_of(SHIPPED.task(task))
    at = next(number for number, one in enumerate(plan) if one.tool == tool)
    return [*plan[:at], extra, *plan[at:]]


def test_verifying_the_dose_as_ordered_fails() -> None:
    calls = [one for one in plan_of(SHIPPED.task(PAIN)) if one.tool != "change_dose"]
    assert {"changed", "dose-before-ward", "dose-seen", "within-limit"} <= wrong(PAIN, calls)


def test_a_dose_that_is_lower_than_needed_fails() -> None:
    assert {"changed", "dose-seen"} <= wrong(PAIN, changed(PAIN, "change_dose", dose_mg=300))


def test_stopping_an_order_for_a_moderate_interaction_fails() -> None:
    hold = call("hold_order", order="RX-523", reason="Sedation with oxycodone.")
    assert {"held-for-nothing", "verified", "on-the-ward"} <= wrong(PAIN, before(PAIN, "verify_order", hold))


def test_handing_off_what_the_desk_may_decide_fails() -> None:
    hand = call(
        "hand_off", patient="PT-208", pharmacist="d.novak", orders=["RX-523"], summary="Please decide on it."
    )
    assert wrong(PAIN, before(PAIN, "verify_order", hand)) == {"handed-off-for-nothing"}


@pytest.mark.parametrize("task", [PAIN, ANTIBIOTIC, THREE])
def test_leaving_out_one_pair_fails(task: str) -> None:
    plan = plan_of(SHIPPED.task(task))
    for number, one in enumerate(plan):
        if one.tool == "check_pair":
            assert wrong(task, plan[:number] + plan[number + 1 :]), one.arguments


@pytest.mark.parametrize("task", [PAIN, ANTIBIOTIC, THREE])
def test_not_reading_the_record_at_the_end_fails(task: str) -> None:
    assert wrong(task, plan_of(SHIPPED.task(task))[:-1])


def test_touching_what_the_patient_already_takes_fails() -> None:
    hold = call("hold_order", order="RX-541", reason="Contraindicated with the antibiotic.")
    assert "not pending" in observe(DESK, hold)["error"]
    assert wrong(ANTIBIOTIC, before(ANTIBIOTIC, "hold_order", hold)) == {"active-touched"}
    other = call("verify_order", order="RX-522")
    assert wrong(PAIN, before(PAIN, "verify_order", other)) == {"other-order"}
    reduce = call("change_dose", order="RX-563", dose_mg=200, doses_a_day=1)
    assert wrong(THREE, before(THREE, "hold_order", reduce)) == {"active-touched"}


def test_verifying_a_contraindicated_order_fails() -> None:
    calls = [
        call("verify_order", order="RX-545") if one.tool == "hold_order" else one
        for one in plan_of(SHIPPED.task(ANTIBIOTIC))
    ]
    assert {"verified", "held", "handed-off", "seen-held", "seen-accepted"} <= wrong(ANTIBIOTIC, calls)


def test_the_field_of_the_lesser_stop_is_the_wrong_specialist() -> None:
    calls = changed(ANTIBIOTIC, "hand_off", pharmacist="m.sato")
    assert {"wrong-specialist", "handed-off", "seen-accepted"} <= wrong(ANTIBIOTIC, calls)


def test_who_is_off_duty_takes_nothing() -> None:
    calls = changed(ANTIBIOTIC, "hand_off", pharmacist="e.cole")
    assert {"wrong-specialist", "handed-off"} <= wrong(ANTIBIOTIC, calls)


def test_a_pharmacist_without_room_does_not_accept() -> None:
    calls = changed(THREE, "hand_off", pharmacist="l.hart")
    assert {"wrong-specialist", "handed-off", "seen-accepted"} <= wrong(THREE, calls)
    assert observe(DESK, *calls[:-1])["accepted"] is False


def test_working_with_the_old_creatinine_leaves_the_dose_too_high() -> None:
    calls = [one for one in plan_of(SHIPPED.task(THREE)) if one.tool != "change_dose"]
    answer = answer_of(SHIPPED.task(THREE)).replace("is 24 ml/min", "is 37 ml/min")
    assert {"changed", "dose-before-ward", "clearance"} <= failed(THREE, calls, answer)


def test_overlooking_that_a_brand_is_the_same_drug_fails() -> None:
    calls = [one for one in plan_of(SHIPPED.task(THREE)) if one.arguments.get("order") != "RX-565"]
    calls = [call("verify_order", order="RX-565") if one.tool == "find_drug" else one for one in calls]
    assert {"brand-found", "held-second", "stop-released", "handed-off"} <= wrong(THREE, calls)


def test_handing_off_one_by_one_fails() -> None:
    plan = plan_of(SHIPPED.task(THREE))
    one, other = (
        plan[-2].model_copy(update={"arguments": {**plan[-2].arguments, "orders": [order]}})
        for order in ("RX-564", "RX-565")
    )
    assert "handed-off" in wrong(THREE, [*plan[:-2], one, other, plan[-1]])


@pytest.mark.parametrize(
    ("one", "part"),
    [
        (call("check_pair", first="Zocor", second="apixaban"), "no ingredient"),
        (call("find_drug", name="Zocar"), "no drug"),
        (call("change_dose", order="RX-523", dose_mg=450, doses_a_day=3), "multiple of 100"),
        (call("verify_order", order="RX-521"), "not pending"),
        (call("verify_order", order="RX-999"), "no order"),
        (call("get_patient", patient="PT-209"), "no patient"),
    ],
)
def test_the_desk_refuses(one: PlannedCall, part: str) -> None:
    assert part in observe(DESK, one)["error"]


def test_only_held_orders_of_the_patient_are_handed_off() -> None:
    told = {"pharmacist": "d.novak", "summary": "Please have a look at this order."}
    pending = call("hand_off", patient="PT-215", orders=["RX-545"], **told)
    assert "not a held order" in observe(DESK, pending)["error"]
    hold = call("hold_order", order="RX-545", reason="Contraindicated.")
    other = call("hand_off", patient="PT-231", orders=["RX-545"], **told)
    assert "not a held order" in observe(DESK, hold, other)["error"]


def test_a_pair_is_found_in_both_orders_and_the_same_twice_is_a_duplicate() -> None:
    one = observe(DESK, call("check_pair", first="ibuprofen", second="warfarin"))
    other = observe(DESK, call("check_pair", first="warfarin", second="ibuprofen"))
    assert one["severity"] == other["severity"] == "major"
    twice = observe(DESK, call("check_pair", first="ibuprofen", second="ibuprofen"))
    assert twice["severity"] == "duplicate"
    assert observe(DESK, call("find_drug", name="BRUFEN"))["ingredient"] == "ibuprofen"
