"""Fields that a description says stay as they are until a moment."""

from __future__ import annotations

from typing import Any

from replaylab.diff.check import Observed
from replaylab.schema.scenario import Environment
from tests.diff.ward import call, found, tool

BUNS = {
    "BN-1": {"oven": "OV-1", "done_at": "08:10", "crust": "dark"},
    "BN-2": {"oven": "OV-2", "done_at": "08:15", "crust": "light"},
}
TOLD = "Buns by id. crust is pale until done_at is reached. Then it is what it turned out to be."


def bakery(told: str = TOLD) -> Environment:
    rows = [{"bun": one, "crust": BUNS[one]["crust"]} for one in BUNS]
    return Environment(
        id="bakery",
        initial_state={
            "now": "08:20",
            "ovens": {"OV-1": {"hot": True}, "OV-2": {"hot": True}},
            "buns": BUNS,
        },
        system_prompt="You simulate.",
        state_description={"now": "Time of day. Only wait moves it.", "buns": told},
        tools=(
            tool("buns", "Buns that meet the conditions.", "crust", "oven", example={"buns": rows}),
            tool(
                "bake",
                "Bakes a bun.",
                "oven",
                effect="write",
                example={"bun": "BN-7", "crust": "pale", "done_at": "08:40"},
            ),
            tool(
                "wait",
                "Lets time pass.",
                "minutes",
                effect="write",
                example={"now": "08:30", "done": [{"bun": "BN-7", "crust": "dark"}]},
            ),
        ),
    )


def missed(now: str, *shown: str, told: str = TOLD) -> list[str]:
    """What a list of pale buns leaves out, after a bun was baked that is done at twenty to nine."""
    made: Any = call("bake", {"bun": "BN-3", "crust": "pale", "done_at": "08:40"}, oven="OV-1")
    waited: Any = call("wait", {"now": now, "done": []}, minutes=15)
    asked: Observed = call("buns", {"buns": [{"bun": one, "crust": "pale"} for one in shown]}, crust="pale")
    return [one for kind, _, one in found(made, waited, asked, of=bakery(told)) if kind == "omission"]


def test_a_field_stays_until_the_moment_that_the_description_names() -> None:
    assert missed("08:35", "BN-3") == []
    assert missed("08:35") == ["BN-3"]


def test_after_that_moment_nobody_knows_it() -> None:
    assert missed("08:45") == []
    assert missed("08:40") == [], "it is reached"


def test_without_such_a_sentence_time_may_change_it() -> None:
    assert missed("08:35", told="Buns by id. crust is pale at first.") == []
