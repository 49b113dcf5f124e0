from __future__ import annotations

from fractions import Fraction
from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from replaylab.score import pairs
from replaylab.score.facts import Study
from replaylab.score.footer import Family
from replaylab.score.pairs import (
    Compared,
    adjust,
    adjusted_cell,
    cochran_note,
    compare,
    difference_cell,
    discordant_cell,
    family_of,
    mcnemar_cell,
    mid_p_cell,
    p_of,
    pairwise,
)
from replaylab.score.slices import slices
from replaylab.score.stats.many import holm
from replaylab.score.stats.omnibus import cochran_q
from replaylab.score.value import Selector
from tests.score.studies import Outcomes, study

# ann passes what bob fails in six scenarios, one task each.
SIX: dict[str, dict[str, Outcomes]] = {
    "ann": {f"s{n}": "p" for n in range(6)},
    "bob": {f"s{n}": "f" for n in range(6)},
}


def versus(held: Study, a: str = "ann", b: str = "bob") -> Compared:
    sliced = slices(held)
    return compare(sliced, sliced.reference(agent=a), sliced.reference(agent=b))


def test_the_difference_is_first_minus_second_over_the_tasks_of_both() -> None:
    one = versus(study({"ann": {"s1": "ppf", "s2": "p"}, "bob": {"s1": "fpf", "s2": "p"}}))
    assert (one.difference, one.tasks, one.scenarios, one.alone) == (Fraction(1, 4), 4, 2, 0)
    cell = difference_cell(one)
    assert (cell.text, cell.value) == ("25.0", 25.0)
    assert cell.trials == (one.a, one.b)
    assert difference_cell(versus(study({"bob": {"s1": "pp"}, "ann": {"s1": "pf"}}))).text == "-50.0"


def test_tasks_are_paired_by_name_and_not_by_place() -> None:
    """bob played the scenarios in another order: nothing differs."""
    one = versus(study({"ann": {"s1": "pf", "s2": "ff"}, "bob": {"s2": "ff", "s1": "pf"}}))
    assert one.found is not None
    assert (one.difference, one.found.only_a, one.found.only_b) == (Fraction(0), 0, 0)


def test_a_task_that_only_one_has_is_left_out_and_said() -> None:
    one = versus(study({"ann": {"s1": "pp", "s2": "ff"}, "bob": {"s1": "f"}}))
    assert (one.difference, one.tasks, one.alone) == (Fraction(1), 1, 3)
    assert "over the 1 tasks that both have; 3 that only one has left out" in difference_cell(one).note


def test_an_error_is_not_a_pass_when_planned_and_leaves_the_pair_when_decided() -> None:
    outcomes: dict[str, dict[str, Outcomes]] = {"ann": {"s1": "ppp"}, "bob": {"s1": "pem"}}
    planned = versus(study(outcomes))
    assert (planned.difference, planned.tasks, planned.alone) == (Fraction(2, 3), 3, 0)
    decided = versus(study(outcomes, denominator="decided"))
    assert (decided.difference, decided.tasks, decided.alone) == (Fraction(0), 1, 2)


def test_repeats_of_a_task_are_one_difference() -> None:
    one = versus(study({"ann": {"s1": ["ppp", "ppf"]}, "bob": {"s1": ["pff", "ppf"]}}))
    assert one.found is not None
    assert (one.difference, one.found.only_a, one.found.only_b) == (Fraction(1, 3), 1, 0)


def test_no_task_in_common_is_empty_cells_that_say_so() -> None:
    one = versus(study({"ann": {"s1": "p"}, "bob": {"s2": "p"}}))
    assert (one.difference, one.found, one.testable) == (None, None, False)
    assert one.why_not == "no task in common"
    for cell in (difference_cell(one), mcnemar_cell(one), mid_p_cell(one), discordant_cell(one)):
        assert (cell.text, cell.note) == ("", "no task in common")
    assert p_of(one).text == "not testable"


def test_six_scenarios_that_differ_are_testable_and_five_are_not() -> None:
    six = versus(study(SIX))
    assert six.found is not None
    assert six.found.p == 2 / 2**6
    assert pairs.testable_cell(six).text == "yes"
    five = versus(study({name: {s: o for s, o in by.items() if s != "s5"} for name, by in SIX.items()}))
    assert five.why_not == "only 5 scenarios differ of 5: smallest attainable p 0.0625; 6 would have to"
    for cell in (p_of(five), adjusted_cell(five), pairs.testable_cell(five)):
        assert (cell.text, cell.note) == ("not testable", five.why_not)
    assert [p_of(five).value, adjusted_cell(five).value, pairs.testable_cell(five).value] == [
        None,
        None,
        False,
    ]


def test_one_scenario_is_never_testable_however_many_tasks_it_has() -> None:
    one = versus(study({"ann": {"s1": "p" * 40}, "bob": {"s1": "f" * 40}}))
    assert one.why_not == "at most 1 scenario differs of 1: smallest attainable p 1; 6 would have to"


def test_players_that_never_differ_are_not_testable() -> None:
    one = versus(study({"ann": {"s1": "pf", "s2": "p"}, "bob": {"s1": "pf", "s2": "p"}}))
    assert not one.testable
    assert one.why_not.startswith("at most 1 scenario differs of 2")


def test_mcnemar_and_the_discordant_tasks_stand_beside() -> None:
    one = versus(study({"ann": {"s1": "pppf", "s2": "f"}, "bob": {"s1": "ffff", "s2": "p"}}))
    assert discordant_cell(one).text == "3 v 1"
    assert discordant_cell(one).value == 4
    assert mcnemar_cell(one).value == 0.625
    assert mid_p_cell(one).value == 0.375


def test_holm_takes_only_the_testable_pairs_into_the_family() -> None:
    held = study(
        SIX
        | {
            "cat": {f"s{n}": "p" if n else "f" for n in range(6)},
            "dan": {f"s{n}": "f" for n in range(6)},
        }
    )
    tested = [versus(held, a, b) for a, b in combinations(["ann", "bob", "cat", "dan"], 2)]
    adjusted = adjust(tested)
    assert [one.testable for one in tested] == [True, False, True, False, False, False]
    assert [one.adjusted for one in adjusted] == [2 * 2 / 64, None, 2 * 2 / 64, None, None, None]
    assert family_of(adjusted, "these") == Family(tests=2, of="these", untestable=4)


def many(agents: int = 3, scenarios: int = 12) -> Study:
    """The first agents pass more: agent n fails the last 4n scenarios."""
    return study(
        {
            f"a{n}": {f"s{s:02}": "pp" if s < scenarios - 4 * n else "ff" for s in range(scenarios)}
            for n in range(agents)
        }
    )


def test_all_pairs_are_in_rank_order_and_adjusted_in_one_family() -> None:
    ranked = pairwise(slices(many()))
    assert ranked.agents == ("a0", "a1", "a2")
    assert [(one.a.agent, one.b.agent) for one in ranked.compared] == [
        ("a0", "a1"),
        ("a0", "a2"),
        ("a1", "a2"),
    ]
    tested = [one.found.p for one in ranked.compared if one.found is not None and one.testable]
    assert [one.adjusted for one in ranked.compared if one.testable] == holm(tested)


def test_rank_intervals_count_who_is_significantly_better_and_worse_after_holm() -> None:
    """4 scenarios between neighbours are not testable, 8 between first and last are."""
    ranked = pairwise(slices(many()))
    assert [one.testable for one in ranked.compared] == [False, True, False]
    assert ranked.ranks == {"a0": 1, "a1": 2, "a2": 3}
    assert ranked.intervals == {"a0": (1, 2), "a1": (1, 3), "a2": (2, 3)}


def test_a_p_that_is_small_alone_and_not_in_its_family_moves_no_rank() -> None:
    """6 scenarios give p = 1/32; in a family of three testable pairs it is 3/32."""
    outcomes = {
        "ann": {f"s{n}": "p" for n in range(18)},
        "bob": {f"s{n}": "p" if n >= 6 else "f" for n in range(18)},
        "cat": {f"s{n}": "p" if n >= 12 else "f" for n in range(18)},
    }
    ranked = pairwise(slices(study(outcomes)))
    ps = {
        (one.a.agent, one.b.agent): (one.found.p if one.found else None, one.adjusted)
        for one in ranked.compared
    }
    assert ps["ann", "bob"] == (1 / 32, 2 / 32)
    assert ps["bob", "cat"] == (1 / 32, 2 / 32)
    assert ps["ann", "cat"] == (2 / 2**12, 6 / 2**12)
    assert ranked.intervals == {"ann": (1, 2), "bob": (1, 3), "cat": (2, 3)}


def test_tied_agents_share_the_best_rank_and_go_by_name() -> None:
    ranked = pairwise(slices(study({"b": {"s1": "pf"}, "a": {"s1": "fp"}, "c": {"s1": "ff"}})))
    assert ranked.agents == ("a", "b", "c")
    assert ranked.ranks == {"a": 1, "b": 1, "c": 3}


def test_an_agent_without_the_reference_condition_takes_no_part() -> None:
    ranked = pairwise(slices(study({"ann": {"s1": "p"}, "bob": {"s1": "f"}, "eve|E1": {"s1": "p"}})))
    assert ranked.agents == ("ann", "bob")
    assert set(ranked.intervals) == {"ann", "bob"}
    only_errors = study({"ann": {"s1": "p"}, "bob": {"s1": "e"}}, denominator="decided")
    assert pairwise(slices(only_errors)).agents == ("ann",)


def test_cochran_is_over_the_tasks_that_all_have() -> None:
    held = study({"a": {"s1": "pppp"}, "b": {"s1": "ppf"}, "c": {"s1": "fffp"}})
    ranked = pairwise(slices(held))
    assert ranked.tasks == 3
    assert (ranked.q, ranked.q_p) == cochran_q([[1, 1, 0], [1, 1, 0], [1, 0, 0]])
    assert cochran_note(ranked).startswith(
        "Cochran Q of 3 agents on the 3 tasks that all have: 4.667, p = 0.097"
    )
    assert cochran_note(pairwise(slices(study({"a": {"s1": "p"}})))) == "Cochran Q: nothing to compare."


def test_a_study_without_a_rate_has_no_pairs() -> None:
    ranked = pairwise(slices(study({"ann": {"s1": "u"}})))
    assert (ranked.agents, ranked.compared, ranked.tasks, ranked.intervals) == ((), (), 0, {})


OUTCOMES = st.lists(st.text("pfem", min_size=1, max_size=3), min_size=1, max_size=7)


@settings(max_examples=40)
@given(outcomes=OUTCOMES, data=st.data())
def test_turning_a_pair_round_turns_its_sign_and_nothing_else(
    outcomes: list[str], data: st.DataObject
) -> None:
    other = [data.draw(st.text("pfem", min_size=len(one), max_size=len(one))) for one in outcomes]
    held = study(
        {
            "ann": {f"s{n}": text for n, text in enumerate(outcomes)},
            "bob": {f"s{n}": text for n, text in enumerate(other)},
        }
    )
    one, turned = versus(held), versus(held, "bob", "ann")
    assert one.found is not None
    assert turned.found is not None
    assert one.difference == -(turned.difference or 0)
    assert one.found.p == pytest.approx(turned.found.p, abs=1e-12)
    assert (one.found.only_a, one.found.only_b) == (turned.found.only_b, turned.found.only_a)
    assert one.found.mcnemar == turned.found.mcnemar
    assert one.found.difference == pytest.approx(float(one.difference or 0), abs=1e-12)
    assert one.found.interval.low <= one.found.difference <= one.found.interval.high


@settings(max_examples=40)
@given(data=st.data(), agents=st.integers(2, 5))
def test_every_rank_lies_in_its_interval_and_intervals_in_the_ranks(data: st.DataObject, agents: int) -> None:
    outcomes = {
        f"a{n}": {f"s{s}": data.draw(st.text("pf", min_size=2, max_size=2)) for s in range(8)}
        for n in range(agents)
    }
    ranked = pairwise(slices(study(outcomes)))
    for agent, (low, high) in ranked.intervals.items():
        assert 1 <= low <= ranked.ranks[agent] <= high <= agents


def test_what_was_compared_is_kept_apart_by_its_selectors() -> None:
    held = study({"ann|E0": {"s1": "p"}, "ann|E1": {"s1": "f"}, "ann|E2": {"s1": "p"}})
    sliced = slices(held)
    clean, e1, e2 = (sliced.reference(agent="ann", faults=plan) for plan in ("E0", "E1", "E2"))
    assert compare(sliced, clean, e1).difference == 1
    assert compare(sliced, clean, e2).difference == 0
    assert compare(sliced, e1, clean).difference == -1
    assert compare(sliced, clean, Selector(agent="eve")).found is None
