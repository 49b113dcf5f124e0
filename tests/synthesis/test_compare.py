from __future__ import annotations

from typing import Any

import pytest

from replaylab.errors import UsageError
from replaylab.synthesis.compare import compare
from replaylab.synthesis.history import History, InstanceHistory, ScenarioHistory, Tally, TaskHistory


def history(
    name: str, *rates: tuple[int, int], tools: tuple[str, ...] = ("a", "b"), plan: str = "ab", **more: Any
) -> History:
    """One kept task; `rates` are (passed, failed) of the agents x, y, z."""
    alone = {agent: Tally(passed=p, failed=f) for agent, (p, f) in zip("xyz", rates, strict=False)}
    task = TaskHistory(id="t", level=more.get("level", 1), status="kept", alone=alone, plan_tools=tuple(plan))
    instance = InstanceHistory(
        id="i",
        scenario="s",
        number=0,
        subtopic="",
        set="public",
        status="kept",
        tools=tools,
        tasks=(task,),
        state_shape=more.get("state", (".x",)),
    )
    scenario = ScenarioHistory(id=more.get("scenario", "s"), name="S", status="kept", instances=(instance,))
    order = {"sources": [1], "generator": {"alias": f"{name}-gen"}}
    return History(name=name, order=order, players={}, canary="c", scenarios=(scenario,))


def test_a_synthesis_is_wholly_like_itself() -> None:
    one = history("a", (3, 1), (1, 3))
    found = compare(one, one)
    (alike,) = found.scenarios
    assert (alike.tools, alike.state, alike.plans, alike.levels) == (1, 1, 1, 1)
    assert (found.pairs, found.agree) == (1, 1)


def test_shares_are_of_what_both_have() -> None:
    one = history("a", (1, 1), tools=("a", "b"), plan="abcd", state=(".x", ".y"))
    other = history("b", (1, 1), tools=("b", "c"), plan="abxd", state=(".y",), level=2)
    (alike,) = compare(one, other).scenarios
    assert (alike.tools, alike.state, alike.plans, alike.levels) == (0.3333, 0.5, 0.75, 0)


def test_rankings_are_compared_by_pairs_and_a_tie_is_no_order() -> None:
    one = history("a", (3, 1), (2, 2), (1, 3))
    assert compare(one, history("b", (1, 3), (2, 2), (3, 1)))[-2:] == (3, 0)
    assert compare(one, history("b", (3, 1), (3, 1), (1, 3)))[-2:] == (2, 2)
    assert compare(one, history("b", (0, 0), (2, 2), (1, 3)))[-2:] == (1, 1)


def test_agents_that_only_one_side_has_are_left_out() -> None:
    found = compare(history("a", (1, 0), (0, 1)), history("b", (1, 0)))
    assert [one.agent for one in found.agents] == ["x"]


def test_the_generators_are_named() -> None:
    assert compare(history("a"), history("b")).generators == ("a-gen", "b-gen")


def test_two_that_share_no_scenario_can_t_be_compared() -> None:
    with pytest.raises(UsageError, match="no scenario in common"):
        compare(history("a"), history("b", scenario="other"))


def test_a_side_without_kept_tasks_gives_no_share() -> None:
    empty = history("a").model_copy(
        update={"scenarios": (ScenarioHistory(id="s", name="S", status="dropped"),)}
    )
    (alike,) = compare(empty, history("b", (1, 1))).scenarios
    assert (alike.kept, alike.tools, alike.plans, alike.levels, alike.rates[0]) == (
        (0, 1),
        None,
        None,
        None,
        None,
    )
