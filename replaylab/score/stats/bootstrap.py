"""Resampling scenarios: whatever is computed from their totals gets a distribution, all of it on the same resamples."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import ceil

import numpy as np
from numpy.typing import ArrayLike, NDArray

from replaylab.score.stats.draws import weights

Floats = NDArray[np.float64]


def resample(totals: ArrayLike, statistic: Callable[[Floats], Floats], draws: int, seed: int) -> Floats:
    """The statistic of each resample. `totals` is scenarios x …; `statistic` gets draws x …, the sums over scenarios.

    Everything that stands in the one array (players, environments, numbers of tasks) is drawn together: a resample
    takes a scenario for all of them or for none.
    """
    table = np.asarray(totals, dtype=np.float64)
    return statistic(resums(table, weights(len(table), draws, seed)))


def resums(totals: Floats, drawn: Floats) -> Floats:
    """The sums over scenarios, each taken as often as it was drawn: draws x ….

    Rounded far below a trial: machines add in different orders, and means of repeats would show it.
    """
    added: Floats = np.tensordot(drawn, totals, axes=1)
    return added.round(9)


def percentile(values: ArrayLike, level: float = 0.95) -> tuple[float, float]:
    """The two limits that hold the level between them; each is a value that was drawn (inverted_cdf)."""
    ordered = np.sort(np.asarray(values, dtype=np.float64))
    if not len(ordered):
        message = "no resample gave a value"
        raise ValueError(message)
    tail = (1 - Fraction(str(level))) / 2  # exact, so that the place doesn't hang on a last bit
    low, high = (max(ceil(share * len(ordered)) - 1, 0) for share in (tail, 1 - tail))
    return float(ordered[low]), float(ordered[high])


def rank_distribution(k: ArrayLike, n: ArrayLike, draws: int, seed: int) -> Floats:
    """The share of resamples in which a player has a competition rank: players x ranks.

    `k` is scenarios x players; `n` the tasks by scenario, or scenarios x players where denominators differ.
    """
    passed, tasks = np.asarray(k, dtype=np.float64), np.asarray(n, dtype=np.float64)
    if passed.ndim < 2:  # no scenario, so not even a row that says how many players there are
        return np.zeros((0, 0))
    if tasks.ndim == 1:
        tasks = np.broadcast_to(tasks[:, None], passed.shape)
    players = passed.shape[1]
    rates = resample(np.stack([passed, tasks], axis=-1), _rates, draws, seed)
    shares = np.zeros((players, players))
    for player in range(players):
        behind = (rates > rates[:, [player]]).sum(axis=1)
        shares[player] = np.bincount(behind, minlength=players) / max(draws, 1)
    return shares


def _rates(sums: Floats) -> Floats:
    """Rates, so rounded that equal ones are equal; a player without tasks in a resample has rate 0."""
    passed, tasks = sums[..., 0], sums[..., 1]
    rates: Floats = np.divide(passed, tasks, out=np.zeros_like(passed), where=tasks > 0)
    return rates.round(8)  # coarser than the sums are, so that 0.333333333 / 1 is 0.666666667 / 2
