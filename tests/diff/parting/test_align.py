from __future__ import annotations

from collections.abc import Sequence

from hypothesis import given, settings
from hypothesis import strategies as st

from replaylab.diff.parting.align import ALIKE, EXTEND, OPEN, OTHER, SAME, align, alignment_score

CALL = st.tuples(st.sampled_from("ab"), st.sampled_from("12"))
CALLS = st.lists(CALL, max_size=5)
Call = tuple[str, str]


def score(one: Call, other: Call) -> int:
    return SAME if one == other else ALIKE if one[0] == other[0] else OTHER


def best(left: Sequence[Call], right: Sequence[Call]) -> int:
    """The optimum, by trying every alignment there is."""

    def after(i: int, j: int, before: str) -> int:
        if (i, j) == (len(left), len(right)):
            return 0
        found = []
        if i < len(left) and j < len(right):
            found.append(score(left[i], right[j]) + after(i + 1, j + 1, "pair"))
        if i < len(left):
            found.append((EXTEND if before == "right" else OPEN) + after(i + 1, j, "right"))
        if j < len(right):
            found.append((EXTEND if before == "left" else OPEN) + after(i, j + 1, "left"))
        return max(found)

    return after(0, 0, "pair")


@given(CALLS, CALLS)
@settings(max_examples=150, deadline=None)
def test_no_alignment_is_better(left: list[Call], right: list[Call]) -> None:
    assert alignment_score(left, right, align(left, right, score), score) == best(left, right)


@given(CALLS, CALLS)
def test_every_call_stands_once_and_in_order(left: list[Call], right: list[Call]) -> None:
    pairs = align(left, right, score)
    assert [one for one, _ in pairs if one is not None] == list(range(len(left)))
    assert [other for _, other in pairs if other is not None] == list(range(len(right)))
    assert (None, None) not in pairs


@given(CALLS)
def test_a_sequence_is_aligned_with_itself_without_a_gap(calls: list[Call]) -> None:
    assert align(calls, calls, score) == [(at, at) for at in range(len(calls))]


@given(CALLS, CALLS)
def test_the_worth_does_not_depend_on_which_side_is_which(left: list[Call], right: list[Call]) -> None:
    there = alignment_score(left, right, align(left, right, score), score)
    back = alignment_score(right, left, align(right, left, score), score)
    assert there == back


@given(CALLS, CALLS, CALL)
def test_a_shared_beginning_never_makes_it_worse(left: list[Call], right: list[Call], call: Call) -> None:
    alone = alignment_score(left, right, align(left, right, score), score)
    longer = align([call, *left], [call, *right], score)
    assert alignment_score([call, *left], [call, *right], longer, score) >= alone + SAME


@given(CALLS, CALLS)
def test_names_of_calls_mean_nothing(left: list[Call], right: list[Call]) -> None:
    renamed = {"a": "x", "b": "y"}
    other = [[(renamed[tool], arguments) for tool, arguments in side] for side in (left, right)]
    assert align(left, right, score) == align(other[0], other[1], score)


def test_one_long_gap_is_cheaper_than_two_short_ones() -> None:
    a, b, c = ("a", "1"), ("b", "1"), ("b", "2")
    pairs = align([a, a], [a, b, c, a], score)
    assert pairs == [(0, 0), (None, 1), (None, 2), (1, 3)]


def test_calls_of_different_tools_are_gaps_and_never_a_pair() -> None:
    assert (0, 0) not in align([("a", "1")], [("b", "1")], score)


def test_nothing_against_something_is_gaps() -> None:
    assert align([], [("a", "1")], score) == [(None, 0)]
    assert align([("a", "1")], [], score) == [(0, None)]
    assert align([], [], score) == []
