"""How much of a result is the judge's: the noise of votes, and what becomes of an order when they fall anew."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence
from fractions import Fraction
from functools import lru_cache
from math import comb
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import betaln

from replaylab.score.stats.draws import uniform
from replaylab.score.stats.groups import settled

Votes = Sequence[Sequence[Hashable | None]]
"""One row a trial: its votes in order. None is a vote that gave no answer."""


@lru_cache(maxsize=4096)
def flip(error: float, votes: int) -> float:
    """The chance that most votes are wrong when each is wrong with this chance, independently."""
    wrong, right = Fraction(error), 1 - Fraction(error)
    ways = (
        comb(votes, count) * wrong**count * right ** (votes - count)
        for count in range(votes // 2 + 1, votes + 1)
    )
    return settled(float(sum(ways)))


def flip_correlated(error: float, rho: float, votes: int) -> float:
    """The same when the votes on one trial err together: beta-binomial with correlation rho."""
    return settled(sum(_wrong(error, rho, votes, wrong) for wrong in range(votes // 2 + 1, votes + 1)))


def split(error: float, votes: int, rho: float = 0.0) -> float:
    """The chance that the votes on one trial are not unanimous."""
    return settled(max(0.0, 1 - _wrong(error, rho, votes, 0) - _wrong(error, rho, votes, votes)))


def vote_error(split_rate: float, votes: int = 3) -> float:
    """The chance that one vote is wrong, as far as a split rate tells: errors that all votes share leave no split.

    A half where more is split than independent votes at pure chance would be.
    """
    if votes < 2 or split_rate <= 0:
        return 0.0
    if split_rate >= split(0.5, votes):
        return 0.5
    from scipy.optimize import brentq  # noqa: PLC0415 - slow to load, and without split votes nobody asks

    unsplit = 1 - split_rate
    return settled(float(brentq(lambda e: unsplit - (1 - e) ** votes - e**votes, 0.0, 0.5, xtol=1e-15)))


def fleiss(table: Votes) -> float | None:
    """Fleiss' kappa over the trials on which all votes gave an answer; None where everybody always says the same."""
    most = max((len(row) for row in table), default=0)
    rows = [Counter(row) for row in table if len(row) == most and None not in row]
    if not rows or most < 2:
        return None
    totals: Counter[Hashable | None] = sum(rows, Counter())
    cast = most * len(rows)
    chance = sum(count * count for count in totals.values()) / cast**2
    seen = sum(comb(count, 2) for row in rows for count in row.values()) / (comb(most, 2) * len(rows))
    return settled((seen - chance) / (1 - chance)) if len(totals) > 1 else None


def krippendorff(table: Votes) -> float | None:
    """Krippendorff's alpha for names; a trial counts by the votes that gave an answer, two or more."""
    rows = [Counter(vote for vote in row if vote is not None) for row in table]
    rows = [row for row in rows if row.total() > 1]
    totals: Counter[Hashable] = sum(rows, Counter())
    if len(totals) < 2:
        return None
    cast = totals.total()
    apart = sum(
        (row.total() ** 2 - sum(count * count for count in row.values())) / (row.total() - 1) for row in rows
    )
    expected = (cast**2 - sum(count * count for count in totals.values())) / (cast - 1)
    return settled(1 - apart / expected)


def rogan_gladen(observed: float, sensitivity: float, specificity: float) -> float | None:
    """The true rate behind an observed one, given how judges do beside people; None for a judge no better than chance."""
    power = sensitivity + specificity - 1
    return settled(min(max((observed + specificity - 1) / power, 0.0), 1.0)) if power > 0 else None


class Redrawn(NamedTuple):
    """`passed` is draws x players: trials passed when each vote fell anew.

    `survive` is the share of ordered pairs of players that keep their order, over all draws; None where no pair is
    ordered. `pairs` is how many are.
    """

    passed: NDArray[np.int64]
    survive: float | None
    pairs: int


def redraw(shares: Sequence[Sequence[float]], votes: int, draws: int, seed: int) -> Redrawn:
    """Draws the votes of each trial anew from the share that passed it, and orders the players again.

    `shares` is players x trials; 0 for a trial that is not passed whatever is voted. A unanimous trial stays as it is,
    so this is the least that votes can move.
    """
    observed = [sum(share > 0.5 for share in player) for player in shares]
    passed = np.zeros((draws, len(shares)), dtype=np.int64)
    for number, player in enumerate(shares):
        chances = np.array([flip(share, votes) for share in player if 0 < share < 1])
        sure = sum(share >= 1 for share in player)
        drawn = uniform((draws, len(chances)), (seed, number)) < chances
        passed[:, number] = sure + drawn.sum(axis=1)
    ordered = [(a, b) for a in range(len(shares)) for b in range(len(shares)) if observed[a] > observed[b]]
    if not ordered or not draws:
        return Redrawn(passed, None, len(ordered))
    kept = sum(int((passed[:, a] > passed[:, b]).sum()) for a, b in ordered)
    return Redrawn(passed, kept / (draws * len(ordered)), len(ordered))


def _wrong(error: float, rho: float, votes: int, wrong: int) -> float:
    """The chance of exactly so many wrong votes."""
    if rho <= 0 or not 0 < error < 1:
        return float(comb(votes, wrong) * error**wrong * (1 - error) ** (votes - wrong))
    if rho >= 1:
        return {0: 1 - error, votes: error}.get(wrong, 0.0)
    a, b = error * (1 - rho) / rho, (1 - error) * (1 - rho) / rho
    return comb(votes, wrong) * float(np.exp(betaln(wrong + a, votes - wrong + b) - betaln(a, b)))
