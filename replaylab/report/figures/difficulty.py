"""How hard each industry is, over a stated set of agents."""

from __future__ import annotations

from replaylab.report.figures import read
from replaylab.report.figures.value import (
    GREEN,
    ORANGE,
    RATE,
    RED,
    Group,
    Look,
    Plot,
    Point,
    Row,
    Rows,
    Section,
)
from replaylab.report.figures.words import counted, listed, rounded, span
from replaylab.score.value import Table

EASY, MIDDLE = 65, 60
_LOOKS = (
    (Look(GREEN, "", bar=True), f"{EASY} % or more"),
    (Look(ORANGE, "////", bar=True), f"{MIDDLE} % to below {EASY} %"),
    (Look(RED, "xxxx", bar=True), f"below {MIDDLE} %"),
)


def difficulty(table: Table, tables: read.Tables) -> Plot | None:
    """Bars of the agents' mean rate in each industry, easiest first; the pooled rate with its interval beside it."""
    del tables
    given = [line for line in read.lines(table) if _shown(line).value is not None]
    if not given:
        return None
    groups = tuple(_bar(line) for line in given)
    used = [band for band in _LOOKS if any(band[0] == group.rows[0].look for group in groups)]
    cells = [line.get("rate") for line in given]
    body = Rows(
        (Section("", groups),), RATE, ("mean %", "pooled % [interval]", "tasks", "scenarios"), tuple(used)
    )
    caption = (
        *read.n_of(cells, "industry, all agents together"),
        *read.condition(table),
        _averaged(table, given),
        *_without(given),
        "Bar: mean of the agents' rates. Diamond: all trials pooled.",
        *read.methods(cells),
    )
    return Plot("How hard are the industries?", _alt(table, given), body, caption, read.notices(table))


def _shown(line: read.Line) -> Point:
    """The mean of the agents' rates, or the pooled rate where the table has no mean."""
    mean = read.point(line.get("mean"))
    return mean if mean.value is not None else read.point(line.get("rate"))


def _bar(line: read.Line) -> Group:
    point, pooled = _shown(line), read.point(line.get("rate"))
    value = point.value or 0
    look = next(look for (look, _), least in zip(_LOOKS, (EASY, MIDDLE, -1), strict=True) if value >= least)
    right = (span(Point(value)), span(pooled), read.text(line, "tasks"), read.text(line, "scenarios"))
    return Group(read.text(line, "industry"), (Row(point, look, right=right, second=pooled),))


def _averaged(table: Table, given: list[read.Line]) -> str:
    """Which agents the means are over: as the footer says, or by name where the cells say whose trials they stand on."""
    for note in table.notes:
        if note.startswith("Averaged over"):
            return note
    sets = [_agents(line) for line in given]
    if all(sets) and all(one == sets[0] for one in sets):
        return f"Averaged: {counted(len(sets[0]), 'agent')} ({listed(sets[0])})."
    if all(sets):
        every = sorted(set().union(*map(set, sets)))
        return f"Averaged: not the same agents in every industry, out of {listed(every)}."
    said = list(dict.fromkeys(read.text(line, "agents") for line in given))
    return (
        f"Averaged: {' or '.join(said)} agents."
        if any(said)
        else "The table does not say which agents are averaged."
    )


def _without(given: list[read.Line]) -> list[str]:
    """What a mean leaves out in a single industry."""
    notes = [(read.text(line, "industry"), line["mean"].note) for line in given if "mean" in line]
    return [f"{industry}: {note}." for industry, note in notes if note]


def _agents(line: read.Line) -> list[str]:
    for key in ("mean", "rate", "agents"):
        found = sorted({selector.agent for selector in line[key].trials} - {""}) if key in line else []
        if found:
            return found
    return []


def _alt(table: Table, given: list[read.Line]) -> str:
    told = [f"{read.text(line, 'industry')} {rounded(_shown(line).value or 0)} %" for line in given]
    return f"Bars of the mean completion rate in {counted(len(given), 'industry', 'industries')}: {listed(told)}. {_averaged(table, given)}"
