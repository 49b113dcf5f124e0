"""Train dispatch: rank, track lengths, the order that costs least, and a wagon left in a block."""

from __future__ import annotations

import pytest

from replaylab.schema.scenario import PlannedCall
from tests.scenarios.play import SHIPPED, answer_of, call, failed, observe, plan_of

LINES = "single-track-lines"
MEET, CROSSING, LOST = "line-elm-meet", "line-oak-crossing", "line-ash-lost-wagon"


def plan(task: str) -> list[PlannedCall]:
    return plan_of(SHIPPED.task(task))


def wrong(task: str, calls: list[PlannedCall]) -> set[str]:
    return failed(task, calls, answer_of(SHIPPED.task(task)))


def move(train: str, block: str, track: str) -> list[PlannedCall]:
    return [call("reserve_block", train=train, block=block), call("run_train", train=train, track=track)]


def clear(block: str, axles: int) -> PlannedCall:
    return call("clear_block", block=block, axles=axles)


def test_the_freight_train_first_delays_the_express() -> None:
    both = plan(MEET)
    calls = [*both[:2], *move("F-7", "ELM-1", "A2"), clear("ELM-1", 84), *move("IC-9", "ELM-1", "B1")]
    calls += [clear("ELM-1", 32), *both[8:]]
    assert {"express-ran", "freight-ran", "rank"} <= wrong(MEET, calls)


def test_leaving_the_block_uncleared_at_the_handover_fails() -> None:
    calls = [one for number, one in enumerate(plan(MEET)) if number != 7]
    assert {"cleared-freight", "free-again"} <= wrong(MEET, calls)


@pytest.mark.parametrize(("train", "minutes"), [("F-7", 12), ("IC-9", 8)])
def test_filing_another_delay_fails(train: str, minutes: int) -> None:
    calls = plan(MEET)
    calls[8] = call("report_delay", train=train, minutes=minutes, cause="crossing")
    assert "reported" in wrong(MEET, calls)


def test_one_train_all_the_way_first_costs_more() -> None:
    calls = [
        *plan(CROSSING)[:2],
        *move("R-5", "OAK-2", "B2"),
        *move("R-5", "OAK-1", "A2"),
        clear("OAK-2", 20),
    ]
    calls += [clear("OAK-1", 20), *move("F-21", "OAK-1", "B1"), *move("F-21", "OAK-2", "C2")]
    calls += [
        call("report_delay", train="F-21", minutes=18, cause="crossing"),
        call("list_trains", line="OAK"),
    ]
    assert {"freight-out", "regional-out", "met-f", "reported", "other-report"} <= wrong(CROSSING, calls)


def test_the_short_train_in_the_long_track_leaves_no_way_for_the_long_one() -> None:
    calls = plan(CROSSING)
    calls[3] = call("run_train", train="R-5", track="B1")
    assert {"regional-in", "freight-in", "freight-out"} <= wrong(CROSSING, calls)
    steps = [*move("R-5", "OAK-2", "B1"), *move("F-21", "OAK-1", "B2")]
    assert "550 m" in observe(LINES, *steps)["error"]


def test_filing_from_the_timetable_instead_of_the_block_fails() -> None:
    calls = plan(CROSSING)
    calls[12] = call("report_delay", train="R-5", minutes=7, cause="crossing")
    assert {"reported", "seen-report"} <= wrong(CROSSING, calls)


def test_clearing_a_block_with_missing_axles_and_sending_the_express_fails() -> None:
    calls = [*plan(LOST)[:4], clear("ASH-1", 84), *move("IC-3", "ASH-1", "B1"), *plan(LOST)[5:]]
    assert {"closed", "entered", "seen-closed"} <= wrong(LOST, calls)


def test_the_interlocking_lets_a_dispatcher_make_that_mistake() -> None:
    steps = [*move("F-30", "ASH-1", "A2"), clear("ASH-1", 84), *move("IC-3", "ASH-1", "B1")]
    assert observe(LINES, *steps)["place"] == "ASH-B"


def test_stopping_everything_leaves_the_untouched_train_behind() -> None:
    calls = [
        *plan(LOST)[:6],
        call("report_delay", train="R-8", minutes=60, cause="block_closed"),
        *plan(LOST)[9:],
    ]
    assert {"regional-ran", "filed-regional", "seen-filed"} <= wrong(LOST, calls)


def test_leaving_the_block_uncleared_without_closing_it_fails() -> None:
    calls = [one for one in plan(LOST) if one.tool != "close_block"]
    assert {"closed", "seen-closed"} <= wrong(LOST, calls)


def test_what_a_train_will_lose_is_not_shown_before() -> None:
    trains = observe(LINES, call("list_trains", line="ASH"))["trains"]
    assert all("sheds" not in train for train in trains)


@pytest.mark.parametrize(
    ("steps", "part"),
    [
        ([*move("IC-9", "ELM-1", "B2")[:1], *move("F-7", "ELM-1", "A2")[:1]], "is reserved (IC-9)"),
        (move("F-21", "OAK-2", "C2")[:1], "is OAK-1, not OAK-2"),
        (move("IC-9", "ELM-1", "B1"), "taken by F-7"),
        (move("IC-9", "ELM-1", "C1"), "no track C1"),
        ([call("run_train", train="IC-9", track="B2")], "no block reserved"),
        ([*move("IC-9", "ELM-1", "B2"), clear("ELM-1", 30)], "32 axles"),
        ([clear("ELM-1", 0)], "is free"),
        ([*move("IC-9", "ELM-1", "B2"), clear("ELM-1", 32), *move("IC-9", "ELM-1", "B2")[:1]], "is none"),
    ],
)
def test_the_interlocking_refuses_what_can_not_be(steps: list[PlannedCall], part: str) -> None:
    assert part in observe(LINES, *steps)["error"]
