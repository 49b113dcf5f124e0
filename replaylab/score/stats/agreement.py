"""Whether two simulators put the same players in the same order."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations, permutations
from math import factorial
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.stats import kendalltau

from replaylab.score.stats.bootstrap import Floats, percentile, resample
from replaylab.score.stats.draws import uniform
from replaylab.score.value import Interval

_ALL_ORDERS = 8  # 8! orders are looked at one by one
_DRAWS = 99_999


class Agreement(NamedTuple):
    """Pairs of players by what two rankings say of them; `tied` in either.

    `share` counts a tie as disagreement, `half` as half an agreement. None where there is nothing to compare: no pair,
    or for `tau_b` and `p` a ranking in which all are tied.
    """

    pairs: int
    concordant: int
    discordant: int
    tied: int
    share: float | None
    half: float | None
    tau_b: float | None
    p: float | None
    p_method: str


def agreement(a: Sequence[float], b: Sequence[float], seed: int = 1) -> Agreement:
    """Compares two lists of scores of the same players in the same order. `seed` is used with ties beyond 8 players."""
    if len(a) != len(b):
        message = "both rankings need the same players"
        raise ValueError(message)
    products = [_sign(a[i] - a[j]) * _sign(b[i] - b[j]) for i, j in combinations(range(len(a)), 2)]
    pairs, concordant, discordant = len(products), products.count(1), products.count(-1)
    tied = pairs - concordant - discordant
    share = concordant / pairs if pairs else None
    half = (concordant + tied / 2) / pairs if pairs else None
    counts = (pairs, concordant, discordant, tied, share, half)
    if len(set(a)) < 2 or len(set(b)) < 2:
        return Agreement(*counts, None, None, "no order to compare")
    if len(set(a)) == len(set(b)) == len(a):
        found = kendalltau(a, b, method="exact")
        return Agreement(*counts, float(found.statistic), float(found.pvalue), "exact")
    tau = float(kendalltau(a, b, method="asymptotic").statistic)
    p, method = _permuted(a, b, abs(concordant - discordant), seed)
    return Agreement(*counts, tau, p, method)


def share_interval(a: ArrayLike, b: ArrayLike, draws: int, seed: int, level: float = 0.95) -> Interval:
    """The interval of `share` when scenarios are drawn anew for both simulators at once.

    `a` and `b` are scenarios x players: passes over the same tasks.
    """
    both = np.stack([np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64)], axis=1)
    low, high = percentile(resample(both, _shares, draws, seed), level)
    return Interval(low=low, high=high, method="scenario bootstrap", level=level)


def _shares(sums: Floats) -> Floats:
    """The share of concordant pairs of each draw, from draws x 2 x players."""
    exact = np.round(sums, 9)
    i, j = _pairs(sums.shape[-1])
    concordant = np.sign(exact[:, 0, i] - exact[:, 0, j]) * np.sign(exact[:, 1, i] - exact[:, 1, j]) > 0
    shares: Floats = concordant.mean(axis=1)
    return shares


def _permuted(a: Sequence[float], b: Sequence[float], observed: int, seed: int) -> tuple[float, str]:
    """The share of orders of b that agree or disagree with a as much; with ties no table of Kendall's holds."""
    players = len(a)
    i, j = _pairs(players)
    left = np.sign(np.subtract.outer(a, a))[i, j].astype(np.int64)
    right = np.sign(np.subtract.outer(b, b)).astype(np.int64)
    if players <= _ALL_ORDERS:
        orders = np.array(list(permutations(range(players))))
        far = np.abs(right[orders[:, i], orders[:, j]] @ left) >= observed
        return int(far.sum()) / factorial(players), "all orders"
    orders = np.argsort(uniform((_DRAWS, players), seed), axis=1, kind="stable")
    far = np.abs(right[orders[:, i], orders[:, j]] @ left) >= observed
    return (int(far.sum()) + 1) / (_DRAWS + 1), f"{_DRAWS} orders drawn, seed {seed}"


def _pairs(players: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    return np.triu_indices(players, 1)


def _sign(value: float) -> int:
    return (value > 0) - (value < 0)
