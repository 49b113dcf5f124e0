"""A violation in a few lines: what was said, where, what the contract says, and what the others say of it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from replaylab.report.lines import Line, folded
from replaylab.schema.base import Json
from replaylab.schema.violation import KINDS, Violation

SHOWN = 3  # blocks in the short view; all with --full
WHAT = {
    "fabrication": "invented",
    "omission": "left out",
    "rule_invention": "refused by an invented rule",
    "contradiction": "contradicted",
    "possible_fault": "possible fault",
}
_PART = 9


class Alike(NamedTuple):
    """Violations that say the same of the same thing: the first one, and how many there are."""

    first: Violation
    number: int


def alike(found: Iterable[Violation]) -> list[Alike]:
    """Grouped; of each kind one first, then by how much depends on it and how sure it is."""
    groups: dict[tuple[str, ...], list[Violation]] = {}
    for one in found:
        same = (one.simulator, one.kind, one.subkind, one.tool, one.entity, one.message)
        groups.setdefault(same, []).append(one)
    ranked = sorted(
        (Alike(ones[0], len(ones)) for ones in groups.values()),
        key=lambda one: (not one.first.rubric_critical, -one.first.confidence),
    )
    turn: dict[str, int] = {}
    order: list[tuple[int, int, Alike]] = []
    for group in ranked:
        kind = group.first.kind
        turn[kind] = turn.get(kind, -1) + 1
        order.append((turn[kind], KINDS.index(kind) if kind in KINDS else len(KINDS), group))
    return [group for _, _, group in sorted(order, key=lambda part: part[:2])]


def violation_lines(one: Violation, width: int, number: int = 1, *, roomy: bool = False) -> list[Line]:
    """The block of one violation; with room, the whole reason and the path that `show` takes too."""
    what = f"{one.simulator} {WHAT[one.kind]}" + (f": {one.entity}" if one.entity else "")
    head = f"{what}  ({one.kind}/{one.subkind}, {one.tool}, {_where(one)})"
    lines = folded(head, width, indent=4, style="bad")
    for name, text, most in (
        ("said", _said(one), 2),
        ("contract", _contract(one), 3),
        ("why", one.message, 4 if roomy else 2),
        ("peers" if one.agree or one.disagree else "sure", _sure(one), 2),
        # On as many lines as it takes: a path that is cut leads nowhere.
        ("in", one.path if roomy else "", 0),
        ("places", _places(one) if roomy else "", 4),
    ):
        if text:
            lines += folded(f"  {name:<{_PART}}{text}", width, indent=_PART, most=most)
    if number > 1:
        lines.append(Line(f"  and {number - 1} more like it", "dim"))
    return lines


def _where(one: Violation) -> str:
    return f"call {one.call}" + (f", against the {one.against}" if one.against != "contract" else "")


def _places(one: Violation) -> str:
    """Where it stands in the observation, and where in the contract."""
    observed = f"observation {one.pointer or '(the whole)'}"
    return f"{observed}; contract {one.contract or '(nothing there)'}"


def _said(one: Violation) -> str:
    at = f"{one.pointer}: " if one.pointer else ""
    return f"{at}{short(one.observed)}" if one.observed is not None or at else ""


def _contract(one: Violation) -> str:
    """The contract's own text where there is one, else what the state holds there."""
    parts = []
    if one.contract or one.expected is not None:
        holds = f": {short(one.expected)}" if one.expected is not None else ""
        parts.append(f"{one.contract or 'it'}{holds}")
    if one.quote:
        parts.append(f'"{" ".join(one.quote.split())}"')
    return ", ".join(parts) or "says nothing that would allow it"


def _sure(one: Violation) -> str:
    """What the others said, where they were asked, and how sure it is."""
    said = []
    if one.agree:
        said.append(f"{', '.join(one.agree)} said the same")
    if one.disagree:
        said.append(f"{', '.join(one.disagree)} did not")
    said.append(f"confidence {one.confidence:.2f}")
    if one.rubric_critical:
        said.append("the task's checks depend on it")
    return "; ".join(said)


def short(value: Json) -> str:
    """A value on one line: lists of names without brackets."""
    if isinstance(value, str):
        return " ".join(value.split())
    if isinstance(value, list) and value and all(isinstance(part, (str, int)) for part in value):
        return ", ".join(map(str, value))
    return json.dumps(value, ensure_ascii=False)


def blocks(found: Sequence[Alike], width: int, *, full: bool, roomy: bool = False) -> list[Line]:
    """The blocks of several, and how many are not shown; each with room where all are shown."""
    lines: list[Line] = []
    shown = found if full else found[:SHOWN]
    for one in shown:
        lines += [*violation_lines(one.first, width, one.number, roomy=roomy or full), Line("")]
    left = sum(one.number for one in found[len(shown) :])
    if left:
        lines.append(Line(f"… and {left} more; --full shows them all", "dim"))
    return lines
