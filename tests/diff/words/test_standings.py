"""How texts say that a thing stands."""

from __future__ import annotations

import pytest

from replaylab.diff.words.standings import STANDINGS, in_standings


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("RL-1 has left the house", "away"),
        ("it is on its way to Lyon", "away"),
        ("the trip was called off", "cancelled"),
        ("it will not take place", "cancelled"),
        ("nothing is owed on F-1", "paid"),
        ("the room is spoken for", "taken"),
        ("the hall is fully booked", "full"),
    ],
)
def test_many_words_say_one_standing(text: str, name: str) -> None:
    assert any(one.says.search(text) for one in STANDINGS if one.name == name)


def test_what_is_denied_is_found_apart() -> None:
    (taken,) = (one for one in STANDINGS if one.name == "taken")
    assert taken.denies.search("S-2 was never lent")
    assert taken.denies.search("S-2 is here")
    assert not taken.denies.search("S-2 is on loan")


def test_two_and_what_is_left_is_not_gone() -> None:
    (away,) = (one for one in STANDINGS if one.name == "away")
    assert not away.says.search("only 2 left")


def test_a_text_names_its_standings() -> None:
    assert "cancelled" in in_standings("trips that have been called off").split()
