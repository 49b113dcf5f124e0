"""The additive model: what a rate would be if an agent's strength and an industry's difficulty just added up."""

from __future__ import annotations

from collections.abc import Sequence

_ROUNDS = 2_000
_STILL = 1e-9

Rates = Sequence[Sequence[float | None]]


def additive(rates: Rates, weights: Sequence[Sequence[float]]) -> list[list[float]]:
    """The weighted least-squares fit `row + column` for every place of the table, empty places included.

    Rows and columns are fitted in turn until nothing moves: exact where the table is full and the weights are the same
    in every row, and a sum in fixed order, so the same on every machine, where it is not.
    """
    height, width = len(rates), len(rates[0]) if rates else 0
    rows, columns = [0.0] * height, [0.0] * width
    for _ in range(_ROUNDS):
        before = (*rows, *columns)
        for i in range(height):
            rows[i] = _mean([_left(rates[i][j], columns[j]) for j in range(width)], weights[i], rows[i])
        for j in range(width):
            column_weights = [weights[i][j] for i in range(height)]
            columns[j] = _mean(
                [_left(rates[i][j], rows[i]) for i in range(height)], column_weights, columns[j]
            )
        moved = (abs(old - new) for old, new in zip(before, (*rows, *columns), strict=True))
        if max(moved, default=0.0) < _STILL:
            break
    return [[row + column for column in columns] for row in rows]


def _left(rate: float | None, other: float) -> float | None:
    return None if rate is None else rate - other


def _mean(values: Sequence[float | None], weights: Sequence[float], default: float) -> float:
    pairs = [(value, weight) for value, weight in zip(values, weights, strict=True) if value is not None]
    whole = sum(weight for _, weight in pairs)
    return sum(value * weight for value, weight in pairs) / whole if whole else default
