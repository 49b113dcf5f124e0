"""Recalls: the graph is walked to its end, nothing else is held, and the kilograms add up."""

from __future__ import annotations

import pytest

from replaylab.schema.scenario import PlannedCall
from tests.scenarios.play import SHIPPED, call, observe
from tests.scenarios.wrong import added, at, caught, changed, moved, plan, without

PLANT = "bar-factory-lot-graph"
NUTS, CHOCOLATE, CONTACT = "recall-hazelnuts", "recall-drinking-chocolate", "recall-peanut-contact"


def lots_of(task: str) -> list[str]:
    lots: list[str] = plan(task)[at(task, "hold_lots")].arguments["lots"]
    return lots


def holding(task: str, lots: list[str]) -> list[PlannedCall]:
    return changed(task, at(task, "hold_lots"), lots=lots)


@pytest.mark.parametrize("task", [NUTS, CHOCOLATE, CONTACT])
def test_leaving_any_affected_lot_out_of_the_hold_fails(task: str) -> None:
    for name in lots_of(task):
        rest = [lot for lot in lots_of(task) if lot != name]
        assert "all-held" in caught(task, holding(task, rest))


@pytest.mark.parametrize(
    ("task", "lot"),
    [
        (NUTS, "OA-22"),
        (CHOCOLATE, "MP-71"),
        (CHOCOLATE, "B-411"),
        (CHOCOLATE, "F-503"),
        (CHOCOLATE, "CO-05"),
        (CONTACT, "B-440"),
        (CONTACT, "F-525"),
        (CONTACT, "B-443"),
        (CONTACT, "B-439"),
    ],
)
def test_holding_what_is_not_affected_fails(task: str, lot: str) -> None:
    assert caught(task, holding(task, [*lots_of(task), lot])) == {"held-too-much"}


def test_stopping_at_the_packed_goods_misses_the_rework() -> None:
    first = [lot for lot in lots_of(CHOCOLATE) if lot not in ("B-415", "F-505")]
    calls = [
        one
        for one in holding(CHOCOLATE, first)
        if one.arguments.get("lot") not in ("B-415", "F-505") and one.arguments.get("customer") != "C-16"
    ]
    number = next(place for place, one in enumerate(calls) if one.tool == "submit_report")
    report = {"source": "MP-17", "lots": first, "shipped_kg": 860, "held_kg": 472, "missing_kg": 8}
    calls[number] = call("submit_report", **report)
    wrong = caught(CHOCOLATE, calls)
    assert {"all-held", "traced-first", "told-c-16", "reported", "lots-reported", "confirmed"} <= wrong


def test_naming_the_other_ingredient_as_the_source_fails() -> None:
    calls = changed(CHOCOLATE, at(CHOCOLATE, "submit_report"), source="CO-05")
    assert {"reported"} <= caught(CHOCOLATE, calls)
    number = at(CHOCOLATE, "get_lot", lot="CO-05")
    assert caught(CHOCOLATE, without(CHOCOLATE, number)) == {"source-found"}


def test_taking_a_dry_cleaning_for_the_end_of_a_contact_fails() -> None:
    half = ["B-441", "F-551"]
    calls = [
        one for one in holding(CONTACT, half) if one.arguments.get("customer") not in ("C-14", "C-15", "C-17")
    ]
    wrong = caught(CONTACT, calls)
    assert {"all-held", "told-c-14", "told-c-15", "told-c-17", "wholesaler-asked"} <= wrong


def test_forgetting_whom_the_wholesaler_supplies_fails() -> None:
    calls = without(
        CONTACT,
        at(CONTACT, "notify_customer", customer="C-15"),
        at(CONTACT, "notify_customer", customer="C-17"),
    )
    assert {"told-c-15", "told-c-17"} <= caught(CONTACT, calls)


@pytest.mark.parametrize("task", [NUTS, CHOCOLATE, CONTACT])
def test_telling_customers_who_have_nothing_of_it_fails(task: str) -> None:
    customer = "C-16" if task != CHOCOLATE else "C-14"
    extra = call("notify_customer", customer=customer, lots=lots_of(task)[-1:])
    assert caught(task, added(task, at(task, "submit_report"), extra)) == {"told-too-many"}


def test_telling_a_customer_of_lots_that_they_did_not_get_fails() -> None:
    for task, customer, lot in (
        (NUTS, "C-11", "F-532"),
        (CHOCOLATE, "C-11", "F-503"),
        (CONTACT, "C-12", "F-552"),
    ):
        extra = call("notify_customer", customer=customer, lots=[lot])
        wrong = caught(task, added(task, at(task, "submit_report"), extra))
        assert wrong == {f"told-too-much-{customer.lower()}"}


def test_notices_before_the_hold_and_notices_after_the_report_fail() -> None:
    hold = at(NUTS, "hold_lots")
    assert caught(NUTS, moved(NUTS, hold, hold + 1)) == {"held-before-notices"}
    report = at(NUTS, "submit_report")
    assert "report-last" in caught(NUTS, moved(NUTS, report, report - 1))


@pytest.mark.parametrize(
    "sums",
    [
        {"shipped_kg": 750},
        {"held_kg": 45},
        {"missing_kg": 0},
    ],
    ids=["a batch counted as shipped", "the ingredient on hand forgotten", "nothing missing"],
)
def test_sums_that_do_not_add_up_fail(sums: dict[str, float]) -> None:
    assert "reported" in caught(NUTS, changed(NUTS, at(NUTS, "submit_report"), **sums))


def test_one_trace_is_one_step() -> None:
    forward = observe(PLANT, call("trace_forward", lot="MP-17"))
    assert [one["lot"] for one in forward["used_in"]] == ["B-410", "B-414"]
    rework = observe(PLANT, call("trace_forward", lot="F-502"))
    assert [(one["lot"], one["kg"]) for one in rework["used_in"]] == [("B-415", 60)]
    assert [one["lot"] for one in observe(PLANT, call("trace_back", lot="B-415"))["inputs"]] == [
        "B-411",
        "F-502",
    ]


def test_only_the_lots_that_tasks_ask_for_miss_anything() -> None:
    state = SHIPPED.environment(PLANT).initial_state
    missing = {}
    for name, lot in state["lots"].items():
        used = sum(
            part["kg"] for one in state["lots"].values() for part in one["inputs"] if part["lot"] == name
        )
        shipped = sum(one["kg"] for one in state["shipments"].values() if one["lot"] == name)
        missing[name] = lot["made_kg"] - used - shipped - lot["on_hand_kg"]
    assert {name: kg for name, kg in missing.items() if kg} == {"F-504": 8, "F-532": 5}


def test_what_cannot_be_done_is_refused() -> None:
    hold = call("hold_lots", lots=["F-531", "F-532"], reason="peanut in the nuts")
    again = call("hold_lots", lots=["HN-08", "F-531"], reason="peanut in the nuts")
    assert "held already" in observe(PLANT, hold, again)["error"]
    assert observe(PLANT, hold, again, call("get_lot", lot="HN-08"))["status"] == "released"
    report = plan(NUTS)[at(NUTS, "submit_report")]
    assert "report for HN-08 already" in observe(PLANT, report, report)["error"]
    assert "no lot F-999" in observe(PLANT, call("notify_customer", customer="C-11", lots=["F-999"]))["error"]
