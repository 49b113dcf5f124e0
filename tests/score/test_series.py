from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from replaylab.schema.fault import FaultPlan
from replaylab.schema.model import ModelSettings
from replaylab.score.series import (
    EFFORTS,
    effort_ladders,
    fault_axes,
    generation_series,
    natural,
    same_plans,
    size_classes,
    size_pairs,
)


def agents(**settings: dict[str, Any]) -> dict[str, ModelSettings]:
    return {name: ModelSettings(alias=name, **({"model": name} | more)) for name, more in settings.items()}


def plan(name: str, count: int = 2, duration: int = 2, **more: Any) -> FaultPlan:
    return FaultPlan(name=name, explicit=True, implicit=True, count=count, duration=duration, **more)


def plans(*given: FaultPlan) -> dict[str, FaultPlan]:
    return {one.name: one for one in given}


# ------------------------------------------------------------------------------------------- fault plans


def test_plans_that_differ_in_one_thing_make_an_axis_by_rising_value() -> None:
    axes = fault_axes(plans(plan("E3"), plan("c4", 4), plan("c1", 1), plan("d3", duration=3)))
    assert [(one.axis, one.plans) for one in axes] == [
        ("count", ("c1", "E3", "c4")),
        ("duration", ("E3", "d3")),
    ]


def test_plans_that_differ_in_both_count_and_duration_are_on_no_axis() -> None:
    assert fault_axes(plans(plan("a", 1, 1), plan("b", 2, 2))) == ()


@pytest.mark.parametrize(
    "more", [{"seed": 1}, {"spacing": 2}, {"persistent": True}, {"mode": "prompt"}, {"semantic": True}]
)
def test_plans_that_differ_in_anything_else_are_on_no_axis(more: dict[str, Any]) -> None:
    assert fault_axes(plans(plan("E3"), plan("b", 3, **more))) == ()


def test_the_published_clean_plan_is_on_no_axis() -> None:
    assert fault_axes(plans(FaultPlan(), plan("E3"))) == ()


def test_plans_without_faults_have_no_duration() -> None:
    assert fault_axes(plans(plan("a", 0, 1), plan("b", 0, 2))) == ()


def test_a_plan_that_is_run_again_stands_beside_the_first() -> None:
    given = plans(plan("E3"), plan("again"), plan("c1", 1))
    assert [one.plans for one in fault_axes(given)] == [("c1", "E3", "again")]
    assert same_plans(given, "E3") == ("again",)
    assert same_plans(given, "c1") == ()


def test_one_condition_run_twice_is_no_axis() -> None:
    assert fault_axes(plans(plan("E3"), plan("again"))) == ()


# -------------------------------------------------------------------------------------------- generations


def test_generations_sort_as_numbers() -> None:
    assert sorted(["10", "4.10", "4.6", "4", "4.5", "3-preview", "3"], key=natural) == [
        "3",
        "3-preview",
        "4",
        "4.5",
        "4.6",
        "4.10",
        "10",
    ]


@given(st.lists(st.tuples(st.integers(0, 99), st.integers(0, 99)), min_size=2, max_size=2))
def test_two_part_generations_sort_like_their_parts(pair: list[tuple[int, int]]) -> None:
    texts = [f"{major}.{minor}" for major, minor in pair]
    assert (natural(texts[0]) < natural(texts[1])) == (pair[0] < pair[1])


@given(st.text(), st.text())
def test_any_two_texts_can_be_sorted(a: str, b: str) -> None:
    assert natural(a) <= natural(b) or natural(b) <= natural(a)


def test_a_family_of_one_size_is_one_series() -> None:
    found = generation_series(
        agents(
            ten={"family": "F", "generation": "10"},
            four={"family": "F", "generation": "4"},
            half={"family": "F", "generation": "4.5"},
        )
    )
    assert [(one.name, one.steps) for one in found.series] == [
        ("F", (("4", ("four",)), ("4.5", ("half",)), ("10", ("ten",))))
    ]
    assert found.left_out == ()


def test_the_place_among_the_sizes_carries_over_to_the_next_generation() -> None:
    found = generation_series(
        agents(
            o4={"family": "C", "generation": "4", "size": 400},
            s4={"family": "C", "generation": "4", "size": 100},
            o5={"family": "C", "generation": "5", "size": 900},
            s5={"family": "C", "generation": "5", "size": 200},
        )
    )
    assert {one.name: one.agents for one in found.series} == {
        "C (largest of 2 sizes)": ("o4", "o5"),
        "C (smallest of 2 sizes)": ("s4", "s5"),
    }


def test_a_number_of_parameters_that_stays_goes_before_the_place() -> None:
    given = agents(
        a={"family": "Q", "generation": "2", "size": 7},
        b={"family": "Q", "generation": "2", "size": 70},
        c={"family": "Q", "generation": "3", "size": 70},
        d={"family": "Q", "generation": "3", "size": 300},
    )
    assert size_classes(given) == {"a": "7B", "b": "70B", "c": "70B", "d": "300B"}
    assert [one.agents for one in generation_series(given).series] == [("b", "c")]


def test_generations_with_unlike_numbers_of_sizes_are_not_compared_and_it_is_said() -> None:
    found = generation_series(
        agents(
            a={"family": "Q", "generation": "2", "size": 7},
            b={"family": "Q", "generation": "2", "size": 70},
            c={"family": "Q", "generation": "3", "size": 80},
        )
    )
    assert found.series == ()
    assert found.left_out == (
        "Q: no two generations have an agent of the same size (a: smallest of 2 sizes, b: largest of 2 sizes, c: the only size)",
    )


def test_the_middle_of_three_sizes_has_its_own_class() -> None:
    given = agents(**{name: {"family": "Q", "size": size} for name, size in [("a", 1), ("b", 2), ("c", 3)]})
    assert size_classes(given) == {"a": "smallest of 3 sizes", "b": "size 2 of 3", "c": "largest of 3 sizes"}


def test_a_size_that_nobody_stated_is_a_class_of_its_own() -> None:
    given = agents(a={"family": "Q", "size": 7}, b={"family": "Q"})
    assert size_classes(given) == {"a": "the only size", "b": "size not stated"}


def test_an_agent_without_a_generation_is_named() -> None:
    found = generation_series(
        agents(a={"family": "F", "generation": "1"}, b={"family": "F", "generation": "2"}, c={"family": "F"})
    )
    assert [one.agents for one in found.series] == [("a", "b")]
    assert found.left_out == ("F: the generation is not stated for c",)


def test_one_generation_is_no_series() -> None:
    assert generation_series(agents(a={"family": "F", "generation": "1"}, b={"model": "b"})).series == ()


def test_generations_are_compared_at_the_same_effort() -> None:
    found = generation_series(
        agents(
            a={"family": "F", "generation": "1", "effort": "high"},
            b={"family": "F", "generation": "2", "effort": "low"},
            c={"family": "F", "generation": "2", "effort": "high"},
        )
    )
    assert [(one.agents, one.note) for one in found.series] == [(("a", "c"), "")]


def test_generations_without_a_common_effort_are_compared_with_a_note() -> None:
    found = generation_series(
        agents(
            a={"family": "F", "generation": "1"},
            b={"family": "F", "generation": "2", "effort": "low"},
        )
    )
    assert [(one.agents, one.note) for one in found.series] == [
        (("a", "b"), "the reasoning effort differs too: a not stated, b low")
    ]


# -------------------------------------------------------------------------------------------------- sizes


def test_neighbouring_sizes_of_one_generation_are_paired_the_largest_first() -> None:
    pairs, left_out = size_pairs(
        agents(
            small={"family": "Q", "generation": "3", "size": 8},
            large={"family": "Q", "generation": "3", "size": 80},
            middle={"family": "Q", "generation": "3", "size": 30},
            older={"family": "Q", "generation": "2", "size": 7},
        )
    )
    assert [(one.large, one.small) for one in pairs] == [("large", "middle"), ("middle", "small")]
    assert left_out == ()


def test_an_unknown_size_is_no_size_and_is_named() -> None:
    pairs, left_out = size_pairs(
        agents(a={"family": "Q", "generation": "3", "size": 8}, b={"family": "Q", "generation": "3"})
    )
    assert pairs == ()
    assert left_out == ("Q 3: the size is not stated for b",)


def test_agents_of_no_family_are_not_paired() -> None:
    assert size_pairs(agents(a={"size": 8}, b={"size": 80})) == ((), ())


def test_sizes_are_compared_at_the_same_effort_or_with_a_note() -> None:
    alike = {"family": "Q", "generation": "3"}
    given = agents(
        a={**alike, "size": 80, "effort": "low"},
        b={**alike, "size": 80, "effort": "high"},
        c={**alike, "size": 8, "effort": "high"},
    )
    assert [(one.large, one.small, one.note) for one in size_pairs(given)[0]] == [("b", "c", "")]
    del given["b"]
    assert [(one.large, one.note) for one in size_pairs(given)[0]] == [
        ("a", "the reasoning effort differs too: a low, c high")
    ]


# ------------------------------------------------------------------------------------------------ efforts


@given(st.permutations(EFFORTS))
def test_efforts_stand_from_least_to_most(order: list[str]) -> None:
    found = effort_ladders(agents(**{effort: {"model": "m", "effort": effort} for effort in order}))
    assert [one.agents for one in found.series] == [EFFORTS]


def test_one_model_at_one_effort_is_no_ladder() -> None:
    given = agents(
        a={"model": "m", "effort": "low"},
        b={"model": "m", "effort": "low"},
        c={"model": "n", "effort": "high"},
    )
    assert effort_ladders(given).series == ()


@pytest.mark.parametrize("more", [{"family": "G"}, {"size": 2}, {"generation": "2"}, {"player": "program"}])
def test_models_that_differ_in_more_are_no_ladder(more: dict[str, Any]) -> None:
    given = agents(a={"model": "m", "effort": "low"}, b={"model": "m", "effort": "high", **more})
    assert effort_ladders(given).series == ()


def test_an_effort_without_a_place_is_named_and_not_placed() -> None:
    given = agents(
        a={"model": "m", "effort": "low"},
        b={"model": "m", "effort": "high"},
        c={"model": "m"},
        d={"model": "m", "effort": "huge"},
    )
    found = effort_ladders(given)
    assert [one.agents for one in found.series] == [("a", "b")]
    assert found.left_out == ("m: no place on the ladder for the effort of c (none stated), d (huge)",)


def test_settings_that_differ_along_a_ladder_are_named() -> None:
    given = agents(
        a={"model": "m", "effort": "low", "sampling": {"reasoning_effort": "low", "temperature": 0}},
        b={"model": "m", "effort": "high", "sampling": {"reasoning_effort": "high"}, "stream": True},
    )
    assert [one.note for one in effort_ladders(given).series] == [
        "these settings differ too: sampling.temperature, stream"
    ]


def test_two_models_of_one_name_are_told_apart() -> None:
    given = agents(
        a={"model": "m", "family": "F", "effort": "low"},
        b={"model": "m", "family": "F", "effort": "high"},
        c={"model": "m", "family": "G", "generation": "2", "size": 7, "effort": "low"},
        d={"model": "m", "family": "G", "generation": "2", "size": 7, "effort": "high"},
    )
    assert [one.name for one in effort_ladders(given).series] == ["m (F)", "m (G, 2, 7B)"]


def test_two_agents_at_one_effort_stand_on_one_step() -> None:
    given = agents(
        a={"model": "m", "effort": "low"},
        b={"model": "m", "effort": "high"},
        c={"model": "m", "effort": "low"},
    )
    assert effort_ladders(given).series[0].steps == (("low", ("a", "c")), ("high", ("b",)))
