"""A small environment and ground to seed violations into, without any twin of the catalogue."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from replaylab.builtin.seeded.draw import Draw
from replaylab.builtin.seeded.ground import Ground, Said, holds
from replaylab.schema.base import Json, JsonObject
from replaylab.schema.scenario import Environment, Tool

STATE: JsonObject = {
    "now": "2025-03-04T10:00:00Z",
    "limit": 40,
    "rules": ["At most 30 crates stand in a dock at once, and none of them is opened before it is weighed."],
    "docks": {
        "D-1": {"kind": "cold", "crates": 12, "open": True, "keeper": "k.osei", "note": None},
        "D-2": {"kind": "dry", "crates": 7, "open": False, "keeper": "k.osei", "note": "swept"},
        "D-3": {"kind": "dry", "crates": 9, "open": True, "keeper": "m.sato", "note": "full"},
        "D-4": {"kind": "cold", "crates": 3, "open": True, "keeper": "k.osei", "note": "cold"},
    },
    "keepers": {"k.osei": {"name": "Kwame Osei"}, "m.sato": {"name": "Mai Sato"}},
    "visits": [{"day": "2025-03-01", "who": "Post"}, {"day": "2025-03-02", "who": "Bread"}],
}
LIST: JsonObject = {"docks": [{"dock": name, **record} for name, record in STATE["docks"].items()]}
ONE: JsonObject = {"dock": "D-2", **STATE["docks"]["D-2"], "limit": 40}
VISITS: JsonObject = {"visits": STATE["visits"]}
KEEPERS: JsonObject = {"keepers": ["k.osei", "m.sato"]}
RULES: JsonObject = {"rules": STATE["rules"], "now": STATE["now"]}
REFUSED: JsonObject = {"error": "there is no dock D-9"}
TOO_MANY: JsonObject = {"error": "D-2 holds 7 crates and 30 is the most"}

TOOLS = (
    Tool(name="list_docks", effect="read", example_output={"docks": [{"dock": "D-77"}]}, has_example=True),
    Tool(name="get_dock", effect="read"),
    Tool(name="open_dock", effect="write"),
)


def environment(state: JsonObject = STATE) -> Environment:
    return Environment(
        id="docks",
        system_prompt="You play a harbour. To open a dock takes at most 30 crates. It has docks and keepers.",
        tools=TOOLS,
        initial_state=state,
        state_description={},
    )


def answered(arguments: JsonObject) -> Json:
    """What the harbour says of a dock."""
    name = arguments.get("dock")
    record = STATE["docks"].get(name)
    if record is None:
        return {"error": f"there is no dock {name}"}
    return {"error": f"{name} is closed"} if not record["open"] else {"dock": name, **record, "limit": 40}


def ground(
    truth: Json,
    tool: str = "list_docks",
    arguments: JsonObject | None = None,
    *,
    state: JsonObject = STATE,
    first: JsonObject = STATE,
    heard: str = "",
    put: Callable[[JsonObject], Json] = answered,
) -> Ground:
    known = environment(first)
    said = json.dumps([known.system_prompt, state, truth, arguments or {}])
    return Ground(
        environment=known,
        tool=next(one for one in TOOLS if one.name == tool),
        arguments=arguments or {},
        truth=truth,
        state=state,
        known=(said + heard).lower(),
        heard=heard.lower(),
        put=put,
    )


def all_said(shape: Callable[[Ground, Draw], Said | None], where: Ground, times: int = 40) -> list[Said]:
    """What a shape says over many draws; each must apply."""
    found = [shape(where, Draw(number)) for number in range(times)]
    assert all(one is not None for one in found), shape
    return [one for one in found if one is not None]


def check(where: Ground, said: Said) -> None:
    """Every label is true: what is invented is nowhere in the ground and stands in what is said; the reverse for what is
    left out; a changed value differs at its pointer.
    """
    assert said.observation != where.truth
    assert said.seeded
    for one in said.seeded:
        if one.kind == "fabrication" and one.entity:
            assert one.entity.lower() not in where.known or one.shape in ("example_leak", "unknown_shown")
            assert holds(said.observation, one.entity)
        if one.kind == "omission" and one.entity and one.shape != "denial":
            assert holds(where.truth, one.entity)
            assert not holds(said.observation, one.entity)
        if one.kind == "contradiction" and one.pointer:
            assert at(where.truth, one.pointer) == one.expected
            assert at(said.observation, one.pointer) == one.observed != one.expected


def at(value: Any, pointer: str) -> Any:
    """The part at a JSON Pointer."""
    for part in pointer.split("/")[1:]:
        value = value[int(part)] if isinstance(value, list) else value[part]
    return value
