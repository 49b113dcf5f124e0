from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from replaylab.schema.scenario import Environment, Task
from replaylab.synthesis.diversity import Print, nearest, print_of, similarity, state_shape
from tests.playground import catalogue

WORDS = st.sampled_from("abcdefgh")
PRINTS = st.builds(
    Print,
    tools=st.frozensets(WORDS),
    state=st.frozensets(WORDS),
    plan=st.lists(WORDS, max_size=6).map(tuple),
    text=st.frozensets(WORDS),
)


def shipped(name: str) -> tuple[Task, Environment]:
    found = catalogue().task(name)
    return found.task, found.environment


@given(PRINTS, PRINTS)
def test_similarity_is_from_0_to_1_the_same_both_ways_and_1_with_itself(one: Print, other: Print) -> None:
    assert 0 <= similarity(one, other) <= 1
    assert similarity(one, other) == similarity(other, one)
    assert similarity(one, one) == 1


def test_other_ids_and_numbers_make_no_other_task() -> None:
    task, environment = shipped("hold-edition-with-maps")
    text = task.model_dump_json().replace("PT-204", "PT-998").replace("ED-10", "ED-77").replace("42", "63")
    renamed = Task.model_validate_json(text)
    assert similarity(print_of(task, environment), print_of(renamed, environment)) == 1


def test_two_tasks_of_one_environment_are_less_alike_than_a_task_and_its_copy_in_other_words() -> None:
    task, environment = shipped("hold-edition-with-maps")
    other, _ = shipped("hold-listening-circle")
    same_in_other_words = task.model_copy(update={"instruction": "Do as the reader wishes and report."})
    mine = print_of(task, environment)
    far = similarity(mine, print_of(other, environment))
    near = similarity(mine, print_of(same_in_other_words, environment))
    assert far < near < 1


def test_shipped_tasks_of_different_scenarios_have_little_in_common() -> None:
    prints = [
        print_of(*shipped(name)) for name in ("hold-edition-with-maps", "ed-sepsis-room", "stow-buried-box")
    ]
    assert max(similarity(a, b) for a in prints for b in prints if a is not b) < 0.3


def test_the_shape_of_a_state_forgets_ids_and_keeps_how_many_there_are() -> None:
    one = {"gates": {"G-1": {"open": True}, "G-2": {"open": False}}, "limit": 3}
    other = {"gates": {"G-7": {"open": False}, "G-8": {"open": True}}, "limit": 9}
    more = {"gates": {**other["gates"], "G-9": {"open": True}}, "limit": 9}  # type: ignore[dict-item]
    assert set(state_shape(one)) == set(state_shape(other)) != set(state_shape(more))


def test_the_nearest_is_the_most_similar_and_the_first_among_equals() -> None:
    mine = Print(frozenset("ab"), frozenset("a"), ("a",), frozenset("a"))
    far = Print(frozenset("z"), frozenset("z"), ("z",), frozenset("z"))
    assert nearest(mine, [("far", far), ("one", mine), ("two", mine)]) == ("one", 1.0)
    assert nearest(mine, []) == ("", 0.0)
