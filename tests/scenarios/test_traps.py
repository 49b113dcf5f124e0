"""What each scenario was made for: the wrong ways that it has to catch, and what its contract fixes."""

from __future__ import annotations

import json

import pytest

from tests.scenarios.play import SHIPPED, answer_of, call, failed, observe, plan_of, twin_of

ROOMS, ROSTER, RETURNS = "ed-two-rooms", "oncall-handover", "hazmat-returns"


def test_the_department_has_exactly_two_exam_rooms_whatever_happens() -> None:
    twin = twin_of(ROOMS)
    for one in plan_of(SHIPPED.task("ed-two-urgent-patients")):
        twin.call(one.tool, one.arguments)
        places = twin.call("list_places", {})["places"]
        assert [place["place"] for place in places if place["kind"] == "exam_room"] == ["ER-1", "ER-2"]


def test_using_an_invented_third_room_fails() -> None:
    found = SHIPPED.task("ed-sepsis-room")
    calls = [call("list_places"), call("assess_patient", patient="P-133")]
    calls += [call("place_patient", patient="P-133", place="ER-3")]
    assert "only-places-there-are" in failed("ed-sepsis-room", calls, answer_of(found))


@pytest.mark.parametrize(
    ("arguments", "part"),
    [
        ({"patient": "P-133", "place": "ER-2"}, "no acuity"),
        ({"patient": "P-118", "place": "ER-1"}, "occupied"),
        ({"patient": "P-133", "place": "ER-3"}, "no place ER-3"),
        ({"patient": "P-999", "place": "H-1"}, "no patient P-999"),
    ],
)
def test_a_patient_can_only_be_placed_where_there_is_room(arguments: dict[str, str], part: str) -> None:
    assert part in twin_of(ROOMS).call("place_patient", arguments)["error"]


def test_an_urgent_patient_is_refused_in_the_hallway() -> None:
    assess = call("assess_patient", patient="P-133")
    place = call("place_patient", patient="P-133", place="H-1")
    assert "hallway" in observe(ROOMS, assess, place)["error"]


def test_a_left_place_is_dirty_until_it_is_cleaned() -> None:
    steps = [
        call("assess_patient", patient="P-139"),
        call("discharge_patient", patient="P-118", place="ER-2"),
        call("place_patient", patient="P-139", place="ER-2"),
    ]
    assert "dirty" in observe(ROOMS, *steps)["error"]
    cleaned = [*steps[:2], call("clean_place", place="ER-2"), steps[2]]
    assert observe(ROOMS, *cleaned)["came_from"] == "waiting"


def test_only_a_cleared_patient_is_discharged_and_only_from_where_they_lie() -> None:
    assert "not cleared" in observe(ROOMS, call("discharge_patient", patient="P-121", place="ER-1"))["error"]
    assert "not in ER-1" in observe(ROOMS, call("discharge_patient", patient="P-118", place="ER-1"))["error"]


def test_chest_pain_needs_the_monitor() -> None:
    steps = [
        call("assess_patient", patient="P-136"),
        call("discharge_patient", patient="P-118", place="ER-2"),
        call("clean_place", place="ER-2"),
        call("place_patient", patient="P-136", place="ER-2"),
        call("start_protocol", patient="P-136", protocol="chest_pain"),
    ]
    assert "monitor" in observe(ROOMS, *steps)["error"]


def test_findings_are_hidden_until_the_assessment() -> None:
    before = observe(ROOMS, call("get_patient", patient="P-133"))
    assert "findings" not in before
    assert before["vitals"] is None
    assert before["acuity"] is None
    after = observe(ROOMS, call("assess_patient", patient="P-133"), call("get_patient", patient="P-133"))
    assert after["acuity"] == 2
    assert after["vitals"]["temperature_c"] == 39.6


@pytest.mark.parametrize("region", ["NA", "na", "North America", "north america"])
def test_a_region_is_found_by_code_and_by_name(region: str) -> None:
    search = call("search_roster", region=region, skill="database", tier=2, at="2025-02-03T17:00:00Z")
    assert [one["person"] for one in observe(ROSTER, search)["people"]] == ["p-menon"]


def test_somebody_whose_shift_starts_at_that_moment_is_on_shift_and_not_before_nor_at_its_end() -> None:
    def found(at: str) -> list[str]:
        people = observe(ROSTER, call("search_roster", region="NA", at=at))["people"]
        return [one["person"] for one in people]

    assert found("2025-02-03T16:59:59Z") == ["p-global"]
    assert found("2025-02-03T17:00:00Z") == ["p-duarte", "p-becker", "p-menon", "p-global"]
    assert found("2025-02-04T01:00:00Z") == ["p-global"]


def test_without_a_moment_the_search_is_for_now() -> None:
    people = observe(ROSTER, call("search_roster", region="NA"))["people"]
    assert [one["person"] for one in people] == ["p-global"]


def test_an_unknown_region_is_refused() -> None:
    assert "no region" in observe(ROSTER, call("search_roster", region="Atlantis"))["error"]


def test_settling_for_the_manager_when_the_specialist_is_left_out_fails() -> None:
    found = SHIPPED.task("oncall-database-handover")
    calls = [
        one.model_copy(update={"arguments": {**one.arguments, "person": "p-global"}})
        if "person" in one.arguments
        else one
        for one in plan_of(found)
    ]
    wrong = failed("oncall-database-handover", calls, answer_of(found))
    assert {"wrong-owner", "manager-paged", "assigned"} <= wrong


@pytest.mark.parametrize(
    ("person", "at", "part"),
    [
        ("p-global", "2025-02-03T17:00:00Z", "skill management"),
        ("p-becker", "2025-02-03T17:00:00Z", "tier 1"),
        ("p-menon", "2025-02-03T16:45:00Z", "not on shift"),
        ("p-menon", "2025-02-03T17:00:00Z", "not acknowledged"),
        ("p-nobody", "2025-02-03T17:00:00Z", "nobody"),
    ],
)
def test_an_owner_needs_skill_tier_shift_and_acknowledgement(person: str, at: str, part: str) -> None:
    write = call("write_assessment", incident="INC-7302", text="Writes are refused since the failover.")
    assign = call("assign_incident", incident="INC-7302", person=person, effective_at=at)
    assert part in observe(ROSTER, write, assign)["error"]


def test_an_incident_without_assessment_does_not_change_hands() -> None:
    page = call("page_person", person="p-menon", incident="INC-7302")
    assign = call(
        "assign_incident", incident="INC-7302", person="p-menon", effective_at="2025-02-03T17:00:00Z"
    )
    assert "assessment" in observe(ROSTER, page, assign)["error"]


def test_a_page_about_another_incident_does_not_count() -> None:
    steps = [
        call("write_assessment", incident="INC-7302", text="Writes are refused since the failover."),
        call("page_person", person="p-menon", incident="INC-7318"),
        call("assign_incident", incident="INC-7302", person="p-menon", effective_at="2025-02-03T17:00:00Z"),
    ]
    assert "not acknowledged" in observe(ROSTER, *steps)["error"]


def test_who_does_not_answer_pages_never_does_and_it_is_not_shown_before() -> None:
    page = call("page_person", person="p-tanaka", incident="INC-7318")
    assert observe(ROSTER, page, page)["acknowledged"] is False
    assert "answers_pages" not in observe(ROSTER, call("get_person", person="p-tanaka"))


def test_nothing_of_the_return_desk_tells_the_present_time() -> None:
    environment = SHIPPED.environment(RETURNS)
    assert environment.clock == ""
    words = json.dumps([environment.initial_state, environment.state_description]).casefold()
    assert not any(name in words for name in ('"now"', "clock", "today", "current_date", "window"))


def test_refusing_a_return_because_of_its_age_fails() -> None:
    found = SHIPPED.task("hazmat-leaking-and-final-sale")
    answer = answer_of(found) + " The return window of 30 days has expired."
    assert failed("hazmat-leaking-and-final-sale", plan_of(found), answer) == {"no-invented-deadline"}


def test_giving_up_a_return_because_of_an_invented_deadline_fails() -> None:
    calls = [call("get_order", order="ORD-6120")]
    answer = "The return can't be authorized: the 30 days since delivery are over."
    assert "authorized" in failed("hazmat-power-station", calls, answer)


def test_what_leaks_does_not_travel_and_what_may_travel_is_not_disposed_of() -> None:
    leaking = call("record_triage", order="ORD-6147", sku="SPR-RED", damage="dented", leaking=True, hot=False)
    sound = call("record_triage", order="ORD-6147", sku="SPR-RED", damage="dented", leaking=False, hot=False)
    kit = call("send_kit", order="ORD-6147", sku="SPR-RED", kit="KIT-SALVAGE")
    disposal = call("arrange_disposal", order="ORD-6147", sku="SPR-RED")
    assert "unsafe" in observe(RETURNS, leaking, kit)["error"]
    assert "may travel" in observe(RETURNS, sound, disposal)["error"]
    assert observe(RETURNS, leaking, disposal)["refund"] == 25.2
    assert "unsafe" in observe(RETURNS, sound, leaking, kit)["error"]


@pytest.mark.parametrize(
    ("change", "part"),
    [
        ({"refund": 649.49}, "649.50"),
        ({"method": "ground"}, "not allowed"),
        ({"sku": "PWS-901"}, "no item"),
        ({"order": "ORD-6150", "sku": "HTR-12"}, "not eligible"),
    ],
)
def test_a_return_is_authorized_as_the_rules_say_or_not_at_all(change: dict[str, object], part: str) -> None:
    plan = plan_of(SHIPPED.task("hazmat-power-station"))[:5]
    right = plan.pop()
    wrong = right.model_copy(update={"arguments": {**right.arguments, **change}})
    assert part in observe(RETURNS, *plan, wrong)["error"]
    assert observe(RETURNS, *plan, wrong, right)["authorization"] == "RMA-8801"


def test_the_kit_comes_before_the_authorization() -> None:
    plan = plan_of(SHIPPED.task("hazmat-power-station"))
    kit = next(number for number, one in enumerate(plan) if one.tool == "send_kit")
    assert "was not sent" in observe(RETURNS, *plan[:kit], plan[kit + 1])["error"]


def test_an_item_is_resolved_once() -> None:
    plan = plan_of(SHIPPED.task("hazmat-power-station"))[:5]
    assert "already resolved" in observe(RETURNS, *plan, plan[-1])["error"]
