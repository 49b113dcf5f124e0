"""Names inside texts."""

from __future__ import annotations

from typing import Any

import pytest

from replaylab.diff.fabrications.in_text import strangers_in_texts
from tests.diff.ward import call, found, look, tool
from tests.diff.yard import STATE, TOLD, TOOLS, yard

OF = yard(
    initial_state={**STATE, "cargo": ["Barley", "Flax", "Millet"], "spare": ["Hemp"]},
    state_description={**TOLD, "cargo": "What is aboard."},
    tools=(
        tool("about", "Tells how things are.", example={"at": 4, "hold": {"cargo": ["A"], "spare": ["B"]}}),
        tool("weather", "Tells of the sky."),
        tool("make_berth", "Makes a berth.", effect="write"),
        *TOOLS,
    ),
)


def strange(text: str, *before: Any, name: str = "about", **arguments: Any) -> list[str]:
    """Who nobody knows in a text."""
    said = look(call(name, {"note": text}, **arguments), *before, of=OF)
    return [one.entity for one in strangers_in_texts(said)]


def test_an_id_in_a_text_is_one_of_its_family() -> None:
    assert strange("Moored beside BT-2.") == []
    assert strange("Moored beside BT-8.") == ["BT-8"]
    assert strange("Moored beside BT-8.", name="move_boat", boat="BT-1", berth="BR-12") == ["BT-8"]


def test_what_a_call_spoke_of_or_may_have_made_is_known() -> None:
    assert strange("Labelled BT-8.", name="set_status", boat="BT-1", status="behind BT-8") == []
    assert strange("Made BR-19 today.", name="make_berth") == []


@pytest.mark.parametrize(
    ("text", "who"),
    [
        ("She carries Barley, Flax, Sorghum and Millet.", ["Sorghum"]),
        ("She carries Barley, Flax and Millet.", []),
        ("Aboard are Hemp and Sorghum.", ["Sorghum"]),  # all of the spare ones, and one more
        ("Aboard are Flax and Sorghum.", []),  # two of whatever
        ("Barley, Flax and Millet are aboard; Sorghum is ashore.", []),
        ("Barley, Flax and Aboard.", []),  # a word of the contract
        ("She carries Barley, Flax and Sorghum Hill.", []),  # a longer name
    ],
)
def test_a_name_in_a_row_of_members_is_a_name_of_their_sort(text: str, who: list[str]) -> None:
    assert strange(text) == who


def test_what_the_tools_example_does_not_tell_of_may_be_anything() -> None:
    assert strange("Calm over Barley, Flax, Sorghum and Millet.", name="weather") == []


def test_after_a_change_more_may_be_there() -> None:
    changed = call("set_status", {"done": True}, boat="BT-1", status="ashore")
    assert strange("She carries Barley, Flax, Sorghum and Millet.", changed) == []


def test_a_check_reads_texts() -> None:
    said = found(call("about", {"note": "Moored beside BT-8."}), of=OF)
    assert [(kind, entity) for kind, _, entity in said] == [("fabrication", "BT-8")]
