"""Lists that leave out what they were asked for by a flag, where answers or the calendar tell whose the flag is."""

from __future__ import annotations

from typing import Any

from replaylab.diff.check import Observed
from replaylab.schema.scenario import Environment
from tests.diff.ward import call, found, tool

LOANS: dict[str, dict[str, Any]] = {
    "LN-1": {"book": "BK-1", "until": "2025-03-01", "back": "2025-02-27"},
    "LN-2": {"book": "BK-2", "until": "2025-03-05", "back": None},
    "LN-3": {"book": "BK-3", "until": "2025-03-20", "back": None},
}
BOOKS: dict[str, dict[str, Any]] = {
    "BK-1": {"title": "Tides", "shelf": "A", "copies": 2},
    "BK-2": {"title": "Moss", "shelf": "A", "copies": 1},
    "BK-3": {"title": "Salt", "shelf": "B", "copies": 5},
}


def library(**state: Any) -> Environment:
    flag = {"type": "boolean"}
    tools = (
        tool(
            "list_loans",
            "Loans.",
            example={"loans": loans("LN-1", "LN-2")},
            overdue=flag,
            shelf={"type": "string"},
        ),
        tool(
            "list_books", "Books.", example={"books": books(BK_1=True)}, scarce=flag, shelf={"type": "string"}
        ),
        tool("take_back", "Takes a loan back.", "loan", effect="write", example={"loan": "LN-2"}),
        tool("buy", "Buys copies of a book.", "book", effect="write", example={"book": "BK-1"}),
        tool("close_day", "Ends the day.", effect="write", example={"today": "2025-03-11"}),
        tool("sleep", "Lets days pass.", "days", effect="write", example={"today": "2025-03-11"}),
    )
    return Environment(
        id="library",
        initial_state={"today": "2025-03-10", "books": BOOKS, "loans": LOANS, **state},
        system_prompt="You simulate.",
        state_description={},
        tools=tools,
    )


def loans(*names: str) -> list[dict[str, Any]]:
    return [{"loan": one, "book": LOANS[one]["book"], "until": LOANS[one]["until"]} for one in names]


def books(**scarce: Any) -> list[dict[str, Any]]:
    return [
        {"book": key, "title": BOOKS[key]["title"], "scarce": value}
        for name, value in scarce.items()
        for key in [name.replace("_", "-")]
    ]


def missed(*calls: Observed, of: Environment | None = None) -> list[str]:
    return [one for kind, _, one in found(*calls, of=of or library()) if kind == "omission"]


def overdue(*names: str, asked: bool = True) -> Observed:
    return call("list_loans", {"loans": loans(*names)}, overdue=asked)


ALL_BOOKS = call("list_books", {"books": books(BK_1=False, BK_2=True, BK_3=False)})


def scarce(*names: str, asked: bool = True, **more: Any) -> Observed:
    rows = [{"book": one, "title": BOOKS[one]["title"]} for one in names]
    return call("list_books", {"books": rows}, scarce=asked, **more)


def test_what_is_due_before_today_and_has_no_end_is_overdue() -> None:
    assert missed(overdue("LN-2")) == []
    assert missed(overdue()) == ["LN-2"]


def test_what_is_due_later_is_not_overdue() -> None:
    assert missed(overdue("LN-1", "LN-3", asked=False)) == []
    assert missed(overdue("LN-1", asked=False)) == ["LN-3"], "what came back late may be or not"


def test_nobody_knows_what_is_overdue_where_a_call_may_have_ended_it_or_no_day_is_told() -> None:
    assert missed(call("take_back", {"loan": "LN-2"}, loan="LN-2"), overdue()) == []
    assert missed(call("sleep", {}, days="1"), overdue()) == []
    assert missed(overdue(), of=library(today=None)) == []


def test_what_closes_a_day_clears_no_list_that_it_does_not_speak_of() -> None:
    assert missed(call("close_day", {"today": "2025-03-11"}), overdue()) == ["LN-2"]


def test_a_list_that_shows_what_is_not_overdue_understands_the_word_otherwise() -> None:
    assert missed(overdue("LN-3")) == []


def test_a_row_of_an_earlier_answer_tells_a_flag() -> None:
    assert missed(ALL_BOOKS, scarce("BK-2")) == []
    assert missed(ALL_BOOKS, scarce()) == ["BK-2"]
    assert missed(ALL_BOOKS, scarce("BK-1", asked=False)) == ["BK-3"]
    assert missed(scarce()) == [], "nothing was told"


def test_a_figure_called_like_the_flag_tells_by_how_much() -> None:
    rows = [{"book": "BK-1", "scarce_by": 0}, {"book": "BK-2", "scarce_by": 3}]
    assert missed(call("list_books", {"books": rows}, shelf="A"), scarce()) == ["BK-2"]


def test_what_was_told_before_something_was_done_with_a_thing_tells_nothing() -> None:
    assert missed(ALL_BOOKS, call("buy", {"book": "BK-2"}, book="BK-2"), scarce()) == []
    assert missed(ALL_BOOKS, call("buy", {"book": "BK-1"}, book="BK-1"), scarce()) == ["BK-2"]
    assert missed(ALL_BOOKS, call("sleep", {}, days="1"), scarce()) == []
