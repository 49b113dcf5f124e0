"""What size, generation and reasoning effort change."""

from __future__ import annotations

from collections.abc import Sequence

from replaylab.report.figures import read
from replaylab.report.figures.value import (
    BLUE,
    HATCHES,
    ORANGE,
    RATE,
    Group,
    Look,
    Panel,
    Panels,
    Plot,
    Row,
    Rows,
    Section,
)
from replaylab.report.figures.words import counted, rounded, signed, span
from replaylab.score.value import Table

_EFFORTS = ("none", "minimal", "low", "medium", "high", "xhigh", "max")
LARGE, SMALL = Look(BLUE, bar=True), Look(ORANGE, HATCHES[1], bar=True)


def size(table: Table, tables: read.Tables) -> Plot | None:
    """Pairs of bars: the large and the small model of a family."""
    del tables
    given = [line for line in read.lines(table) if _known(line, "large_rate") or _known(line, "small_rate")]
    if not given:
        return None
    tested = _tested(table)
    groups = []
    for line in given:
        name = " ".join(filter(None, (read.text(line, "family"), read.text(line, "generation"))))
        large, small = read.point(line.get("large_rate")), read.point(line.get("small_rate"))
        first = Row(large, LARGE, read.text(line, "large"), (span(large), *_gained(line, tested)))
        groups.append(Group(name, (first, Row(small, SMALL, read.text(line, "small"), (span(small),)))))
    cells = [line.get(key) for line in given for key in ("large_rate", "small_rate")]
    known = [(value, line) for line in given if (value := read.number(line.get("difference"))) is not None]
    return Plot(
        "Large and small models of a family",
        f"Pairs of bars: completion rates of {counted(len(given), 'large model')} and the small one of the same family. "
        + _gains("Large minus small", known, "family"),
        Rows(
            (Section("", tuple(groups)),),
            RATE,
            ("% [interval]", "gained [interval]", *tested.values()),
            ((LARGE, "large"), (SMALL, "small")),
        ),
        (*read.n_of(cells, "bar"), *read.condition(table), *read.methods(cells), _GAINED),
        read.notices(table),
    )


_GAINED = "Gained: percentage points, paired on the same tasks."


def _tested(table: Table) -> dict[str, str]:
    """The column with the p value, adjusted where the table has that, and its heading."""
    keys = {column.key for column in table.columns}
    return next(({key: head} for key, head in (("p_holm", "p (Holm)"), ("p", "p")) if key in keys), {})


def _gained(line: read.Line, tested: dict[str, str]) -> tuple[str, ...]:
    """The difference with its interval, nothing where there is none to show, and its p."""
    point = read.point(line.get("difference"))
    return (
        "" if point.value is None else span(point, show=signed),
        *(read.text(line, key) for key in tested),
    )


def _known(line: read.Line, key: str) -> bool:
    return read.number(line.get(key)) is not None


def _gains(what: str, known: Sequence[tuple[float, read.Line]], key: str) -> str:
    if not known:
        return "No difference is known."
    ordered = sorted(known, key=lambda pair: pair[0])
    (low, least), (high, most) = ordered[0], ordered[-1]
    if len(known) == 1:
        return f"{what}: {signed(high)} points ({read.text(most, key)})."
    return f"{what}: from {signed(low)} points ({read.text(least, key)}) to {signed(high)} points ({read.text(most, key)})."


def generations(table: Table, tables: read.Tables) -> Plot | None:
    """The generations of a series below each other, joined by a line, the oldest on top."""
    del tables
    given = read.lines(table)
    cells = [line.get("rate") for line in given]
    if not any(read.number(cell) is not None for cell in cells):
        return None
    series = list(dict.fromkeys(read.text(line, "series") for line in given))
    tested = _tested(table)
    groups, gains = [], []
    for name in series:
        lines = [line for line in given if read.text(line, "series") == name]
        rows = tuple(
            Row(
                point,
                Look(),
                _generation(line),
                (read.text(line, "k_n"), span(point), *_gained(line, tested)),
            )
            for line in lines
            for point in (read.point(line.get("rate")),)
        )
        groups.append(Group(name, rows, joined=True))
        values = [value for line in lines if (value := read.number(line.get("rate"))) is not None]
        gains += [(values[-1] - values[0], lines[-1])] if len(values) > 1 else []
    compared = any(read.number(line.get("difference")) is not None for line in given)
    columns = ("passed", "% [interval]", *(("gained [interval]", *tested.values()) if compared else ()))
    note = (f"{_GAINED[:-1]}, over the generation before.",) if compared else ()
    told = f"Completion rates of {counted(len(series), 'series', 'series')} of models by generation, oldest first. "
    return Plot(
        "Generations of a model series",
        told + _gains("Newest minus oldest", gains, "series"),
        Rows((Section("", tuple(groups)),), RATE, columns),
        (*read.n_of(cells, "dot"), *read.condition(table), *read.methods(cells), *note),
        read.notices(table),
    )


def _generation(line: read.Line) -> str:
    generation, agent = read.text(line, "generation"), read.text(line, "agent")
    return f"{generation}: {agent}" if agent and generation else generation or agent


def effort(table: Table, tables: read.Tables) -> Plot | None:
    """A small chart for each model, from no effort to the most."""
    del tables
    given = read.lines(table)
    cells = [line.get("rate") for line in given]
    if not any(read.number(cell) is not None for cell in cells):
        return None
    models = list(dict.fromkeys(read.text(line, "model") for line in given))
    panels, gains = [], []
    for model in models:
        lines = sorted((line for line in given if read.text(line, "model") == model), key=_effort_order)
        points = tuple((read.text(line, "effort"), read.point(line.get("rate"))) for line in lines)
        panels.append(Panel(model, points, "reasoning effort"))
        values = [point.value for _, point in points if point.value is not None]
        gains += [(values[-1] - values[0], lines[-1])] if len(values) > 1 else []
    told = f"Completion rate by reasoning effort for {counted(len(models), 'model')}, from the least effort to the most. "
    return Plot(
        "Reasoning effort",
        told + _gains("Most effort minus least", gains, "model"),
        Panels(tuple(panels), RATE),
        (*read.n_of(cells, "point"), *read.condition(table), *read.methods(cells)),
        read.notices(table),
    )


def _effort_order(line: read.Line) -> int:
    """Known words in their order, others after them as the table has them (sorting keeps ties)."""
    word = read.text(line, "effort").lower()
    return _EFFORTS.index(word) if word in _EFFORTS else len(_EFFORTS)


def fault_ablation(table: Table, tables: read.Tables) -> Plot | None:
    """A small chart for each agent and axis: more faults, and faults that last longer."""
    del tables
    given = read.lines(table)
    cells = [line.get("rate") for line in given]
    if not any(read.number(cell) is not None for cell in cells):
        return None
    keys = list(dict.fromkeys((read.text(line, "agent"), read.text(line, "axis")) for line in given))
    # All charts of one axis together, so that they can be compared.
    axes = list(dict.fromkeys(axis for _, axis in keys))
    panels, changes = [], []
    for agent, axis in sorted(keys, key=lambda key: axes.index(key[1])):
        lines = [
            line for line in given if (read.text(line, "agent"), read.text(line, "axis")) == (agent, axis)
        ]
        lines.sort(key=lambda line: read.number(line.get(axis)) or 0)
        points = tuple(
            (read.text(line, axis) or read.text(line, "plan"), read.point(line.get("rate"))) for line in lines
        )
        panels.append(Panel(agent, points, _BELOW.get(axis, axis)))
        values = [point.value for _, point in points if point.value is not None]
        changes += [(values[-1] - values[0], lines[-1])] if len(values) > 1 else []
    agents = len({agent for agent, _ in keys})
    return Plot(
        "Fault count and duration",
        f"Completion rate of {counted(agents, 'agent')} by fault {' and '.join(axes)}. {_falls(changes)}",
        Panels(tuple(panels), RATE),
        (*read.n_of(cells, "point"), *read.condition(table), *read.methods(cells)),
        read.notices(table),
    )


_BELOW = {"count": "faults in a trial", "duration": "duration of a fault (tool calls)"}


def _falls(changes: Sequence[tuple[float, read.Line]]) -> str:
    if not changes:
        return "No change is known."
    low, line = min(changes, key=lambda pair: pair[0])
    mean = sum(value for value, _ in changes) / len(changes)
    return (
        f"From the mildest to the hardest setting {signed(mean)} points on average; largest fall {rounded(low)} points "
        f"({read.text(line, 'agent')}, {read.text(line, 'axis')})."
    )
