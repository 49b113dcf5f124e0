"""Permits: days are counted from the right day, two people sign, and ties, fees and objections are heeded."""

from __future__ import annotations

import pytest

from tests.scenarios.play import call, observe
from tests.scenarios.wrong import added, at, caught, changed

OFFICE = "town-permit-office"
INTAKE, SIGNS, BACKLOG = "permit-intake-check", "permit-sign-decisions", "permit-extension-backlog"


@pytest.mark.parametrize(
    ("documents", "checks"),
    [
        (["structural_calculation"], {"old-plan-too"}),
        (["site_plan"], {"letter"}),
        (["site_plan", "structural_calculation", "application_form"], {"asked-too-much"}),
    ],
)
def test_a_letter_asks_for_what_is_missing_or_too_old_and_no_more(
    documents: list[str], checks: set[str]
) -> None:
    assert checks <= caught(INTAKE, changed(INTAKE, at(INTAKE, "request_documents"), documents=documents))


def test_another_due_day_fails() -> None:
    calls = changed(INTAKE, at(INTAKE, "request_documents"), due_on="2025-09-30")
    assert "letter" in caught(INTAKE, calls)


def test_counting_the_age_of_a_document_up_to_today_fails() -> None:
    letter = call(
        "request_documents", application="PA-2207", documents=["elevation_drawing"], due_on="2025-10-06"
    )
    calls = [letter if one.tool == "confirm_complete" else one for one in changed(INTAKE, 0)]
    assert {"sound-one-delayed", "complete"} <= caught(INTAKE, calls)


def test_taking_an_application_out_of_turn_fails() -> None:
    extra = call("confirm_complete", application="PA-2212")
    assert caught(INTAKE, added(INTAKE, 4, extra)) == {"out-of-turn"}


def test_the_system_lets_an_old_document_pass_and_the_checks_do_not() -> None:
    calls = changed(INTAKE, 0)
    calls[4] = call("confirm_complete", application="PA-2205")
    assert "missing" in observe(OFFICE, calls[4])["error"]
    assert {"old-plan-accepted", "letter"} <= caught(INTAKE, calls)


def test_deciding_on_the_last_day_of_a_period_fails() -> None:
    early = call("decide", application="PA-2192", officer="o-serra", decision="grant")
    wrong = caught(SIGNS, added(SIGNS, 7, early))
    assert {"decided-too-early", "confirmed-2192"} <= wrong


def test_an_officer_with_a_tie_fails_though_the_grade_fits() -> None:
    head = changed(SIGNS, at(SIGNS, "decide"), officer="o-amari")
    assert {"tied-head", "decided-2190"} <= caught(SIGNS, head)
    planner = changed(SIGNS, at(SIGNS, "recommend", application="PA-2192"), officer="o-pike")
    assert {"tied-planner", "recommended-2192"} <= caught(SIGNS, planner)
    board = changed(BACKLOG, at(BACKLOG, "decide"), officer="o-vance")
    assert {"tied-officer", "granted"} <= caught(BACKLOG, board)


def test_an_untied_planner_of_either_name_is_right() -> None:
    calls = changed(SIGNS, at(SIGNS, "recommend", application="PA-2190"), officer="o-pike")
    assert caught(SIGNS, calls) == set()


@pytest.mark.parametrize("day", ["2025-09-29", "2025-09-25", "2025-10-01"])
def test_a_hearing_on_a_day_that_was_counted_wrongly_fails(day: str) -> None:
    wrong = caught(BACKLOG, changed(BACKLOG, at(BACKLOG, "set_hearing"), on=day))
    assert {"hearing", "other-day", "confirmed-2178"} <= wrong


def test_deciding_before_the_fee_is_paid_or_over_an_objection_fails() -> None:
    unpaid = call("decide", application="PA-2180", officer="o-quill", decision="refuse")
    assert {"decided-without-fee", "confirmed-2180"} == caught(BACKLOG, added(BACKLOG, 8, unpaid))
    passed_over = call("recommend", application="PA-2178", officer="o-lund", recommendation="grant")
    assert "objection-passed-over" in caught(BACKLOG, added(BACKLOG, 5, passed_over))


def test_a_hearing_for_a_withdrawn_objection_or_a_needless_one_fails() -> None:
    extra = call("set_hearing", application="PA-2183", on="2025-09-30")
    assert caught(BACKLOG, added(BACKLOG, 5, extra)) == {"needless-hearing"}
    extra = call("set_hearing", application="PA-2192", on="2025-09-30")
    assert {"hearing"} <= caught(SIGNS, added(SIGNS, 5, extra))


def test_touching_other_applications_fails() -> None:
    extra = call("confirm_complete", application="PA-2207")
    assert caught(SIGNS, added(SIGNS, 5, extra)) == {"other-application"}
    assert caught(BACKLOG, added(BACKLOG, 5, extra)) == {"other-application"}


@pytest.mark.parametrize(
    ("officer", "part"),
    [("o-lund", "grade planner"), ("o-quill", "grade board"), ("o-nobody", "no officer")],
)
def test_a_decision_needs_the_grade_that_the_type_names(officer: str, part: str) -> None:
    first = call("recommend", application="PA-2190", officer="o-lund", recommendation="grant")
    decide = call("decide", application="PA-2190", officer=officer, decision="grant")
    assert part in observe(OFFICE, first, decide)["error"]


def test_there_is_no_decision_without_a_recommendation_nor_a_day_in_the_past() -> None:
    decide = call("decide", application="PA-2190", officer="o-serra", decision="grant")
    assert "at stage under_review" in observe(OFFICE, decide)["error"]
    hearing = call("set_hearing", application="PA-2178", on="2025-09-15")
    assert "not later" in observe(OFFICE, hearing)["error"]
