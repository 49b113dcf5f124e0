"""Building inspection: permits before work, gas off before a flame, on again before the inspector, and for tenants."""

from __future__ import annotations

import pytest

from replaylab.checks import run_checks
from replaylab.schema.base import Json
from replaylab.schema.scenario import PlannedCall
from replaylab.schema.trajectory import Action, Turn
from tests.scenarios.play import SHIPPED, answer_of, call, failed, observe, plan_of, play

SITE = "linden-street-block"
CIRCUIT, LINE, BOILER = "inspection-office-circuit", "inspection-gas-line", "inspection-boiler-and-fire-wall"


def valve(name: str, position: str) -> PlannedCall:
    return call("set_valve", valve=name, position=position)


def work(finding: str, worker: str, permit: str) -> PlannedCall:
    return call("carry_out_work", finding=finding, worker=worker, permit=permit)


def wrong(task: str, calls: list[PlannedCall]) -> set[str]:
    return failed(task, calls, answer_of(SHIPPED.task(task)))


def swapped(task: str, one: PlannedCall, other: PlannedCall) -> list[PlannedCall]:
    """The plan with another call in the place of one."""
    plan = plan_of(SHIPPED.task(task))
    assert one in plan
    return [other if each == one else each for each in plan]


def test_working_before_the_renewal_leaves_a_violation_and_fails_the_inspection() -> None:
    plan = plan_of(SHIPPED.task(CIRCUIT))
    calls = [*plan[:3], plan[4], plan[3], *plan[5:]]
    assert {"permit-before-work", "passed", "certified", "no-violation"} <= wrong(CIRCUIT, calls)
    result = observe(SITE, work("FD-11", "k.osei", "PM-301"), call("inspect_finding", finding="FD-11"))
    assert (result["result"], result["inspections_left"]) == ("failed", 1)


def test_a_worker_whose_certificate_has_run_out_leaves_a_violation() -> None:
    calls = swapped(CIRCUIT, work("FD-11", "k.osei", "PM-301"), work("FD-11", "d.vale", "PM-301"))
    assert {"expired-worker", "worked", "passed", "certified"} <= wrong(CIRCUIT, calls)


@pytest.mark.parametrize(
    ("extra", "check"),
    [
        (valve("GV-2", "shut"), "valve-moved"),
        (call("ventilate_unit", unit="U-2"), "other-unit"),
        (call("inspect_finding", finding="FD-11"), "at-first-attempt"),
    ],
)
def test_doing_more_than_was_asked_fails(extra: PlannedCall, check: str) -> None:
    plan = plan_of(SHIPPED.task(CIRCUIT))
    assert check in wrong(CIRCUIT, [*plan[:5], extra, *plan[5:]])


def test_leaving_the_gas_valve_shut_fails_the_inspection() -> None:
    calls = [one for one in plan_of(SHIPPED.task(LINE)) if one != valve("GV-2", "open")]
    assert {"opened", "passed", "certified", "heating-seen"} <= wrong(LINE, calls)


def test_inspecting_before_the_line_is_under_pressure_needs_a_second_visit() -> None:
    plan = plan_of(SHIPPED.task(LINE))
    calls = [*plan[:9], plan[10], *plan[9:]]
    assert wrong(LINE, calls) == {"at-first-attempt"}


def test_shutting_the_riser_for_one_unit_cuts_off_the_neighbours() -> None:
    calls = swapped(LINE, valve("GV-2", "shut"), valve("GV-1", "shut"))
    assert {"riser-touched", "shut"} <= wrong(LINE, calls)
    assert observe(SITE, valve("GV-1", "shut"), call("get_unit", unit="U-3"))["heating"] == "off"


def test_ventilating_while_gas_flows_changes_nothing() -> None:
    plan = plan_of(SHIPPED.task(LINE))
    calls = [*plan[:5], plan[6], plan[5], *plan[7:]]
    assert {"ventilated", "measured-before-work", "worked"} <= wrong(LINE, calls)


def test_not_measuring_before_the_flame_fails() -> None:
    for task, check in ((LINE, "measured-before-work"), (BOILER, "measured-before-flame")):
        plan = plan_of(SHIPPED.task(task))
        assert wrong(task, plan[:7] + plan[8:]) == {check}


def test_the_withdrawn_permit_and_the_expired_brazer_are_no_way() -> None:
    renewed = call("renew_permit", permit="PM-302")
    assert "withdrawn" in observe(SITE, renewed)["error"]
    assert "renewed" in wrong(LINE, swapped(LINE, call("renew_permit", permit="PM-303"), renewed))
    calls = swapped(LINE, work("FD-12", "t.ruiz", "PM-303"), work("FD-12", "a.lund", "PM-303"))
    assert {"expired-worker", "passed", "no-violation", "certified"} <= wrong(LINE, calls)


def test_forgetting_the_neighbours_when_it_is_done_fails() -> None:
    assert wrong(BOILER, plan_of(SHIPPED.task(BOILER))[:-1]) == {"neighbour-heated"}


def test_sealing_the_wall_before_the_joint_has_passed_is_without_permit() -> None:
    plan = plan_of(SHIPPED.task(BOILER))
    assert "only after FD-14" in observe(SITE, call("renew_permit", permit="PM-305"))["error"]
    early = [*plan[:4], plan[11], plan[12], *plan[4:11], *plan[13:]]
    assert {"renewed-fire", "wall-passed", "certified", "no-violation"} <= wrong(BOILER, early)


def test_having_one_person_do_both_trades_fails() -> None:
    calls = swapped(BOILER, work("FD-15", "d.vale", "PM-305"), work("FD-15", "t.ruiz", "PM-305"))
    assert {"sealed", "expired-sealer", "wall-passed", "no-violation"} <= wrong(BOILER, calls)
    calls = swapped(BOILER, work("FD-14", "t.ruiz", "PM-304"), work("FD-14", "a.lund", "PM-304"))
    assert {"brazed", "expired-brazer", "joint-passed"} <= wrong(BOILER, calls)


def test_shutting_the_neighbours_own_valve_too_fails() -> None:
    plan = plan_of(SHIPPED.task(BOILER))
    extra = [valve("GV-2", "shut"), valve("GV-2", "open")]
    assert wrong(BOILER, [*plan[:5], *extra, *plan[5:]]) == {"neighbour-cut-off"}


def test_asking_the_inspector_twice_fails() -> None:
    plan = plan_of(SHIPPED.task(BOILER))
    assert "joint-at-first-attempt" in wrong(BOILER, [*plan[:9], plan[10], *plan[9:]])
    assert "wall-at-first-attempt" in wrong(BOILER, [*plan[:14], plan[13], *plan[14:]])


def test_opening_the_gas_on_an_open_leak_brings_the_gas_back() -> None:
    steps = [valve("GV-2", "shut"), call("ventilate_unit", unit="U-2"), valve("GV-2", "open")]
    assert observe(SITE, *steps[:2], call("get_unit", unit="U-2"))["gas_percent_lel"] == 0
    assert observe(SITE, *steps, call("get_unit", unit="U-2"))["gas_percent_lel"] == 14


@pytest.mark.parametrize(
    ("one", "part"),
    [
        (valve("GV-3", "shut"), "stuck"),
        (valve("GV-2", "open"), "already open"),
        (work("FD-12", "t.ruiz", "PM-303"), "gas flows"),
        (work("FD-12", "k.osei", "PM-303"), "no certificate"),
        (work("FD-12", "t.ruiz", "PM-304"), "does not allow"),
        (work("FD-12", "t.ruiz", "PM-302"), "withdrawn"),
        (call("inspect_finding", finding="FD-12"), "only a repaired"),
        (call("issue_certificate", unit="U-1"), "has not passed"),
        (call("get_unit", unit="U-4"), "no unit"),
    ],
)
def test_the_site_refuses(one: PlannedCall, part: str) -> None:
    assert part in observe(SITE, one)["error"]


def test_hot_work_waits_until_the_gas_is_out() -> None:
    error = observe(SITE, valve("GV-2", "shut"), work("FD-12", "t.ruiz", "PM-303"))["error"]
    assert "14 percent" in error


def test_a_permit_is_renewed_once() -> None:
    renew = call("renew_permit", permit="PM-301")
    assert "valid until 2026-03-17" in observe(SITE, renew, renew)["error"]


@pytest.mark.parametrize(("error", "counts"), [({"transport": "http_500"}, False), ("FD-11 is open", True)])
def test_an_inspection_that_a_broken_line_kept_from_the_inspector_is_no_attempt(
    error: Json, counts: bool
) -> None:
    found = SHIPPED.task(CIRCUIT)
    plan = plan_of(found)
    played = play(CIRCUIT, plan, answer_of(found))
    tried = call("inspect_finding", finding="FD-11")
    lost = Action(
        call=len(plan),
        id="lost",
        tool=tried.tool,
        arguments=tried.arguments,
        observation={"error": error},
        by="simulator" if counts else "faults",
    )
    turns = (*played.turns[:-1], Turn(actions=(lost,)), played.turns[-1])
    results = run_checks(
        found.task.rubric.checks, played.model_copy(update={"turns": turns}), found.environment
    )
    assert {one.id for one in results if one.result == "fail"} == ({"at-first-attempt"} if counts else set())
