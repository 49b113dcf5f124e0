"""Lists of a part of what there is, and what calls have done with the rest: a canteen with orders, tabs and a queue."""

from __future__ import annotations

from typing import Any

import pytest

from replaylab.diff.check import Observed
from replaylab.diff.contract.collection import Collection
from replaylab.diff.omissions.arguments import asked
from replaylab.diff.omissions.parts_told import is_told_part, stands_like_one
from replaylab.schema.scenario import Environment
from tests.diff.plainly import said, takes
from tests.diff.ward import call, found, look, tool

ORDERS: list[dict[str, Any]] = [
    {"order": "OR-31", "title": "soup for two", "guest": "G-4", "table": "T-1", "stage": "cooking", "served": None},
    {"order": "OR-32", "title": "two pies", "guest": "G-4", "table": "T-1", "stage": "done", "served": "12:10"},
    {"order": "OR-33", "title": "cold salad", "guest": "G-7", "table": "T-2", "stage": "queued", "served": None},
    {"order": "OR-34", "title": "hot salad", "guest": "G-4", "table": "T-2", "stage": "cooking", "served": None},
]  # fmt: skip
TABS = [{"order": "OR-31", "cents": 900}]
STATE: dict[str, Any] = {
    "guests": {"G-4": {"tabs": TABS}, "G-7": {"tabs": []}},
    "orders": ORDERS,
    "passes": {"Q-1": {"guest": "G-4", "state": "waits"}, "Q-2": {"guest": "G-7", "state": "left"}},
}
PROMPT = """You simulate a canteen.

- `get_guest`: `orders` are those of the guest that are still to be served.
- `finish_plate` ends what a stove cooks. `open_orders` are those that wait.
"""
TOLD = {
    "guests": "Guests by id. tabs are what is owed now.",
    "orders": "All orders, old to new. stage changes.",
}
TOOLS = (
    tool("list_orders", "Orders that meet all filters.", stage={"type": "string"}),
    tool("get_guest", "One guest.", "guest", example={"guest": "G-7", "orders": ["OR-33"], "tabs": []}),
    tool("get_tabs", "What a guest owes.", "guest"),
    tool("show_queue", "Who waits.", area={"type": "string"},
         example={"queue": [{"pass": "Q-1", "guest": "G-4"}]}),
    tool("finish_plate", "Ends what a stove cooks.", "stove", effect="write"),
)  # fmt: skip


def canteen() -> Environment:
    return Environment(
        id="canteen", initial_state=STATE, system_prompt=PROMPT, state_description=TOLD, tools=TOOLS
    )


def missed(*calls: Observed) -> list[str]:
    return sorted(one for kind, _, one in found(*calls, of=canteen()) if kind == "omission")


def orders(*names: str, **asked: Any) -> Observed:
    fields = ("order", "title", "stage")
    rows = [{name: one[name] for name in fields} for one in ORDERS if one["order"] in names]
    return call("list_orders", {"orders": rows}, **asked)


def guest(*names: str) -> Observed:
    return call("get_guest", {"guest": "G-4", "orders": list(names), "tabs": TABS}, guest="G-4")


def finished(**said: Any) -> Observed:
    return call("finish_plate", {"stove": "S-2", "order": "OR-31", **said}, stove="S-2")


def test_of_a_part_only_what_stands_like_the_shown_is_missed() -> None:
    assert missed(guest("OR-31", "OR-34")) == [], "OR-32 is served"


def test_a_sentence_tells_the_part_that_a_list_shows() -> None:
    one = look(guest("OR-31"), of=canteen())
    assert is_told_part(one, "orders")
    assert not is_told_part(one, "open_orders"), "that is said of another tool"
    assert not is_told_part(look(orders("OR-31"), of=canteen()), "orders")


def test_what_is_empty_in_some_tells_how_a_member_stands() -> None:
    whole = next(each for each in look(orders(), of=canteen()).contract.collections if each.name == "orders")
    first, done, _, last = whole.entities
    assert stands_like_one(whole, last, [first])
    assert not stands_like_one(whole, done, [first, last])


def test_what_a_write_returns_may_stand_otherwise_since() -> None:
    cooking = orders("OR-34", stage="cooking")
    assert missed(cooking) == ["OR-31"]
    assert missed(finished(), cooking) == []
    assert missed(finished(stage="done"), cooking) == []


def test_what_a_thing_holds_may_go_with_what_a_write_returns() -> None:
    paid = call("get_tabs", {"guest": "G-4", "tabs": []}, guest="G-4")
    assert missed(paid) == ["OR-31"]
    assert missed(finished(), paid) == []


def test_tickets_that_tell_of_guests_are_no_list_of_guests() -> None:
    assert missed(call("show_queue", {"queue": [{"pass": "Q-1", "guest": "G-4"}]})) == []


def test_an_argument_that_others_refer_to_does_pick() -> None:
    contract = look(orders(), of=canteen()).contract
    tables = Collection("tables", "/tables", "map", "", (), "")
    assert [one.means for one in asked(contract, tables, {"customer": "G-4"})] == ["unknown"]
    assert [one.means for one in asked(contract, tables, {"customer": "G-99"})] == ["scope"]


HOUSE: dict[str, Any] = {
    "rooms": {
        "101": {"floor": 1, "state": "clean"},
        "102": {"floor": 1, "state": "dirty"},
        "201": {"floor": 2, "state": "dirty"},
    },
    "bins": {"BN-1": {"room": "101", "sacks": 2}, "BN-2": {"room": "102", "sacks": 0}},
    "loans": {"LN-1": {"book": "BK-1", "member": "M-1"}},
    "books": {"BK-1": {"title": "Salt", "shelf": "A"}, "BK-2": {"title": "Iron", "shelf": "B"}},
    "holds": {
        "HD-1": {"book": "BK-1", "member": "M-2", "place": 1},
        "HD-2": {"book": "BK-1", "member": "M-3", "place": 2},
    },
    "accounts": {"cash": {"balance": 500.0}, "sales": {"balance": -500.0}},
    "alarms": [],
}


def house(prompt: str = "You simulate a house.") -> Environment:
    tools = (
        takes("to_do", "Rooms to clean."),
        takes("full_bins", "Bins that hold something."),
        takes("rooms", "Rooms on a floor, or all.", "floor"),
        takes("holds", "Holds of a book in order.", "book"),
        takes("return_book", "Takes a book back: the loan ends.", "loan"),
        takes("account", "Shows an account.", "account"),
        takes("bill", "Writes a bill.", "guest", amount={"type": "number"}),
        takes("alarms", "Active alarms."),
        takes("open_valve", "Opens a valve.", "valve"),
        takes("ack", "Acknowledges an alarm; it leaves the list.", "alarm"),
    )
    told = {"state": "The house."}
    return Environment(
        id="house", system_prompt=prompt, state_description=told, tools=tools, initial_state=HOUSE
    )


SERVES = "You simulate a house. Returning a book serves the first hold: the hold is removed and the others move up by one."
RETURNED = call("return_book", {"ok": True}, loan="LN-1")
RAISED = call("open_valve", {"valve": "V-1", "alarm": "AL-1"}, valve="V-1")


def holds(*rows: tuple[str, int]) -> Observed:
    return call("holds", {"holds": [{"hold": name, "place": place} for name, place in rows]}, book="BK-1")


@pytest.mark.parametrize(
    ("prompt", "calls", "wrong"),
    [
        (
            "",
            [
                call(
                    "to_do", {"rooms": [{"room": "102", "state": "dirty"}, {"room": "201", "state": "dirty"}]}
                )
            ],
            [],
        ),
        ("", [call("to_do", {"rooms": []})], []),
        ("", [call("full_bins", {"bins": [{"bin": "BN-1", "sacks": 2}]})], []),
        ("", [call("rooms", {"rooms": [{"room": "101"}], "page": 1, "pages": 3})], []),
        ("", [call("rooms", {"rooms": [{"room": "101"}, {"room": "102"}]})], ["201"]),
        (SERVES, [RETURNED, holds(("HD-2", 1))], []),
        (SERVES, [holds(("HD-2", 2))], ["HD-1"]),
        (
            "",
            [
                call("bill", {"ok": True}, guest="Noor", amount=80),
                call("account", {"account": "sales", "balance": -580.0}, account="sales"),
            ],
            [],
        ),
        ("", [call("account", {"account": "sales", "balance": -580.0}, account="sales")], ["sales"]),
        ("", [RAISED, call("alarms", {"alarms": []})], ["AL-1"]),
        ("", [RAISED, call("ack", {"ok": True}, alarm="AL-1"), call("alarms", {"alarms": []})], []),
    ],
)
def test_true_answers_of_tools_that_only_name_what_they_show(
    prompt: str, calls: list[Observed], wrong: list[str]
) -> None:
    of = house(prompt) if prompt else house()
    assert [name for _, name in said(of, *calls)] == wrong
