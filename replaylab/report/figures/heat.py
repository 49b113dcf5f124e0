"""Heat maps: where an agent does better or worse in an industry than the rest lets expect, and how simulators agree."""

from __future__ import annotations

import math
from collections.abc import Sequence

from replaylab.report.figures import read
from replaylab.report.figures.additive import additive
from replaylab.report.figures.colour import diverging, mixed
from replaylab.report.figures.industries import Grid, grid
from replaylab.report.figures.value import BLUE, FAINT, WHITE, Matrix, Plot, Ramp, Tile
from replaylab.report.figures.words import DASH, counted, rounded, signed, span, spoken
from replaylab.score.value import Table

# 2^(1 - scenarios) is the smallest p that a sign-flip test can give: with five it is above 0.05.
FEW_SCENARIOS = 6
_HATCH = "////"


def industry_agents(table: Table, tables: read.Tables) -> Plot | None:
    """Deviations from the additive model. With one agent or one industry there is nothing to deviate from."""
    given = grid(table, tables)
    rates = [[read.number(line[column.key]) for column in given.columns] for line in given.lines]
    if len(rates) < 2 or len(given.columns) < 2 or not any(rate is not None for row in rates for rate in row):
        return None
    weights = [[read.trials(line[c.key]) or 1 for c in given.columns] for line in given.lines]
    fitted = additive(rates, weights)
    off = [
        [None if rate is None else rate - fit for rate, fit in zip(*rows, strict=True)]
        for rows in zip(rates, fitted, strict=True)
    ]
    limit = _limit([value for row in off for value in row if value is not None])
    few = {
        column.key for column in given.columns if given.scenarios.get(column.key, math.inf) < FEW_SCENARIOS
    }
    outside = [
        [_outside(given, i, j, fitted[i][j], few) for j in range(len(given.columns))] for i in range(len(off))
    ]
    tiles = tuple(
        tuple(
            _tile(value, limit, hatched=column.key in few, framed=framed)
            for value, column, framed in zip(row, given.columns, frames, strict=True)
        )
        for row, frames in zip(off, outside, strict=True)
    )
    body = Matrix(
        given.agents,
        tuple(given.names[column.key] for column in given.columns),
        tiles,
        "industry",
        (34, 15),
        ramp=_ramp(limit),
        key=_key(few, framed=any(any(row) for row in outside)),
    )
    return Plot(
        "Agents by industry: deviation from the additive model",
        _alt(given, off, outside),
        body,
        _caption(table, given, few),
        read.notices(table),
    )


def _caption(table: Table, given: Grid, few: set[str]) -> tuple[str, ...]:
    known = len(given.scenarios) == len(given.columns)
    return (
        *read.n_of(given.all_cells, "cell"),
        *read.condition(table),
        (
            "Shown: percentage points above (+) or below (−) agent effect + industry effect, fitted by least squares "
            "weighted by trials."
        ),
        *read.methods(given.all_cells, "Interval of a cell, for the frames"),
        *(
            ()
            if known
            else ("The number of scenarios is not known for every industry, so hatching may be missing.",)
        ),
        *((f"With fewer than {FEW_SCENARIOS} scenarios no test can reach p = 0.05.",) if few else ()),
        f"Nothing here is adjusted for looking at {len(given.agents) * len(given.columns)} cells.",
    )


def _limit(values: Sequence[float]) -> float:
    """The end of the colour scale: a round number, 10 points at least."""
    return max(10.0, 10.0 * math.ceil(max(map(abs, values)) / 10))


def _outside(given: Grid, i: int, j: int, fit: float, few: set[str]) -> bool:
    key = given.columns[j].key
    point = read.point(given.lines[i][key])
    if key in few or point.low is None or point.high is None:
        return False
    return not point.low <= fit <= point.high


def _tile(value: float | None, limit: float, *, hatched: bool, framed: bool) -> Tile:
    if value is None:
        return Tile((DASH,))
    return Tile((signed(value, 0),), diverging(value, limit), _HATCH if hatched else "", framed)


def _ramp(limit: float) -> Ramp:
    steps = 21
    colours = tuple(diverging(limit * (2 * n / (steps - 1) - 1), limit) for n in range(steps))
    ticks = tuple((end, signed(end, 0)) for end in (-limit, -limit / 2, 0.0, limit / 2, limit))
    return Ramp("deviation (percentage points)", -limit, limit, colours, ticks)


def _key(few: set[str], *, framed: bool) -> tuple[tuple[Tile, str], ...]:
    hatched = ((Tile((), WHITE, _HATCH), f"fewer than {FEW_SCENARIOS} scenarios"),) if few else ()
    boxed = ((Tile((), WHITE, framed=True), "the model lies outside the cell's interval"),) if framed else ()
    return (*hatched, *boxed)


def _alt(given: Grid, off: list[list[float | None]], outside: list[list[bool]]) -> str:
    cells = [
        (value, given.agents[i], given.names[given.columns[j].key])
        for i, row in enumerate(off)
        for j, value in enumerate(row)
        if value is not None
    ]
    high, low = max(cells, key=lambda cell: cell[0]), min(cells, key=lambda cell: cell[0])
    framed = sum(map(sum, outside))
    return (
        f"Heat map of {counted(len(given.agents), 'agent')} by {len(given.columns)} industries: deviation from the additive "
        f"model. Largest: {signed(high[0])} points for {high[1]} in {high[2]}; smallest: {signed(low[0])} points for {low[1]} "
        f"in {low[2]}. In {counted(framed, 'cell')} the model lies outside the interval."
    )


def agreement(table: Table, tables: read.Tables) -> Plot | None:
    """How far simulators rank the agents alike, on a scale from 50 % (chance) to 100 %."""
    del tables
    scale = read.percent_scale(table, "agreement")
    pairs = [
        (read.text(line, "a"), read.text(line, "b"), line)
        for line in read.lines(table)
        if read.number(line.get("agreement")) is not None
    ]
    if not pairs:
        return None
    names = list(dict.fromkeys(name for a, b, _ in pairs for name in (a, b)))
    found = {frozenset((a, b)): line for a, b, line in pairs}
    tiles = tuple(
        tuple(_agreed(found.get(frozenset((a, b))), scale, same=a == b) for b in names[:-1])
        for a in names[1:]
    )
    # Each pair stands once, below the diagonal.
    below = tuple(
        tuple(tile if j <= i else None for j, tile in enumerate(row)) for i, row in enumerate(tiles)
    )
    cells = [line["agreement"] for _, _, line in pairs]
    body = Matrix(tuple(names[1:]), tuple(names[:-1]), below, "simulator", (112, 50), ramp=_shares())
    caption = (
        (
            "n: the pairs of agents that both simulators rank, and how many are tied under one or both; a tie counts as "
            "disagreement."
        ),
        *read.condition(table),
        *read.methods(cells, "In brackets"),
        "50 % is what two unrelated rankings without ties would reach; grey is below that.",
    )
    return Plot(
        "Do simulators rank agents alike?", _alt_agreement(pairs, scale), body, caption, read.notices(table)
    )


def _agreed(line: read.Line | None, scale: float, *, same: bool) -> Tile | None:
    if line is None:
        return None if same else Tile((DASH,))
    point = read.point(line["agreement"], scale)
    value = point.value or 0
    interval = span(point).partition(" ")[2]
    pairs, tied = read.whole(line.get("pairs")), read.whole(line.get("tied"))
    counts = [counted(pairs, "pair")] if pairs is not None else []
    counts += [f"{tied} tied"] if tied is not None else []
    words = (
        f"{rounded(value)} %",
        *((interval,) if interval else ()),
        *((", ".join(counts),) if counts else ()),
    )
    return Tile(words, mixed(WHITE, BLUE, (value - 50) / 50) if value >= 50 else FAINT)


def _shares() -> Ramp:
    colours = tuple(mixed(WHITE, BLUE, n / 20) for n in range(21))
    ticks = tuple((float(end), f"{end}") for end in (50, 60, 70, 80, 90, 100))
    return Ramp("pairs of agents ranked alike (%)", 50, 100, colours, ticks)


def _alt_agreement(pairs: list[tuple[str, str, read.Line]], scale: float) -> str:
    told = [
        f"{a} and {b} {spoken(read.point(line['agreement'], scale), ' %')} of {read.text(line, 'pairs')} pairs"
        + (f", {read.text(line, 'tied')} tied" if read.text(line, "tied") else "")
        for a, b, line in pairs
    ]
    return f"Heat map of the ranking agreement between simulators: {'; '.join(told)}."
