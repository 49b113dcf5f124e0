from __future__ import annotations

from itertools import product

from hypothesis import given
from hypothesis import strategies as st

from replaylab.schema.callpath import Condition
from replaylab.score.facts import Study, Trial
from replaylab.score.slices import Extent, Slices, _Same, count, extent, slices
from replaylab.score.value import Count, Selector
from tests.score.studies import UNKNOWN, scenario, study, study_of

HEALTH = "Healthcare & Life Sciences"


def several() -> Study:
    return study(
        {
            "ann": {"s1": "pf", "s2": "e"},
            "bob|E1": {"s1": "mp", "s2": "f"},
            "ann|E1|two": {"s1": "pp", "s2": "u"},
            "bob|E0|sim|other": {"s1": "pp", "s2": "p"},
        },
        scenarios={"s2": scenario("s2", HEALTH)},
    )


def keys(trials: tuple[Trial, ...]) -> list[str]:
    return [trial.key for trial in trials]


def test_a_selector_takes_what_agrees_in_every_field_that_is_set() -> None:
    sliced = Slices(several())
    assert [t.task for t in sliced.select(Selector(agent="ann", faults="E0"))] == ["s1-0", "s1-1", "s2-0"]
    assert len(sliced.select(Selector(simulator="two"))) == 3
    assert {t.agent for t in sliced.select(Selector(verifier="other"))} == {"bob"}
    assert [t.agent for t in sliced.select(Selector(industry=HEALTH))] == ["ann", "bob", "ann", "bob"]
    assert [t.agent for t in sliced.select(Selector(task="s1-1", outcome="pass"))] == ["bob", "ann", "bob"]
    assert [t.faults for t in sliced.select(Selector(scenario="s2", outcome="error"))] == ["E0"]
    assert sliced.select(Selector(agent="eve")) == ()


FIELDS = st.fixed_dictionaries(
    {
        "agent": st.sampled_from(["", "ann", "bob", "eve"]),
        "simulator": st.sampled_from(["", "sim", "two"]),
        "verifier": st.sampled_from(["", "judge", "other"]),
        "faults": st.sampled_from(["", "E0", "E1"]),
        "industry": st.sampled_from(["", HEALTH]),
        "scenario": st.sampled_from(["", "s1"]),
        "task": st.sampled_from(["", "s1-1", "s2-0"]),
        "outcome": st.sampled_from(["", "pass", "fail", "error", "missing", "unjudged"]),
    }
)


@given(fields=FIELDS)
def test_a_selection_is_what_looking_at_every_trial_in_plan_order_finds(fields: dict[str, str]) -> None:
    held = several()

    def fits(trial: Trial) -> bool:
        have = {"industry": trial.scenario.industry, "scenario": trial.scenario.id}
        return all(
            not want or (have.get(name) or getattr(trial, name)) == want for name, want in fields.items()
        )

    expected = tuple(trial for trial in held.trials if fits(trial))
    assert slices(held).select(Selector(**fields)) == expected


def test_trials_of_several_conditions_come_in_plan_order_though_they_alternate() -> None:
    held = several()
    mixed = held.trials[::3] + held.trials[1::3] + held.trials[2::3]
    sliced = Slices(held.model_copy(update={"trials": mixed}))
    assert sliced.select(Selector()) == mixed


def test_the_reference_is_the_studys_condition_unless_a_field_says_otherwise() -> None:
    sliced = Slices(several())
    assert sliced.reference(agent="bob") == Selector(
        agent="bob", simulator="sim", verifier="judge", faults="E0"
    )
    assert sliced.reference(faults="E1").faults == "E1"
    assert sliced.reference(faults="").faults == ""


def test_conditions_are_in_the_order_of_the_specs_and_only_those_with_trials() -> None:
    held = several().model_copy(update={"agents": dict(reversed(several().agents.items()))})
    assert Slices(held).conditions() == (
        Condition("bob", "sim", "judge", "E1"),
        Condition("bob", "sim", "other", "E0"),
        Condition("ann", "sim", "judge", "E0"),
        Condition("ann", "two", "judge", "E1"),
    )


def test_the_same_study_has_the_same_slices_and_an_equal_one_its_own() -> None:
    held = several()
    assert slices(held) is slices(held)
    other = held.model_copy(update={"seed": 2})
    assert slices(other) is not slices(held)
    assert slices(other).study.seed == 2
    assert _Same(held) == _Same(held)
    assert _Same(held) != _Same(held.model_copy())


def test_what_was_kept_for_one_key_is_not_given_for_another() -> None:
    sliced = Slices(several())
    assert [sliced.kept(key, lambda key=key: key) for key in ("a", "b", "a")] == ["a", "b", "a"]  # type: ignore[misc]


def test_a_count_holds_every_outcome_apart() -> None:
    held = study({"ann": {"s1": "pppffeeeemu"}})
    assert count(held.trials) == Count(passed=3, failed=2, error=4, missing=1, unjudged=1)
    assert count(held.trials).planned == 10
    assert count(held.trials).decided == 5
    assert count(()) == Count()


def test_tasks_and_scenarios_are_counted_once_however_often_they_were_played() -> None:
    held = study(
        {"ann": {"s1": ["pp", "ff"], "s2": ["pp"]}, "bob|E1": {"s1": ["p", "f"]}},
        scenarios={"s1": scenario("s1", domain="care"), "s2": scenario("s2", domain="care")},
    )
    assert extent(held.trials) == Extent(trials=8, tasks=3, scenarios=2, domains=1)


def test_two_scenarios_may_call_a_task_alike() -> None:
    held = study({"ann": {"s1": "p", "s2": "p"}})
    same = [trial.model_copy(update={"task": "t"}) for trial in held.trials]
    assert extent(same).tasks == 2


def test_the_unknown_scenario_of_missing_trials_is_none() -> None:
    held = study({"ann": {"s1": "p", "?a": "mm"}})
    assert held.trials[1].scenario == UNKNOWN
    assert extent(held.trials) == Extent(trials=3, tasks=3, scenarios=1, domains=1)


def test_a_study_without_trials_has_no_conditions() -> None:
    empty = study_of([])
    assert Slices(empty).conditions() == ()
    assert Slices(empty).select(Selector()) == ()


def test_every_trial_is_in_one_condition() -> None:
    sliced = Slices(several())
    found = [keys(sliced.select(Selector(**condition._asdict()))) for condition in sliced.conditions()]
    assert sum(map(len, found)) == len(several().trials)
    assert all(not set(a) & set(b) for a, b in product(found, found) if a is not b)


def test_the_names_of_trials_are_those_that_they_hold_and_a_list_that_grew_is_read_again() -> None:
    sliced = Slices(several())
    whole = sliced.study.trials
    assert sliced.names(whole).agents == {trial.agent for trial in whole}
    assert sliced.names(whole) is sliced.names(whole)
    growing = list(whole[:1])
    before = sliced.names(growing).faults
    growing.extend(whole)
    assert before == {whole[0].faults}
    assert sliced.names(growing).faults == {trial.faults for trial in whole}
