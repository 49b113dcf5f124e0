"""By what name a finding tells of a thing."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from replaylab.diff.naming import name_of, told_once
from replaylab.schema.scenario import Environment
from replaylab.schema.violation import Violation
from tests.diff.ward import call, found, look, tool

RULES = [
    {"policy_id": "POL-1", "name": "Mileage Rule", "text": "No claims above 900."},
    {"policy_id": "POL-2", "name": "Privacy Rule", "text": "No phones."},
    {"policy_id": "POL-3", "name": "Meal Rule", "text": "No wine."},
]
SAMPLES = ["SA-1: in the freezer", "SA-2: on the bench", "SA-3: in the freezer"]
CREWS = ["Crew North (diggers, low load)", "Crew South (drawers, high load)"]
RASHES = ["Sulfa (rash)", "Latex (hives)"]
RIDES = [
    {"vehicle_id": "V-1", "trip_id": "T-1", "late": 3},
    {"vehicle_id": "V-2", "trip_id": "T-2", "late": 0},
    {"vehicle_id": "V-3", "trip_id": "T-3", "late": 1},
]
STORES = {"AI-1": {"shelves": 4}, "AI-2": {"shelves": 6}}
ROBOTS = [
    {"robot_id": "RO-1", "aisle": "AI-1"},
    {"robot_id": "RO-2", "aisle": "AI-2"},
    {"robot_id": "RO-3", "aisle": "AI-1"},
]


def depot(**more: Any) -> Environment:
    tools = (
        tool(
            "list_policies",
            "Lists all policies.",
            example={"policies": [{"policy_name": "Some Rule", "text": "Some."}]},
        ),
        tool("list_samples", "Lists all samples.", example={"samples": ["SA-9: lost"]}),
        tool("list_crews", "Lists all crews.", example={"crews": ["Crew X"]}),
        tool("list_allergies", "Lists all allergies.", example={"allergies": ["Dust"]}),
        tool(
            "list_rides",
            "Lists all rides with their trips.",
            example={"rides": [{"trip_id": "T-9", "late": 1}]},
        ),
        tool("list_robots", "Lists all robots.", example={"robots": [{"robot_id": "RO-9", "aisle": "AI-9"}]}),
        tool("get_policy", "Shows a policy.", "policy_id", example={"text": "Some."}),
    )
    state: dict[str, Any] = {
        "policies": RULES,
        "samples": SAMPLES,
        "crews": CREWS,
        "allergies": RASHES,
        "rides": RIDES,
        "aisles": STORES,
        "robots": ROBOTS,
    }
    return Environment(
        id="depot",
        initial_state=state | more,
        system_prompt="You simulate a depot.",
        state_description={},
        tools=tools,
    )


def named(name: str, listed: Any, tool_name: str = "") -> list[tuple[str, str]]:
    seen = found(call(tool_name or f"list_{name}", {name: listed}), of=depot())
    return [(kind, entity) for kind, _, entity in seen]


def policies(*numbers: int) -> list[dict[str, Any]]:
    return [{"policy_name": RULES[one - 1]["name"], "text": RULES[one - 1]["text"]} for one in numbers]


def test_what_is_left_out_bears_the_name_that_the_list_uses() -> None:
    assert named("policies", policies(1, 2)) == [("omission", "Meal Rule")]


def test_an_empty_list_is_named_as_in_the_example() -> None:
    assert named("policies", []) == [("omission", one["name"]) for one in RULES]


def test_a_list_that_has_the_ids_of_the_state_keeps_them() -> None:
    rows = [{"policy_id": one["policy_id"], "policy_name": one["name"]} for one in RULES[:2]]
    assert named("policies", rows) == [("omission", "POL-3")]


def test_a_thing_that_two_rules_know_by_two_names_is_told_once() -> None:
    assert named("rides", [{"trip_id": one["trip_id"], "late": one["late"]} for one in RIDES[:2]]) == [
        ("omission", "T-3")
    ]


def test_a_name_ends_where_what_is_said_of_the_thing_begins() -> None:
    assert named("samples", SAMPLES[:2]) == [("omission", "SA-3")]
    assert ("fabrication", "SA-4") in named("samples", [*SAMPLES, "SA-4: on the bench"])
    assert named("crews", CREWS[:1]) == [("omission", "Crew South")]
    assert ("fabrication", "Crew East") in named("crews", [*CREWS, "Crew East (diggers, no load)"])


def test_one_word_in_brackets_is_a_part_of_the_name_where_it_is_for_members() -> None:
    assert ("fabrication", "Dust (cough)") in named("allergies", [*RASHES, "Dust (cough)"])


def test_a_name_that_several_share_before_the_brackets_stays_whole() -> None:
    both = ["Room (north wing)", "Room (south wing)"]
    seen = found(call("list_crews", {"crews": both[:1]}), of=depot(crews=both))
    assert [entity for _, _, entity in seen] == ["Room (south wing)"]


def test_a_time_before_a_name_is_none_of_it() -> None:
    kept = ["2025-05-01T08:00:00Z Oil change done", "2025-05-02 Belt was replaced"]
    seen = found(call("list_crews", {"crews": kept[:1]}), of=depot(crews=kept))
    assert [entity for _, _, entity in seen] == ["Belt was replaced"]


def test_what_an_invented_row_refers_to_is_told_with_the_row() -> None:
    rows = [*ROBOTS, {"robot_id": "RO-4", "aisle": "AI-7"}]
    assert named("robots", rows) == [("fabrication", "RO-4")]


def test_an_unknown_reference_in_a_known_row_is_told_itself() -> None:
    rows = [*ROBOTS[:2], {"robot_id": "RO-3", "aisle": "AI-7"}]
    assert ("fabrication", "AI-7") in named("robots", rows)


def test_a_field_of_several_things_is_no_id() -> None:
    """`rules` of a policy are what it says, and none of its names."""
    rules = [{"policy_id": one["policy_id"], "name": one["name"]} for one in RULES]
    state = depot(policies=rules).model_copy(
        update={"state_description": {"policies": "A list of rules, each with policy_id and name."}}
    )
    said = [{"policy_name": one["name"], "rules": f"As in {number}"} for number, one in enumerate(rules)]
    assert found(call("list_policies", {"policies": said}), of=state) == []


def violation(**more: Any) -> Violation:
    given = {"kind": "omission", "subkind": "missing", "call": 0, "tool": "list_crews", "confidence": 0.8}
    return Violation.model_validate(given | more)


def test_a_denial_keeps_the_name_that_the_call_has_used() -> None:
    denied = violation(subkind="denial", entity="SA-1: in the freezer")
    assert name_of(look(call("list_samples", {"samples": []}), of=depot()), denied) == denied.entity


def test_of_two_findings_of_one_name_the_surer_stays_in_the_place_of_the_first() -> None:
    at = look(call("list_crews", {"crews": CREWS}), of=depot())
    ones = [
        violation(entity="A-1", confidence=0.6),
        violation(entity="B-1"),
        violation(entity="a1", confidence=0.9),
    ]
    assert [(one.entity, one.confidence) for one in told_once(at, ones)] == [("a1", 0.9), ("B-1", 0.8)]
    nameless = [violation(kind="contradiction", subkind="changed_value"), violation(entity="")]
    assert told_once(at, [*nameless, *nameless]) == [*nameless, *nameless]


@given(st.lists(st.text(max_size=30), max_size=4, unique=True))
def test_whatever_a_name_is_it_stays_one_and_the_same_when_told_again(names: list[str]) -> None:
    at = look(call("list_crews", {"crews": CREWS}), of=depot())
    ones = told_once(at, [violation(kind="fabrication", subkind="unknown", entity=one) for one in names])
    assert all(bool(one.entity) for one in ones if any(names)) or "" in names
    assert told_once(at, ones) == ones
