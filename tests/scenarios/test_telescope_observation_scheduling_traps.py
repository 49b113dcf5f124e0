"""Telescope time: the moon while it is up, mist, changes that cost a slot, and a draft that has to give way."""

from __future__ import annotations

import pytest

from replaylab.schema.scenario import PlannedCall
from tests.scenarios.play import SHIPPED, answer_of, call, failed, judge, observe, plan_of

RIDGE = "ridge-observatory"
MOON, TWO, DRAFT = "night-moon-and-mist", "night-two-instruments", "night-draft-of-another"


def plan(task: str) -> list[PlannedCall]:
    return plan_of(SHIPPED.task(task))


def wrong(task: str, calls: list[PlannedCall]) -> set[str]:
    return failed(task, calls, answer_of(SHIPPED.task(task)))


def place(night: int, request: str, slot: int) -> PlannedCall:
    return call("place_request", night=f"NT-{night}", request=request, first_slot=slot)


def change(night: int, slot: int, instrument: str) -> PlannedCall:
    return call("place_change", night=f"NT-{night}", slot=slot, instrument=instrument)


def submit(night: int, *left_out: str) -> PlannedCall:
    return call("submit_night", night=f"NT-{night}", left_out=list(left_out))


@pytest.mark.parametrize("slot", [5, 6, 8, 9])
def test_the_moon_or_the_mist_spoils_every_other_place_for_the_second_request(slot: int) -> None:
    calls = plan(MOON)
    calls[5] = place(1, "RQ-11", slot)
    assert "second" in wrong(MOON, calls)


def test_the_first_request_does_not_reach_into_the_mist() -> None:
    calls = plan(MOON)
    calls[4] = place(1, "RQ-12", 2)
    assert {"first", "seen-first"} <= wrong(MOON, calls)


def test_a_plan_that_is_never_submitted_fails() -> None:
    calls = [one for one in plan(MOON) if one.tool != "submit_night"]
    assert {"submitted", "seen-closed"} <= wrong(MOON, calls)


def test_placing_before_looking_at_the_sky_fails() -> None:
    calls = plan(MOON)
    calls = [calls[0], *calls[4:6], *calls[1:4], *calls[6:]]
    assert {"forecast-first", "sky-a-first", "sky-b-first"} <= wrong(MOON, calls)


def test_a_third_change_and_a_misty_slot_fail() -> None:
    calls = [*plan(TWO)[:7], change(2, 5, "imager"), change(2, 6, "spectrograph")]
    calls += [change(2, 8, "imager"), place(2, "RQ-22", 9), submit(2, "RQ-23"), plan(TWO)[-1]]
    assert {"two-changes", "nova", "comet", "submitted", "seen-nova"} <= wrong(TWO, calls)


def test_waiting_one_slot_with_the_nova_pushes_the_comet_into_the_mist() -> None:
    calls = [
        *plan(TWO)[:7],
        place(2, "RQ-23", 6),
        change(2, 8, "imager"),
        place(2, "RQ-22", 9),
        *plan(TWO)[10:],
    ]
    assert {"nova", "to-imager", "comet"} <= wrong(TWO, calls)


def test_leaving_a_request_out_to_save_a_change_fails() -> None:
    calls = [*plan(TWO)[:8], submit(2, "RQ-22"), plan(TWO)[-1]]
    assert {"comet", "to-imager", "submitted", "two-changes"} <= wrong(TWO, calls)


def test_leaving_the_draft_as_it_is_fails() -> None:
    both = plan(DRAFT)
    calls = [*both[:6], both[8], both[9], submit(3, "RQ-31"), both[-1]]
    assert {"cleared", "transit", "submitted", "seen-transit"} <= wrong(DRAFT, calls)


def test_squeezing_the_lowest_request_in_under_the_moon_fails() -> None:
    both = plan(DRAFT)
    calls = [*both[:8], place(3, "RQ-33", 1), *both[8:10], submit(3), both[-1]]
    assert {"lowest-squeezed-in", "submitted"} <= wrong(DRAFT, calls)


def test_a_change_in_a_good_slot_fails_and_in_either_closed_one_passes() -> None:
    calls = plan(DRAFT)
    calls[8] = change(3, 7, "spectrograph")
    assert "changed" in wrong(DRAFT, calls)
    calls[8] = change(3, 6, "spectrograph")
    assert judge(DRAFT, calls, answer_of(SHIPPED.task(DRAFT)))[0] == "pass"


@pytest.mark.parametrize(
    ("steps", "part"),
    [
        ([place(1, "RQ-21", 1)], "no request RQ-21"),
        ([place(1, "RQ-12", 9)], "ends with slot 10"),
        ([place(1, "RQ-12", 1), place(1, "RQ-12", 5)], "placed already"),
        ([place(1, "RQ-12", 1), place(1, "RQ-11", 3)], "slot 3 is used for RQ-12"),
        ([place(2, "RQ-21", 1)], "needs the spectrograph"),
        ([change(1, 1, "imager")], "anyway"),
        ([place(2, "RQ-22", 8), change(2, 1, "spectrograph")], "RQ-22 needs the imager"),
        ([call("clear_slots", night="NT-3", first_slot=3, last_slot=3)], "cut in two"),
        ([call("clear_slots", night="NT-3", first_slot=4, last_slot=3)], "before"),
        ([call("clear_slots", night="NT-1", first_slot=1, last_slot=10)], "free already"),
        (
            [
                change(2, 1, "spectrograph"),
                place(2, "RQ-21", 2),
                call("clear_slots", night="NT-2", first_slot=1, last_slot=1),
            ],
            "needs the spectrograph",
        ),
        ([submit(1)], "RQ-11, RQ-12"),
        ([submit(1, "RQ-11", "RQ-12"), place(1, "RQ-12", 1)], "is submitted"),
    ],
)
def test_the_scheduler_refuses_what_can_not_be(steps: list[PlannedCall], part: str) -> None:
    assert part in observe(RIDGE, *steps)["error"]
