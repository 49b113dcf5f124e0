"""Property valuation: income that ends, rents by quarter, one-off costs, a colleague's wrong draft."""

from __future__ import annotations

import pytest

from replaylab.schema.scenario import PlannedCall
from tests.scenarios.play import SHIPPED, answer_of, call, failed, observe, plan_of

DESK = "lender-valuation-desk"
EASY, COVER, DRAFT = "valuation-station-row", "valuation-harbour-court", "valuation-mill-yard-draft"


def with_figures(task: str, answer: str = "", **figures: float) -> set[str]:
    """What fails when the plan's draft has other figures, made consistent by the rate of the property."""
    found = SHIPPED.task(task)
    calls = [
        one.model_copy(update={"arguments": {**one.arguments, **figures}})
        if one.tool == "draft_valuation"
        else one
        for one in plan_of(found)
    ]
    return failed(task, calls, answer or answer_of(found))


def without(task: str, tool: str, **arguments: object) -> list[PlannedCall]:
    return [
        one for one in plan_of(SHIPPED.task(task)) if (one.tool, one.arguments) != (tool, dict(arguments))
    ]


def test_counting_the_signage_that_ends_fails() -> None:
    wrong = with_figures(EASY, gross_income=91440, vacancy_allowance=4572, noi=69710, value=871375)
    assert {"drafted", "wrong-gross"} <= wrong


def test_counting_the_canopy_as_a_yearly_cost_fails() -> None:
    assert "one-off-counted" in with_figures(EASY, expenses=24558, noi=60600, value=757500)


def test_a_value_at_another_rate_is_refused_and_fails() -> None:
    assert {"drafted", "value-follows"} <= with_figures(EASY, value=906667)


def test_a_debt_cover_on_income_that_ends_fails() -> None:
    found = SHIPPED.task(COVER)
    calls = [
        one.model_copy(update={"arguments": {**one.arguments, "debt_cover": 1.3, "covenant": "meets"}})
        if one.tool == "submit_valuation"
        else one
        for one in plan_of(found)
    ]
    answer = "PROP-21: NOI 233,670, value 3,115,600, debt cover 1.30x, the covenant is met."
    wrong = failed(COVER, calls, answer)
    assert {"submitted", "covenant-waved-through", "cover-follows", "says-noi", "says-cover"} <= wrong


def test_reading_only_the_first_page_of_the_rent_roll_fails() -> None:
    calls = without(COVER, "list_leases", property="PROP-21", page=2)
    assert {"page-2", "page-2-before-draft"} <= failed(COVER, calls, answer_of(SHIPPED.task(COVER)))


@pytest.mark.parametrize("task", [EASY, COVER, DRAFT])
def test_not_looking_after_the_submission_fails(task: str) -> None:
    assert "confirmed" in failed(task, plan_of(SHIPPED.task(task))[:-1], answer_of(SHIPPED.task(task)))


def test_not_looking_at_the_draft_before_it_is_final_fails() -> None:
    plan = plan_of(SHIPPED.task(COVER))
    assert failed(COVER, plan[:9] + plan[10:], answer_of(SHIPPED.task(COVER))) == {"draft-viewed"}


def test_submitting_the_colleagues_draft_fails() -> None:
    found = SHIPPED.task(DRAFT)
    calls = [one for one in plan_of(found) if one.tool != "draft_valuation"]
    calls = [
        one.model_copy(update={"arguments": {**one.arguments, "draft": "DV-301"}})
        if one.tool == "submit_valuation"
        else one
        for one in calls
    ]
    assert {"drafted", "old-draft-submitted", "confirmed"} <= failed(DRAFT, calls, answer_of(found))


def test_reading_quarterly_rents_as_monthly_fails() -> None:
    wrong = with_figures(DRAFT, gross_income=503100, vacancy_allowance=25155, noi=406845, value=5611655)
    assert {"drafted", "difference"} <= wrong


def test_leaving_out_a_surcharge_that_runs_to_the_very_day_fails() -> None:
    wrong = with_figures(DRAFT, gross_income=254700, vacancy_allowance=12735, noi=170865, value=2356759)
    assert "drafted" in wrong


@pytest.mark.parametrize(
    ("arguments", "part"),
    [
        ({"draft": "DV-301", "debt_cover": None, "covenant": "no_loan"}, "needs a debt_cover"),
        ({"draft": "DV-999", "debt_cover": 1.2, "covenant": "meets"}, "no draft DV-999"),
    ],
)
def test_a_submission_needs_an_open_draft_and_the_right_kind_of_cover(
    arguments: dict[str, object], part: str
) -> None:
    assert part in observe(DESK, call("submit_valuation", **arguments))["error"]


def test_figures_that_do_not_follow_from_one_another_are_refused() -> None:
    figures = {"gross_income": 89640, "vacancy_allowance": 4482, "expenses": 17158}
    draft = call("draft_valuation", property="PROP-34", **figures, noi=69000, value=862500)
    assert "noi is not" in observe(DESK, draft)["error"]
    draft = call("draft_valuation", property="PROP-34", **figures, noi=68000, value=800000)
    assert "value is not" in observe(DESK, draft)["error"]


def test_a_new_draft_supersedes_the_old_one_and_a_submitted_one_takes_none() -> None:
    plan = plan_of(SHIPPED.task(DRAFT))
    drafted = next(number for number, one in enumerate(plan) if one.tool == "draft_valuation")
    old = call("submit_valuation", draft="DV-301", debt_cover=1.27, covenant="meets")
    assert "superseded" in observe(DESK, *plan[: drafted + 1], old)["error"]
    assert "already submitted" in observe(DESK, *plan, plan[drafted])["error"]


def test_the_rent_roll_has_no_page_after_its_last() -> None:
    assert "2 pages" in observe(DESK, call("list_leases", property="PROP-47", page=3))["error"]
