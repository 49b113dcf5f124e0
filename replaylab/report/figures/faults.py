"""What faults do: rates under each fault plan, and the paired differences between plans."""

from __future__ import annotations

from collections.abc import Sequence

from replaylab.report.figures import read
from replaylab.report.figures.value import (
    BLUE,
    FILLS,
    HATCHES,
    RATE,
    SHAPES,
    Axis,
    Group,
    Look,
    Plot,
    Row,
    Rows,
    Section,
)
from replaylab.report.figures.words import MINUS, counted, listed, rounded, signed, span, spoken
from replaylab.score.value import Table

_OTHER = ("agent", "R", "n")
_STEPS = (1, 2, 5, 10, 20, 25, 50)


def faults(table: Table, tables: read.Tables) -> Plot | None:
    """Bars for each agent under each fault plan, the agents sorted by the clean plan."""
    del tables
    plans = plans_of(table)
    agents, mean = split_mean(read.lines(table))
    if not any(read.number(line.get(plan)) is not None for line in agents for plan in plans):
        return None
    clean = _clean(agents, plans)
    agents.sort(key=lambda line: -(_or_last(line, clean)))
    looks = {
        key: (plan, Look(FILLS[n % len(FILLS)], HATCHES[n % len(HATCHES)], bar=True))
        for n, (key, plan) in enumerate(plans.items())
    }
    robust = any(read.number(line.get("R")) is not None for line in agents)
    columns = ("% [interval]", *(("R [interval]",) if robust else ()))
    groups = tuple(_bars(line, looks, robust=robust) for line in agents)
    cells = [line.get(plan) for line in agents for plan in plans]
    return Plot(
        f"Completion rate under {listed(plans.values())}",
        _alt(agents, mean, plans),
        Rows((Section("", groups),), RATE, columns),
        (
            *read.n_of(cells, "bar"),
            *read.condition(table),
            *read.methods(cells),
            f"Agents are sorted by {plans[clean]}.",
            *(
                (
                    "R: the lowest rate under faults over the clean one; as the minimum of noisy rates it is biased down.",
                )
                if robust
                else ()
            ),
        ),
        read.notices(table),
    )


def plans_of(table: Table) -> dict[str, str]:
    """The fault plans by the keys of their columns."""
    return {column.key: column.title for column in table.columns if column.key not in _OTHER}


def _clean(agents: Sequence[read.Line], plans: dict[str, str]) -> str:
    """The key of the clean plan: R is made of its trials first; else E0, or the first column."""
    first = [cell.trials[0].faults for line in agents if (cell := line.get("R")) and cell.trials]
    wanted = [key for key, plan in plans.items() if plan in first] + [key for key in plans if key == "E0"]
    return [*wanted, *plans][0]


def split_mean(given: list[read.Line]) -> tuple[list[read.Line], read.Line | None]:
    """The agents' lines, and the line of averages that closes a table, if it has one."""
    if len(given) > 1 and read.text(given[-1], "agent").lower() in ("avg", "average", "mean"):
        return given[:-1], given[-1]
    return list(given), None


def _or_last(line: read.Line, key: str) -> float:
    value = read.number(line.get(key))
    return -1 if value is None else value


def _bars(line: read.Line, looks: dict[str, tuple[str, Look]], *, robust: bool) -> Group:
    rows = []
    for place, (key, (plan, look)) in enumerate(looks.items()):
        point = read.point(line.get(key))
        ratio = span(read.point(line.get("R")), 2) if robust and not place else ""
        rows.append(Row(point, look, plan, (span(point), *((ratio,) if robust else ()))))
    return Group(read.text(line, "agent"), tuple(rows))


def _alt(agents: list[read.Line], mean: read.Line | None, plans: dict[str, str]) -> str:
    start = (
        f"Bars of the completion rates of {counted(len(agents), 'agent')} under {listed(plans.values())}. "
    )
    parts = []
    for key, plan in plans.items():
        known = [value for line in agents if (value := read.number(line.get(key))) is not None]
        average = read.number(mean.get(key)) if mean else sum(known) / len(known) if known else None
        if known and average is not None:
            spread = f", from {rounded(min(known))} to {rounded(max(known))}" if len(known) > 1 else ""
            parts.append(f"{plan} {rounded(average)} % on average{spread}")
    ratios = [(value, line) for line in agents if (value := read.number(line.get("R"))) is not None]
    if ratios:
        value, line = min(ratios, key=lambda pair: pair[0])
        parts.append(f"lowest robustness R {rounded(value, 2)} ({read.text(line, 'agent')})")
    return start + "; ".join(parts) + "."


def fault_effects(table: Table, tables: read.Tables) -> Plot | None:
    """Paired differences between fault plans: a section a pair, so that "harder than" can be read off."""
    given = read.lines(table)
    drawn = [line for line in given if read.number(line.get("difference")) is not None]
    if not drawn:
        return None
    pairs = list(dict.fromkeys(read.text(line, "pair") for line in given))
    sections = tuple(
        Section(
            pair.replace("-", MINUS),
            tuple(_effect(line, pairs.index(pair)) for line in given if read.text(line, "pair") == pair),
        )
        for pair in pairs
    )
    base = tables.get("faults")
    cells = [line.get(key) for line in read.lines(base) for key in plans_of(base)] if base else []
    caption = (
        *(
            read.n_of([line["difference"] for line in drawn], "difference")
            or read.n_of(cells, "side of a pair")
        ),
        *read.condition(table),
        *read.methods([line["difference"] for line in drawn]),
        "Filled: p below 0.05 after Holm's correction. Open: not below, or not testable.",
    )
    return Plot(
        "Differences between fault plans, paired on the same tasks",
        _alt_effects(drawn, pairs),
        Rows(sections, difference_axis(drawn, "difference"), ("points [interval]", "p (Holm)")),
        caption,
        read.notices(table),
    )


def _effect(line: read.Line, place: int) -> Group:
    point = read.point(line.get("difference"))
    solid = supported(line)
    look = Look(BLUE, shape=SHAPES[place % len(SHAPES)], solid=solid)
    adjusted = read.text(line, "p_holm") if was_testable(line) else "not testable"
    return Group(read.text(line, "agent"), (Row(point, look, right=(span(point, show=signed), adjusted)),))


def was_testable(line: read.Line) -> bool:
    """Whether a test could have said anything. A table that doesn't say is believed."""
    cell = line.get("testable")
    if cell is None:
        return True
    if isinstance(cell.value, bool):
        return cell.value
    return not cell.text.lower().startswith(("no", "false"))


def supported(line: read.Line, key: str = "p_holm") -> bool:
    """Whether a difference is more than chance, by its adjusted p."""
    p = read.number(line.get(key))
    return p is not None and p < 0.05 and was_testable(line)


def difference_axis(given: Sequence[read.Line], key: str) -> Axis:
    """A scale in points that holds every interval and 0, with ticks at round numbers."""
    ends = [0.0]
    for line in given:
        ends += [end for end in read.point(line.get(key)) if end is not None]
    step = next((one for one in _STEPS if (max(ends) - min(ends)) / one <= 7), _STEPS[-1])
    first, last = int(min(ends) // step), -int(-max(ends) // step)
    last = max(last, first + 1)
    ticks = tuple(float(step * n) for n in range(first, last + 1))
    return Axis("difference in completion rate (percentage points)", ticks[0], ticks[-1], ticks, 0)


def _alt_effects(drawn: list[read.Line], pairs: list[str]) -> str:
    parts = []
    for pair in pairs:
        known = [line for line in drawn if read.text(line, "pair") == pair]
        if not known:
            continue
        values = [read.number(line["difference"]) or 0 for line in known]
        above = sum(supported(line) for line in known)
        if len(known) == 1:
            size = spoken(read.point(known[0]["difference"]), " points")
        else:
            size = f"{signed(min(values))} to {signed(max(values))} points"
        parts.append(f"{pair} {size}, {above} of {len(known)} supported")
    agents = len({read.text(line, "agent") for line in drawn})
    return f"Forest plot of paired differences between fault plans for {counted(agents, 'agent')}. {'; '.join(parts)}."
