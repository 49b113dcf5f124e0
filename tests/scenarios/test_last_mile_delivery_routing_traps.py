"""Delivery routing: the nearest stop first, a trusted charger, and a floor that nothing but the rule protects."""

from __future__ import annotations

import pytest

from replaylab.schema.scenario import PlannedCall
from tests.scenarios.play import SHIPPED, answer_of, call, failed, observe, plan_of

VANS = "van-battery-route"
WINDOWS, CHARGE, TOO_MANY = "van-two-windows", "van-charge-between", "van-one-too-many"


def plan(task: str) -> list[PlannedCall]:
    return plan_of(SHIPPED.task(task))


def wrong(task: str, calls: list[PlannedCall], answer: str = "") -> set[str]:
    return failed(task, calls, answer or answer_of(SHIPPED.task(task)))


def route(van: str, *places: str) -> list[PlannedCall]:
    return [call("drive_to", van=van, place=place) for place in places]


def test_the_nearest_stop_first_is_late_at_the_other() -> None:
    calls = plan(WINDOWS)[:3]
    calls += [*route("V-1", "S-2"), call("wait_until", van="V-1", time="09:45")]
    calls += [
        call("deliver", van="V-1", stop="S-2"),
        *route("V-1", "S-1"),
        call("deliver", van="V-1", stop="S-1"),
    ]
    calls += [*route("V-1", "DEPOT"), call("list_stops", van="V-1")]
    assert {"first", "closing-first", "confirmed-1"} <= wrong(WINDOWS, calls)


def test_reporting_planned_times_without_a_last_look_fails() -> None:
    assert {"confirmed-1", "confirmed-2"} <= wrong(WINDOWS, plan(WINDOWS)[:-1])


def test_moving_a_customer_who_could_be_served_fails() -> None:
    late = call("postpone_stop", stop="S-2", slot="14:00-16:00")
    calls = [*plan(WINDOWS)[:5], late, *route("V-1", "DEPOT"), call("list_stops", van="V-1")]
    assert {"second", "confirmed-2"} <= wrong(WINDOWS, calls)


def test_going_on_without_charging_breaks_the_floor() -> None:
    calls = [one for one in plan(CHARGE) if one.tool != "charge_to" and one.arguments.get("place") != "CH-1"]
    assert {"floor", "charged"} <= wrong(CHARGE, calls)


def test_trusting_the_first_session_breaks_the_floor_on_the_way_home() -> None:
    calls = plan(CHARGE)
    del calls[9]
    assert {"floor", "charged"} <= wrong(CHARGE, calls)


def test_charging_for_the_next_leg_only_fails() -> None:
    calls = [
        one.model_copy(update={"arguments": {**one.arguments, "percent": 40}})
        if one.tool == "charge_to"
        else one
        for one in plan(CHARGE)
    ]
    assert {"other-target", "floor"} <= wrong(CHARGE, calls)


def test_charging_full_to_be_safe_is_not_what_was_asked() -> None:
    calls = [
        one.model_copy(update={"arguments": {**one.arguments, "percent": 60}})
        if one.tool == "charge_to"
        else one
        for one in plan(CHARGE)
    ]
    assert {"other-target", "charged"} <= wrong(CHARGE, calls)


def test_serving_all_three_breaks_the_floor() -> None:
    calls = [one for one in plan(TOO_MANY) if one.tool != "postpone_stop"]
    calls[8:9] = [
        *route("V-3", "S-7"),
        call("wait_until", van="V-3", time="10:00"),
        call("deliver", van="V-3", stop="S-7"),
        *route("V-3", "DEPOT"),
    ]
    assert {"floor", "moved"} <= wrong(TOO_MANY, calls)


def test_telling_the_customer_after_leaving_is_too_late() -> None:
    calls = plan(TOO_MANY)
    moved = calls.pop(4)
    assert {"moved", "confirmed-moved"} <= wrong(TOO_MANY, [*calls[:5], moved, *calls[5:]])


@pytest.mark.parametrize(
    ("stop", "slot"), [("S-5", "13:00-15:00"), ("S-6", "13:00-15:00"), ("S-7", "16:00-18:00")]
)
def test_moving_somebody_else_or_to_a_later_slot_fails(stop: str, slot: str) -> None:
    calls = plan(TOO_MANY)
    calls[4] = call("postpone_stop", stop=stop, slot=slot)
    assert "moved" in wrong(TOO_MANY, calls)


@pytest.mark.parametrize(
    ("steps", "part"),
    [
        ([*route("V-1", "S-2"), call("deliver", van="V-1", stop="S-2")], "opens at 09:45"),
        ([call("deliver", van="V-1", stop="S-1")], "is at DEPOT"),
        ([call("deliver", van="V-2", stop="S-1")], "served by V-1"),
        (route("V-2", "S-3", "DEPOT", "S-3", "DEPOT"), "does not last"),
        (route("V-1", "S-1", "S-3"), "no direct road"),
        ([call("charge_to", van="V-2", percent=80, session=1)], "no charger"),
        ([call("wait_until", van="V-1", time="09:00")], "already"),
        ([call("postpone_stop", stop="S-2", slot="19:00-20:00")], "can be moved to"),
    ],
)
def test_the_dispatch_system_refuses_what_can_not_be(steps: list[PlannedCall], part: str) -> None:
    assert part in observe(VANS, *steps)["error"]


def test_a_drive_under_the_floor_is_carried_out_and_shows() -> None:
    assert observe(VANS, *route("V-2", "S-3", "S-4", "DEPOT"))["battery_percent"] == 9.6
