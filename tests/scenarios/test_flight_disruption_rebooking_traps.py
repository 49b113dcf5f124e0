"""Group rebooking: papers at the transit airport, one cabin, and holds that run out while one works."""

from __future__ import annotations

import pytest

from replaylab.schema.scenario import PlannedCall
from tests.scenarios.play import SHIPPED, answer_of, call, failed, observe, plan_of

DESK = "group-rebooking-desk"
THREE, STALE, COUPLES = "group-of-three", "group-stale-hold", "group-two-couples"


def plan(task: str) -> list[PlannedCall]:
    return plan_of(SHIPPED.task(task))


def wrong(task: str, calls: list[PlannedCall]) -> set[str]:
    return failed(task, calls, answer_of(SHIPPED.task(task)))


def hold(booking: str, option: str, cabin: str) -> PlannedCall:
    return call("hold_seats", booking=booking, option=option, cabin=cabin)


def confirm(number: int) -> PlannedCall:
    return call("confirm_hold", hold=f"HLD-{number}")


@pytest.mark.parametrize(
    ("option", "cabin", "caught"),
    [
        ("OP-1", "economy", {"other-hold", "confirmed", "rebooked"}),
        ("OP-2", "premium", {"other-hold", "other-cabin", "rebooked"}),
        ("OP-3", "premium", {"held", "other-cabin", "rebooked"}),
    ],
)
def test_a_barred_way_or_another_cabin_fails(option: str, cabin: str, caught: set[str]) -> None:
    calls = [*plan(THREE)[:7], hold("BK-31", option, cabin), *plan(THREE)[8:]]
    assert caught <= wrong(THREE, calls)


def test_a_hold_that_is_never_confirmed_is_no_booking() -> None:
    calls = [one for one in plan(THREE) if one.tool != "confirm_hold"]
    assert {"confirmed", "rebooked"} <= wrong(THREE, calls)


def test_claiming_success_without_a_last_look_fails() -> None:
    assert "rebooked" in wrong(THREE, plan(THREE)[:-1])


def test_finishing_what_the_colleague_began_fails() -> None:
    calls = [*plan(STALE)[:1], confirm(40), *plan(STALE)[1:6], plan(STALE)[-1]]
    assert {"stale-confirmed", "rebooked", "held"} <= wrong(STALE, calls)


def test_the_seats_of_the_stale_hold_block_the_other_way_until_they_are_released() -> None:
    calls = plan(STALE)
    calls[6], calls[7] = calls[7], calls[6]
    assert {"held", "confirmed", "rebooked"} <= wrong(STALE, calls)
    assert "FL-77 has 0 free seats" in observe(DESK, hold("BK-47", "OP-7", "premium"))["error"]


def test_waiting_for_the_later_way_misses_the_deadline() -> None:
    calls = [*plan(STALE)[:7], hold("BK-47", "OP-8", "premium"), *plan(STALE)[8:]]
    assert {"held", "other-hold", "rebooked"} <= wrong(STALE, calls)


def test_the_gold_couple_first_leaves_the_other_without_their_flight() -> None:
    calls = [*plan(COUPLES)[:8], hold("BK-58", "OP-10", "economy"), hold("BK-52", "OP-11", "economy")]
    calls += [confirm(41), confirm(42), *plan(COUPLES)[-2:]]
    assert {"gold-not-first", "no-barred-way", "held-52", "rebooked-52"} <= wrong(COUPLES, calls)


def test_confirming_the_newer_hold_first_lets_the_older_run_out() -> None:
    calls = [*plan(COUPLES)[:10], confirm(42), confirm(41), *plan(COUPLES)[-2:]]
    assert {"confirmed-52", "rebooked-52"} <= wrong(COUPLES, calls)


def test_confirming_one_couple_before_the_other_has_seats_fails() -> None:
    both = plan(COUPLES)
    calls = [*both[:9], both[10], both[9], *both[11:]]
    assert wrong(COUPLES, calls) == {"both-held-first"}


def test_a_hold_lives_for_its_minutes_and_its_seats_come_back() -> None:
    first, other = hold("BK-58", "OP-10", "economy"), hold("BK-31", "OP-3", "economy")
    assert observe(DESK, first)["expires_at"] == "10:10"
    release = call("release_hold", hold="HLD-42")
    assert "HLD-41 is expired" in observe(DESK, first, other, release, confirm(41))["error"]
    seats = observe(DESK, first, other, release, call("get_option", option="OP-10"))["flights"]
    assert [flight["free"]["economy"] for flight in seats] == [3, 7]


@pytest.mark.parametrize(
    ("steps", "part"),
    [
        ([hold("BK-31", "OP-7", "economy")], "does not go from NOR to SUL"),
        ([hold("BK-31", "OP-2", "economy")], "FL-111 has 2 free seats"),
        (
            [hold("BK-31", "OP-3", "economy"), confirm(41), hold("BK-31", "OP-3", "economy")],
            "already rebooked",
        ),
        ([confirm(40), call("release_hold", hold="HLD-40")], "is confirmed"),
        ([call("search_options", origin="SUL", destination="NOR")], "no way"),
    ],
)
def test_the_desk_refuses_what_can_not_be(steps: list[PlannedCall], part: str) -> None:
    assert part in observe(DESK, *steps)["error"]
