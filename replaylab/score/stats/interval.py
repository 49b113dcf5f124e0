"""Intervals for completion rates: of counts, of outcomes clustered by scenario, of two unpaired counts."""

from __future__ import annotations

from math import sqrt

from scipy.special import betaincinv

from replaylab.score.stats.groups import Groups, settled, sums, variance_of_mean
from replaylab.score.stats.laws import normal_quantile, t_quantile
from replaylab.score.value import Interval

_NOTHING = "no trials, so nothing is known"


def wilson(k: float, n: float, level: float = 0.95) -> Interval:
    """The Wilson score interval of k passes in n independent tasks; everything is possible where n is 0."""
    method = "Wilson"
    if not n:
        return Interval(low=0.0, high=1.0, method=method, level=level, note=_NOTHING)
    low, high = _score(k / n, n, normal_quantile((1 + level) / 2))
    return bounded(k / n, low, high, method, level)


def exact(k: float, n: float, level: float = 0.95) -> Interval:
    """The Clopper-Pearson interval: never covers less than it says. k may be a sum of means of repeats."""
    method = "Clopper-Pearson"
    if not n:
        return Interval(low=0.0, high=1.0, method=method, level=level, note=_NOTHING)
    tail = (1 - level) / 2
    low = float(betaincinv(k, n - k + 1, tail)) if k > 0 else 0.0
    high = float(betaincinv(k + 1, n - k, 1 - tail)) if k < n else 1.0
    return bounded(k / n, low, high, method, level)


def clustered_se(groups: Groups) -> float | None:
    """The standard error of the mean with scenarios as clusters, times C/(C-1); None with fewer than two."""
    found = sums(groups)
    variance = variance_of_mean(found) if found else None
    return None if variance is None else settled(sqrt(variance))


def clustered(groups: Groups, level: float = 0.95) -> Interval:
    """The Korn-Graubard Wilson interval: tasks count for as many as their clusters leave them worth, and t replaces z.

    The effective number of tasks is p(1-p) over the clustered variance, and never more than there are tasks. Where
    nothing varies (all passed, all failed) or there is one scenario alone, clusters can't be estimated: the exact
    interval of independent tasks is given and says so.
    """
    found = sums(groups)
    if found is None:
        return exact(0, 0, level)
    variance = variance_of_mean(found)
    p = found.mean
    if variance is None or not 0 < p < 1:
        return exact(p * found.n, found.n, level).model_copy(update={"note": "clusters ignored"})
    effective = min(p * (1 - p) / variance, found.n) if variance else found.n
    low, high = _score(p, effective, t_quantile((1 + level) / 2, found.clusters - 1))
    return bounded(p, low, high, "clustered Wilson", level)


def newcombe(k1: int, n1: int, k2: int, n2: int, level: float = 0.95) -> Interval:
    """Newcombe's hybrid score interval of the difference of two unpaired rates: the last resort for published counts."""
    method = "Newcombe"
    if not n1 or not n2:
        return Interval(low=-1.0, high=1.0, method=method, level=level, note=_NOTHING)
    # Here and not above: statsmodels loads pandas, and few calls come this far.
    from statsmodels.stats.proportion import confint_proportions_2indep  # noqa: PLC0415

    low, high = confint_proportions_2indep(k1, n1, k2, n2, method="newcomb", alpha=1 - level)
    return bounded(k1 / n1 - k2 / n2, float(low), float(high), method, level, least=-1.0)


def bounded(
    point: float, low: float, high: float, method: str, level: float, note: str = "", least: float = 0.0
) -> Interval:
    """An interval from `least` to 1 at most, that holds its point to the last bit."""
    point, low, high = float(point), max(settled(low), least), min(settled(high), 1.0)
    return Interval(low=min(low, point), high=max(high, point), method=method, level=level, note=note)


def _score(p: float, n: float, z: float) -> tuple[float, float]:
    """Wilson's limits for a rate p of n tasks, n not necessarily whole."""
    scale = 1 + z * z / n
    centre = (p + z * z / (2 * n)) / scale
    half = z / scale * sqrt(p * (1 - p) / n + z * z / (4 * n * n))
    return 0.0 if p <= 0 else centre - half, 1.0 if p >= 1 else centre + half
