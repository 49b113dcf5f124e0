"""The terminal view of a comparison: who broke the contract and where they part first, on one screen."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence

from replaylab.diff.parting.compared import counts, is_there
from replaylab.report.coverage_text import coverage_lines
from replaylab.report.lines import Line, beside, column_width, counts_table, fits, folded
from replaylab.report.violation_text import alike, blocks, short, violation_lines
from replaylab.schema.base import Json
from replaylab.schema.difference import Answer, Difference, DiffReport, Row, TrialDiff
from replaylab.schema.violation import KINDS, Violation

MANNERS = {
    "lockstep/recorded": "in lockstep: the same calls were put to all, with the same history",
    "lockstep/own": "in lockstep: the same calls were put to all, each with its own history",
    "aligned": "whole trajectories, aligned: after the first divergence each is held against the contract alone",
}
_LONG = 4  # lines of an observation beside the others


def diff_lines(report: DiffReport, width: int, *, full: bool = False) -> list[Line]:
    """The view. Short: the first divergence and one finding of each kind; `full`: every row that differs."""
    lines = _head(report, width)
    if not report.trials:
        return [*lines, Line("Nothing could be compared.", "bad")]
    opened = _to_open(report)
    for trial, row in _opened(report, full=full):
        lines += [Line(""), *row_lines(trial, row, width, first=row is opened)]
    there = {one.id for one in _of_row(report, opened)}
    found = alike(report.violations)
    rest = [one for one in found if full or one.first.id not in there]
    if rest:
        lines += [Line(""), Line(f"{'All' if full else 'More'} findings", "head")]
        lines += blocks(rest, width, full=full)
    lines += [Line("")] if lines[-1].text else []
    return lines + _coverage(report, width, full=full)


def _head(report: DiffReport, width: int) -> list[Line]:
    names = " against ".join(report.simulators)
    runs = ", ".join(report.runs)
    lines = folded(
        f"{names}  ({_number(len(report.trials), 'trial', 'trials')} of {runs or 'no run'})",
        width,
        indent=2,
        style="head",
    )
    for notice in report.notices:
        lines += folded(notice, width, indent=2)
    manners = Counter(trial.manner for trial in report.trials)
    for manner, number in manners.items():
        told = f"{number} of them " if len(manners) > 1 else ""
        lines += folded(f"Compared {told}{MANNERS[manner]}.", width, indent=2)
    if len(report.evidence) > 1:
        kinds = ", ".join(f"{number} {how}" for how, number in report.evidence.items())
        lines += folded(f"Evidence: {kinds}; never add these up.", width, indent=2)
    for why, number in report.skipped.items():
        lines += folded(f"Not compared: {number}, {why}", width, indent=2)
    return [*lines, Line(""), *_table(report, width), *folded(_differences(report), width, indent=2)]


def _table(report: DiffReport, width: int) -> list[Line]:
    """Findings by simulator and kind, and of how many calls."""
    rows = []
    for name in report.simulators:
        found = Counter(one.kind for one in report.violations if one.simulator == name)
        answers = (answer for trial in report.trials for row in trial.rows for answer in row.answers)
        calls = sum(1 for one in answers if one and one.simulator == name and one.by == "simulator")
        rows.append((name, [*(found[kind] for kind in KINDS), calls]))
    return counts_table([*KINDS, "calls"], rows, width)


def _differences(report: DiffReport) -> str:
    """What differs, what of it counts, and how much of that somebody is to blame for."""
    every = [one for trial in report.trials for row in trial.rows for one in row.differences]
    real = [one for one in every if counts(one)]
    blamed = sum(bool(one.blamed) for one in real)
    noise = sum(one.noise for one in every)
    left_open = sum(one.kind == "open" for one in every)
    parts = [_number(len(real), "difference counts", "differences count")]
    if real:
        nobody = len(real) - blamed
        parts[0] += f" (by the contract somebody is wrong in {blamed}, nobody is blamed in {nobody})"
    if noise:
        parts.append(_number(noise, "is", "are") + " within a simulator's own noise")
    parts.append(_number(left_open, "is", "are") + " in what the contract leaves open, and not counted")
    return "; ".join(parts) + "."


def _number(number: int, one: str, many: str) -> str:
    return f"{number} {one if number == 1 else many}"


# ------------------------------------------------------------------------------------------- rows


def _to_open(report: DiffReport) -> Row | None:
    """The first divergence for which somebody is to blame, else the first, else the first row with a violation."""
    rows = [row for _, row in _diverging(report)]
    blamed = (row for row in rows if any(one.blamed and counts(one) for one in row.differences))
    found = (
        row for trial in report.trials for row in trial.rows if any(a and a.violations for a in row.answers)
    )
    return next(blamed, None) or next(iter(rows), None) or next(found, None)


def _diverging(report: DiffReport) -> list[tuple[TrialDiff, Row]]:
    return [(trial, trial.rows[trial.first]) for trial in report.trials if trial.first is not None]


def _opened(report: DiffReport, *, full: bool) -> list[tuple[TrialDiff, Row]]:
    opened = _to_open(report)
    rows = [(trial, row) for trial in report.trials for row in trial.rows]
    if full:
        return [(trial, row) for trial, row in rows if row is opened or any(map(counts, row.differences))]
    return [(trial, row) for trial, row in rows if row is opened]


def _of_row(report: DiffReport, row: Row | None) -> list[Violation]:
    return [
        one
        for trial in report.trials
        for one in trial.violations
        if row and row in trial.rows and _is_in(one, trial, row)
    ]


def _is_in(one: Violation, trial: TrialDiff, row: Row) -> bool:
    return (one.simulator, one.call) in zip(trial.simulators, row.calls, strict=True)


def row_lines(trial: TrialDiff, row: Row, width: int, *, first: bool) -> list[Line]:
    """One call: what each said, side by side, in what they differ, and who is wrong by the contract."""
    title = "First divergence" if first and row.row == trial.first else "Call"
    place = f"{title}: {trial.task}, {trial.faults}, row {row.row} of {len(trial.rows)}"
    lines = folded(f"{place}, {trial.scenario}", width, indent=2, style="head")
    lines += folded(f"{row.tool} {_text(row.arguments)}", width, indent=2, most=2)
    answers = [one for one in row.answers if one is not None]
    each = column_width(len(answers), width) if fits(len(answers), width) else width
    real = [one for one in row.differences if one.kind != "open"]
    lines += beside([_cell(one, real, each) for one in answers], width)
    for one in real:
        lines += folded(
            f"{one.kind}: {one.message}{_weight(one)}", width, indent=2, style="" if counts(one) else "dim"
        )
    if not real and len(answers) > 1 and row.parted:
        lines += folded("After the first divergence: only the contract judges here.", width, style="dim")
    for group in alike(one for one in trial.violations if _is_in(one, trial, row)):
        lines += violation_lines(group.first, width, group.number)
    return lines


def _weight(one: Difference) -> str:
    if one.noise:
        return " (noise: its own repeats differ so too)"
    if one.blamed:
        return f" (wrong by the contract: {', '.join(one.blamed)})"
    if one.minority:
        return f" (the minority: {', '.join(one.minority)}; the contract is silent, nobody is blamed)"
    return " (the contract is silent, nobody is blamed)"


def _cell(answer: Answer, real: Sequence[Difference], width: int) -> list[Line]:
    """A column: who, whether it was carried out, and the part of the observation that differs."""
    stood = (
        "refused" if answer.refused else "carried out" if answer.by == "simulator" else f"by the {answer.by}"
    )
    again = f", {answer.same_again} of {answer.repeats} repeats the same" if answer.repeats else ""
    lines = [Line(f"{answer.simulator}: {stood}{again}")]
    told = [one for one in real if one.kind != "acceptance" and answer.simulator in one.values]
    if not told:
        return lines + folded(_text(answer.observation), width, most=_LONG)
    # Several entities that one list lacks differ at one place: it is shown once.
    shown = dict.fromkeys(f"{one.pointer}: {_said(answer, one)}" for one in told)
    for text in list(shown)[:_LONG]:
        lines += folded(text, width, indent=2, most=_LONG)
    return lines


def _said(answer: Answer, one: Difference) -> str:
    """What an answer has in the place where it differs. What it does not have there is no null."""
    value = one.values[answer.simulator]
    return short(value) if value is not None or is_there(answer.observation, one.pointer) else "not shown"


def _text(value: Json) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


# --------------------------------------------------------------------------------------- coverage


def _coverage(report: DiffReport, width: int, *, full: bool) -> list[Line]:
    lines = [Line("Coverage", "head")]
    for at, name in enumerate(report.simulators):
        parts = [
            part
            for trial in report.trials
            for who, part in zip(trial.simulators, trial.coverage, strict=True)
            if who == name
        ]
        lines += coverage_lines(report.simulators[at], parts, width, full=full)
    faults = sum(len(trial.faults_found) for trial in report.trials)
    unsure = sum(len(trial.candidates) for trial in report.trials)
    if faults or unsure:
        lines += folded(
            f"{_number(faults, 'possible fault', 'possible faults')} and {_number(unsure, 'candidate', 'candidates')} too unsure to count: see --json.",
            width,
            style="dim",
        )
    return lines
