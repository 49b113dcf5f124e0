"""What a flag asks for, of one thing."""

from __future__ import annotations

from typing import Any

from replaylab.diff.check import Observed
from replaylab.diff.things.flagged import is_flagged
from replaylab.diff.things.thing import things_of
from replaylab.schema.scenario import Environment
from tests.diff.ward import call, look, tool

OILS: dict[str, dict[str, Any]] = {
    "OIL-1": {"litres": 40, "least": 50, "grade": 3},
    "OIL-2": {"litres": 90, "least": 50, "grade": 7},
    "OIL-3": {"litres": 10, "least": 20, "grade": 5},
    "OIL-4": {"litres": 60, "least": 60, "grade": 2},
}


def stores(*shown: str) -> Environment:
    flag = {"type": "boolean"}
    tools = (
        tool("list_oils", "Oils.", example={"oils": rows(*shown)}, low=flag),
        tool("draw", "Draws litres of an oil.", "oil", effect="write", example={"litres": 5}),
    )
    return Environment(
        id="stores",
        initial_state={"oils": OILS},
        system_prompt="You simulate.",
        state_description={},
        tools=tools,
    )


def rows(*names: str) -> list[dict[str, Any]]:
    return [{"oil": one, **OILS[one], "low": OILS[one]["litres"] < OILS[one]["least"]} for one in names]


def low(name: str, *before: Observed, of: Environment) -> bool | None:
    now = look(call("list_oils", {"oils": []}, low=True), *before, of=of)
    oils = next(one for one in now.contract.collections if one.name == "oils")
    return is_flagged(now, oils, next(one for one in things_of(now, oils) if one.id == name), "low")


def test_two_numbers_tell_a_flag_where_they_have_decided_it_in_every_row() -> None:
    of = stores("OIL-1", "OIL-2")
    assert low("OIL-3", of=of) is True
    assert low("OIL-4", of=of) is None, "no row had both alike"
    assert low("OIL-4", of=stores("OIL-1", "OIL-4")) is False


def test_rows_that_all_have_the_flag_alike_decide_nothing() -> None:
    assert low("OIL-3", of=stores("OIL-1")) is None
    assert low("OIL-3", call("list_oils", {"oils": rows("OIL-2")}), of=stores("OIL-1")) is True


def test_numbers_that_a_call_may_have_changed_tell_nothing() -> None:
    assert low("OIL-3", call("draw", {"litres": 5}, oil="OIL-3"), of=stores("OIL-1", "OIL-2")) is None
