"""The headline figure: each agent's completion rate with its interval, and the ranks that the data allow."""

from __future__ import annotations

from replaylab.report.figures import read
from replaylab.report.figures.value import BLUE, RATE, Group, Look, Plot, Point, Row, Rows, Section
from replaylab.report.figures.words import counted, span, spoken
from replaylab.score.value import Table


def overall(table: Table, tables: read.Tables) -> Plot | None:
    """A forest plot out of the table `overall`, in its order."""
    del tables
    given = read.lines(table)
    if not any(read.point(line.get("rate")).value is not None for line in given):
        return None
    lost = any(_lost(line) for line in given)
    ranked = any(read.text(line, "rank_interval") for line in given)
    columns = ("passed", "% [interval]", *(("rank",) if ranked else ()), *(("no verdict",) if lost else ()))
    groups = tuple(_group(line, ranked=ranked, lost=lost) for line in given)
    caption = (
        *read.n_of([line.get("rate") for line in given], "agent"),
        *read.condition(table),
        *read.methods([line.get("rate") for line in given]),
        *(("Rank: every rank that the paired tests between agents leave possible.",) if ranked else ()),
        *(
            ("Grey band: from all errored and missing trials failed to all of them passed.",)
            if any(group.rows[0].range.bounded for group in groups)
            else ()
        ),
    )
    return Plot(
        "Completion rate by agent",
        _alt(given),
        Rows((Section("", groups),), RATE, columns),
        caption,
        read.notices(table),
    )


def _lost(line: read.Line) -> int:
    return (read.whole(line.get("error")) or 0) + (read.whole(line.get("missing")) or 0)


def _group(line: read.Line, *, ranked: bool, lost: bool) -> Group:
    point = read.point(line.get("rate"))
    low, high = read.number(line.get("worst")), read.number(line.get("best"))
    band = Point(low, low, high) if low is not None and high is not None and low < high else Point()
    right = [read.text(line, "k_n"), span(point)]
    right += [read.text(line, "rank_interval")] if ranked else []
    right += [str(_lost(line) or "")] if lost else []
    return Group(read.text(line, "agent"), (Row(point, Look(BLUE), right=tuple(right), range=band),))


def _alt(given: list[read.Line]) -> str:
    known = [line for line in given if read.point(line.get("rate")).value is not None]
    known.sort(key=lambda line: -(read.point(line["rate"]).value or 0))

    def told(line: read.Line) -> str:
        rank = read.text(line, "rank_interval")
        said = f"{read.text(line, 'agent')} {spoken(read.point(line['rate']), ' %')}"
        return f"{said}, rank {rank}" if rank else said

    start = f"Forest plot of the completion rates of {counted(len(given), 'agent')} with intervals. "
    if len(known) == 1:
        return f"{start}{told(known[0])}."
    return f"{start}Highest: {told(known[0])}. Lowest: {told(known[-1])}."
