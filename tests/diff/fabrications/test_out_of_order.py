"""Rows out of the order in which the state has them."""

from __future__ import annotations

from typing import Any

from replaylab.diff.fabrications.out_of_order import misplaced
from tests.diff.ward import call, found, look, tool, ward

BELLS = [{"at": "07:10", "bell": "low"}, {"at": "07:50", "bell": "low"}, {"at": "08:20", "bell": "low"}]
TOOLS = (
    tool("list_bells", "Lists what was rung."),
    tool("ring_bell", "Rings a bell.", "bell", effect="write"),
)
RUNG = call("ring_bell", {"at": "09:05"}, bell="high")
EARLY = {"at": "07:30", "bell": "low"}
NEW = {"at": "09:05", "bell": "high"}


def shown(*rows: dict[str, str], bells: Any = None, told: str = "Bells, old to new.") -> list[Any]:
    """The rows that are out of order in this list of bells, after one was rung."""
    state = {"bells": BELLS if bells is None else bells}
    of = ward(state=state, tools=TOOLS, state_description={"bells": told})
    return [one.observed for one in misplaced(look(call("list_bells", {"bells": list(rows)}), RUNG, of=of))]


def test_a_row_of_another_time_breaks_the_order() -> None:
    assert shown(*BELLS, NEW) == []
    assert shown(*BELLS, NEW, EARLY) == [EARLY]


def test_what_the_state_or_a_call_has_is_only_put_elsewhere() -> None:
    assert shown(*BELLS[1:], BELLS[0]) == []
    assert shown(NEW, *BELLS) == []


def test_the_state_itself_has_to_be_in_order() -> None:
    mixed = [BELLS[1], BELLS[0], BELLS[2]]
    assert shown(*mixed, EARLY, bells=mixed) == []


def test_two_rows_in_order_tell_it_where_it_is_told() -> None:
    two = (*BELLS[:2], NEW, EARLY)
    assert shown(*two, bells=BELLS[:2]) == [EARLY]
    assert shown(*two, bells=BELLS[:2], told="What was rung.") == []


def test_a_check_asks_for_the_order() -> None:
    of = ward(state={"bells": BELLS}, tools=TOOLS, state_description={"bells": "Bells, old to new."})
    said = found(RUNG, call("list_bells", {"bells": [*BELLS, NEW, EARLY]}), of=of)
    assert ("fabrication", "unknown") in {(kind, subkind) for kind, subkind, _ in said}
