from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from replaylab.report.figures.additive import additive

numbers = st.floats(-50, 50)


@given(st.lists(numbers, min_size=1, max_size=6), st.lists(numbers, min_size=1, max_size=6))
def test_what_is_additive_is_fitted_exactly(rows: list[float], columns: list[float]) -> None:
    rates = [[row + column for column in columns] for row in rows]
    fitted = additive(rates, [[1.0] * len(columns)] * len(rows))
    assert np.allclose(fitted, rates, atol=1e-6)


@pytest.mark.parametrize("holes", [False, True])
def test_the_fit_is_the_one_of_weighted_least_squares(*, holes: bool) -> None:
    chance = random.Random(3)
    height, width = 7, 5
    weights = [[float(chance.randint(5, 60)) for _ in range(width)] for _ in range(height)]
    rates: list[list[float | None]] = [[chance.uniform(20, 95) for _ in range(width)] for _ in range(height)]
    if holes:
        for i in range(height):
            rates[i][(2 * i) % width] = None
    cells = [(i, j, rate) for i, row in enumerate(rates) for j, rate in enumerate(row) if rate is not None]
    design = np.zeros((len(cells), height + width))
    for at, (i, j, _) in enumerate(cells):
        design[at, i] = design[at, height + j] = weights[i][j] ** 0.5
    wanted = np.array([rate * weights[i][j] ** 0.5 for i, j, rate in cells])
    found, *_ = np.linalg.lstsq(design, wanted, rcond=None)
    expected = found[:height, None] + found[None, height:]
    assert np.allclose(additive(rates, weights), expected, atol=1e-6)


def test_a_row_without_any_number_is_fitted_as_an_average_one() -> None:
    fitted = additive([[None, None], [10.0, 20.0]], [[1.0, 1.0], [1.0, 1.0]])
    assert fitted[1] == pytest.approx([10, 20])
    assert fitted[0] == pytest.approx([-5, 5])  # the columns' effects alone


def test_nothing_fits_nothing() -> None:
    assert additive([], []) == []
