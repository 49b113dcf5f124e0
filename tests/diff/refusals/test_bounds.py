"""Bounds that were told under one name, and that a refusal gives under another."""

from __future__ import annotations

from typing import Any

import pytest

from replaylab.diff.refusals.bounds import other_bound, passed_bound
from tests.diff.houses import CAPPED
from tests.diff.ward import call, found, reason, tool, ward

TOOLS = (
    tool("get_limits", "Shows the hard limits of the plant."),
    tool("set_aeration", "Sets the aeration.", effect="write", power_kw={"type": "number"}),
    tool(
        "wash",
        "Washes the membrane.",
        effect="write",
        minutes={"type": "integer", "description": "How long (at least 5, maximum 60)."},
    ),
    tool("set_sludge", "Controls the removal of sludge.", effect="write", flow={"type": "number"}),
)
PLANT = ward(state={"oxygen": 1.5}, tools=TOOLS, system_prompt="You simulate a plant.")
TOLD = call("get_limits", {"max_aeration_kw": 180.0, "limits": {"sludge removal": "25 m3/h"}})


def refused(name: str, text: str, /, **arguments: Any) -> list[str]:
    one = call(name, {"error": text}, **arguments)
    return [kind for kind, _, _ in found(TOLD, one, of=PLANT)]


@pytest.mark.parametrize(
    "text",
    [
        "210 kW is 30 kW over the ceiling of 180 kW",
        "210 is more than the 180 allowed",
        "The blowers may take at most 180 kW; 210 kW asked",
        "30 kW too many: 180 is the upper bound",
        "Aeration is limited to 180 kW, which 210 kW exceeds by 30 kW",
        "Only 180 kW permitted",
    ],
)
def test_a_bound_of_an_answer_licenses_under_any_name(text: str) -> None:
    assert refused("set_aeration", text, power_kw=210) == []
    assert refused("set_aeration", text.replace("180", "190").replace("30", "20"), power_kw=210) == [
        "rule_invention"
    ]


def test_a_bound_of_the_tool_s_own_text_licenses() -> None:
    assert refused("wash", "A wash of 90 min is 30 min longer than the 60 min allowed.", minutes=90) == []
    assert refused("wash", "90 min needs the leave of a supervisor: 60 min allowed", minutes=90) == [
        "rule_invention"
    ]
    one = reason(call("wash", {"error": "30 minutes are under the 60 allowed"}, minutes=30), of=PLANT)
    assert passed_bound(one) is None


@pytest.mark.parametrize(
    "text",
    [
        "22 is over the sludge removal limit of 20 m3/h",
        "22 m3/h is beyond the limit for sludge removal of 20",
        "sludge removal ceiling is 20",
        "The permitted sludge removal is 20",
    ],
)
def test_another_number_for_a_bound_that_was_told_is_made_up(text: str) -> None:
    assert refused("set_sludge", text, flow=22) == ["rule_invention"]
    right = reason(call("set_sludge", {"error": text.replace("20", "25")}, flow=27), TOLD, of=PLANT)
    assert other_bound(right) is None


def test_a_bound_of_something_else_is_not_the_one_that_was_told() -> None:
    text = "22 is over the pump capacity limit of 20"
    assert other_bound(reason(call("set_sludge", {"error": text}, flow=22), TOLD, of=PLANT)) is None


@pytest.mark.parametrize(
    ("text", "licensed"),
    [
        ("You can't take more than 3 of an item at once.", True),
        ("This worker has reached the maximum of 3 accesses.", False),
    ],
)
def test_a_sentence_of_the_prompt_bounds_only_what_it_speaks_of(text: str, licensed: bool) -> None:
    made = call("issue", {"error": text}, item="drill-8", worker="WK-1", count=4)
    assert (passed_bound(reason(made, of=CAPPED)) is not None) is licensed
