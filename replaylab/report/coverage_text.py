"""Coverage beside the findings: how many calls could be checked, and why the others could not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from replaylab.report.lines import Line, folded
from replaylab.schema.violation import CheckedFor, Coverage

_KINDS: tuple[CheckedFor, ...] = ("fabrication", "omission", "rule_invention", "contradiction")
SHOWN = 2  # reasons; all with --full
NOTHING = "no call could be checked, so no findings here mean nothing"


class Sum:
    """Coverage added up over trials."""

    def __init__(self, parts: Iterable[Coverage]) -> None:
        self.calls, self.checkable = 0, 0
        self.by_kind: dict[CheckedFor, list[int]] = {kind: [0, 0] for kind in _KINDS}
        self.why_not: dict[CheckedFor, Counter[str]] = {kind: Counter() for kind in _KINDS}
        self.rows: dict[tuple[str, str], dict[CheckedFor, list[int]]] = {}
        for part in parts:
            self.calls += part.calls
            self.checkable += part.checkable
            for row in part.rows:
                both = (
                    self.by_kind[row.kind],
                    self.rows.setdefault((part.environment, row.tool), {}).setdefault(row.kind, [0, 0]),
                )
                for counted in both:
                    counted[0] += row.checked
                    counted[1] += row.calls
                self.why_not[row.kind].update(row.why_not)

    @property
    def says_nothing(self) -> bool:
        return not any(checked for checked, _ in self.by_kind.values())

    def kinds(self) -> str:
        """`fabrication 3/10, omission 2/10, …`."""
        return ", ".join(f"{kind} {checked}/{calls}" for kind, (checked, calls) in self.by_kind.items())


def coverage_lines(name: str, coverage: Iterable[Coverage], width: int, *, full: bool) -> list[Line]:
    """The coverage of one simulator in a line or two; with `full` each tool of each environment."""
    total = Sum(coverage)
    could = f"{total.checkable} of {total.calls} calls could be checked for something"
    lines = folded(f"{name}: {NOTHING if total.says_nothing else could}; {total.kinds()}", width, indent=4)
    why = Counter[str]()
    for reasons in total.why_not.values():
        why.update({text: number for text, number in reasons.items() if text != "it was not refused"})
    ranked = sorted(why.items(), key=lambda one: (-one[1], one[0]))
    if ranked:
        told = "; ".join(f"{text} ({number})" for text, number in (ranked if full else ranked[:SHOWN]))
        left = 0 if full else len(ranked) - SHOWN
        told += f"; {left} more {'reason' if left == 1 else 'reasons'}: --full" if left > 0 else ""
        lines += folded(
            f"    why not (a call counts for each kind): {told}",
            width,
            indent=4,
            style="dim",
        )
    return lines + (_tools(total, width) if full else [])


def _tools(total: Sum, width: int) -> list[Line]:
    lines: list[Line] = []
    for (environment, tool), kinds in sorted(total.rows.items()):
        told = ", ".join(f"{kind} {checked}/{calls}" for kind, (checked, calls) in kinds.items())
        lines += folded(f"    {environment}  {tool}: {told}", width, indent=6, style="dim")
    return lines
