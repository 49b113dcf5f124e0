"""The address of an interaction: condition / task / trial / role[.vote] # ordinal [~ repeat].

Parts are percent-escaped, since model names contain slashes. A condition is four escaped parts joined by commas:
agent, simulator, verifier, fault plan. Each path has one spelling: parsing refuses every other one.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple
from urllib.parse import unquote

from replaylab.errors import UsageError

PARTS = "agent,simulator,verifier,faults"
GRAMMAR = "condition/task/trial/role[.vote]#ordinal[~repeat]"
_UNSAFE = re.compile(r"[^A-Za-z0-9:._+=@-]")
_SHAPE = re.compile(
    r"(?P<condition>[^/#~]+)/(?P<task>[^/#~,]+)/(?P<trial>[0-9]{1,9})/(?P<lane>[a-z_]+(?:\.(?:0|[1-9][0-9]{0,8}))?)"
    r"(?:#(?P<ordinal>[0-9]{1,9}))?(?:~(?P<repeat>[0-9]{1,9}))?"
)


@lru_cache(maxsize=4096)
def escape(part: str) -> str:
    """Percent-escape one part as UTF-8. Raises UsageError for a lone surrogate, which has no UTF-8."""
    try:
        return _UNSAFE.sub(lambda m: "".join(f"%{byte:02X}" for byte in m[0].encode()), part)
    except UnicodeEncodeError as error:
        raise UsageError(f"no name: {ascii(part)[:200]} holds a lone surrogate") from error


@lru_cache(maxsize=4096)
def _unescape(text: str) -> str | None:
    """The part that `text` spells; None when `text` is no spelling of any."""
    try:
        part = unquote(text, errors="strict")
    except UnicodeDecodeError:
        return None
    return part if part and escape(part) == text else None


def role_of(named_lane: str) -> str:
    """The role that is asked in a lane: the verifier in `verifier.0`, the simulator in `simulator~1`."""
    return named_lane.partition("~")[0].partition(".")[0]


# The lanes `llm.0`, `llm.1`, …: what an agent of the user's own asked LLMs, one lane for each of its concurrent streams.
# The engine never asks in them; they are evidence of what the agent did.
OWN_CALLS = "llm"


def repeat_lane(role: str, repeat: int) -> str:
    """The lane in which a role is asked once more what its own lane asks. `repeat` counts from 1."""
    return f"{role}~{repeat}"


class Condition(NamedTuple):
    """What a trial is run under: the aliases of the three models and the name of the fault plan."""

    agent: str
    simulator: str
    verifier: str
    faults: str

    def __str__(self) -> str:
        return _spelt(self)

    @classmethod
    def parse(cls, text: str) -> Condition:
        """The condition that a text spells. Raises UsageError."""
        return _condition(text)


@lru_cache(maxsize=4096)  # thousands of trials share a condition
def _spelt(condition: Condition) -> str:
    return ",".join(map(escape, condition))


@lru_cache(maxsize=4096)
def _condition(text: str) -> Condition:
    parts = [part for part in map(_unescape, text.split(",")) if part is not None]
    if len(parts) != 4 or text.count(",") != 3:
        raise UsageError(f"not a condition: {text[:200]!r}", fix=PARTS)
    return Condition(*parts)


class TrialKey(NamedTuple):
    """One attempt at one task under one condition; `trial` counts from 0."""

    condition: Condition
    task: str
    trial: int

    def __str__(self) -> str:
        return f"{self.condition}/{escape(self.task)}/{self.trial}"

    @classmethod
    def parse(cls, text: str) -> TrialKey:
        return CallPath.parse(f"{text}/agent").key


class CallPath(NamedTuple):
    """`ordinal` counts from 0 within the lane; it is -1 where the path names a whole lane."""

    key: TrialKey
    lane: str
    ordinal: int = -1
    repeat: int = 0

    def __str__(self) -> str:
        tail = f"#{self.ordinal}" if self.ordinal >= 0 else ""
        return f"{self.key}/{self.lane}{tail}" + (f"~{self.repeat}" if self.repeat else "")

    @property
    def role(self) -> str:
        return role_of(self.lane)

    @property
    def named_lane(self) -> str:
        """The lane as cassettes name it: `simulator~1` holds the first repeats of what `simulator` was asked."""
        return f"{self.lane}~{self.repeat}" if self.repeat else self.lane

    @classmethod
    def at(cls, key: TrialKey, named_lane: str, ordinal: int = -1) -> CallPath:
        """The path of a place in a lane that is named as cassettes name it."""
        lane, _, repeat = named_lane.partition("~")
        return cls(key, lane, ordinal, int(repeat or 0))

    @classmethod
    def parse(cls, text: str) -> CallPath:
        match = _SHAPE.fullmatch(text)
        task = _unescape(match["task"]) if match else None
        if match is None or task is None:
            raise UsageError(f"not a CallPath: {text[:200]!r}", fix=GRAMMAR)
        key = TrialKey(Condition.parse(match["condition"]), task, int(match["trial"]))
        path = cls(key, match["lane"], int(match["ordinal"] or -1), int(match["repeat"] or 0))
        if str(path) != text:  # leading zeros, "~0"
            raise UsageError(f"not a CallPath: {text[:200]!r}", closest=str(path), fix=GRAMMAR)
        return path
