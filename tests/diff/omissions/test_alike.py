"""Lists that leave out what their arguments let through, and what stands like that which they show."""

from __future__ import annotations

from typing import Any

from replaylab.diff.check import Observed
from replaylab.schema.scenario import Environment
from tests.diff.ward import call, found, tool

SAILORS = {"SA-1": {"name": "Ada", "port": "Bergen"}, "SA-2": {"name": "Bo", "port": "Cork"}}
BOATS = {
    "BT-1": {"owner": "SA-1", "length": 9, "moored": "north", "sold": None},
    "BT-2": {"owner": "SA-2", "length": 12, "moored": "south", "sold": None},
    "BT-3": {"owner": "SA-1", "length": 7, "moored": "south", "sold": "2025-05-01"},
    "BT-4": {"owner": "SA-1", "length": 15, "moored": "north", "sold": None},
}


def rows(*names: str) -> list[dict[str, Any]]:
    return [{"boat": one, "owner": BOATS[one]["owner"] if one in BOATS else "SA-1"} for one in names]


def harbour(
    about: str = "Boats.", name: str = "find_boats", for_sale: str = "boolean", **more: Any
) -> Environment:
    given: dict[str, Any] = {
        "port": {"type": "string"},
        "min_length": {"type": "integer"},
        "for_sale": {"type": for_sale},
    }
    tools = (
        tool(name, about, example={"boats": rows("BT-1", "BT-2")}, **given),
        tool(
            "moor_boat", "Moors a boat elsewhere.", "boat", "moored", effect="write", example={"boat": "BT-1"}
        ),
        tool("scrap_boat", "Scraps a boat.", "boat", effect="write", example={"boat": "BT-1"}),
        tool("enter_boat", "Enters a new boat.", "owner", effect="write", example={"boat": "BT-9"}),
    )
    return Environment(
        id="harbour",
        initial_state={"sailors": SAILORS, "boats": BOATS},
        system_prompt="You simulate.",
        state_description={},
        tools=tools,
        **more,
    )


def missed(*calls: Observed, of: Environment | None = None) -> list[str]:
    return [one for kind, _, one in found(*calls, of=of or harbour()) if kind == "omission"]


def boats(*names: str, **asked: Any) -> Observed:
    return call("find_boats", {"boats": rows(*names)}, **asked)


def test_a_thing_is_missed_that_passes_by_what_it_refers_to() -> None:
    assert missed(boats("BT-1", "BT-3", "BT-4", port="Bergen")) == []
    assert missed(boats("BT-1", "BT-3", port="Bergen")) == ["BT-4"]
    assert "BT-2" in missed(boats(port="Cork")), "also of none"


def test_a_thing_is_missed_only_where_every_argument_lets_it_through() -> None:
    assert missed(boats("BT-4", port="Bergen", min_length=10)) == []
    assert missed(boats("BT-1", "BT-3", port="Bergen", min_length=5)) == ["BT-4"]


def test_what_no_field_tells_leaves_it_open() -> None:
    assert missed(boats("BT-1", port="Oslo")) == []


def test_a_flag_lets_through_what_stands_like_a_thing_that_it_shows() -> None:
    assert missed(boats("BT-1", for_sale=True, port="Bergen")) == ["BT-4"], "unsold as the other is"
    assert missed(boats("BT-3", for_sale=True, port="Bergen")) == [], "no other is sold"
    assert missed(boats(for_sale=True, port="Bergen")) == [], "nobody knows which way the flag goes"


def test_what_a_call_may_have_changed_lets_nothing_through() -> None:
    sold = call("moor_boat", {"boat": "BT-4"}, boat="BT-4", moored="south")
    assert missed(sold, boats("BT-1", for_sale=True, port="Bergen")) == []


def test_what_stands_otherwise_by_now_is_not_like_what_is_shown() -> None:
    moved = call("moor_boat", {"boat": "BT-4", "sold": None, "moored": "south"}, boat="BT-4", moored="south")
    assert missed(moved, boats("BT-1", port="Bergen")) == ["BT-3", "BT-4"]
    assert missed(moved, boats("BT-1", for_sale=True, port="Bergen")) == [], "it stands otherwise by now"


def test_what_a_call_may_have_taken_out_is_missed_once_it_was_shown_again() -> None:
    gone = call("scrap_boat", {"boat": "BT-4"}, boat="BT-4")
    assert missed(gone, boats("BT-1", "BT-3", port="Bergen")) == []
    shown = boats("BT-4", "BT-2", min_length=12)
    assert missed(gone, shown, boats("BT-1", "BT-3", port="Bergen")) == ["BT-4"]


def test_what_a_call_made_is_missed_by_what_it_was_given() -> None:
    made = call("enter_boat", {"boat": "BT-5"}, owner="SA-2")
    assert missed(made, boats("BT-2", "BT-5", port="Cork")) == []
    assert missed(made, boats("BT-2", port="Cork")) == ["BT-5"]


def test_a_list_that_is_called_a_part_hides_what_stands_otherwise() -> None:
    of = harbour("Boats that are free.", name="free_boats")
    assert missed(call("free_boats", {"boats": rows("BT-1")}, port="Bergen"), of=of) == ["BT-4"]
    assert missed(call("free_boats", {"boats": rows("BT-3")}, port="Bergen"), of=of) == []


def test_a_cut_list_leaves_nothing_out() -> None:
    assert missed(boats("BT-1", port="Bergen", limit=1)) == []


def test_what_meets_all_filters_is_all_that_the_arguments_let_through() -> None:
    def left(about: str) -> list[str]:
        moved = call("moor_boat", {"boat": "BT-4"}, boat="BT-4", moored="south")
        told = {"name": "boats_of", "for_sale": "string"}  # no flag is there that could have been given
        return missed(
            moved, call("boats_of", {"boats": rows("BT-1", "BT-3")}, port="Bergen"), of=harbour(about, **told)
        )

    assert left("Boats.") == [], "nobody knows whether those that were moved are shown"
    assert left("The boats that meet all filters.") == ["BT-4"]
    assert left("Boats, all or those that match.") == ["BT-4"]
    assert left("Boats that match the crew.") == []


def test_a_tool_that_shows_everything_hides_none_of_what_it_speaks_of() -> None:
    def left(about: str) -> list[str]:
        moved = call("moor_boat", {"boat": "BT-4"}, boat="BT-4", moored="south")
        told = {"name": "sailor", "for_sale": "string"}
        return missed(
            moved, call("sailor", {"boats": rows("BT-1", "BT-3")}, port="Bergen"), of=harbour(about, **told)
        )

    assert left("Everything about a port, with its boats.") == ["BT-4"]
    assert left("Everything about a port.") == []
    assert left("All overdue boats of a port.") == []
