"""Completion rates by industry with their intervals: dots for everybody, a radar for the first few on request."""

from __future__ import annotations

from typing import NamedTuple

from replaylab.report.figures import read
from replaylab.report.figures.value import RATE, Dots, Plot, Point, Radar, Strip
from replaylab.report.figures.words import between, counted, rounded, span
from replaylab.score.value import Cell, Column, Table

_NOT_INDUSTRIES = ("agent", "avg", "macro", "k_n", "rank", "rank_interval")
RADAR_AGENTS = 5
RADAR_FLOOR = 30


class Grid(NamedTuple):
    """The table `industries` taken apart. `names`, `tasks` and `scenarios` are by column key, as far as they are known."""

    agents: tuple[str, ...]
    columns: tuple[Column, ...]
    names: dict[str, str]
    lines: tuple[read.Line, ...]
    tasks: dict[str, int]
    scenarios: dict[str, int]

    def cells(self, key: str) -> list[Cell]:
        """A column from top to bottom."""
        return [line[key] for line in self.lines]

    @property
    def all_cells(self) -> list[Cell]:
        """Every cell of an industry."""
        return [line[column.key] for line in self.lines for column in self.columns]


def grid(table: Table, tables: read.Tables) -> Grid:
    """Agents and industries. Rows at the end that count tasks or scenarios are read as such."""
    columns = tuple(column for column in table.columns if column.key not in _NOT_INDUSTRIES)
    lines = read.lines(table)
    counts: dict[str, dict[str, int]] = {"tasks": {}, "scenarios": {}}
    while lines and (name := read.text(lines[-1], "agent").lower()) in counts:
        last = lines.pop()
        known = {column.key: read.whole(last.get(column.key)) for column in table.columns}
        counts[name] = {key: count for key, count in known.items() if count is not None}
    by_name = read.scenarios(tables)
    names = {}
    for column in columns:
        # The whole name, where the cells say whose trials they stand on; columns are headed by short ones.
        whole = sorted({read.industry(line[column.key]) for line in lines} - {""})
        names[column.key] = whole[0] if len(whole) == 1 else column.title
        found = [by_name[name] for name in (names[column.key], column.title, column.key) if name in by_name]
        counts["scenarios"] |= {column.key: found[0]} if found else {}
    agents = tuple(read.text(line, "agent") for line in lines)
    return Grid(agents, columns, names, tuple(lines), counts["tasks"], counts["scenarios"])


def industries(table: Table, tables: read.Tables) -> Plot | None:
    """A strip of dots for each industry, every agent at the same height in all of them."""
    given = grid(table, tables)
    if not any(read.number(cell) is not None for cell in given.all_cells):
        return None
    average = tuple(column for column in table.columns if column.key == "avg")
    strips = tuple(_strip(given, column) for column in (*average, *given.columns))
    caption = (
        *read.n_of(given.all_cells, "dot"),
        *read.condition(table),
        *read.methods(given.all_cells),
        "Dashed: mean of the agents. Single industries are described and not tested: their samples are small.",
    )
    body = Dots(given.agents, strips, RATE)
    return Plot("Completion rate by industry", _alt(given), body, caption, read.notices(table))


def _strip(given: Grid, column: Column) -> Strip:
    cells = given.cells(column.key)
    points = tuple(read.point(cell) for cell in cells)
    known = [point.value for point in points if point.value is not None]
    return Strip(
        given.names.get(column.key, "All, pooled"),
        _size(given, column.key, cells),
        points,
        sum(known) / len(known) if len(known) > 1 else None,
    )


def _size(given: Grid, key: str, cells: list[Cell]) -> str:
    """What a strip's numbers stand on, in a few words."""
    if key in given.tasks:
        parts = [counted(given.tasks[key], "task")]
    else:
        counts = [count for cell in cells if (count := read.trials(cell)) is not None]
        parts = [f"n {between(counts)}"] if counts else []
    parts += [counted(given.scenarios[key], "scenario")] if key in given.scenarios else []
    return ", ".join(parts)


def _means(given: Grid) -> list[tuple[float, str]]:
    found = []
    for column in given.columns:
        known = [value for cell in given.cells(column.key) if (value := read.number(cell)) is not None]
        found += [(sum(known) / len(known), given.names[column.key])] if known else []
    return sorted(found, key=lambda pair: (-pair[0], pair[1]))


def _alt(given: Grid) -> str:
    means = _means(given)
    shape = (
        f"{counted(len(given.agents), 'agent')} in {counted(len(given.columns), 'industry', 'industries')}"
    )
    told = f"Dots with intervals: completion rates of {shape}."
    if len(means) == 1:
        return f"{told} {means[0][1]} {rounded(means[0][0])} %."
    (high, easy), (low, hard) = means[0], means[-1]
    return f"{told} Mean of the agents: highest in {easy} ({rounded(high)} %), lowest in {hard} ({rounded(low)} %)."


def radar(table: Table, tables: read.Tables) -> Plot | None:
    """The first agents around a circle, beside their numbers with intervals; nothing where no interval is known.

    Areas and shapes of a radar depend on the order of its spokes, so it is drawn on request alone.
    """
    given = grid(table, tables)
    columns = tuple(
        c for c in given.columns if any(read.number(cell) is not None for cell in given.cells(c.key))
    )
    if len(columns) < 3 or not any(read.point(cell).bounded for cell in given.all_cells):
        return None
    shown = given._replace(
        agents=given.agents[:RADAR_AGENTS], lines=given.lines[:RADAR_AGENTS], columns=columns
    )
    points = [[read.point(line[column.key]) for column in columns] for line in shown.lines]
    values = [point.value for row in points for point in row if point.value is not None]
    floor = RADAR_FLOOR if values and min(values) >= RADAR_FLOOR else 0
    body = Radar(
        tuple(given.names[column.key] for column in columns),
        shown.agents,
        tuple(tuple(point.value for point in row) for row in points),
        tuple(tuple(_short(row[n]) for row in points) for n in range(len(columns))),
        floor,
        "% [interval]",
    )
    rule = f"the first {len(shown.agents)} of {len(given.agents)} by pooled rate, in the order of the table"
    caption = (
        *read.n_of(shown.all_cells, "number"),
        *read.condition(table),
        f"Shown: {rule}. The scale starts at {floor} %.",
        *read.methods(shown.all_cells, "In brackets"),
        "The area of a shape means nothing: it depends on the order of the spokes.",
    )
    alt = f"Radar with a table of intervals: {rule}. {_alt(shown)}"
    return Plot("Completion rate by industry, a few agents", alt, body, caption, read.notices(table))


def _short(point: Point) -> str:
    return span(point, 0)
