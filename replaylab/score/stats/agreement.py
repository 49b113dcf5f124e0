"""Whether two simulators put the same players in the same order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from itertools import accumulate, combinations, permutations
from math import comb, factorial, sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from replaylab.score.stats.bootstrap import Floats, percentile, resample
from replaylab.score.stats.draws import uniform
from replaylab.score.stats.groups import settled
from replaylab.score.value import Interval

_ALL_ORDERS = 8  # 8! orders are looked at one by one
_DRAWS = 99_999
_CHUNK = 8192  # orders at a time: bounds memory


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
    tau = settled((concordant - discordant) / sqrt(_ordered(a) * _ordered(b)))
    if not tied:
        untied = _exact(len(a), min(concordant, discordant))
        return Agreement(*counts, tau, settled(float(untied)), "exact")
    p, method = _permuted(a, b, abs(concordant - discordant), seed)
    return Agreement(*counts, tau, p, method)


def _exact(players: int, fewer: int) -> Fraction:
    """The share of all orders without ties that agree or disagree with a given one as much: `fewer` pairs or less go
    the rarer way. Orders are counted by their inversions, whole numbers throughout.
    """
    ways = [1] + [0] * fewer  # orders of one player by inversions
    for place in range(2, players + 1):
        # One player more can be put before 0 to place - 1 of those that are there.
        reached = list(accumulate(ways, initial=0))
        ways = [reached[count + 1] - reached[max(0, count + 1 - place)] for count in range(fewer + 1)]
    return min(Fraction(2 * sum(ways), factorial(players)), Fraction(1))


def share_interval(a: ArrayLike, b: ArrayLike, draws: int, seed: int, level: float = 0.95) -> Interval:
    """The interval of `share` when scenarios are drawn anew for both simulators at once.

    `a` and `b` are scenarios x players: passes over the same tasks.
    """
    both = np.stack([np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64)], axis=1)
    low, high = percentile(resample(both, _shares, draws, seed), level)
    return Interval(low=low, high=high, method="scenario bootstrap", level=level)


def _shares(sums: Floats) -> Floats:
    """The share of concordant pairs of each draw, from draws x 2 x players."""
    i, j = _pairs(sums.shape[-1])
    first, second = (np.sign(sums[:, side, i] - sums[:, side, j]) for side in (0, 1))
    concordant: Floats = (first * second > 0).sum(axis=1) / max(len(i), 1)
    return concordant


def _permuted(a: Sequence[float], b: Sequence[float], observed: int, seed: int) -> tuple[float, str]:
    """The share of orders of b that agree or disagree with a as much; with ties no table of Kendall's holds."""
    players = len(a)
    i, j = _pairs(players)
    left = np.sign(np.subtract.outer(a, a))[i, j].astype(np.int64)
    right = np.sign(np.subtract.outer(b, b)).astype(np.int64)
    all_of_them = players <= _ALL_ORDERS
    orders = np.array(list(permutations(range(players)))) if all_of_them else _drawn_orders(players, seed)
    hits = 0
    for chunk in np.array_split(orders, -(-len(orders) // _CHUNK)):
        hits += int((np.abs(right[chunk[:, i], chunk[:, j]] @ left) >= observed).sum())
    if all_of_them:
        return hits / len(orders), "all orders"
    return (hits + 1) / (len(orders) + 1), f"{len(orders)} orders drawn, seed {seed}"


def _drawn_orders(players: int, seed: int) -> NDArray[np.intp]:
    return np.argsort(uniform((_DRAWS, players), seed), axis=1, kind="stable")


def _ordered(scores: Sequence[float]) -> int:
    """How many pairs of players a ranking puts in an order."""
    return comb(len(scores), 2) - sum(comb(count, 2) for count in Counter(scores).values())


def _pairs(players: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    return np.triu_indices(players, 1)


def _sign(value: float) -> int:
    return int(value > 0) - int(value < 0)
