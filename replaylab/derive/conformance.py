"""How many faults a simulator injected that was asked to, against the plan: what its observations show. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence

from replaylab.canonical import canonical
from replaylab.checks.failure import is_error
from replaylab.schema.base import Frozen, Json
from replaylab.schema.cassette import Header
from replaylab.schema.scenario import Environment, Tool
from replaylab.schema.trajectory import Action, Trajectory

_TRANSPORT: tuple[tuple[str, str], ...] = (
    ("http_500", r"\b(?:http|status|error)\W{0,3}500\b|internal server error"),
    ("timeout", r"\btime(?:d )?-?\s?out\b|\bgateway timeout\b|\b504\b"),
    ("refused", r"\bconnection (?:was )?(?:refused|reset)\b|\bECONNREFUSED\b"),
    ("unavailable", r"\b503\b|\bservice (?:is )?(?:currently |temporarily )?(?:unavailable|down)\b"),
)
_VISIBLE = frozenset(kind for kind, _ in _TRANSPORT)


class SeenFault(Frozen):
    """A fault as observations show it: its kind and the tool calls in a row that it hit."""

    kind: str
    calls: tuple[int, ...]


class Conformance(Frozen):
    """What a simulator was asked to inject and what can be seen of it.

    `planned_calls` is count x duration. What is seen are the kinds that were asked for: errors by what they say, missing
    fields beside the tool's example, and whatever the same call gave more of with no write in between. A stale value
    can't be told from a true one, nor a cut list from a short one that was read once.
    """

    planned: int
    planned_calls: int
    seen: int
    seen_calls: int
    faults: tuple[SeenFault, ...] = ()


def conformance_of(header: Header, trajectory: Trajectory) -> Conformance | None:
    """The report on a trial whose simulator was asked for faults; None for every other trial."""
    plan = header.faults
    if plan.mode != "prompt":
        return None
    asked = [visible for visible, wanted in ((True, plan.explicit), (False, plan.implicit)) if wanted]
    seen = [one for one in seen_kinds(trajectory, header.environment) if (one[1] in _VISIBLE) in asked]
    faults = _in_rows(seen)
    return Conformance(
        planned=plan.count,
        planned_calls=plan.count * plan.duration,
        seen=len(faults),
        seen_calls=len(seen),
        faults=tuple(faults),
    )


def seen_kinds(trajectory: Trajectory, environment: Environment) -> list[tuple[int, str]]:
    """(call, kind) of each observation of the simulator that looks like a fault of E1 or E2."""
    actions = [action for action in trajectory.actions if action.by == "simulator"]
    epochs, writes = [], 0
    for action in actions:
        tool = environment.tool(action.tool)
        writes += tool is None or (tool.effect != "read" and not is_error(action.clean))
        epochs.append(writes)
    found = []
    for action, epoch in zip(actions, epochs, strict=True):
        # Only between two writes does the same question have the same answer.
        peers = [one for one, at in zip(actions, epochs, strict=True) if at == epoch and one is not action]
        found.append((action.call, _kind(action, peers, environment.tool(action.tool))))
    return [(call, kind) for call, kind in found if kind]


def _kind(action: Action, peers: Sequence[Action], tool: Tool | None) -> str:
    shown = action.clean
    if is_error(shown):
        text = canonical(shown).decode("utf-8")
        return next((kind for kind, pattern in _TRANSPORT if re.search(pattern, text, re.IGNORECASE)), "")
    if tool is None or tool.effect != "read":
        return ""
    same_call = [one.clean for one in peers if _alike(one, action) and not is_error(one.clean)]
    if any(_is_cut(shown, other) for other in same_call):
        return "truncated"
    examples = [tool.example_output] if tool.has_example else []
    if any(_lacks(shown, other) for other in [*same_call, *examples]):
        return "missing_fields"
    return "empty_fields" if any(_is_emptied(shown, other) for other in same_call) else ""


def _alike(one: Action, other: Action) -> bool:
    return one.tool == other.tool and canonical(one.arguments) == canonical(other.arguments)


def _is_cut(value: Json, whole: Json) -> bool:
    """Whether a list of one or two items is the beginning of the longer one that stands there in `whole`."""
    if isinstance(value, list) and isinstance(whole, list):
        short = 0 < len(value) <= 2 and len(value) < len(whole)
        return short and canonical(value) == canonical(whole[: len(value)])
    return any(_is_cut(value[key], whole[key]) for key in _shared(value, whole))


def _lacks(value: Json, like: Json) -> bool:
    if isinstance(value, list) and isinstance(like, list):
        return bool(like) and any(_lacks(item, like[0]) for item in value)
    if not isinstance(value, dict) or not isinstance(like, dict):
        return False
    return bool(like.keys() - value.keys()) or any(
        _lacks(value[key], like[key]) for key in _shared(value, like)
    )


def _is_emptied(value: Json, like: Json) -> bool:
    if isinstance(value, list) and isinstance(like, list) and value:
        return bool(like) and any(_is_emptied(item, like[0]) for item in value)
    if isinstance(value, dict) and isinstance(like, dict):
        return any(_is_emptied(value[key], like[key]) for key in _shared(value, like))
    return value in (None, "") and like not in (None, "")


def _shared(value: Json, other: Json) -> list[str]:
    if not isinstance(value, dict) or not isinstance(other, dict):
        return []
    return sorted(value.keys() & other.keys())


def _in_rows(found: Sequence[tuple[int, str]]) -> list[SeenFault]:
    """Faults of one sort (visible or not) at calls in a row are one fault, under the kind that it began with."""
    rows: list[SeenFault] = []
    for call, kind in found:
        last = rows[-1] if rows else None
        if last and last.calls[-1] == call - 1 and (kind in _VISIBLE) == (last.kind in _VISIBLE):
            rows[-1] = SeenFault(kind=last.kind, calls=(*last.calls, call))
        else:
            rows.append(SeenFault(kind=kind, calls=(call,)))
    return rows
