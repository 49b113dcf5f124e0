"""Production scheduling: changeovers that depend on the sequence, closed hours, rush orders, unconfirmed work."""

from __future__ import annotations

from itertools import permutations

import pytest

from replaylab.schema.scenario import PlannedCall
from tests.scenarios.play import SHIPPED, answer_of, call, failed, observe, plan_of

BOARD = "kessler-stamping"
METALS, COLOURS, RUSH = "scheduling-steel-and-brass", "scheduling-press-and-paint", "scheduling-rush-order"


def plan(job: str, operation: int, machine: str, start: str) -> PlannedCall:
    return call("plan_operation", job=job, operation=operation, machine=machine, start=f"2025-05-{start}:00Z")


def unplan(job: str, operation: int) -> PlannedCall:
    return call("unplan_operation", job=job, operation=operation)


def replaced(task: str, *plans: PlannedCall) -> set[str]:
    """What fails when other slots take the place of those of the plan."""
    found = SHIPPED.task(task)
    calls = plan_of(found)
    at = next(number for number, one in enumerate(calls) if one.tool == "plan_operation")
    rest = [one for one in calls[at:] if one.tool != "plan_operation"]
    return failed(task, [*calls[:at], *plans, *rest], answer_of(found))


def test_the_earliest_due_job_first_does_not_fit_before_the_maintenance() -> None:
    brass, steel = plan("JOB-72", 10, "PR-1", "05T07:30"), plan("JOB-71", 10, "PR-1", "05T10:00")
    assert "without a break" in observe(BOARD, brass, steel)["error"]
    late = plan("JOB-71", 10, "PR-1", "05T15:00")
    assert observe(BOARD, brass, late, call("get_job", job="JOB-71"))["late"] is True
    assert {"steel-before-brass", "steel-in-time"} <= replaced(METALS, brass, late)


def test_a_slot_that_ends_with_the_window_or_on_the_due_minute_is_in_time() -> None:
    calls = plan_of(SHIPPED.task(METALS))[:7]
    job = observe(BOARD, *calls, call("get_job", job="JOB-72"))
    assert (job["finish"], job["late"]) == (job["due"], False)


def test_black_before_white_is_late() -> None:
    slots = [
        plan("JOB-74", 10, "PR-2", "05T06:00"),
        plan("JOB-74", 20, "PT-1", "05T08:00"),
        plan("JOB-73", 10, "PR-2", "05T07:30"),
        plan("JOB-73", 20, "PT-1", "05T13:00"),
    ]
    assert "without a break" in observe(BOARD, *slots[:3], plan("JOB-73", 20, "PT-1", "05T10:00"))["error"]
    assert {"white-before-black", "white-in-time"} <= replaced(COLOURS, *slots)


def test_planning_paint_before_the_press_has_ended_is_refused() -> None:
    early = [plan("JOB-73", 10, "PR-2", "05T06:00"), plan("JOB-73", 20, "PT-1", "05T08:00")]
    assert "ends at" in observe(BOARD, *early)["error"]
    assert "not planned yet" in observe(BOARD, early[1])["error"]


def test_squeezing_the_rush_order_in_behind_makes_it_late() -> None:
    found = SHIPPED.task(RUSH)
    calls = [one for one in plan_of(found) if one.tool != "unplan_operation"]
    calls = [one for one in calls if one.tool != "plan_operation"]
    behind = [plan("JOB-76", 10, "PR-1", "06T10:00"), plan("JOB-76", 20, "PT-1", "06T13:00")]
    wrong = failed(RUSH, [*calls[:6], *behind, *calls[6:]], answer_of(found))
    assert {"rush-in-time", "paint-freed", "press-freed", "press-looked-at"} <= wrong


def test_forgetting_the_job_that_gave_way_fails() -> None:
    found = SHIPPED.task(RUSH)
    calls = plan_of(found)
    wrong = failed(RUSH, calls[:10] + calls[12:], answer_of(found))
    assert {"again-pressed", "again-painted", "other-in-time", "other-only-planned"} <= wrong


def test_releasing_the_unconfirmed_job_fails() -> None:
    found = SHIPPED.task(RUSH)
    calls = plan_of(found)
    wrong = failed(RUSH, [*calls[:13], call("release_job", job="JOB-75"), *calls[13:]], answer_of(found))
    assert wrong == {"unconfirmed-released", "other-only-planned"}


def test_trying_to_move_released_work_fails() -> None:
    found = SHIPPED.task(RUSH)
    calls = plan_of(found)
    attempt = unplan("JOB-77", 10)
    assert "released" in observe(BOARD, attempt)["error"]
    assert failed(RUSH, [*calls[:6], attempt, *calls[6:]], answer_of(found)) == {"released-moved"}


@pytest.mark.parametrize("task", [METALS, COLOURS])
def test_touching_another_job_fails(task: str) -> None:
    found = SHIPPED.task(task)
    calls = plan_of(found)
    assert failed(task, [*calls[:6], unplan("JOB-75", 20), *calls[6:]], answer_of(found)) == {"other-job"}


@pytest.mark.parametrize(("task", "looks"), [(METALS, 1), (COLOURS, 2), (RUSH, 2)])
def test_every_look_at_the_end_is_due(task: str, looks: int) -> None:
    calls = plan_of(SHIPPED.task(task))
    for number in range(len(calls) - looks, len(calls)):
        assert failed(task, calls[:number] + calls[number + 1 :], answer_of(SHIPPED.task(task)))


@pytest.mark.parametrize("task", [METALS, COLOURS])
def test_releasing_in_place_of_planning_is_refused(task: str) -> None:
    calls = [one for one in plan_of(SHIPPED.task(task)) if one.tool == "release_job"]
    assert "only a planned job" in observe(BOARD, calls[0])["error"]


def test_what_lies_behind_has_to_go_first() -> None:
    assert "later operation" in observe(BOARD, unplan("JOB-75", 10))["error"]
    added = plan("JOB-76", 10, "PR-1", "06T10:00")
    assert "later slot" in observe(BOARD, added, unplan("JOB-75", 20), unplan("JOB-75", 10))["error"]


@pytest.mark.parametrize(
    ("one", "part"),
    [
        (plan("JOB-71", 10, "PR-2", "05T07:30"), "can't do"),
        (plan("JOB-71", 10, "PR-1", "05T07:00"), "taken until"),
        (plan("JOB-71", 10, "PR-1", "05T13:30"), "without a break"),
        (plan("JOB-71", 10, "PR-1", "08T07:30"), "without a break"),
        (plan("JOB-71", 10, "PR-1", "05T09:75"), "no moment"),
        (plan("JOB-71", 20, "PR-1", "05T07:30"), "no operation 20"),
        (plan("JOB-75", 10, "PR-1", "06T10:00"), "already planned"),
        (unplan("JOB-71", 10), "not planned"),
        (call("release_job", job="JOB-70"), "released"),
    ],
)
def test_the_board_refuses(one: PlannedCall, part: str) -> None:
    assert part in observe(BOARD, one)["error"]


def test_only_one_order_of_the_two_metals_is_in_time() -> None:
    minutes = {"JOB-71": 120, "JOB-72": 90}
    in_time = []
    for order in permutations(minutes):
        calls, at = [], 7 * 60 + 30
        for job in order:
            calls.append(plan(job, 10, "PR-1", f"05T{at // 60:02}:{at % 60:02}"))
            at += minutes[job] + 60 * (job == "JOB-72")
        jobs = [observe(BOARD, *calls, call("get_job", job=job)) for job in order]
        in_time += [order] if all(job["late"] is False for job in jobs) else []
    assert in_time == [("JOB-71", "JOB-72")]
