"""Lists that calls have made longer, and what a removal leaves."""

from __future__ import annotations

from typing import Any

import pytest

from replaylab.diff.check import Observed
from replaylab.schema.scenario import Environment
from tests.diff.valley import BRIGADE, true_of
from tests.diff.ward import call, found, tool

STATE: dict[str, Any] = {
    "filing_id": "FL-9",
    "uploaded_files": [],
    "current_itinerary": [{"name": "Night tour of the old town", "cost": 140}],
    "open_defects": [
        "Paint: Pending inspection in the north cellar of the house",
        "Wiring: Uncertified cable found behind the kitchen wall",
        "Alarm: Panel does not answer to the central station",
    ],
}


def house() -> Environment:
    tools = (
        tool("get_trip", "Shows the trip."),
        tool(
            "book_service", "Confirms a booking and adds it to the itinerary.", "service_id", effect="write"
        ),
        tool("cancel_booking", "Takes a booking out.", "item_id", effect="write"),
        tool("upload_file", "Uploads a file.", "filing_id", "file_name", effect="write"),
        tool("remove_file", "Removes a file.", "file_name", effect="write"),
        tool("purge_defects", "Removes defects.", "keyword", effect="write"),
        tool("get_filing", "Shows the filing.", "filing_id"),
    )
    return Environment(
        id="house", initial_state=STATE, system_prompt="You simulate.", state_description={}, tools=tools
    )


def missed(*calls: Observed) -> list[str]:
    return [entity for kind, _, entity in found(*calls, of=house()) if kind == "omission"]


BOOKED = call("book_service", {"status": "confirmed", "itinerary_item_id": "IT-31"}, service_id="DR-3")
TOUR = {"item_id": "IT-30", "name": "Night tour of the old town", "cost": 140}


def trip(*rows: dict[str, Any]) -> Observed:
    return call("get_trip", {"current_itinerary": [TOUR, *rows]})


def test_what_was_booked_is_in_the_list() -> None:
    assert missed(BOOKED, trip()) == ["IT-31"]
    assert missed(BOOKED, trip({"item_id": "IT-31", "name": "Car"})) == []
    assert missed(trip()) == []


@pytest.mark.parametrize("row", [{"service": "DR-3"}, {"name": "A private car", "cost": 280}])
def test_it_may_stand_there_under_another_name(row: dict[str, Any]) -> None:
    assert missed(BOOKED, trip(row)) == []


def test_what_was_cancelled_or_refused_is_not() -> None:
    assert missed(BOOKED, call("cancel_booking", {"status": "cancelled"}, item_id="IT-31"), trip()) == []
    refused = call(
        "book_service", {"error": "Over the budget", "itinerary_item_id": "IT-31"}, service_id="DR-3"
    )
    assert missed(refused, trip()) == []


def upload(name: str, *shown: str, field: str = "uploaded_files") -> Observed:
    return call("upload_file", {field: list(shown)}, filing_id="FL-9", file_name=name)


def test_what_was_uploaded_before_is_in_the_list_that_the_next_returns() -> None:
    assert missed(upload("a-1.pdf", "a-1.pdf"), upload("b-2.pdf", "b-2.pdf")) == ["a-1.pdf"]
    assert missed(upload("a-1.pdf", "a-1.pdf"), upload("b-2.pdf", "a-1.pdf", "b-2.pdf")) == []


def test_what_was_uploaded_is_in_the_list_that_a_later_read_shows() -> None:
    def filing(*shown: str) -> Observed:
        return call("get_filing", {"stage": "draft", "uploaded_files": list(shown)}, filing_id="FL-9")

    assert missed(upload("a-1.pdf", "a-1.pdf"), filing()) == ["a-1.pdf"]
    assert missed(upload("a-1.pdf", "a-1.pdf"), filing("a-1.pdf")) == []
    assert missed(upload("a-1.pdf"), filing()) == [], "nothing says that it was taken"


def test_a_list_of_another_name_shows_what_the_call_did() -> None:
    one, other = upload("a-1.pdf", "a-1.pdf", field="stored"), upload("b-2.pdf", "b-2.pdf", field="stored")
    assert missed(one, other) == []


def test_what_was_removed_since_is_not_missed() -> None:
    removed = call("remove_file", {"success": True}, file_name="a-1.pdf")
    assert missed(upload("a-1.pdf", "a-1.pdf"), removed, upload("b-2.pdf", "b-2.pdf")) == []


def purge(keyword: str, *left: int) -> Observed:
    return call(
        "purge_defects",
        {"purged": 1, "remaining_defects": [STATE["open_defects"][at] for at in left]},
        keyword=keyword,
    )


def test_what_a_removal_does_not_speak_of_is_left() -> None:
    assert missed(purge("central station", 1)) == ["Paint"]
    assert missed(purge("central station", 0, 1)) == []


def test_what_it_may_mean_by_another_word_may_be_gone() -> None:
    assert missed(purge("anything old", 1)) == [], "nothing tells what was meant"
    assert missed(purge("pending", 1, 2)) == []
    assert (
        missed(call("purge_defects", {"success": True}, keyword="paint"), purge("central station", 1)) == []
    )


def test_what_names_the_removed_is_what_was_left_and_not_what_is_left() -> None:
    assert true_of(BRIGADE, ("remove_member", {"member_id": "FF-10"})) == []
