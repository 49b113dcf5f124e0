from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from replaylab.builtin.grammar.renaming import renaming
from replaylab.builtin.seeded.draw import Draw

STATE = {
    "readers": {"PT-101": {"next": "PT-204"}, "PT-204": {}},
    "rooms": ["B-1", "B-10"],
    "note": "PT-101, see X-12",
}


def test_every_id_of_a_state_gets_another_number_everywhere_and_stays_in_its_order() -> None:
    renamed = renaming([STATE], "", Draw("a"))(STATE)
    first, second = renamed["readers"]
    assert first < second
    assert {first, second}.isdisjoint(STATE["readers"])
    assert renamed["readers"][first]["next"] == second
    assert renamed["note"].startswith(f"{first}, see X-")


def test_ids_of_different_length_stay_since_their_order_would_change() -> None:
    assert renaming([STATE], "", Draw("a"))(STATE)["rooms"] == ["B-1", "B-10"]


def test_what_the_code_spells_itself_stays() -> None:
    assert list(renaming([STATE], "return f'PT-{n}'", Draw("a"))(STATE)["readers"]) == ["PT-101", "PT-204"]


def test_ids_that_the_state_does_not_hold_stay() -> None:
    assert renaming([STATE], "", Draw("a"))("PT-999 and ZZ-100") == "PT-999 and ZZ-100"


@given(st.integers(0, 50), st.sets(st.integers(100, 999), min_size=1, max_size=9))
def test_no_two_ids_become_one(seed: int, numbers: set[int]) -> None:
    state = [f"AB-{number}" for number in sorted(numbers)]
    renamed = renaming([state], "", Draw(seed))(state)
    assert len(set(renamed)) == len(state)
    assert renamed == sorted(renamed)
