from __future__ import annotations

import random
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from replaylab.compare.ranking import LEAST_CALLS, rank
from replaylab.compare.reading import Answered
from tests.compare.made import answer, study_of, violation


def ranks(trials: list[Answered]) -> dict[str, tuple[int | None, tuple[int, int] | None]]:
    return {one.name: (one.rank, one.ranks) for one in rank(trials).cards}


def test_the_one_that_keeps_its_contract_best_is_first_and_ties_share_a_rank() -> None:
    found = ranks(study_of({"worst": [9] * 12, "good": [0] * 12, "same": [0] * 12}))
    assert found == {"good": (1, (1, 2)), "same": (1, (1, 2)), "worst": (3, (3, 3))}


def test_a_difference_that_chance_could_have_made_moves_nobody() -> None:
    found = ranks(study_of({"a": [1, 0, 0, 0, 0, 0], "b": [0, 1, 1, 0, 0, 0]}))
    assert found == {"a": (1, (1, 2)), "b": (2, (1, 2))}


def test_a_pair_is_compared_on_the_tasks_that_both_have() -> None:
    # On the tasks that both have they are alike; the second was asked in others too, in which it breaks everything.
    trials = study_of({"a": [1] * 8, "b": [1] * 8}) + [
        answer("b", f"more{at}", found=[violation(call) for call in range(10)]) for at in range(8)
    ]
    (pair,) = rank(trials).pairs
    assert (pair.difference, pair.tasks, pair.scenarios, pair.alone) == (0.0, 8, 8, 8)
    assert ranks(trials) == {"a": (1, (1, 2)), "b": (2, (1, 2))}


def test_without_a_task_in_common_nothing_is_said_of_a_pair() -> None:
    trials = [answer("a", f"s{at}") for at in range(8)] + [answer("b", f"t{at}") for at in range(8)]
    (pair,) = rank(trials).pairs
    assert (pair.difference, pair.p, pair.testable) == (None, None, False)
    assert "no task in which both" in pair.why_not


@pytest.mark.parametrize(
    ("trials", "says"),
    [
        ([answer("a", f"s{at}", checkable=0) for at in range(9)], "none of its 90 calls"),
        ([answer("a", f"s{at}", checkable=2) for at in range(9)], f"a rank needs {LEAST_CALLS}"),
        ([answer("a", f"s{at}", calls=900, checkable=9) for at in range(9)], "a rank needs one in 20"),
        ([answer("a", "s1", task=task) for task in range(9)], "of one scenario"),
        ([answer("a", "s1", calls=0, checkable=0)], "it answered no call"),
    ],
)
def test_with_too_little_coverage_there_is_no_rank_and_it_says_why(trials: list[Answered], says: str) -> None:
    (one,) = rank(trials).cards
    assert (one.rank, one.ranks) == (None, None)
    assert says in one.unranked


def test_what_cannot_be_ranked_stands_last_and_takes_no_rank_from_others() -> None:
    trials = [answer("a", "s1", checkable=0), *study_of({"b": [5] * 6, "c": [1] * 6})]
    assert [(one.name, one.rank) for one in rank(trials).cards] == [("c", 1), ("b", 2), ("a", None)]


def test_evidence_is_ranked_apart() -> None:
    trials = study_of({"a": [5] * 6}) + study_of({"a": [0] * 6}, evidence="authored")
    found = rank(trials)
    assert [(one.evidence, one.rank, one.ranks) for one in found.cards] == [
        ("recorded", 1, (1, 1)),
        ("authored", 1, (1, 1)),
    ]
    assert found.pairs == ()


broken = st.lists(st.lists(st.integers(0, 10), min_size=7, max_size=7), min_size=2, max_size=3)


@given(broken, st.randoms(use_true_random=False))
def test_nothing_depends_on_the_order_of_trials(shares: list[list[int]], chance: random.Random) -> None:
    trials = study_of({f"sim{at}": one for at, one in enumerate(shares)})
    shuffled = chance.sample(trials, len(trials))
    assert rank(trials) == rank(shuffled)


@given(broken)
def test_names_exchanged_exchange_everything(shares: list[list[int]]) -> None:
    first, second = shares[:2]
    one, other = rank(study_of({"a": first, "b": second})), rank(study_of({"a": second, "b": first}))
    mine = {card.name: (card.rank, card.ranks, card.share) for card in one.cards}
    theirs = {card.name: (card.rank, card.ranks, card.share) for card in other.cards}
    assert (mine["a"], mine["b"]) == (theirs["b"], theirs["a"])
    left, right = one.pairs[0], other.pairs[0]
    assert (left.p, left.adjusted, left.testable) == (right.p, right.adjusted, right.testable)
    assert left.difference == -(right.difference or 0)
    assert left.difference == float(Fraction(sum(first) - sum(second), 70))
    assert left.interval is not None
    assert right.interval is not None
    assert left.interval.low == pytest.approx(-right.interval.high)
