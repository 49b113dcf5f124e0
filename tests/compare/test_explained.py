from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from replaylab.compare.explained import Explained, explained
from replaylab.compare.pairing import Pair
from replaylab.compare.reading import Answered
from replaylab.score.stats.paired import mcnemar
from tests.compare.made import answer, violation
from tests.score.studies import study


class Told(NamedTuple):
    """A pair: its scenario, both verdicts, and the calls of both that hold a violation which the rubric depends on."""

    scenario: str
    verdicts: str
    a: tuple[int, ...] = ()
    b: tuple[int, ...] = ()
    checkable: int = 9


def of(told: Sequence[Told], first: Callable[[Pair], int | None] = lambda pair: None) -> Explained:
    pairs: list[Pair] = []
    answers: dict[str, Answered] = {}
    for number, one in enumerate(told):
        name = f"agent{number}"
        trials = study(
            {f"{name}|E0|{sim}": {one.scenario: one.verdicts[side]} for side, sim in enumerate("AB")}
        ).trials
        for trial, calls in zip(trials, (one.a, one.b), strict=True):
            if trial.facts:
                found = [violation(call, critical=True) for call in calls] + [violation(7)]
                made = answer(trial.simulator, one.scenario, agent=name, found=found, checkable=one.checkable)
                answers[trial.facts.cassette] = made
        pairs.append(Pair(*trials))
    return explained(pairs, answers, first)


def test_shares_are_of_flips_and_of_pairs_alike() -> None:
    found = of(
        [
            Told("s1", "pf", (), (3,)),
            Told("s2", "fp", (2,), ()),
            Told("s2", "pf"),
            Told("s1", "pp", (1,), ()),
            Told("s1", "ff"),
            Told("s2", "ff"),
        ]
    )
    assert (found.flipped.k, found.flipped.n, found.unflipped.k, found.unflipped.n) == (2, 3, 1, 3)
    assert found.difference == float(Fraction(1, 3))
    assert (found.flipped.interval is not None, found.flipped.scenarios) == (True, 2)


def test_a_violation_that_the_rubric_does_not_depend_on_explains_nothing() -> None:
    found = of([Told("s1", "pf"), Told("s2", "pp")])
    assert (found.flipped.k, found.unflipped.k) == (0, 0)


def test_pairs_without_a_verdict_or_without_a_check_are_in_no_share() -> None:
    found = of([Told("s1", "pe", (1,)), Told("s1", "mf"), Told("s1", "pf", checkable=0), Told("s1", "pp")])
    assert (found.flipped.n, found.unflipped.n, found.unchecked) == (0, 1, 1)
    assert (found.difference, found.interval, found.why_not) == (None, None, "no checked pair flipped")


@pytest.mark.parametrize(("parts_at", "before"), [(2, 0), (3, 1), (None, 1)])
def test_before_the_flip_is_no_later_than_where_the_trials_part(parts_at: int | None, before: int) -> None:
    found = of([Told("s1", "pf", (), (3,)), Told("s2", "pp", (), (3,))], lambda pair: parts_at)
    assert (found.flipped.k, found.flipped_before.k, found.unflipped_before.k) == (1, before, before)


def test_only_pairs_with_a_violation_are_looked_up() -> None:
    asked: list[Pair] = []

    def first(pair: Pair) -> int | None:
        asked.append(pair)
        return 0

    of([Told("s1", "pf"), Told("s1", "pp"), Told("s1", "pf", (1,))], first)
    assert [pair.a.agent for pair in asked] == ["agent2"]


def test_the_failed_trial_is_held_against_the_passed_one() -> None:
    found = of(
        [
            *[Told("s1", "pf", (), (1,))] * 4,
            Told("s1", "fp", (1,), ()),
            Told("s1", "pf", (1,), ()),
            Told("s1", "pf", (1,), (1,)),
        ]
    )
    assert (found.failed_alone, found.passed_alone, found.p) == (5, 1, mcnemar(5, 1).exact)


def test_one_scenario_has_no_interval_of_the_difference() -> None:
    found = of([Told("s1", "pf", (1,)), Told("s1", "pp")])
    assert (found.difference, found.interval) == (1.0, None)
    assert "fewer than two scenarios" in found.why_not


calls = st.sampled_from([(), (1,), (1, 4)])
many = st.lists(
    st.builds(
        Told,
        st.sampled_from(["s1", "s2", "s3"]),
        st.sampled_from(["pf", "fp", "pp", "ff", "pe"]),
        calls,
        calls,
        st.just(9),
    ),
    max_size=12,
)


@given(many)
def test_exchanged_sides_and_shuffled_pairs_say_the_same(told: list[Told]) -> None:
    def first(pair: Pair) -> int | None:
        return 2

    found = of(told, first)
    back = [one._replace(verdicts=one.verdicts[::-1], a=one.b, b=one.a) for one in told]
    assert of(back, first) == found
    assert of(told[::-1], first) == found
    assert found.flipped.n + found.unflipped.n == sum(one.verdicts != "pe" for one in told)
    assert found.flipped_before.k <= found.flipped.k
    if found.interval and found.difference is not None:
        assert -1 <= found.interval.low <= found.interval.high <= 1
