"""Two players, or two environments, on the same tasks: what differs, and whether chance could have done it."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import comb, fsum, lcm, sqrt
from typing import NamedTuple

import numpy as np

from replaylab.score.stats.draws import signs
from replaylab.score.stats.groups import Groups, settled, sums, variance_of_mean
from replaylab.score.stats.interval import bounded
from replaylab.score.stats.interval import exact as exact_interval
from replaylab.score.stats.laws import chi2_above, t_above, t_quantile
from replaylab.score.stats.margins import sign_test
from replaylab.score.value import Interval

_ALPHA = 0.05
_ROUNDING = 1e-9
_MOST_STEPS = 20_000  # sums of differences that are counted one by one
_NO_SPREAD = 1e-18  # below what one trial among millions would do: rounding
_FEW_FLIPS = 15  # 2^15 sign vectors are looked at one by one


class McNemar(NamedTuple):
    """p values of discordant tasks: exact, mid-p, and the chi-square with continuity correction."""

    exact: float
    mid: float
    chi2: float
    chi2_p: float


class SignFlip(NamedTuple):
    """`exact` where every sign vector is accounted for; `flips` is the number of scenarios that differ."""

    p: float
    exact: bool
    flips: int


class Paired(NamedTuple):
    """`difference` is a minus b. `p` is of the sign flips of scenarios, `smallest_p` the least that they could have given.

    `se`, `t` and `t_p` are None where the spread between scenarios can't be estimated. `only_a` and `only_b` count the
    tasks that one does better than the other (without repeats: that it alone passes); `mcnemar` ignores clusters.
    """

    difference: float
    se: float | None
    interval: Interval
    t: float | None
    t_p: float | None
    p: float
    exact: bool
    smallest_p: float
    testable: bool
    only_a: int
    only_b: int
    mcnemar: McNemar


def mcnemar(only_a: int, only_b: int) -> McNemar:
    """Whether as many discordant tasks fall on one side by chance. No discordant task: every p is 1."""
    # Whole numbers of numpy's would overflow in what follows, silently.
    n, least = int(only_a + only_b), int(min(only_a, only_b))
    if not n:
        return McNemar(1.0, 1.0, 0.0, 1.0)
    both = sign_test(least, n)
    # Half of what is exactly as extreme as this: both sides, which are one and the same where they are equal.
    here = Fraction(comb(n, least), 2**n)
    mid = both - (here / 2 if only_a == only_b else here)
    statistic = max(abs(only_a - only_b) - 1, 0) ** 2 / n
    return McNemar(float(both), float(mid), statistic, settled(chi2_above(statistic, 1)))


def sign_flip(differences: Sequence[float], seed: int, draws: int = 99_999) -> SignFlip:
    """The two-sided p of the sum of the scenarios' differences when each could as well have had the other sign.

    Differences on a grid (whole tasks, or means of repeats) have few different sums: how many sign vectors give each
    is counted, all 2^C of them, without drawing. Others are enumerated up to 2^15 vectors, and drawn beyond.
    """
    # A sum of thirds that is 0 but for rounding is 0, else its scenario would count as one that differs.
    moved = [float(d) for d in differences if abs(d) > _ROUNDING]
    if not moved:
        return SignFlip(p=1.0, exact=True, flips=0)
    steps = _steps(moved)
    if steps is not None:
        return SignFlip(p=_counted(steps), exact=True, flips=len(moved))
    values = np.asarray(moved)
    observed = abs(fsum(moved)) - 1e-12 * fsum(
        map(abs, moved)
    )  # what is as extreme but for rounding is as extreme
    if len(moved) <= _FEW_FLIPS:
        vectors = np.arange(2 ** len(moved))[:, None] >> np.arange(len(moved)) & 1
        extreme = np.abs((2 * vectors - 1) @ values) >= observed
        return SignFlip(p=float(extreme.mean()), exact=True, flips=len(moved))
    hits = sum(int((np.abs(chunk @ values) >= observed).sum()) for chunk in signs(len(moved), draws, seed))
    return SignFlip(p=(hits + 1) / (draws + 1), exact=False, flips=len(moved))


def paired(a: Groups, b: Groups, seed: int, level: float = 0.95) -> Paired:
    """First minus second, scenario by scenario and task by task: both hold the same scenarios and tasks in the same order."""
    if [len(group) for group in a] != [len(group) for group in b]:
        message = "paired outcomes need the same tasks of the same scenarios on both sides"
        raise ValueError(message)
    differences = [
        [x - y for x, y in zip(left, right, strict=True)] for left, right in zip(a, b, strict=True)
    ]
    only_a = sum(1 for group in differences for d in group if d > 0)
    only_b = sum(1 for group in differences for d in group if d < 0)
    flipped = sign_flip([fsum(group) for group in differences], seed)
    smallest = min(2.0 ** (1 - flipped.flips), 1.0)
    se, interval, statistic, t_p = _spread(differences, level)
    found = sums(differences)
    return Paired(
        difference=found.mean if found else 0.0,
        se=se,
        interval=interval,
        t=statistic,
        t_p=t_p,
        p=flipped.p,
        exact=flipped.exact,
        smallest_p=smallest,
        testable=smallest <= _ALPHA,
        only_a=only_a,
        only_b=only_b,
        mcnemar=mcnemar(only_a, only_b),
    )


def _spread(differences: Groups, level: float) -> tuple[float | None, Interval, float | None, float | None]:
    """Standard error, interval, t and its p of the mean difference, from the spread between scenarios."""
    found = sums(differences)
    if found is None:
        nothing = Interval(low=-1.0, high=1.0, method="clustered t", level=level, note="no tasks in common")
        return None, nothing, None, None
    variance = variance_of_mean(found)
    if variance and variance > _NO_SPREAD:
        se, df = sqrt(variance), found.clusters - 1
        interval = _around(found.mean, t_quantile((1 + level) / 2, df) * se, "clustered t", level)
        statistic = found.mean / se
        return settled(se), interval, settled(statistic), settled(2 * t_above(abs(statistic), df))
    # No spread to estimate from: bound the share of tasks that could differ otherwise and were not seen to.
    unseen = exact_interval(0, found.n, level).high
    note = "clusters ignored" if variance is None else "scenarios differ alike; clusters ignored"
    interval = _around(found.mean, unseen, "exact bound", level, note)
    return (None if variance is None else 0.0), interval, None, None


def _around(middle: float, reach: float, method: str, level: float, note: str = "") -> Interval:
    return bounded(middle, middle - reach, middle + reach, method, level, note, least=-1.0)


def _steps(values: Sequence[float]) -> list[int] | None:
    """The values as whole multiples of one common step; None where there is none that leaves few sums to count."""
    if all(value.is_integer() for value in values):  # without repeats all of them are
        steps = [int(value) for value in values]
        return steps if sum(map(abs, steps)) <= _MOST_STEPS else None
    near = [Fraction(value).limit_denominator(1000) for value in values]
    if any(abs(float(fraction) - value) > _ROUNDING for fraction, value in zip(near, values, strict=True)):
        return None
    common = lcm(*(fraction.denominator for fraction in near))
    steps = [int(fraction * common) for fraction in near]
    return steps if sum(map(abs, steps)) <= _MOST_STEPS else None


def _counted(steps: Sequence[int]) -> float:
    """The share of all sign vectors whose sum is as far from 0 as the given one."""
    reach = sum(map(abs, steps))
    shares = np.zeros(2 * reach + 1)
    shares[reach] = 1.0
    for step in map(abs, steps):  # no sum goes over an edge: `reach` is the farthest of all
        moved = np.zeros_like(shares)
        moved[step:] = shares[: len(shares) - step]
        moved[: len(shares) - step] += shares[step:]
        shares = moved / 2
    far = abs(sum(steps))
    totals = np.abs(np.arange(-reach, reach + 1))
    return min(fsum(shares[totals >= far].tolist()), 1.0)
