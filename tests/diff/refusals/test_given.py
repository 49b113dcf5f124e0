"""What is known otherwise than as a member, and is denied."""

from __future__ import annotations

from typing import Any

import pytest

from replaylab.diff.calls.refusal import Refusal
from replaylab.diff.check import Observed
from replaylab.diff.refusals.given import denied_rows, told_in_words
from replaylab.schema.scenario import Environment
from tests.diff.ward import call, found, look, tool


def dig() -> Environment:
    """A dig whose cells stand in lists inside lists, with a report that names a key."""
    state: dict[str, Any] = {
        "grid": [[{"cell_id": "N10E12", "depth": 0}, {"cell_id": "N10E13", "depth": 2}]],
        "leader": "Ida",
    }
    tools = (
        tool("get_report", "Shows the last report."),
        tool("dig_cell", "Digs on.", "cell_label", effect="write"),
        tool("close_cell", "Closes a cell.", "cell_label", effect="write"),
        tool("open_shed", "Opens the shed.", "shed_token", effect="write"),
    )
    return Environment(
        id="dig", initial_state=state, system_prompt="You simulate.", state_description={}, tools=tools
    )


def said(*calls: Observed) -> list[tuple[str, ...]]:
    return [one for one in found(*calls, of=dig()) if one[0] == "omission"]


def no_such(cell: str) -> Observed:
    return call("dig_cell", {"error": f"There is no cell {cell} on the grid"}, cell_label=cell)


def test_a_row_in_lists_inside_lists_is_denied() -> None:
    assert said(no_such("N10E12")) == [("omission", "denial", "N10E12")]
    assert said(no_such("N10E99")) == []


def test_a_row_that_a_call_has_closed_may_be_gone() -> None:
    closed = call("close_cell", {"status": "success"}, cell_label="N10E12")
    assert said(closed, no_such("N10E12")) == []
    assert said(call("dig_cell", {"status": "success"}, cell_label="N10E12"), no_such("N10E12")) != []


def never(token: str) -> Observed:
    return call(
        "open_shed", {"status": "failed", "message": f"{token} was never issued here."}, shed_token=token
    )


def test_an_id_that_an_answer_told_in_words_is_denied() -> None:
    report = call("get_report", {"text": "The shed is locked. Token: KX-41-R. No rain."})
    assert said(report, never("KX-41-R")) == [("omission", "denial", "KX-41-R")]
    assert said(report, never("KX-42-R")) == []
    assert said(never("KX-41-R")) == []


def test_what_a_call_was_told_itself_is_not_told_by_its_answer() -> None:
    before = look(
        never("KX-41-R"), call("open_shed", {"text": "Trying KX-41-R."}, shed_token="KX-41-R"), of=dig()
    )
    assert told_in_words(before, "kx41r") is None
    assert told_in_words(before, "kx4") is None


@pytest.mark.parametrize("argument", ["depth", "leader"])
def test_only_the_id_of_a_row_is_denied(argument: str) -> None:
    seen = look(no_such("N10E12"), of=dig())
    assert list(denied_rows(seen, Refusal((("/error", "no"),)), [argument])) == []
