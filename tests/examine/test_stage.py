from __future__ import annotations

import pytest

from replaylab.catalogue.twin import ToolTwin
from replaylab.errors import UsageError
from replaylab.examine.stage import Stage, observed
from replaylab.schema.scenario import PlannedCall
from tests.scenarios.play import SHIPPED, twin_of


def stage() -> Stage:
    found = SHIPPED.task("ed-sepsis-room")
    return Stage(found, lambda: twin_of(found.environment.id))


def test_any_way_goes_as_on_a_fresh_twin() -> None:
    one, plan = stage(), stage().plan
    look = PlannedCall(tool="list_places")
    for calls in (plan, plan[:3], plan[::-1], (*plan[:4], look, *plan[4:]), ()):
        twin = twin_of(one.found.environment.id)
        played = one.play(calls, "").actions
        assert [action.observation for action in played] == [twin.call(c.tool, c.arguments) for c in calls]


def test_only_the_wanted_checks_are_run_and_they_know_the_others() -> None:
    one = stage()
    assert [result.id for result in one.judge((), "", only={"looked-first"}).results] == ["looked-first"]
    assert one.judge((), "").failed > {"looked-first"}


def test_calls_that_the_twin_refuses_are_named() -> None:
    one = stage()
    assert one.judge(one.plan[::-1], "").refused
    assert one.judge(one.plan, one.answer).refused == ()


def test_a_twin_that_breaks_is_an_error_that_names_the_tool() -> None:
    class Broken(ToolTwin):
        def list_places(self) -> None:
            raise KeyError("nothing")

    with pytest.raises(UsageError, match="broke in list_places: KeyError"):
        observed(Broken(stage().found.environment), "list_places", {}, "ed-two-rooms")
