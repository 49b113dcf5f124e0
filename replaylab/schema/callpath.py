"""The address of an interaction: condition / task / trial / role[.vote] # ordinal [~ repeat].

Parts are percent-escaped, since model names contain slashes. A condition is four escaped parts joined by commas:
agent, simulator, verifier, fault plan.
"""

from __future__ import annotations

import re
from typing import NamedTuple
from urllib.parse import unquote

from replaylab.errors import UsageError

_UNSAFE = re.compile(r"[^A-Za-z0-9:._+=@-]")
_SHAPE = re.compile(
    r"(?P<condition>[^/#~]+)/(?P<task>[^/#~,]+)/(?P<trial>\d+)/(?P<role>[a-z_]+)(?:\.(?P<vote>\d+))?"
    r"(?:#(?P<ordinal>\d+))?(?:~(?P<repeat>\d+))?"
)


def escape(part: str) -> str:
    """Percent-escape one part as UTF-8."""
    return _UNSAFE.sub(lambda m: "".join(f"%{byte:02X}" for byte in m[0].encode()), part)


class Condition(NamedTuple):
    """What a trial is run under: the aliases of the three models and the name of the fault plan."""

    agent: str
    simulator: str
    verifier: str
    faults: str

    def __str__(self) -> str:
        return ",".join(escape(part) for part in self)

    @classmethod
    def parse(cls, text: str) -> Condition:
        parts = [unquote(part, errors="strict") for part in text.split(",")]
        if len(parts) != 4 or not all(parts):
            raise UsageError(f"not a condition: {text[:200]!r}", fix="agent,simulator,verifier,faults")
        return cls(*parts)


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
        return self.lane.partition(".")[0]

    @classmethod
    def parse(cls, text: str) -> CallPath:
        match = _SHAPE.fullmatch(text)
        if match is None:
            raise UsageError(
                f"not a CallPath: {text[:200]!r}", fix="condition/task/trial/role[.vote]#ordinal[~repeat]"
            )
        lane = match["role"] + (f".{int(match['vote'])}" if match["vote"] else "")
        key = TrialKey(Condition.parse(match["condition"]), unquote(match["task"]), int(match["trial"]))
        return cls(key, lane, int(match["ordinal"] or -1), int(match["repeat"] or 0))
