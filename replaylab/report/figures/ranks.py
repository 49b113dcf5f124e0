"""How often each agent takes each rank when the scenarios are drawn again."""

from __future__ import annotations

import re

from replaylab.report.figures import read
from replaylab.report.figures.value import Matrix, Plot, Tile
from replaylab.report.figures.words import counted, rounded
from replaylab.score.value import Table


def ranks(table: Table, tables: read.Tables) -> Plot | None:
    """A histogram of ranks for each agent."""
    given = read.lines(table)
    keys = [column.key for column in table.columns if re.fullmatch(r"r\d+", column.key)]
    if not any(read.number(line.get(key)) is not None for line in given for key in keys):
        return None
    scales = {key: read.percent_scale(table, key) for key in keys}
    tiles = tuple(tuple(_tile(line, key, scales[key]) for key in keys) for line in given)
    first = read.percent_scale(table, "p_first")
    right = tuple(
        (read.text(line, "mean_rank"), _share(read.number(line.get("p_first")), first)) for line in given
    )
    body = Matrix(
        tuple(read.text(line, "agent") for line in given),
        tuple(key.removeprefix("r") for key in keys),
        tiles,
        "rank (1 is the highest completion rate)",
        (19, 26),
        columns_right=("mean rank", "rank 1 in"),
        right=right,
    )
    base = read.lines(tables["overall"]) if "overall" in tables else []
    caption = (
        *read.n_of([line.get("rate") for line in base], "agent"),
        *read.condition(table),
        (
            "Bars and numbers: share of the bootstrap draws in which the agent has the rank, in % (scenarios are drawn "
            "again, the same for all agents; no number where it rounds to 0)."
        ),
        *(note for note in table.notes if "resampled" in note),
    )
    alt = _alt(given, keys, scales)
    return Plot("How sure are the ranks?", alt, body, caption, read.notices(table))


def _tile(line: read.Line, key: str, scale: float) -> Tile | None:
    value = read.number(line.get(key))
    if value is None:
        return None
    text = rounded(value * scale, 0)
    return Tile(() if text == "0" else (text,), share=value * scale / 100)


def _share(value: float | None, scale: float) -> str:
    return "" if value is None else f"{rounded(value * scale, 0)} %"


def _alt(given: list[read.Line], keys: list[str], scales: dict[str, float]) -> str:
    told = []
    for line in given:
        shares = [(read.number(line.get(key)) or 0.0) * scales[key] for key in keys]
        best = max(range(len(keys)), key=lambda n: shares[n])
        told.append(f"{read.text(line, 'agent')} rank {keys[best][1:]} in {rounded(shares[best], 0)} %")
    start = f"Histograms of the ranks of {counted(len(given), 'agent')} over bootstrap draws. Most frequent: "
    return f"{start}{'; '.join(told)}."
