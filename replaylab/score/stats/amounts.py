"""Two sides' amounts (calls, tokens, steps) on the same tasks: the mean difference, and whether chance could have done it."""

from __future__ import annotations

from collections.abc import Sequence
from math import fsum, sqrt
from typing import NamedTuple

from replaylab.score.stats.groups import Groups, settled, sums, variance_of_mean
from replaylab.score.stats.laws import t_quantile
from replaylab.score.stats.paired import sign_flip
from replaylab.score.value import Interval

ALPHA = 0.05


class Shift(NamedTuple):
    """The mean over tasks of first minus second. `p` is of the sign flips of scenarios; `smallest_p` what they can give.

    `interval` is None where the spread between scenarios can't be estimated: amounts have no bounds to fall back on.
    """

    mean: float
    interval: Interval | None
    p: float
    exact: bool
    smallest_p: float
    testable: bool
    tasks: int
    scenarios: int


def shift(differences: Groups, seed: int, level: float = 0.95) -> Shift | None:
    """The differences of the tasks of each scenario; None without a task."""
    found = sums(differences)
    if found is None:
        return None
    flipped = sign_flip([fsum(group) for group in differences], seed)
    smallest = min(2.0 ** (1 - flipped.flips), 1.0)
    return Shift(
        mean=found.mean,
        interval=_interval(differences, found.mean, level),
        p=flipped.p,
        exact=flipped.exact,
        smallest_p=smallest,
        testable=smallest <= ALPHA,
        tasks=found.n,
        scenarios=found.clusters,
    )


def _interval(differences: Sequence[Sequence[float]], mean: float, level: float) -> Interval | None:
    found = sums(differences)
    variance = variance_of_mean(found) if found else None
    if found is None or not variance:
        return None
    reach = settled(t_quantile((1 + level) / 2, found.clusters - 1) * sqrt(variance))
    return Interval(low=mean - reach, high=mean + reach, method="clustered t", level=level)
