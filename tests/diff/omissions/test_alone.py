"""States that are about one thing."""

from __future__ import annotations

from typing import Any

import pytest

from replaylab.schema.scenario import Environment
from tests.diff.valley import MUSEUM, true_of
from tests.diff.ward import call, found, tool

TOOLS = (
    tool("get_metrics", "Shows how a pupil stands.", "pupil_id"),
    tool("get_links", "Shows the links of a site.", "site_id"),
)
STATE: dict[str, Any] = {
    "skills": {"sums-1": 0.5, "spelling-2": 0.25},
    "medals": ["bronze", "silver"],
    "links": {
        "Elm-H1": {"load": 4, "cost": 2},
        "Elm-H2": {"load": 9, "cost": 3},
        "Oak-H1": {"load": 7, "cost": 5},
    },
}


def seen(one: Any, **said: str) -> list[tuple[str, str]]:
    of = Environment(
        id="school", system_prompt="A school.", initial_state=STATE, tools=TOOLS, state_description=said
    )
    return [(kind, entity) for kind, _, entity in found(one, of=of)]


def test_who_asks_for_the_only_one_asks_for_all() -> None:
    shown = call("get_metrics", {"skills": {"sums-1": 0.5}, "medals": []}, pupil_id="PU-9")
    missing = [("omission", "spelling-2"), ("omission", "bronze"), ("omission", "silver")]
    assert seen(shown, skills="How well the pupil can do it.") == missing
    assert seen(shown, skills="How well pupils can do it.") == []
    assert seen(shown) == []


@pytest.mark.parametrize(("site", "missing"), [("West-Site-Elm", ["Elm-H2"]), ("West-Site-Ash", [])])
def test_an_id_bears_a_part_of_the_name_of_what_it_is_of(site: str, missing: list[str]) -> None:
    shown = call("get_links", {"links": {"Elm-H1": {"load": 4, "cost": 2}}}, site_id=site)
    assert seen(shown) == [("omission", one) for one in missing]


def test_objects_of_a_collection_are_not_the_one_thing_of_a_state() -> None:
    for name in ("OB-102", "OB-107"):
        assert true_of(MUSEUM, ("showObject", {"objectId": name})) == []
