"""The terminal view of a contract check: findings of each simulator, and how much of what it said could be checked."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from replaylab.diff.reading import CheckedTrial
from replaylab.report.coverage_text import coverage_lines
from replaylab.report.lines import Line, counts_table, folded
from replaylab.report.patterns import pattern_lines, patterns
from replaylab.report.violation_text import alike, blocks
from replaylab.schema.violation import KINDS

Group = tuple[str, str]


def grouped(trials: Iterable[CheckedTrial]) -> dict[Group, list[CheckedTrial]]:
    """By simulator and evidence: what nobody recorded is never added to what was."""
    groups: dict[Group, list[CheckedTrial]] = {}
    for trial in trials:
        groups.setdefault((trial.simulator, trial.evidence), []).append(trial)
    return groups


def named(group: Group) -> str:
    """A simulator, with its evidence where that is not a recording."""
    simulator, evidence = group
    return simulator if evidence == "recorded" else f"{simulator} ({evidence})"


def check_lines(trials: Sequence[CheckedTrial], width: int, *, full: bool = False) -> list[Line]:
    """The view: a table, one finding of each kind or all of them, what comes again, coverage."""
    groups = grouped(trials)
    lines = [*_table(groups, width), Line("")]
    found = alike(one for trial in trials for one in trial.report.findings)
    lines += blocks(found, width, full=full, roomy=True)
    if found and lines[-1].text:
        lines.append(Line(""))
    lines += pattern_lines(patterns(trials), width, full=full)
    lines.append(Line("Coverage", "head"))
    for group, members in groups.items():
        lines += coverage_lines(named(group), (one.report.coverage for one in members), width, full=full)
    faults = sum(len(one.report.faults) for one in trials)
    unsure = sum(len(one.report.candidates) for one in trials)
    told = [
        f"{number} {one if number == 1 else many}"
        for number, one, many in (
            (faults, "possible fault", "possible faults"),
            (unsure, "candidate too unsure to count", "candidates too unsure to count"),
        )
        if number
    ]
    if told:
        lines += folded(f"See --json for {' and '.join(told)}.", width, style="dim")
    return lines


def _table(groups: dict[Group, list[CheckedTrial]], width: int) -> list[Line]:
    rows = []
    for group, members in groups.items():
        found = Counter(one.kind for trial in members for one in trial.report.findings)
        cells = [found[kind] for kind in KINDS]
        rows.append((named(group), [*cells, len(members), sum(trial.calls for trial in members)]))
    return counts_table([*KINDS, "trials", "calls"], rows, width)
