from __future__ import annotations

import pytest

from replaylab.synthesis.order import Order
from tests.playground import program
from tests.synthesis.playing import order, source


def test_the_name_follows_from_everything_that_is_ordered() -> None:
    names = {
        one.name
        for one in (order(), order(seed=1), order(alike=0.8), order(tries=2), order(generator=program("x")))
    }
    assert len(names) == 5
    assert order().name == Order.model_validate(order().to_json()).name


@pytest.mark.parametrize(("percent", "held"), [(0, 0), (30, 3), (50, 5), (100, 10), (4, 0), (6, 1)])
def test_the_share_of_the_held_out_set_is_exact(percent: int, held: int) -> None:
    wanted = order(instances=10, held_out=percent)
    assert [wanted.part_of("a", n) for n in range(10)].count("held-out") == held


def test_the_split_follows_from_the_seed_and_the_scenario_alone() -> None:
    def split(**changed: object) -> list[str]:
        return [order(instances=16, held_out=50, **changed).part_of("a", n) for n in range(16)]

    assert split() == split(levels=3) == split(generator=program("other"))
    assert split() != split(seed=1)
    wanted = order(instances=16, held_out=50)
    assert [wanted.part_of("a", n) for n in range(16)] != [wanted.part_of("b", n) for n in range(16)]


def test_the_canary_is_one_for_an_order_and_looks_like_nothing_else() -> None:
    assert order().canary == order().canary
    assert order().canary != order(seed=1).canary
    assert len(order().canary.rpartition(" ")[2]) == 36


def test_programs_are_not_tried_twice_and_models_are() -> None:
    assert (order(tries=5).real_tries, order(votes=5).real_votes) == (1, 1)
    model = program("far").model_copy(update={"player": "llm"})
    assert order(tries=5, agents=(model,)).real_tries == 5
    assert order(votes=5, verifier=model).real_votes == 5


def test_an_order_needs_an_agent() -> None:
    with pytest.raises(ValueError, match="agents"):
        order(agents=(), sources=(source(),))
