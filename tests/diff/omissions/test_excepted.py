"""What a tool says that it leaves out."""

from __future__ import annotations

import pytest

from tests.diff.ward import call, found, tool, ward


@pytest.mark.parametrize(
    "told",
    [
        "Lists tickets not closed.",
        "Lists tickets that have not been closed.",
        "Lists all tickets except closed ones.",
        "Tickets, without those that are closed.",
    ],
)
def test_what_a_tool_says_that_it_leaves_out_is_not_missing(told: str) -> None:
    tickets = {"T-1": {"status": "open"}, "T-2": {"status": "open"}, "T-3": {"status": "closed"}}
    of = ward(state={"tickets": tickets}, tools=(tool("list_tickets", told),), state_description={})
    rows = [{"id": one} for one in tickets]
    assert found(call("list_tickets", {"tickets": rows[:2]}), of=of) == []
    assert [entity for _, _, entity in found(call("list_tickets", {"tickets": rows[:1]}), of=of)] == ["T-2"]
