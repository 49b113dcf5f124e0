"""How goals are said: the instruction, the rubric's text, its checks, and the plan with its answer."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from itertools import pairwise

from replaylab.builtin.grammar.goals import Asked, Goals, Meant
from replaylab.builtin.grammar.moves import Move
from replaylab.canonical import canonical
from replaylab.schema.base import Json, JsonObject
from replaylab.schema.scenario import Environment, Plan, PlannedCall

_ORDINALS = ("First", "Second", "Third", "Fourth", "Fifth", "Sixth")
_LONG = (
    5  # words; a longer text would be found in rubric and instruction alike, so checks leave it to the plan
)


def instruction(goals: Goals, environment: Environment, *, strict: bool) -> str:
    """What the agent is asked. With `strict` the order of the writes counts."""
    lines = [
        "This has to be done in the running system"
        + (", in this order." if strict and len(goals.writes) > 1 else ".")
    ]
    for number, (write, meant) in enumerate(zip(goals.writes, goals.meant, strict=True)):
        lines.append(
            f"{_ORDINALS[number]}, an action that {_does(environment, write)}{_given(write, meant)}."
        )
    subjects = [_subject(look) for look in goals.looks]
    lines.append(f"Before any of it, look at {_listed(subjects)}.")
    lines += [
        f"Find out what the system gives as {_words(one.leaf.key)} for {one.about}." for one in goals.asked
    ]
    lines.append(
        f"When it is done, look at {_listed([_subject(one.move) for one in goals.shown])} to see that it took effect."
    )
    lines.append("Change nothing else. Say at the end what you found out, with the id of each thing.")
    return " ".join(lines)


def _does(environment: Environment, write: Move) -> str:
    """What a tool's description says that it does, without its later sentences."""
    tool = environment.tool(write.tool)
    first = re.split(r"(?<=[.;])\s", tool.description if tool else "")[0].rstrip(".;")
    return first[:1].lower() + first[1:]


def _given(write: Move, meant: Meant | None) -> str:
    """The arguments in words; the thing that is meant by what it is goes without its id."""
    parts = []
    for name, value in write.arguments.items():
        if meant is not None and _is_meant(value, meant):
            parts.append(f"{_words(name)} the one whose {_words(meant.key)} is {meant.value}")
        else:
            parts.append(f"{_words(name)} {_value(value)}")
    return f" ({'; '.join(parts)})" if parts else ""


def _is_meant(value: Json, meant: Meant) -> bool:
    return isinstance(value, str) and any(
        row.get(meant.key) == meant.value and value in row.values() for row in _rows(meant.move.observation)
    )


def _rows(node: Json) -> Iterator[JsonObject]:
    if isinstance(node, dict):
        yield node
    for part in node.values() if isinstance(node, dict) else node if isinstance(node, list) else ():
        yield from _rows(part)


def _value(value: Json) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _subject(look: Move) -> str:
    """What a look is at, without the tool's name."""
    given = " and ".join(f"{_words(name)} {_value(value)}" for name, value in look.arguments.items())
    return given or f"the {_words(re.sub(r'^(get|list|show|read|check|test|find|search)_', '', look.tool))}"


def _listed(parts: list[str]) -> str:
    parts = list(dict.fromkeys(parts))
    return parts[0] if len(parts) == 1 else f"{'; '.join(parts[:-1])}; and {parts[-1]}"


def _words(name: str) -> str:
    return name.replace("_", " ")


def plan(goals: Goals) -> Plan:
    """The looks, the questions, the writes, and the looks that confirm them."""
    before = [one.planned for one in goals.looks]
    after = {canonical([one.move.tool, one.move.arguments]): one.move.planned for one in goals.shown}
    later = [one.model_copy(update={"purpose": "verify"}) for one in after.values()]
    calls: list[PlannedCall] = [*before, *(one.planned for one in goals.writes), *later]
    return Plan(calls=tuple(calls), answer="\n".join(_said(one) for one in goals.asked))


def _said(one: Asked) -> str:
    return f"{one.about} ({_words(one.leaf.key)}): {_value(one.leaf.value)}."


def rubric(goals: Goals, environment: Environment, *, strict: bool) -> JsonObject:
    """The text for readers and the checks."""
    return {"text": _text(goals, strict=strict), "checks": list(_checks(goals, environment, strict=strict))}


def _text(goals: Goals, *, strict: bool) -> str:
    done = ", ".join(f"{one.tool}[{_short(one.arguments)}]" for one in goals.writes)
    looks = ", ".join(f"{one.tool}[{_short(one.arguments)}]" for one in goals.looks)
    later = ", ".join(f"{one.move.tool}[{_short(one.move.arguments)}]" for one in goals.shown)
    text = f"Due calls: {done}. Beforehand: {looks}. Afterwards: {later}. No other write."
    text += " Sequence as given." if strict else ""
    return (
        f"{text} Values due: {', '.join(f'{one.about} -> {_value(one.leaf.value)}' for one in goals.asked)}."
    )


def _short(arguments: JsonObject) -> str:
    return " | ".join(
        _value(value)
        for value in arguments.values()
        if _checkable(value) and not isinstance(value, (list, dict))
    )


def _checkable(value: Json) -> bool:
    return not isinstance(value, str) or len(value.split()) < _LONG


def _checks(goals: Goals, environment: Environment, *, strict: bool) -> Iterator[JsonObject]:
    names = [f"write-{number}" for number in range(1, len(goals.writes) + 1)]
    looks = goals.looks
    for number, look in enumerate(looks, start=1):
        yield {"id": f"look-{number}", "kind": "called", "tool": look.tool, "args": look.arguments}
    for number in range(1, len(looks) + 1):
        yield {"id": f"look-{number}-first", "kind": "order", "before": f"look-{number}", "then": names[0]}
    for name, write in zip(names, goals.writes, strict=True):
        args = {key: {"eq": value} for key, value in write.arguments.items() if _checkable(value)}
        yield {"id": name, "kind": "called", "tool": write.tool, "args": args}
    for first, then in pairwise(names):
        if strict:
            yield {"id": f"{first}-before-{then}", "kind": "order", "before": first, "then": then}
    yield from _forbidden(goals, environment)
    for number, (name, one) in enumerate(zip(names, goals.shown, strict=True), start=1):
        yield {
            "id": f"seen-{number}",
            "kind": "observed",
            "tool": one.move.tool,
            "key": one.leaf.key,
            "value": {"eq": one.leaf.value},
            "where": one.where,
            "after": name,
            "when": "last",
        }
    for number, asked in enumerate(goals.asked, start=1):
        value = asked.leaf.value
        due: Json = value if isinstance(value, str) else {"approx": value, "tol": 0}
        yield {"id": f"says-{number}", "kind": "said", "value": due, "near": asked.about}


def _forbidden(goals: Goals, environment: Environment) -> Iterator[JsonObject]:
    """No other write, and none of the planned ones for another thing."""
    used = {write.tool for write in goals.writes}
    others = [tool.name for tool in environment.tools if tool.effect == "write" and tool.name not in used]
    if others:
        yield {"id": "nothing-else", "kind": "forbid", "tool": others}
    for tool in sorted(used):
        mine = [write.arguments for write in goals.writes if write.tool == tool]
        shared = [name for name in mine[0] if all(isinstance(one.get(name), str) for one in mine)]
        if shared:
            values = sorted({one[shared[0]] for one in mine})
            pattern = "|".join(re.escape(value) for value in values)
            yield {
                "id": f"only-{tool}",
                "kind": "forbid",
                "tool": tool,
                "args": {shared[0]: {"re": f"^(?!(?:{pattern})$)"}},
            }
