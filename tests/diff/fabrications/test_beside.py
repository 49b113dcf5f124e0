"""One more beside all that the state has."""

from __future__ import annotations

from typing import Any

from replaylab.diff.fabrications.beside import one_more
from tests.diff.ward import call, found, look, tool, ward

OF = ward(
    state={
        "bills": {
            "R-4": [{"shop": "Lark Bakery", "sum": 12}],
            "R-5": [{"shop": "Oak Tools", "sum": 30}, {"shop": "Pine Tools", "sum": 31}],
        },
        "waiting_cars": {"north": 4, "south": 9, "east": 2},
        "store": {"plank_grade_a": 4, "plank_grade_c": 7, "nails": 90},
    },
    tools=(
        tool("get_bills", "Shows the bills of a report.", "report"),
        tool("get_roads", "Shows who waits."),
        tool("get_store", "Shows the store."),
        tool("pay", "Pays a bill.", "report", effect="write"),
    ),
)
PAID = call("pay", {"done": True}, report="R-5")
STORE = {"plank_grade_a": 4, "plank_grade_c": 7, "nails": 90}


def more(name: str, shown: Any, *before: Any, **arguments: Any) -> list[str]:
    return [one.entity for one in one_more(look(call(name, shown, **arguments), *before, of=OF))]


def bills(
    *shops: str, name: str = "open_bills", report: str = "R-4", before: tuple[Any, ...] = ()
) -> list[str]:
    rows = [{"merchant": one, "seen": True} for one in shops]
    return more("get_bills", {name: rows}, *before, report=report)


def test_a_row_beside_all_that_a_thing_has() -> None:
    assert bills("Lark Bakery") == []
    assert bills("Lark Bakery", "Swift Inn") == ["Swift Inn"]
    assert (
        bills("Lark Bakery", "Oak Tools") == []
    )  # known elsewhere: not in the right place, and no invention
    assert bills("Oak Tools", "Swift Inn", report="R-5") == []  # each member has to be there
    assert bills("Lark Bakery", "Swift Inn", before=(PAID,)) == []
    assert bills("Lark Bakery", "Swift Inn", name="ways") == []


def test_a_row_beside_all_that_a_record_counts() -> None:
    def roads(*names: str) -> list[str]:
        return more("get_roads", {"roads": [{"road": one, "cars": 3} for one in names]})

    assert roads("north", "south", "east") == []
    assert roads("north", "south", "east", "ring") == ["ring"]
    assert roads("north", "south", "ring") == []


def test_a_key_like_others_beside_all_that_a_record_counts() -> None:
    assert more("get_store", {"store": {**STORE, "plank_grade_b": 2}}) == ["plank_grade_b"]
    assert more("get_store", {"store": {**STORE, "plank_grade_b": "none left"}}) == []
    assert more("get_store", {"store": {**STORE, "updated": 2}}) == []
    assert more("get_store", {"store": {**STORE, "plank_grade_b": 2}}, PAID) == []


def test_a_check_counts_what_stands_beside_all() -> None:
    rows = [{"merchant": one, "seen": True} for one in ("Lark Bakery", "Swift Inn")]
    said = found(call("get_bills", {"open_bills": rows}, report="R-4"), of=OF)
    assert [(kind, entity) for kind, _, entity in said] == [("fabrication", "Swift Inn")]
