"""The same question with one search word more."""

from __future__ import annotations

from typing import Any

from replaylab.diff.check import Observed
from replaylab.schema.scenario import Environment
from tests.diff.ward import call, found, tool


def travel() -> Environment:
    tools = (
        tool(
            "search_rides", "Searches for rides.", "city", query={"type": "string"}, limit={"type": "integer"}
        ),
        tool("book_ride", "Books a ride.", "ride_id", effect="write"),
    )
    return Environment(
        id="travel",
        initial_state={"city": "Rome"},
        system_prompt="You simulate.",
        state_description={},
        tools=tools,
    )


RIDES = {
    "RD-1": "Sedan with private driver",
    "RD-2": "Van with private driver",
    "RD-3": "Shared coach seat",
}


def rides(*ids: str, city: str = "Rome", **more: Any) -> Observed:
    rows = [{"ride_id": one, "name": RIDES[one], "cost": 40} for one in ids]
    return call("search_rides", {"results": rows}, city=city, **more)


def missed(*calls: Observed) -> list[str]:
    return [entity for kind, _, entity in found(*calls, of=travel()) if kind == "omission"]


ALL = rides("RD-1", "RD-2", "RD-3")


def test_what_the_word_fits_is_found_again() -> None:
    assert missed(ALL, rides("RD-1", query="private driver")) == ["RD-2"]
    assert missed(ALL, rides("RD-1", "RD-2", query="Private Driver")) == []


def test_another_question_or_a_limit_is_another_one() -> None:
    assert missed(ALL, rides("RD-1", city="Naples", query="private driver")) == []
    assert missed(ALL, rides("RD-1", query="private driver", limit=1)) == []


def test_a_word_that_goes_by_something_else_misses_nothing() -> None:
    assert missed(ALL, rides("RD-3", query="private driver")) == []


def test_what_was_done_since_may_have_taken_it() -> None:
    booked = call("book_ride", {"success": True}, ride_id="RD-2")
    assert missed(ALL, booked, rides("RD-1", query="private driver")) == []
