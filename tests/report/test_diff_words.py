from __future__ import annotations

import pytest

from replaylab.report.diff_words import blame_words, brief, difference_words, listed, title_of
from replaylab.schema.difference import Difference
from replaylab.schema.violation import Violation
from tests.report.compared import violation


@pytest.mark.parametrize(
    ("one", "said"),
    [
        (violation("fabrication", entity="R3"), "R3 is invented"),
        (violation("fabrication", observed={"id": 3}), '{"id": 3} is invented'),
        (violation("omission", entity="Raj"), "Raj is left out"),
        (violation("omission", subkind="denial", entity="Raj"), "Raj is denied"),
        (violation("rule_invention", observed="Too late"), "Refused by a rule that nobody wrote: “Too late”"),
        (
            violation("contradiction", pointer="/a/tier", entity="Ann", observed=5, expected=3),
            "tier of Ann is 5 and should be 3",
        ),
        (violation("contradiction", pointer="/a/0", observed=5, expected=3), "A value is 5 and should be 3"),
        (violation("possible_fault", observed="timeout"), "Possible fault: timeout"),
    ],
)
def test_a_heading_says_what_was_done(one: Violation, said: str) -> None:
    assert title_of(one) == said


def test_a_value_is_cut_and_stands_on_one_line() -> None:
    assert brief("a\n b") == "a b"
    assert len(brief("x" * 1_000_000)) == 90
    assert brief("x" * 90) == "x" * 90


def test_where_the_contract_is_silent_nobody_is_blamed() -> None:
    one = Difference(kind="open")
    assert blame_words(one) == "Nobody is blamed: the contract is silent."
    assert "gpt stands against a majority" in blame_words(one.model_copy(update={"minority": ("gpt",)}))
    blamed = one.model_copy(update={"blamed": ("a", "b")})
    assert blame_words(blamed) == "Explained by a violation of a and b."
    assert blame_words(blamed.model_copy(update={"noise": True})).startswith("Noise")
    assert difference_words(one) == "They differ in what the contract leaves open"
    assert difference_words(one.model_copy(update={"message": "get_x says"})) == "get_x says"


def test_names_stand_in_a_row() -> None:
    assert [listed(names) for names in ((), ("a",), ("a", "b"), ("a", "b", "c"))] == [
        "",
        "a",
        "a and b",
        "a, b and c",
    ]
