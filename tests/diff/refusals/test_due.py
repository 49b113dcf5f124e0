"""Refusals that are due by what the call is about, in whatever words."""

from __future__ import annotations

from typing import Any

import pytest

from tests.diff.ward import call, found, tool, ward

NUMBER = {"type": "integer", "minimum": 0}
TOOLS = (
    tool("cancel_walk", "Cancels a walk.", "walk", effect="write"),
    tool("finish_walk", "Notes that a walk was made.", "walk", effect="write"),
    tool(
        "book_walk",
        "Books a walk.",
        "path",
        effect="write",
        pram={"type": "boolean"},
        adults=NUMBER,
        pupils=NUMBER,
    ),
)
STATE = {
    "as_of": "2025-05-10",
    "walks": {
        "W-1": {"first_day": "2025-05-08", "last_day": "2025-05-09"},
        "W-2": {"first_day": "2025-05-14", "last_day": "2025-05-16"},
    },
    "paths": {"Ridge": {"pram": False}, "Valley": {"pram": True}},
}
PROMPT = "You simulate walks. A group of nobody, or of pupils alone, isn't taken."


def refused(name: str, text: str, **given: Any) -> list[str]:
    of = ward(state=STATE, tools=TOOLS, system_prompt=PROMPT, state_description={})
    return [kind for kind, _, _ in found(call(name, {"error": text}, **given), of=of)]


@pytest.mark.parametrize(
    ("name", "text", "due", "undue"),
    [
        ("cancel_walk", "That walk has begun.", "W-1", "W-2"),
        ("cancel_walk", "That walk has ended.", "W-1", "W-2"),
        ("finish_walk", "That one is not before 2025-05-14.", "W-2", ""),
        ("finish_walk", "Not today, it sets out on 2025-05-14.", "W-2", ""),
    ],
)
def test_a_date_of_the_thing_says_whether_it_has_begun_is_over_or_is_to_come(
    name: str, text: str, due: str, undue: str
) -> None:
    assert refused(name, text, walk=due) == []
    if undue:
        assert refused(name, text, walk=undue) == ["rule_invention"]


def test_a_yes_that_the_thing_says_no_to_is_refused() -> None:
    text, given = "Prams get stuck there.", {"pram": True, "adults": 2, "pupils": 0}
    assert refused("book_walk", text, path="Ridge", **given) == []
    assert refused("book_walk", text, path="Valley", **given) == ["rule_invention"]


def test_nobody_or_one_sort_alone_is_turned_away_in_any_words() -> None:
    text = "Somebody grown-up has to be there."
    for adults, pupils, found_there in ((0, 4, []), (0, 0, []), (1, 4, ["rule_invention"])):
        assert refused("book_walk", text, path="Valley", adults=adults, pupils=pupils) == found_there
    assert refused("book_walk", "The warden has a say in that.", path="Valley", adults=0, pupils=4)
