"""Recovery: what an agent made of the faults that it met, read off the trajectory alone. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache

from replaylab.canonical import canonical
from replaylab.checks.failure import is_error
from replaylab.checks.numbers import exact
from replaylab.checks.prose import names, quantities
from replaylab.schema.base import Frozen, Json
from replaylab.schema.fault import FaultEvent
from replaylab.schema.trajectory import Action, Trajectory

_EXPLICIT = frozenset({"http_500", "timeout", "refused", "unavailable"})
_SPEAKS_OF_FAILURE = re.compile(
    r"\berror|\bfail|\btime(?:d )?-?out|\bunavailable|\brefused|\bunreachable|\boutage|\btry again|\bretry|\b50[0-4]\b"
)
_SPEAKS_OF_DOUBT = re.compile(
    r"\bincomplete|\bmissing|\btruncat|\bpartial|\bstale|\boutdated|\binconsisten|\bimplausib|\bcontradict|\bsuspicious"
    r"|\bunexpected|\bodd\b|\bdouble-check|\bre-?check|\blook again|\bonly (?:one|two|\d+) of\b"
)
_SPEAKS_OF_TIME = re.compile(r"\bslow|\btook\b|\blate\b|\bbudget|\bdelay")
_LONG = 3  # characters that make a text telling
_TELLING = 10  # a smaller whole number stands in an answer for many reasons


class Recovered(Frozen):
    """One fault. `calls` are the tool calls that it hit; `to_recover` counts calls from the first of them, -1 for none.

    `seen`: the agent made a hit call again, or spoke of it. `retried`: it made a hit call again, same tool and
    arguments. `recovered`: each hit call was made again later, undisturbed and without an error; a slow answer was
    right, so there is nothing to recover. `accepted`: an answer was given that says something out of a disturbed
    observation that was never replaced by a clean one.
    """

    fault: int
    kind: str
    calls: tuple[int, ...]
    seen: bool
    retried: bool
    recovered: bool
    to_recover: int = -1
    accepted: bool = False


class Recovery(Frozen):
    """The faults that a trial met, counted."""

    met: int
    seen: int
    retried: int
    recovered: int
    accepted: int
    faults: tuple[Recovered, ...] = ()


def recovery_of(trajectory: Trajectory, accepted: Sequence[int] | None = None) -> Recovery:
    """What became of each fault that was delivered; slow ones are met, and recovered by waiting.

    `accepted` is what `accepted_at` says of the trajectory, where the caller knows it already.
    """
    if accepted is None:
        accepted = accepted_at(trajectory)
    hits: dict[int, list[Action]] = {}
    for action in trajectory.actions:
        if action.fault is not None:
            hits.setdefault(action.fault.fault, []).append(action)
    faults = tuple(_recovered(number, hit, trajectory, accepted) for number, hit in sorted(hits.items()))
    return Recovery(
        met=len(faults),
        seen=sum(one.seen for one in faults),
        retried=sum(one.retried for one in faults),
        recovered=sum(one.recovered for one in faults),
        accepted=sum(one.accepted for one in faults),
        faults=faults,
    )


def accepted_at(trajectory: Trajectory) -> list[int]:
    """The calls whose disturbed observation ended up in the final answer."""
    return [
        action.call
        for action in trajectory.actions
        if action.fault is not None and _is_accepted(action, action.fault, trajectory)
    ]


def _recovered(
    number: int, hit: Sequence[Action], trajectory: Trajectory, accepted: Sequence[int]
) -> Recovered:
    kind = hit[0].fault.kind if hit[0].fault else ""
    again = [_again(action, trajectory) for action in hit]
    cured = [next((one.call for one in later if _is_clean(one)), None) for later in again]
    ends = [call for call in cured if call is not None]
    slow, retried = kind == "slow", any(again)
    recovered = slow or len(ends) == len(hit)
    return Recovered(
        fault=number,
        kind=kind,
        calls=tuple(action.call for action in hit),
        seen=retried or _is_spoken_of(kind, hit[0].call, trajectory),
        retried=retried,
        recovered=recovered,
        to_recover=0 if slow else max(ends) - hit[0].call if recovered else -1,
        accepted=any(one.call in accepted for one in hit),
    )


def _again(action: Action, trajectory: Trajectory) -> list[Action]:
    """The later calls of the same tool with the same arguments."""
    wanted = canonical(action.arguments)
    return [
        one
        for one in trajectory.actions
        if one.call > action.call and one.tool == action.tool and canonical(one.arguments) == wanted
    ]


def _is_clean(action: Action) -> bool:
    return action.by == "simulator" and action.fault is None and not is_error(action.observation)


def _is_spoken_of(kind: str, call: int, trajectory: Trajectory) -> bool:
    """Whether the agent, after it was shown the observation, said a word that fits."""
    pattern = (
        _SPEAKS_OF_TIME if kind == "slow" else _SPEAKS_OF_FAILURE if kind in _EXPLICIT else _SPEAKS_OF_DOUBT
    )
    told = False
    for turn in trajectory.turns:
        if told and pattern.search(f"{turn.reasoning}\n{turn.text}".casefold()):
            return True
        told = told or any(action.call == call for action in turn.actions)
    return False


def _is_accepted(action: Action, event: FaultEvent, trajectory: Trajectory) -> bool:
    if action.by != "simulator" or event.kind == "slow" or not trajectory.answer:
        return False
    if any(_is_clean(one) for one in _again(action, trajectory)):
        return False
    clean = {_name(value) for value in _leaves(event.clean)}
    wrong = [value for value in _leaves(event.delivered) if _name(value) not in clean]
    # Where only something is missing, whatever was taken from the rest counts.
    telling = wrong or [value for value in _leaves(event.delivered) if _is_telling(value)]
    return any(_says(trajectory.answer, value) for value in telling)


def _leaves(node: Json) -> list[Json]:
    """What is said in a value, in document order: texts and numbers."""
    left, found = [node], []
    while left:
        part = left.pop()
        if isinstance(part, dict):
            left.extend(reversed(part.values()))
        elif isinstance(part, list):
            left.extend(reversed(part))
        elif part is not None and part != "" and not isinstance(part, bool):
            found.append(part)
    return found


def _name(leaf: Json) -> str | bytes:
    """What tells two leaves apart."""
    return leaf if isinstance(leaf, str) else canonical(leaf)


def _is_telling(value: Json) -> bool:
    if isinstance(value, str):
        return len(value) >= _LONG
    return bool(abs(value) >= _TELLING or value != int(value))


def _says(answer: str, value: Json) -> bool:
    if isinstance(value, str):
        return names(answer, value)
    return exact(value) in _figures(answer)


@lru_cache(maxsize=64)  # one answer is searched for many numbers
def _figures(answer: str) -> tuple[Fraction, ...]:
    return tuple(number.value for number in quantities(answer))
