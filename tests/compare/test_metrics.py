from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from replaylab.compare.metrics import decided, metrics, rate
from replaylab.compare.pairing import Pair
from replaylab.schema.callpath import TrialKey
from replaylab.score.facts import Spent, TrialOutcome
from replaylab.score.stats.paired import mcnemar
from tests.score.studies import scenario, study

Letters = dict[str, Any]


def pairs_of(a: Letters, b: Letters, **more: Any) -> list[Pair]:
    first, second = (study({"ann": side}, **more).trials for side in (a, b))
    return [Pair(one, other) for one, other in zip(first, second, strict=True)]


def test_only_pairs_with_two_verdicts_count() -> None:
    found = rate(decided(pairs_of({"s1": "ppffemup"}, {"s1": "pfpfpfpe"})))
    assert (found.pairs, found.tasks, found.total_a, found.total_b) == (4, 4, 2, 2)
    assert (found.a, found.b, found.difference) == (0.5, 0.5, 0.0)
    assert (found.more_a, found.more_b) == (1, 1)


def test_repeats_of_a_task_are_averaged_first() -> None:
    found = rate(pairs_of({"s1": ["ppp", "f"]}, {"s1": ["ppf", "p"]}))
    assert (found.pairs, found.tasks, found.total_a, found.total_b) == (4, 2, 3, 3)
    assert found.difference == float((Fraction(2, 3) - 1 + 1) / 2)


def test_without_verdicts_nothing_is_said() -> None:
    found = rate(decided(pairs_of({"s1": "em"}, {"s1": "pp"})))
    assert (found.pairs, found.a, found.difference, found.p, found.testable) == (0, None, None, None, False)
    assert found.why_not == "no pair in which both trials have a verdict"
    assert metrics(pairs_of({"s1": "e"}, {"s1": "p"}))[0] == found


@pytest.mark.parametrize(("scenarios", "testable"), [(5, False), (6, True)])
def test_it_is_testable_where_six_scenarios_differ(scenarios: int, testable: bool) -> None:
    names = [f"s{at}" for at in range(scenarios)]
    found = rate(pairs_of(dict.fromkeys(names, "p"), dict.fromkeys(names, "f")))
    assert (found.testable, found.p is not None) == (testable, testable)
    assert found.mcnemar == mcnemar(scenarios, 0).exact
    assert ("smallest attainable p" in found.why_not) is not testable


def test_scenarios_and_not_tasks_are_what_is_flipped() -> None:
    # Six tasks that differ, all of one scenario: McNemar takes them for independent, the sign flip does not.
    found = rate(pairs_of({"s1": "pppppp"}, {"s1": "ffffff"}))
    assert (found.mcnemar, found.p, found.testable) == (0.03125, None, False)


def test_groups_are_adjusted_within_their_family() -> None:
    names = [f"s{at}" for at in range(14)]
    told = {
        name: scenario(name, "Agriculture & Environment" if at < 7 else "Technology & IT")
        for at, name in enumerate(names)
    }
    found = metrics(pairs_of(dict.fromkeys(names, "p"), dict.fromkeys(names, "f"), scenarios=told))
    rates = [(one.of, one.group, one.p, one.adjusted) for one in found if one.share]
    assert rates == [
        ("", "", 2.0**-13, None),
        ("industry", "Agriculture & Environment", 2.0**-6, 2.0**-5),
        ("industry", "Technology & IT", 2.0**-6, 2.0**-5),
    ]


def test_amounts_are_exact_and_differ_by_what_the_second_takes_more() -> None:
    def facts(key: TrialKey, outcome: TrialOutcome) -> dict[str, Any]:
        many = 3 if key.condition.agent == "bob" else 2
        spent = Spent(calls=many, attempts=9, prompt_tokens=10 * many, completion_tokens=1)
        return {"calls": many, "spent": {"agent": spent, "simulator": spent}}

    a, b = (study({agent: {"s1": "pp", "s2": "fe"}}, more=facts).trials for agent in ("ann", "bob"))
    found = {
        one.name: one for one in metrics([Pair(*two) for two in zip(a, b, strict=True)]) if not one.share
    }
    told = {name: (one.pairs, one.total_a, one.total_b, one.difference) for name, one in found.items()}
    assert told == {
        "tool calls": (3, 6, 9, 1.0),
        "model calls": (3, 12, 18, 2.0),
        "prompt tokens": (3, 120, 180, 20.0),
        "completion tokens": (3, 6, 6, 0.0),
    }
    assert (found["tool calls"].more_a, found["tool calls"].more_b) == (0, 3)


sides = st.lists(
    st.tuples(
        st.sampled_from(["s1", "s2", "s3", "s4", "s5", "s6", "s7"]),
        st.sampled_from("pfem"),
        st.sampled_from("pfem"),
    ),
    min_size=1,
    max_size=24,
)


@given(sides)
def test_exchanged_sides_mirror_every_metric(told: list[tuple[str, str, str]]) -> None:
    letters: list[Letters] = [{}, {}]
    for name, *both in told:
        for side, letter in zip(letters, both, strict=True):
            side[name] = side.get(name, "") + letter
    one, other = metrics(pairs_of(*letters)), metrics(pairs_of(*reversed(letters)))
    assert len(one) == len(other)
    for mine, theirs in zip(one, other, strict=True):
        assert (mine.total_a, mine.a, mine.more_a) == (theirs.total_b, theirs.b, theirs.more_b)
        assert (mine.p, mine.adjusted, mine.mcnemar, mine.why_not) == (
            theirs.p,
            theirs.adjusted,
            theirs.mcnemar,
            theirs.why_not,
        )
        assert mine.difference == (None if theirs.difference is None else -theirs.difference)
        if mine.interval and theirs.interval:
            assert mine.interval.low == pytest.approx(-theirs.interval.high)
    shuffled = pairs_of(*({name: side[name] for name in sorted(side, reverse=True)} for side in letters))
    assert metrics(shuffled) == one


def test_tokens_are_compared_where_both_sides_have_counts() -> None:
    def facts(key: TrialKey, outcome: TrialOutcome) -> dict[str, Any]:
        counted = 0 if key.condition.agent == "bob" and outcome == "fail" else 10
        return {"spent": {"agent": Spent(calls=1, prompt_tokens=counted)}}

    a, b = (
        study({agent: {"s1": letters}}, more=facts).trials
        for agent, letters in (("ann", "pp"), ("bob", "pf"))
    )
    found = {one.name: one for one in metrics([Pair(*two) for two in zip(a, b, strict=True)])}
    assert (found["model calls"].pairs, found["prompt tokens"].pairs, found["prompt tokens"].difference) == (
        2,
        1,
        0,
    )
