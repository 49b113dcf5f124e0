"""The calls that a rubric forbids, made out of the rubric itself: what a check forbids it has to see."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from replaylab.builtin.arguments import arguments_for
from replaylab.examine.values import Kin
from replaylab.schema.base import Json, JsonObject
from replaylab.schema.scenario import Environment, PlannedCall, Tool


def base_calls(tool: Tool, plan: Sequence[PlannedCall], kin: Kin) -> list[PlannedCall]:
    """Calls of a tool as the plan makes them, else one such as its schema allows, with things of the state."""
    made = [one for one in plan if one.tool == tool.name]
    if not made:
        seen = {name: kin.named(name) for name in tool.parameters.get("properties", {})}
        arguments = arguments_for(tool.parameters, seen)
        # Where a schema wants more than can be made up, a refused call is a call all the same.
        made = [PlannedCall(tool=tool.name, arguments=arguments or {})]
    return made


def with_argument(call: PlannedCall, name: str, value: Json) -> PlannedCall:
    """The call with another value for one argument."""
    return call.model_copy(update={"arguments": {**call.arguments, name: value}})


def forbidden_calls(
    checks: Sequence[JsonObject], environment: Environment, plan: Sequence[PlannedCall], kin: Kin
) -> Iterator[PlannedCall]:
    """For each `forbid` check calls that fit it, as far as its matchers say what fits."""
    for check in checks:
        if check.get("kind") != "forbid":
            continue
        tools = check["tool"] if isinstance(check["tool"], list) else [check["tool"]]
        for tool in (tool for tool in environment.tools if tool.name in tools):
            for base in base_calls(tool, plan, kin):
                yield from _fitted(base, list(check.get("args", {}).items()), kin)


def _fitted(call: PlannedCall, wanted: list[tuple[str, Json]], kin: Kin) -> Iterator[PlannedCall]:
    """The call with each argument set to something that its matcher asks for."""
    if not wanted:
        yield call
        return
    (name, matcher), rest = wanted[0], wanted[1:]
    for value in _fitting(matcher, call.arguments.get(name), kin):
        yield from _fitted(with_argument(call, name, value), rest, kin)


def _fitting(matcher: Json, now: Json, kin: Kin) -> Iterator[Json]:
    """Values that fulfil a matcher; `now` where it has to be something else than that, or holds an item."""
    if not isinstance(matcher, dict):
        yield matcher
        return
    for name, wanted in matcher.items():
        if name == "in":
            for one in wanted:
                yield from _fitting(one, now, kin)
        elif name == "has" and isinstance(now, list):
            yield from ([*now, value] for value in _fitting(wanted, now[0] if now else None, kin))
        elif name == "fields":
            row = dict(now) if isinstance(now, dict) else {}
            yield row | {key: next(_fitting(part, row.get(key), kin), None) for key, part in wanted.items()}
        elif name == "re":
            patterns = [wanted] if isinstance(wanted, str) else wanted
            texts = [
                one for one in kin.all_texts() if any(re.search(p, one, re.IGNORECASE) for p in patterns)
            ]
            yield from texts[:8]
        elif name in ("eq", "ge", "le", "approx", "has"):
            yield wanted
        elif name in ("lt", "gt") and isinstance(wanted, (int, float)):
            yield wanted + (1 if name == "gt" else -1)
        else:
            yield now
