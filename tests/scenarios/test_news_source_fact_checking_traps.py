"""Fact checking: copies, one house under two names, circles, retractions, and a gate that only counts."""

from __future__ import annotations

import pytest

from replaylab.schema.base import JsonObject
from replaylab.schema.scenario import PlannedCall
from tests.scenarios.play import SHIPPED, answer_of, call, failed, judge, observe, plan_of

DESK = "fact-desk"
BRIDGE, FIGURES, QUARREL = "check-bridge-closure", "check-reservoir-figures", "check-council-quarrel"


def plan(task: str) -> list[PlannedCall]:
    return plan_of(SHIPPED.task(task))


def wrong(task: str, calls: list[PlannedCall]) -> set[str]:
    return failed(task, calls, answer_of(SHIPPED.task(task)))


def link(claim: str, *sources: str, stance: str = "supports") -> PlannedCall:
    return call("link_evidence", claim=claim, sources=list(sources), stance=stance)


def decide(claim: str, verdict: str) -> PlannedCall:
    return call("set_verdict", claim=claim, verdict=verdict)


@pytest.mark.parametrize(
    ("sources", "caught"),
    [
        (("SRC-101", "SRC-102"), {"decisive", "no-copies"}),
        (("SRC-101", "SRC-104"), {"decisive"}),
        (("SRC-102", "SRC-103"), {"first-hand", "no-copies"}),
        (("SRC-101", "SRC-102", "SRC-103", "SRC-104"), {"no-copies", "two-only"}),
        (("SRC-101", "SRC-103", "SRC-104"), {"two-only"}),
    ],
)
def test_two_reports_that_are_one_fail_though_the_gate_lets_them_through(
    sources: tuple[str, ...], caught: set[str]
) -> None:
    calls = plan(BRIDGE)
    calls[6] = link("CL-11", *sources)
    assert caught <= wrong(BRIDGE, calls)
    assert observe(DESK, *calls[6:9])["status"] == "published"


def test_the_other_report_of_the_same_house_would_do_as_well() -> None:
    calls = plan(BRIDGE)
    calls[6] = link("CL-11", "SRC-104", "SRC-103")
    answer = (
        "Confirmed by SRC-104 and SRC-103. SRC-102 is a copy of SRC-101, which has the same owner as SRC-104."
    )
    assert judge(BRIDGE, calls, answer)[0] == "pass"


def test_deciding_from_the_list_of_names_fails() -> None:
    calls = [one for one in plan(BRIDGE) if one.tool != "get_source"]
    assert {"read-first", "owner-first"} <= wrong(BRIDGE, calls)


def test_taking_the_other_unit_for_a_contradiction_fails() -> None:
    calls = plan(FIGURES)
    calls[4:6] = [link("CL-21", "SRC-201", "SRC-202", stance="contradicts"), decide("CL-21", "refuted")]
    calls.insert(6, call("amend_claim", claim="CL-21", action="correct", text="It holds 4,200 litres."))
    assert {"volume-verdict", "volume-kept"} <= wrong(FIGURES, calls)


def test_counting_a_retracted_page_and_its_copy_fails() -> None:
    calls = plan(FIGURES)
    calls[4] = link("CL-21", "SRC-203", "SRC-204")
    assert wrong(FIGURES, calls) == {"volume-proof"}


def test_striking_what_could_be_corrected_fails() -> None:
    calls = plan(FIGURES)
    calls[11] = call("amend_claim", claim="CL-22", action="strike")
    assert {"corrected", "year-in-print"} <= wrong(FIGURES, calls)


def test_a_correction_to_another_year_fails() -> None:
    calls = plan(FIGURES)
    calls[11] = call("amend_claim", claim="CL-22", action="correct", text="It was opened in 1968.")
    assert {"corrected", "year-in-print"} <= wrong(FIGURES, calls)


def test_three_reports_in_a_circle_confirm_nothing() -> None:
    calls = plan(QUARREL)
    calls[5:7] = [link("CL-31", "SRC-301", "SRC-302", "SRC-303"), decide("CL-31", "confirmed")]
    assert {"quote-verdict", "struck", "quote-gone"} <= wrong(QUARREL, calls)


def test_a_retracted_report_is_no_second_proof() -> None:
    calls = plan(QUARREL)
    calls[11] = link("CL-32", "SRC-311", "SRC-312")
    assert wrong(QUARREL, calls) == {"vote-proof"}


def test_stopping_the_trail_after_one_step_fails() -> None:
    calls = [one for one in plan(QUARREL) if one.arguments.get("source") not in ("SRC-302", "SRC-303")]
    assert {"read-302", "read-303", "trail-first"} <= wrong(QUARREL, calls)


def test_giving_up_on_the_article_fails() -> None:
    calls = [one for one in plan(QUARREL) if one.tool != "publish_article"]
    assert {"published", "out"} <= wrong(QUARREL, calls)


STRIKE: JsonObject = {"claim": "CL-31", "action": "strike"}


@pytest.mark.parametrize(
    ("steps", "part"),
    [
        ([link("CL-11", "SRC-201")], "is about CL-21"),
        ([link("CL-11", "SRC-101", "SRC-101")], "already linked"),
        ([link("CL-11", "SRC-101"), decide("CL-11", "confirmed")], "has 1"),
        ([decide("CL-31", "unproven"), decide("CL-31", "unproven")], "already unproven"),
        ([decide("CL-31", "unproven"), link("CL-31", "SRC-301")], "already unproven"),
        (
            [decide("CL-31", "unproven"), call("amend_claim", claim="CL-31", action="correct", text="x")],
            "refuted",
        ),
        ([call("amend_claim", **STRIKE)], "is open"),
        ([decide("CL-31", "unproven"), *[call("amend_claim", **STRIKE)] * 2], "already struck"),
        ([call("publish_article", article="AR-3")], "no verdict"),
        ([decide("CL-11", "unproven"), call("publish_article", article="AR-1")], "still stands"),
        ([*plan(BRIDGE)[6:9], decide("CL-11", "refuted")], "is published"),
        ([*plan(BRIDGE)[6:9], call("publish_article", article="AR-1")], "already published"),
    ],
)
def test_the_desk_refuses_what_can_not_be(steps: list[PlannedCall], part: str) -> None:
    assert part in observe(DESK, *steps)["error"]
