"""Violation: a simulator broke its contract. What a contract check found, with its evidence."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from replaylab.canonical import digest
from replaylab.schema.base import Frozen, Json
from replaylab.schema.finding import Finding

ViolationKind = Literal["fabrication", "omission", "rule_invention", "contradiction", "possible_fault"]
KINDS: tuple[ViolationKind, ...] = ("fabrication", "omission", "rule_invention", "contradiction")
Against = Literal["contract", "instruction", "rubric", "peers"]
LicenceLevel = Literal["explicit", "state", "open_clause", "none"]
CheckedFor = Literal["fabrication", "omission", "rule_invention", "contradiction"]
THRESHOLD = 0.5  # what is less certain is a candidate: shown to a judge, counted nowhere


def spelled(text: str) -> str:
    """The text; lone surrogates, of which no digest can be made, as escapes. A model may write them anywhere."""
    return text.encode("utf-8", "backslashreplace").decode()


class Violation(Frozen):
    """One thing that an observation says against its contract.

    `path` is the CallPath of the simulator's answer ("" where nothing was recorded) and `call` the tool call, counted
    from 0. `pointer` leads into the observation, `contract` into the environment. `entity` is what was invented or left
    out, "" where the violation is about none. `licence` says how far the contract would bear it out: `open_clause` is a
    sentence that allows realism in general. `quote` is the contract's own text, where there is one.
    """

    kind: ViolationKind
    subkind: str
    against: Against = "contract"
    simulator: str = ""
    path: str = ""
    call: int
    tool: str
    pointer: str = ""
    contract: str = ""
    entity: str = ""
    expected: Json = None
    observed: Json = None
    quote: str = ""
    licence: LicenceLevel = "none"
    confidence: float = Field(ge=0, le=1)
    rubric_critical: bool = False
    agree: tuple[str, ...] = ()
    disagree: tuple[str, ...] = ()
    message: str = ""

    @property
    def where(self) -> str:
        """The CallPath, or the number of the call where none was recorded."""
        return self.path or f"call {self.call}"

    @property
    def id(self) -> str:
        """A stable name: the same violation found again, by another version of the words, has the same one."""
        parts = {"where": self.where, "pointer": self.pointer, "entity": self.entity}
        return digest(
            {"v": "violation/1", "kind": self.kind} | {name: spelled(one) for name, one in parts.items()}
        )[:12]

    def to_finding(self) -> Finding:
        """The finding that commands print."""
        return Finding(
            id=self.id,
            kind=f"{self.kind}/{self.subkind}",
            where=self.where,
            expected=self.expected,
            observed=self.observed,
            message=self.message,
            pointer=self.pointer,
        )


class Covered(Frozen):
    """How many calls of a tool could be checked for one kind, and why the others could not be."""

    tool: str
    kind: CheckedFor
    calls: int = 0
    checked: int = 0
    why_not: dict[str, int] = Field(default_factory=dict)


class Coverage(Frozen):
    """Coverage of one environment. No findings where nothing could be checked say nothing.

    `checkable` of the `calls` could be checked for at least one kind.
    """

    environment: str
    rows: tuple[Covered, ...] = ()
    calls: int = 0
    checkable: int = 0

    def checked(self, kind: CheckedFor | None = None) -> int:
        """Calls that could be checked for a kind, or for any."""
        return sum(row.checked for row in self.rows if kind in (None, row.kind))

    @property
    def says_nothing(self) -> bool:
        """Whether no call could be checked for anything."""
        return not self.checked()


class CheckReport(Frozen):
    """What a contract check found: violations, what is too uncertain to be one, possible faults, and coverage."""

    findings: tuple[Violation, ...] = ()
    candidates: tuple[Violation, ...] = ()
    faults: tuple[Violation, ...] = ()
    coverage: Coverage
