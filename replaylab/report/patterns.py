"""What comes again in the findings of a check: the same kind, in one place of a tool's answers.

A simulator that errs in one way does so again and again, and so does a check that misreads a tool. Both look the same from the
outside; so a reader who sees which few patterns make most of the findings knows what to look at first.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from replaylab.diff.reading import CheckedTrial
from replaylab.report.lines import Line, folded
from replaylab.schema.base import JsonObject
from replaylab.schema.violation import Violation

LEAST = 3  # different findings: two may be chance
SHOWN = 5  # patterns in the short view; all with --full
OFTEN = 0.5  # of a tool's answers: from here on the reader is told that the check may be what errs
_ANY = "*"


class Where(NamedTuple):
    """What the findings of one pattern have in common. `place` is a pointer with `*` for each row and each id."""

    simulator: str
    evidence: str
    environment: str
    tool: str
    kind: str
    subkind: str
    place: str


class Pattern(NamedTuple):
    """`findings` alike, `different` of which differ in task, call or wording, in `calls` of the tool's `answers`.

    `places` counts the calls by task and number: several agents that were told the same at the same point count once.
    """

    where: Where
    findings: int
    different: int
    tasks: int
    places: int
    calls: int
    answers: int
    first: Violation

    @property
    def often(self) -> bool:
        """Whether the tool is accused of it in half of its answers or more."""
        return self.calls >= OFTEN * self.answers

    def to_json(self) -> JsonObject:
        counted: JsonObject = {
            "findings": self.findings,
            "different": self.different,
            "tasks": self.tasks,
            "calls": self.calls,
            "answers": self.answers,
            "often": self.often,
            "example": self.first.id,
        }
        return self.where._asdict() | counted


def patterns(trials: Iterable[CheckedTrial]) -> list[Pattern]:
    """The patterns of these trials, those with most calls first.

    What was seen once or twice is none, nor what stands in a single call, however many rows of it are wrong.
    """
    met: dict[Where, list[tuple[CheckedTrial, Violation]]] = {}
    answers: dict[tuple[str, ...], int] = {}
    for trial in trials:
        whose = (trial.simulator, trial.evidence, trial.environment)
        for row in trial.report.coverage.rows:
            of = (*whose, row.tool, row.kind)
            answers[of] = answers.get(of, 0) + row.calls
        for one in trial.report.findings:
            where = Where(*whose, one.tool, one.kind, one.subkind, place_of(one))
            met.setdefault(where, []).append((trial, one))
    made = (_pattern(where, ones, answers.get(where[:5], 0)) for where, ones in met.items())
    return sorted(
        (one for one in made if one.different >= LEAST and one.places > 1),
        key=lambda one: (-one.calls, -one.different, one.where),
    )


def _pattern(where: Where, ones: Sequence[tuple[CheckedTrial, Violation]], answers: int) -> Pattern:
    calls = len({(trial.address, one.call) for trial, one in ones})
    return Pattern(
        where,
        findings=len(ones),
        different=len({(trial.task, one.call, one.message) for trial, one in ones}),
        tasks=len({trial.task for trial, _ in ones}),
        places=len({(trial.task, one.call) for trial, one in ones}),
        calls=calls,
        answers=max(answers, calls),  # a tool that the environment has not is in no coverage
        first=ones[0][1],
    )


def place_of(one: Violation) -> str:
    """Where in the answer, whatever the row: `/rooms/3/status` and `/rooms/ER-1/status` are one place."""
    if not one.pointer:
        return ""
    return "/".join(_ANY if _varies(part, one.entity) else part for part in one.pointer.split("/"))


def _varies(part: str, entity: str) -> bool:
    """Whether a part of a pointer is a row or a name: what bears a digit, and the entity itself."""
    plain = part.replace("~1", "/").replace("~0", "~")
    return any(char.isdigit() for char in plain) or (bool(entity) and plain == entity)


def pattern_lines(found: Sequence[Pattern], width: int, *, full: bool = False) -> list[Line]:
    """The patterns in a line or two each; nothing where there are none."""
    if not found:
        return []
    lines = [Line("What comes again", "head")]
    for one in found if full else found[:SHOWN]:
        lines += folded(f"  {_said(one)}", width, indent=4)
    if not full and len(found) > SHOWN:
        lines.append(Line(f"  … and {len(found) - SHOWN} more; --full shows them all", "dim"))
    if any(one.often for one in found):
        lines += folded(
            "  A tool that is accused in half of its answers or more (!) may be misread by the check: look at one of them "
            "before you count them.",
            width,
            indent=2,
            style="dim",
        )
    return [*lines, Line("")]


def _said(one: Pattern) -> str:
    return "".join(_parts(one))


def _parts(one: Pattern) -> Iterator[str]:
    where = one.where
    yield "! " if one.often else ""
    yield where.simulator if where.evidence == "recorded" else f"{where.simulator} ({where.evidence})"
    yield f": {where.kind}/{where.subkind} in {one.calls:,} of {one.answers:,} answers of {where.tool}"
    yield f", at {where.place}" if where.place else ""
    yield f"  ({one.different:,} different findings, {one.tasks:,} {'task' if one.tasks == 1 else 'tasks'}, {where.environment})"
