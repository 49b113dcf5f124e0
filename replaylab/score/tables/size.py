"""size: the larger against the smaller model of a family and generation."""

from __future__ import annotations

from typing import NamedTuple

from replaylab.score.cells import ALL, Rate, rate, rate_cell, text_cell
from replaylab.score.facts import Study
from replaylab.score.footer import Foot, footer
from replaylab.score.pairs import Compared, adjust, adjusted_cell, compare, difference_cell, family_of, p_of
from replaylab.score.series import SizePair, size_pairs
from replaylab.score.slices import Slices, slices
from replaylab.score.value import Cell, Column, Layout, Selector, Table

COLUMNS = (
    Column(key="family", title="Family", numeric=False),
    Column(key="generation", title="Generation", numeric=False),
    Column(key="large", title="Large", numeric=False),
    Column(key="large_rate", title="Large rate", unit="%"),
    Column(key="small", title="Small", numeric=False),
    Column(key="small_rate", title="Small rate", unit="%"),
    Column(key="difference", title="Difference", unit="points"),
    Column(key="p", title="p"),
    Column(key="p_holm", title="p (Holm)"),
)
_UNPUBLISHED = ("p", "p_holm")


class _Row(NamedTuple):
    """A pair, each side's trials and rate, and large minus small."""

    pair: SizePair
    large: Selector
    small: Selector
    rates: tuple[Rate, Rate]
    compared: Compared


def build(study: Study, layout: Layout) -> Table | None:
    """One row a pair of neighbouring sizes, families in the order of the agents."""
    if why_not(study):
        return None
    sliced = slices(study)
    rows = _rows(sliced)
    full = layout == "full"
    family = family_of([row.compared for row in rows], "each larger model against the next smaller one")
    left_out = size_pairs(study.agents)[1]
    foot = Foot(
        declared=[f"{agent}|{ALL}" for row in rows for agent in (row.pair.large, row.pair.small)],
        family=family if full else None,
        more=[
            *[f"{row.pair.large} and {row.pair.small}: {row.pair.note}." for row in rows if row.pair.note],
            *[f"Not shown: {one}." for one in left_out],
        ],
    )
    columns = tuple(column for column in COLUMNS if full or column.key not in _UNPUBLISHED)
    rated = list(dict.fromkeys(which for row in rows for which in (row.large, row.small)))
    return Table(
        id="size",
        title="Large and small models of a family",
        layout=layout,
        columns=columns,
        rows=tuple(tuple(_cells(row, layout)[column.key] for column in columns) for row in rows),
        notes=footer(sliced, rated, foot, layout),
    )


def why_not(study: Study) -> str:
    """Two sizes of a generation have to be known and played."""
    pairs, left_out = size_pairs(study.agents)
    if pairs:
        return (
            "" if _played(slices(study)) else "no two sizes of a family played under the reference condition"
        )
    return (
        "; ".join(left_out)
        or "no family has two sizes in one generation (settings: family, generation, size)"
    )


def _played(sliced: Slices) -> list[SizePair]:
    pairs, _ = size_pairs(sliced.study.agents)
    return [
        pair
        for pair in pairs
        if all(sliced.select(sliced.reference(agent=one)) for one in (pair.large, pair.small))
    ]


def _rows(sliced: Slices) -> list[_Row]:
    pairs = _played(sliced)
    sides = [(sliced.reference(agent=pair.large), sliced.reference(agent=pair.small)) for pair in pairs]
    compared = adjust([compare(sliced, large, small) for large, small in sides])
    return [
        _Row(pair, large, small, (rate(sliced, large, ALL), rate(sliced, small, ALL)), one)
        for pair, (large, small), one in zip(pairs, sides, compared, strict=True)
    ]


def _cells(row: _Row, layout: Layout) -> dict[str, Cell]:
    large, small = (
        rate_cell(found, which, layout=layout)
        for found, which in zip(row.rates, (row.large, row.small), strict=True)
    )
    difference = difference_cell(row.compared)
    return {
        "family": text_cell(row.pair.family),
        "generation": text_cell(row.pair.generation),
        "large": text_cell(row.pair.large, row.large),
        "small": text_cell(row.pair.small, row.small),
        "large_rate": large,
        "small_rate": small,
        "difference": difference if layout == "full" else difference.model_copy(update={"interval": None}),
        "p": p_of(row.compared),
        "p_holm": adjusted_cell(row.compared),
    }
