"""Arguments that pick without a value of their own."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest

from replaylab.diff.contract.extract import collections_of
from replaylab.diff.omissions.flags import (
    day_field,
    day_in,
    denied_name,
    flag_of,
    has_word,
    is_in_days,
    is_within,
    today_of,
)
from replaylab.diff.words.identity import stems
from replaylab.schema.base import Json
from replaylab.schema.scenario import Environment
from tests.diff.ward import call, found, tool

ROOMS = {
    "RM-1": {"guest": "", "status": "open", "sunny": True, "until": "2025-03-01"},
    "RM-2": {"guest": "Ode", "status": "closed", "sunny": False, "until": "2025-03-09"},
    "RM-3": {"guest": "", "status": "closed for paint", "sunny": False, "until": "2025-03-05"},
}
(COLLECTION,) = collections_of({"rooms": ROOMS}, {})


@pytest.mark.parametrize(
    ("name", "value", "wanted"),
    [
        ("open_only", True, ("only", "open")),
        ("open_only", False, ("only", "")),
        ("include_closed", False, ("but", "closed")),
        ("include_closed", True, ("but", "")),
        ("exclude_closed", True, ("but", "closed")),
        ("with_charger", True, ("only", "charger")),
        ("with_charger", False, None),
        ("sunny", True, None),
        ("open_only", "yes", None),
    ],
)
def test_a_flag_says_what_it_picks(name: str, value: Json, wanted: tuple[str, str] | None) -> None:
    assert flag_of(name, value) == (None if wanted is None else (wanted[0], stems(wanted[1])))


def test_a_word_turns_an_argument_round() -> None:
    assert denied_name("not_breed", "collie") == "breed"
    assert denied_name("except_areas", ["yard"]) == "areas"
    assert denied_name("breed", "collie") == denied_name("not", "x") == denied_name("without_fee", True) == ""


def test_members_are_what_a_word_says_or_not() -> None:
    def said(word: str) -> list[str]:
        return [has_word(one, COLLECTION, stems(word)) for one in COLLECTION.entities]

    assert said("sunny") == ["yes", "no", "no"]
    assert said("closed") == ["no", "yes", "perhaps"]
    assert said("vacant") == ["yes", "no", "yes"]
    assert said("quiet") == ["perhaps"] * 3


def test_days_are_counted_from_the_day_of_the_state() -> None:
    assert is_in_days("within_days", 7)
    assert is_in_days("days_ahead", 7)
    assert not is_in_days("days", 7)
    assert not is_in_days("within_days", "soon")
    assert day_field(COLLECTION) == "until"
    assert today_of({"today": "2025-03-01"}) == day_in("2025-03-01T09:00:00Z") == date(2025, 3, 1)
    assert today_of({"today": "2025-03-01", "now": "2025-03-02"}) is None
    today = date(2025, 3, 2)
    days = ["2025-03-01", "2025-03-02", "2025-03-05", "2025-03-06", "never a day"]
    assert [is_within(day_in(one), today, 3) for one in days] == [
        "perhaps",
        "yes",
        "perhaps",
        "no",
        "perhaps",
    ]


def boats(*shown: str, **arguments: Json) -> set[str]:
    """Who is missed in an answer that shows these alone, or BO-2 and BO-3."""
    state = {
        "boats": {
            "BO-1": {"leaves": "08:15", "status": "moored", "crew": "Ode"},
            "BO-2": {"leaves": "09:40", "status": "moored", "crew": ""},
            "BO-3": {"leaves": "11:05", "status": "wrecked", "crew": "Lam"},
            "BO-4": {"leaves": "12:30", "status": "moored", "crew": "Lam"},
        }
    }
    takes: dict[str, Any] = {name: {} for name in arguments}
    tools = (tool("list_boats", "Lists boats.", **takes),)
    of = Environment(
        id="quay", initial_state=state, system_prompt="You simulate.", state_description={}, tools=tools
    )
    rows = [{"boat": one, **state["boats"][one]} for one in shown or ("BO-2", "BO-3")]
    said = found(call("list_boats", {"boats": rows}, **arguments), of=of)
    return {entity for kind, _, entity in said if kind == "omission"}


def test_a_list_has_to_show_what_a_flag_lets_through() -> None:
    assert boats() == {"BO-1", "BO-4"}
    assert boats(moored_only=True) == {"BO-1", "BO-4"}
    assert boats(wrecked_only=True) == set()
    assert boats(include_moored=False) == set()
    assert boats(include_wrecked=False) == {"BO-1", "BO-4"}
    assert boats(vacant_only=True) == set()
    assert boats(not_crew="Lam") == {"BO-1"}


def test_a_moment_bounds_the_field_that_tells_one() -> None:
    assert boats(after="09:00") == {"BO-4"}
    assert boats(before="12:00") == {"BO-1"}
    assert boats("BO-4", after="09:00") == {"BO-2", "BO-3"}
    assert boats(after="12:30") == set(), "whether the bound itself is in is open"
