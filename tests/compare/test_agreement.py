from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from replaylab.compare.agreement import Disagreement, disagreement, pairs_between
from replaylab.score.facts import Study
from tests.score.studies import scenario, study

Sides = dict[str, dict[str, str]]


def made(a: Sides, b: Sides, **more: object) -> Study:
    """By agent and scenario, one letter a task, under the simulators A and B."""
    conditions = {f"{agent}|E0|A": letters for agent, letters in a.items()}
    return study(conditions | {f"{agent}|E0|B": letters for agent, letters in b.items()}, **more)  # type: ignore[arg-type]


def of(a: Sides, b: Sides, **more: object) -> Disagreement:
    whole = made(a, b, **more)
    found = disagreement("A", "B", pairs_between(whole, "A", "B"))
    assert found is not None
    return found


def test_trials_are_paired_where_the_simulator_alone_differs() -> None:
    whole = made({"ann": {"s1": "pf"}, "bob": {"s1": "p"}}, {"ann": {"s1": "ppp"}, "cid": {"s1": "p"}})
    pairs = pairs_between(whole, "A", "B")
    assert [(pair.a.agent, pair.a.task, pair.b.task) for pair in pairs] == [
        ("ann", "s1-0", "s1-0"),
        ("ann", "s1-1", "s1-1"),
    ]
    assert {(pair.a.simulator, pair.b.simulator) for pair in pairs} == {("A", "B")}


def test_errors_and_missing_trials_drive_nothing() -> None:
    found = of({"ann": {"s1": "pppp", "s2": "p"}}, {"ann": {"s1": "femf", "s2": "e"}})
    (one,) = found.scenarios
    assert (one.name, one.pairs, one.tasks, one.rate_a, one.rate_b, one.regressed) == (
        "s1",
        2,
        2,
        1.0,
        0.0,
        2,
    )
    nothing = made({"ann": {"s1": "p"}}, {"ann": {"s1": "e"}})
    assert disagreement("A", "B", pairs_between(nothing, "A", "B")) is None


def test_the_scenario_that_moves_the_rate_most_comes_first() -> None:
    found = of({"ann": {"s1": "pp", "s2": "pppp", "s3": "f"}}, {"ann": {"s1": "pf", "s2": "fffp", "s3": "p"}})
    assert [(one.name, one.contribution) for one in found.scenarios] == [
        ("s2", float(Fraction(-3, 7))),
        ("s1", float(Fraction(-1, 7))),
        ("s3", float(Fraction(1, 7))),
    ]
    assert found.whole.difference == float(Fraction(-3, 7))
    assert [one.inversions for one in found.scenarios] == [None] * 3


def test_industries_drive_too() -> None:
    told = {"s1": scenario("s1", "Agriculture & Environment"), "s2": scenario("s2")}
    found = of({"ann": {"s1": "pp", "s2": "p"}}, {"ann": {"s1": "ff", "s2": "p"}}, scenarios=told)
    assert [(one.name, one.contribution, one.tasks) for one in found.industries] == [
        ("Agriculture & Environment", float(Fraction(-2, 3)), 2),
        ("Technology & IT", 0.0, 1),
    ]


INVERTED = (
    {"ann": {"s1": "pp", "s2": "pp", "s3": "pp"}, "bob": {"s1": "pp", "s2": "pf", "s3": "pp"}},
    {"ann": {"s1": "ff", "s2": "pp", "s3": "pp"}, "bob": {"s1": "pp", "s2": "pf", "s3": "pp"}},
)


def test_an_inversion_is_told_with_what_drives_it() -> None:
    found = of(*INVERTED)
    assert found.agent_pairs == {"same": 0, "other": 1, "tied": 0}
    (one,) = found.inversions
    assert (one.first, one.second) == ("ann", "bob")
    assert (one.margin_a, one.margin_b) == (float(Fraction(1, 6)), float(Fraction(-1, 6)))
    assert one.drivers == {"s1": float(Fraction(-1, 3))}
    assert {driver.name: driver.inversions for driver in found.scenarios} == {
        "s1": 1,
        "s2": 1,  # without it the first simulator ties them
        "s3": 0,
    }


def test_ranks_stand_on_tasks_that_every_agent_has_a_verdict_on() -> None:
    a, b = INVERTED
    error = {"ann": a["ann"] | {"s1": "ee"}, "bob": a["bob"]}
    found = of(error, b)
    assert (found.shared, found.agent_pairs, found.inversions) == (4, {"same": 1, "other": 0, "tied": 0}, ())


def test_a_tie_under_either_is_no_inversion() -> None:
    found = of({"ann": {"s1": "pp"}, "bob": {"s1": "pf"}}, {"ann": {"s1": "pp"}, "bob": {"s1": "pp"}})
    assert found.agent_pairs == {"same": 0, "other": 0, "tied": 1}


letters = st.text("pfe", min_size=2, max_size=2)
sides = st.fixed_dictionaries(
    {
        agent: st.fixed_dictionaries(dict.fromkeys(("s1", "s2", "s3"), letters))
        for agent in ("ann", "bob", "cid")
    }
)


@given(sides, sides)
def test_contributions_add_up_and_exchanged_simulators_mirror_them(a: Sides, b: Sides) -> None:
    pairs, back = pairs_between(made(a, b), "A", "B"), pairs_between(made(a, b), "B", "A")
    found, other = disagreement("A", "B", pairs), disagreement("B", "A", back)
    if found is None or other is None:
        assert found is other
        return
    for drivers in (found.scenarios, found.industries):
        assert sum(one.contribution for one in drivers) == pytest.approx(found.whole.difference)
        assert sum(one.pairs for one in drivers) == found.whole.pairs
    mine = {one.name: (one.contribution, one.regressed, one.inversions) for one in found.scenarios}
    theirs = {one.name: (-one.contribution, one.improved, one.inversions) for one in other.scenarios}
    assert mine == theirs
    assert found.agent_pairs == other.agent_pairs
    assert sum(found.agent_pairs.values()) in (0, 1, 3)
    for one, mirrored in zip(found.inversions, other.inversions, strict=True):
        assert (one.margin_a, one.margin_b) == (mirrored.margin_b, mirrored.margin_a)
        assert one.margin_a * one.margin_b < 0
        assert sum(one.drivers.values()) == pytest.approx(one.margin_b - one.margin_a)
    assert disagreement("A", "B", pairs[::-1]) == found.model_copy(
        update={"agents": tuple(dict.fromkeys(pair.a.agent for pair in pairs[::-1] if _is_decided(pair)))}
    )


def _is_decided(pair: object) -> bool:
    from replaylab.compare.metrics import decided

    return bool(decided([pair]))  # type: ignore[list-item]
