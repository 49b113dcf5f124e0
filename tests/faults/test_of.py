from __future__ import annotations

import pytest

from replaylab.errors import UsageError
from replaylab.faults.bound import BoundInjector
from replaylab.faults.inject import Injector
from replaylab.faults.of import injector_of
from replaylab.faults.plan import named
from tests.faults.test_bound import READS, SITE, TASK, WRITE, play


def test_e0_delivers_none_and_neither_does_a_plan_that_the_simulator_is_asked_for() -> None:
    for plan in (named("E0"), named("E1+prompt"), named("E3+prompt", 5)):
        assert play(plan, [*READS, WRITE] * 10) == []


@pytest.mark.parametrize("name", ["E0", "E1", "E2", "E3"])
def test_the_published_plans_are_delivered_as_they_always_were(name: str) -> None:
    assert type(injector_of(named(name), TASK, SITE)) is Injector


@pytest.mark.parametrize("name", ["semantic", "slow", "persistent", "E1+correlated", "E2+targeted"])
def test_the_others_stick_to_tools(name: str) -> None:
    assert type(injector_of(named(name), TASK, SITE)) is BoundInjector


def test_checks_are_read_only_where_a_plan_looks_at_them() -> None:
    broken = TASK.model_copy(
        update={"rubric": TASK.rubric.model_copy(update={"checks": ({"kind": "guess"},)})}
    )
    assert injector_of(named("persistent"), broken, SITE).explicit(0, WRITE, {}) is None
    with pytest.raises(UsageError):
        injector_of(named("semantic"), broken, SITE)
