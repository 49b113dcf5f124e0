from __future__ import annotations

from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from replaylab.audit.assertions import Claim
from replaylab.audit.decide.all import DECIDERS
from replaylab.errors import UsageError
from tests.audit.files import decided, table

NUMBERS: dict[str, Any] = {"a": {"n": 10}, "b": {"n": 10}}
FULL = table({"X": ["50", "40"], "Y": ["30", "20"]}, NUMBERS)
# Nothing stands in any cell that a reference reaches: empty ones, and a table of nothing but a summary.
EMPTY = table({"X": ["", "-"], "Y": ["–", "—"]}, NUMBERS)
SUMMARY = table({"S": ["50", "40"]}, NUMBERS, summary={"S": {"how": "mean"}})

CELLS = ("t / X / a", "t / Y / b", "t / * / a", "t / X / *")
REFERENCE = st.sampled_from(CELLS)
REFERENCES = st.lists(REFERENCE, min_size=2, max_size=3)
ROWS = st.lists(st.sampled_from(["X", "Y"]), max_size=2)
CONDITION = st.sampled_from(["a < b", "a >= 3", "b != a", "a = 50"])
FORMULA = st.sampled_from(
    [
        {"how": "mean", "of": ["t / * / a"]},
        {"how": "pooled", "of": ["t / * / a"]},
        {"how": "rank", "over": "t / X / a", "of": ["t / * / a"]},
        {"how": "agreement", "of": ["t / * / a", "t / * / b"]},
        {"how": "ratio", "of": ["t / X / a", "t / X / b"]},
    ]
)
VALUE = st.sampled_from(["0", "50", "1.5", "nan", "", "٥"])
PAIR = {"a": REFERENCE, "b": REFERENCE}
FIELDS: dict[str, dict[str, st.SearchStrategy[Any]]] = {
    "equals": {"cell": REFERENCE, "value": VALUE},
    "recompute": {"value": VALUE, "formula": FORMULA},
    "grim": {"cell": REFERENCE},
    "joint_sum": {"total": REFERENCE, "of": REFERENCES},
    "rounding_rule": {"table": st.just("t"), "rule": st.sampled_from(["half_up", "up"])},
    "order": {"cells": REFERENCES},
    "monotone": {"cells": REFERENCES},
    "argmax": {"of": REFERENCE, "named": st.just(["X"]), "top": st.integers(1, 9)},
    "universal": {"table": st.just("t"), "condition": CONDITION, "without": ROWS},
    "count": {"table": st.just("t"), "condition": CONDITION, "without": ROWS, "expect": st.integers(0, 2)},
    "same_condition": {"cells": REFERENCES, "any": st.booleans()},
    "cross_reference": PAIR,
    "unit": {**PAIR, "value": VALUE, "unit": st.sampled_from(["%", "points"])},
    "figure": {"cell": REFERENCE, "figure": VALUE, "tolerance": st.just("1")},
    "differs": PAIR,
    "equivalent": {**PAIR, "margin": st.just("5")},
    "exact_tie": {"cells": REFERENCES},
    "same_top": {**PAIR, "top": st.integers(1, 9)},
    "disagreements": {**PAIR, "expect": st.integers(0, 1)},
}


def test_every_type_of_claim_can_be_decided() -> None:
    union, *_ = get_args(Claim)
    types = {get_args(one.model_fields["type"].annotation)[0] for one in get_args(union)}
    assert types == set(DECIDERS)
    assert types == {*FIELDS, "scope"}  # how many rows a table has, it has


def outcome(one: dict[str, Any], kind: str, fields: dict[str, Any]) -> str:
    """What becomes of the claim; "refused" where it speaks of what is not there."""
    try:
        return decided({"t": one}, type=kind, **fields).outcome
    except UsageError:
        return "refused"


@pytest.mark.parametrize("kind", sorted(FIELDS))
@given(data=st.data())
def test_any_claim_is_decided_or_refused_and_nothing_holds_of_nothing(kind: str, data: st.DataObject) -> None:
    fields = data.draw(st.fixed_dictionaries(FIELDS[kind]))
    assert outcome(FULL, kind, fields) in ("holds", "fails", "undecided", "refused")
    for one in (EMPTY, SUMMARY):
        assert outcome(one, kind, fields) != "holds"


@pytest.mark.parametrize(
    ("kind", "fields", "reason"),
    [
        ("universal", {"table": "t", "condition": "a < b", "without": ["X", "Y"]}, "there is no row"),
        ("count", {"table": "t", "condition": "a < b", "without": ["X", "Y"], "expect": 0}, "no row"),
        ("same_top", {"a": "t / * / a", "b": "t / * / b", "top": 3}, "there are only 2 numbers"),
    ],
)
def test_a_claim_about_more_than_there_is_stays_open(kind: str, fields: dict[str, Any], reason: str) -> None:
    found = decided({"t": FULL}, type=kind, **fields)
    assert (found.outcome, reason in found.reason) == ("undecided", True)


@pytest.mark.parametrize(
    ("kind", "fields", "what"),
    [
        ("order", {"cells": ["t / X / a", "t / X / a"]}, "t / X / a is named twice"),
        ("exact_tie", {"cells": ["t / X / a", "t / * / a"]}, "t / X / a is named twice"),
        ("same_condition", {"cells": ["t / X / b", "t / X / *"]}, "t / X / b is named twice"),
        ("count", {"table": "t", "condition": "a > b", "expect": 2, "members": ["X", "Y", "Ghost"]}, "Ghost"),
        ("argmax", {"of": "t / * / a", "named": ["X"], "without": ["Ghost"]}, "Ghost"),
        ("cross_reference", {"a": "t / * / a", "b": "t / * / a", "without": ["Ghost"]}, "Ghost"),
        ("scope", {"table": "t", "expect": 2, "without": ["Ghost"]}, "Ghost"),
        (
            "recompute",
            {"value": "40", "formula": {"how": "mean", "of": ["t / * / a"], "without": ["Ghost"]}},
            "Ghost",
        ),
    ],
)
def test_a_claim_that_names_what_is_not_there_or_the_same_twice_is_refused(
    kind: str, fields: dict[str, Any], what: str
) -> None:
    with pytest.raises(UsageError, match=what):
        decided({"t": FULL}, type=kind, **fields)


def test_a_row_that_is_named_twice_counts_once() -> None:
    found = decided({"t": FULL}, type="count", table="t", condition="a > b", rows=["X", "X"], expect=2)
    assert found.outcome == "fails"


def test_a_member_among_the_rows_left_out_is_no_member() -> None:
    fields = {"table": "t", "condition": "a > b", "without": ["Y"], "expect": 1, "members": ["X", "Y"]}
    assert decided({"t": FULL}, type="count", **fields).outcome == "fails"


def test_a_number_is_not_computed_from_itself() -> None:
    formula = {"how": "mean", "of": ["t / X / a"]}
    assert decided({"t": FULL}, type="recompute", cell="t / X / a", formula=formula).outcome == "undecided"


def test_cells_without_numbers_leave_a_cross_reference_open_and_texts_are_compared() -> None:
    one = table({"X": ["50", ""]}, {"a": {}, "b": {}})
    fields = {"a": "t / * / a", "b": "t / * / b"}
    assert decided({"t": one}, type="cross_reference", **fields).outcome == "undecided"
    for text, wanted in (("high", "holds"), ("low", "fails")):
        words = table({"X": ["high", text]}, {"a": {}, "b": {}}, unit="text")
        assert decided({"t": words}, type="cross_reference", **fields).outcome == wanted


def test_empty_cells_are_no_text_of_their_own() -> None:
    one = table({"X": ["-"], "Y": ["open"], "Z": ["open"]}, {"a": {"unit": "text"}})
    assert (
        decided({"t": one}, type="scope", table="t", what="distinct", column="a", expect=1).outcome == "holds"
    )
