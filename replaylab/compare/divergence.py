"""Where two recorded trials of one task first part: the first action or observation that differs. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest
from typing import Literal, NamedTuple

from replaylab.diff.trial import LANE, answered_at
from replaylab.diff.words.observed import escape
from replaylab.schema.base import Frozen, Json
from replaylab.schema.callpath import CallPath, TrialKey
from replaylab.schema.cassette import Header, key_of
from replaylab.schema.interaction import Interaction
from replaylab.schema.trajectory import Action, Trajectory, Verdict

What = Literal["action", "observation", "answer", "ending", "votes", "nothing"]


class Side(NamedTuple):
    """A recorded trial with what is derived from it."""

    header: Header
    trajectory: Trajectory
    verdict: Verdict
    simulator: Sequence[Interaction]

    @property
    def key(self) -> TrialKey:
        """Its address."""
        return key_of(self.header)


class Divergence(Frozen):
    """The first thing that differs. `call` is the number of the tool call, from 0; None where none is concerned. `tool`
    is "" where the two call different ones.

    `path_a` and `path_b` are the CallPaths of what was said on each side, "" where that side has nothing there.
    `pointer` leads to the first field that differs, and `a` and `b` are what stands there. `by_a` and `by_b` say who
    answered: a difference that the fault plan made is none of the simulator's.
    """

    what: What
    call: int | None = None
    tool: str = ""
    path_a: str = ""
    path_b: str = ""
    pointer: str = ""
    a: Json = None
    b: Json = None
    by_a: str = ""
    by_b: str = ""
    message: str

    def mirrored(self) -> Divergence:
        """The same with the sides exchanged, but for the words."""
        return self.model_copy(
            update={
                "path_a": self.path_b,
                "path_b": self.path_a,
                "a": self.b,
                "b": self.a,
                "by_a": self.by_b,
                "by_b": self.by_a,
            }
        )


def first_divergence(a: Side, b: Side) -> Divergence:
    """Calls in order, of each the action before the observation; then the answer, how the trial ended, and the votes."""
    pairs = zip_longest(_calls(a), _calls(b))
    for number, (left, right) in enumerate(pairs):
        found = _at(number, (a, b), left, right)
        if found is not None:
            return found
    return _after(a, b)


class _Call(NamedTuple):
    """A tool call and the number of the turn that it stands in."""

    turn: int
    action: Action


def _calls(side: Side) -> list[_Call]:
    return [
        _Call(number, action) for number, turn in enumerate(side.trajectory.turns) for action in turn.actions
    ]


def _at(number: int, sides: tuple[Side, Side], left: _Call | None, right: _Call | None) -> Divergence | None:
    a, b = sides
    if left is None or right is None:
        whole = [None if one is None else _whole(one.action) for one in (left, right)]
        return _acted(number, sides, (left, right), ("", *whole))
    asked = _asked(left.action, right.action)
    if asked is not None:
        return _acted(number, sides, (left, right), asked)
    seen = first_difference(left.action.observation, right.action.observation)
    if seen is None:
        return None
    pointer, one, other = seen
    by_a, by_b = _who(left.action), _who(right.action)
    told = f"the answers to call {number} ({left.action.tool}) differ"
    return Divergence(
        what="observation",
        call=number,
        tool=left.action.tool,
        path_a=_answer_path(a, left),
        path_b=_answer_path(b, right),
        pointer=pointer,
        a=one,
        b=other,
        by_a=by_a,
        by_b=by_b,
        message=told if by_a == by_b == "simulator" else f"{told}: by {by_a} and by {by_b}",
    )


def _asked(a: Action, b: Action) -> tuple[str, Json, Json] | None:
    """What differs in two calls: the tool before the arguments."""
    if a.tool != b.tool:
        return "/tool", a.tool, b.tool
    return first_difference(_arguments(a), _arguments(b), "/arguments")


def _arguments(action: Action) -> Json:
    """The arguments; those that are no object as the agent wrote them."""
    return action.raw_arguments if action.arguments is None else action.arguments


def _whole(action: Action) -> Json:
    return {"tool": action.tool, "arguments": _arguments(action)}


def _acted(
    number: int, sides: tuple[Side, Side], calls: tuple[_Call | None, _Call | None], found: Sequence[Json]
) -> Divergence:
    paths = [_turn_path(side, call) for side, call in zip(sides, calls, strict=True)]
    pointer, one, other = found
    tools = {call.action.tool for call in calls if call}
    return Divergence(
        what="action",
        call=number,
        tool=tools.pop() if len(tools) == 1 else "",
        path_a=paths[0],
        path_b=paths[1],
        pointer=pointer,
        a=one,
        b=other,
        message=_said(number, *calls),
    )


def _said(number: int, left: _Call | None, right: _Call | None) -> str:
    if left is None or right is None:
        who, call = ("the first", left) if left else ("the second", right)
        tool = call.action.tool if call else ""
        return f"only {who} makes a call {number} ({tool}); the other one ends before it"
    if left.action.tool != right.action.tool:
        return f"call {number} is {left.action.tool} and {right.action.tool}"
    return f"call {number} ({left.action.tool}) has other arguments"


def _who(action: Action) -> str:
    """Who made the observation what it is."""
    return "faults" if action.fault is not None else action.by


def _after(a: Side, b: Side) -> Divergence:
    """Both made the same calls and saw the same."""
    first, second = a.trajectory, b.trajectory
    ends = [_lane_path(side, "agent", len(side.trajectory.turns) - 1) for side in (a, b)]
    if first.termination != second.termination:
        told = f"after the same calls one ends as {first.termination}, the other as {second.termination}"
        return _ended("ending", ends, (first.termination, second.termination), told)
    if first.answer != second.answer:
        return _ended(
            "answer", ends, (first.answer, second.answer), "the same calls, and another final answer"
        )
    votes = list(zip_longest(a.verdict.votes, b.verdict.votes))
    for number, (left, right) in enumerate(votes):
        said: tuple[Json, Json] = (left.outcome if left else None, right.outcome if right else None)
        if said[0] != said[1]:
            paths = [
                _lane_path(side, f"verifier.{number}", vote.asked - 1) if vote else ""
                for side, vote in ((a, left), (b, right))
            ]
            return _ended("votes", paths, said, f"the same trajectory, and vote {number} judges it otherwise")
    if a.verdict.outcome != b.verdict.outcome:
        said = (a.verdict.reason, b.verdict.reason)
        return _ended("votes", ["", ""], said, "the same trajectory and votes, decided in another way")
    return Divergence(what="nothing", message="the same calls, answers and votes")


def _ended(what: What, paths: Sequence[str], values: tuple[Json, Json], message: str) -> Divergence:
    return Divergence(what=what, path_a=paths[0], path_b=paths[1], a=values[0], b=values[1], message=message)


def _lane_path(side: Side, lane: str, ordinal: int) -> str:
    return str(CallPath(side.key, lane, max(ordinal, 0)))


def _turn_path(side: Side, call: _Call | None) -> str:
    """The agent's turn that holds the call, or where there is none its last one."""
    turn = call.turn if call else len(side.trajectory.turns) - 1
    return _lane_path(side, "agent", turn)


def _answer_path(side: Side, call: _Call) -> str:
    """The simulator's answer that the observation is, or the agent's turn where no simulator was asked."""
    if call.action.by != "simulator":
        return _turn_path(side, call)
    asked = [action for action in side.trajectory.actions if action.by == "simulator"]
    place = next(at for at, action in enumerate(asked) if action.call == call.action.call)
    ordinals = answered_at(side.header, asked, side.simulator)
    return _lane_path(side, LANE, ordinals[place] if ordinals else place)


def first_difference(a: Json, b: Json, pointer: str = "") -> tuple[str, Json, Json] | None:
    """The pointer of the first value that differs, and both; None where nothing does. A missing value is null.

    Keys are gone through in order of their names, so that the two may be exchanged. True is not 1.
    """
    if isinstance(a, dict) and isinstance(b, dict):
        for key in sorted({*a, *b}):
            at = f"{pointer}/{escape(key)}"
            if key not in a or key not in b:
                return at, a.get(key), b.get(key)
            if (found := first_difference(a[key], b[key], at)) is not None:
                return found
        return None
    if isinstance(a, list) and isinstance(b, list):
        for number, (left, right) in enumerate(zip(a, b, strict=False)):
            if (found := first_difference(left, right, f"{pointer}/{number}")) is not None:
                return found
        if len(a) == len(b):
            return None
        number = min(len(a), len(b))
        return f"{pointer}/{number}", *(one[number] if len(one) > number else None for one in (a, b))  # type: ignore[return-value]
    same = a == b and isinstance(a, bool) == isinstance(b, bool)
    return None if same else (pointer, a, b)
