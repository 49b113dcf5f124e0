from __future__ import annotations

import pytest

from replaylab.checks import run_checks
from replaylab.examine.forbidden import forbidden_calls
from replaylab.examine.values import Kin
from replaylab.schema.base import JsonObject
from replaylab.schema.scenario import Environment, PlannedCall, Tool
from replaylab.schema.trajectory import Action, Trajectory, Turn

WHERE = Environment(
    id="yard",
    system_prompt="",
    tools=(Tool(name="close"), Tool(name="look")),
    initial_state={"gates": {"G-1": {}, "G-2": {}}},
    state_description={},
)
PLAN = (
    PlannedCall(tool="close", arguments={"gate": "G-1", "rows": [{"debit": 1}], "names": ["a"], "kg": 4}),
)


@pytest.mark.parametrize(
    "args",
    [
        {},
        {"gate": "G-2"},
        {"gate": {"in": ["G-2", "G-3"]}, "kg": {"gt": 10}},
        {"gate": {"re": "g-2"}},
        {"names": {"has": "b"}},
        {"rows": {"has": {"fields": {"debit": {"approx": 760, "tol": 1}}}}},
    ],
)
def test_a_call_is_made_that_the_check_forbids(args: JsonObject) -> None:
    check: JsonObject = {"id": "no", "kind": "forbid", "tool": "close", "args": args}
    made = list(forbidden_calls([check], WHERE, PLAN, Kin(WHERE.initial_state)))
    assert made
    for call in made:
        action = Action(call=0, id="a", tool=call.tool, arguments=call.arguments, observation={})
        seen = Trajectory(turns=(Turn(actions=(action,)),), answer="", termination="answered")
        assert run_checks([check], seen, WHERE)[0].result == "fail", call


def test_only_forbid_checks_and_their_tools_give_calls() -> None:
    checks: list[JsonObject] = [
        {"id": "a", "kind": "called", "tool": "close"},
        {"id": "b", "kind": "forbid", "tool": ["look"]},
    ]
    assert [one.tool for one in forbidden_calls(checks, WHERE, PLAN, Kin({}))] == ["look"]
