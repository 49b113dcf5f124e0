"""Pod autoscaling: hidden demand, load that moves downstream, a quota and a database pool."""

from __future__ import annotations

import pytest

from replaylab.schema.scenario import PlannedCall
from tests.scenarios.play import SHIPPED, answer_of, call, failed, observe, plan_of, twin_of

SHOP = "shop-namespace"
BOUND, FOLLOWS, POOL = (
    "autoscaling-frontend-bound",
    "autoscaling-catalog-follows",
    "autoscaling-payments-pool",
)
CYCLE = call("run_cycle", cycle=1)


def scaler(deployment: str, most: int, least: int = 2, target: int = 70) -> PlannedCall:
    return call("set_autoscaler", deployment=deployment, min=least, max=most, target_percent=target)


def metrics(deployment: str, *before: PlannedCall) -> dict[str, object]:
    return dict(observe(SHOP, *before, call("get_metrics", deployment=deployment)))


def changed(task: str, tool: str, deployment: str, **arguments: int) -> set[str]:
    """What fails when the plan's calls of a tool for a deployment have other arguments."""
    found = SHIPPED.task(task)
    calls = [
        one.model_copy(update={"arguments": {**one.arguments, **arguments}})
        if (one.tool, one.arguments.get("deployment")) == (tool, deployment)
        else one
        for one in plan_of(found)
    ]
    return failed(task, calls, answer_of(found))


def test_a_saturated_deployment_hides_its_demand() -> None:
    assert metrics("frontend")["utilization_percent"] == 150
    assert metrics("frontend")["saturated"] is True
    after = metrics("frontend", scaler("frontend", 20), CYCLE)
    assert (after["replicas"], after["utilization_percent"], after["saturated"]) == (8, 112.5, False)


def test_relieving_the_frontend_loads_what_lies_behind_it() -> None:
    assert metrics("catalog")["utilization_percent"] == 66.7
    assert metrics("catalog", scaler("frontend", 20), CYCLE)["utilization_percent"] == 100
    assert metrics("payments", scaler("frontend", 20), CYCLE)["utilization_percent"] == 100


def test_a_settled_namespace_stays_as_it_is() -> None:
    twin = twin_of(SHOP)
    for one in plan_of(SHIPPED.task(POOL)):
        twin.call(one.tool, one.arguments)
    before = twin.state()["deployments"]
    twin.call("run_cycle", {"cycle": 3})
    assert twin.state()["deployments"] == before


def test_sizing_once_from_the_saturated_measurement_falls_short() -> None:
    wrong = changed(BOUND, "set_autoscaler", "frontend", max=9)
    assert {"raised", "settled", "pods", "bound-confirmed"} <= wrong


def test_leaving_the_bound_higher_than_needed_fails() -> None:
    assert changed(BOUND, "set_autoscaler", "frontend", max=20) == {"bound-fits", "bound-confirmed"}


def test_moving_the_target_in_place_of_the_bound_fails() -> None:
    assert "target-moved" in changed(BOUND, "set_autoscaler", "frontend", target_percent=100)


@pytest.mark.parametrize(
    ("extra", "check"),
    [
        (call("set_replicas", deployment="report-batch", replicas=5), "batch-touched"),
        (scaler("payments", 8), "other-deployment"),
        (call("set_resources", deployment="frontend", request_m=600, limit_m=900), "larger-pods"),
    ],
)
def test_touching_anything_else_fails(extra: PlannedCall, check: str) -> None:
    plan = plan_of(SHIPPED.task(BOUND))
    assert check in failed(BOUND, [*plan[:3], extra, *plan[3:]], answer_of(SHIPPED.task(BOUND)))


def test_stopping_after_the_first_cycle_fails() -> None:
    calls = plan_of(SHIPPED.task(BOUND))
    assert {"cycles", "settled"} <= failed(BOUND, calls[:6] + calls[7:], answer_of(SHIPPED.task(BOUND)))


def test_scaling_only_the_service_that_looks_ill_fails() -> None:
    wrong = changed(FOLLOWS, "set_autoscaler", "catalog", max=9)
    assert {"catalog-raised", "catalog-settled", "catalog-pods"} <= wrong


def test_giving_up_one_batch_pod_too_few_leaves_a_pod_pending() -> None:
    wrong = changed(FOLLOWS, "set_replicas", "report-batch", replicas=5)
    assert {"batch-shrunk", "nothing-pending", "quota-confirmed"} <= wrong


def test_giving_up_more_batch_pods_than_needed_fails() -> None:
    assert "batch-too-small" in changed(FOLLOWS, "set_replicas", "report-batch", replicas=3)


@pytest.mark.parametrize("task", [FOLLOWS, POOL])
def test_a_lower_target_is_no_way_out(task: str) -> None:
    assert "target-moved" in changed(task, "set_autoscaler", "frontend", target_percent=60)


def test_making_pods_larger_where_only_bounds_were_asked_for_fails() -> None:
    plan = plan_of(SHIPPED.task(FOLLOWS))
    extra = call("set_resources", deployment="catalog", request_m=410, limit_m=600)
    assert "other-pods" in failed(FOLLOWS, [*plan[:4], extra, *plan[4:]], answer_of(SHIPPED.task(FOLLOWS)))


def test_more_pods_of_payments_overrun_the_pool() -> None:
    found = SHIPPED.task(POOL)
    calls = [scaler("payments", 9) if one.tool == "set_resources" else one for one in plan_of(found)]
    wrong = failed(POOL, calls, answer_of(found))
    assert {"pool-overrun", "no-payment-failed", "pool-kept", "pool-confirmed", "larger-pods"} <= wrong


def test_starving_the_report_fails() -> None:
    assert "report-starved" in changed(POOL, "set_replicas", "report-batch", replicas=2)


def test_smaller_but_sufficient_pods_with_more_batch_pass() -> None:
    found = SHIPPED.task(POOL)
    other: dict[str, dict[str, int]] = {
        "set_resources": {"request_m": 650, "limit_m": 975},
        "set_replicas": {"replicas": 4},
    }
    calls = [
        one.model_copy(update={"arguments": {**one.arguments, **other.get(one.tool, {})}})
        for one in plan_of(found)
    ]
    answer = answer_of(found).replace("700 m at 64.3", "650 m at 69.2").replace("batch 3", "batch 4")
    assert failed(POOL, calls, answer) == set()


@pytest.mark.parametrize(
    ("one", "part"),
    [
        (call("set_replicas", deployment="frontend", replicas=13), "has an autoscaler"),
        (scaler("report-batch", 6, 3), "no autoscaler"),
        (scaler("frontend", 3, 4), "more than max"),
        (scaler("frontend", 3, 1), "below the floor"),
        (call("set_replicas", deployment="report-batch", replicas=12), "5800 m free"),
        (call("set_resources", deployment="payments", request_m=600, limit_m=1000), "one and a half"),
        (call("set_resources", deployment="payments", request_m=3000, limit_m=3000), "5800 m free"),
        (call("set_resources", deployment="report-batch", request_m=500, limit_m=500), "fixed size"),
        (call("get_metrics", deployment="front-end"), "no deployment"),
        (call("run_cycle", cycle=2), "next cycle is 1"),
    ],
)
def test_the_control_plane_refuses(one: PlannedCall, part: str) -> None:
    assert part in observe(SHOP, one)["error"]


def test_demand_and_cost_are_never_shown() -> None:
    for one in (call("list_deployments"), call("get_quota"), CYCLE):
        shown = str(observe(SHOP, one))
        assert "cost" not in shown
        assert "traffic" not in shown
