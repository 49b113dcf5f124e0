"""R: the worst disturbed rate over the clean one, how sure it is, and how far its minimum leans down."""

from __future__ import annotations

from collections.abc import Sequence
from math import fsum
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from replaylab.score.stats.bootstrap import Floats, percentile, resample
from replaylab.score.stats.groups import settled
from replaylab.score.stats.interval import exact
from replaylab.score.value import Interval


class Robustness(NamedTuple):
    """`bias` is how far the mean of the resamples lies from R: the minimum of noisy rates is too low.

    All four are None where the clean rate is 0. `undefined` is the share of resamples in which it was.
    """

    r: float | None
    low: float | None
    high: float | None
    bias: float | None
    undefined: float = 0.0


def robustness(
    clean_k: Sequence[float], others_k: Sequence[Sequence[float]], n: ArrayLike, draws: int, seed: int
) -> Robustness:
    """R from passes by scenario: `clean_k` without faults, `others_k` one sequence a fault plan.

    `n` is the tasks by scenario; or one such sequence a plan, the clean one first, where their denominators differ.
    """
    passed = np.asarray([clean_k, *others_k], dtype=np.float64)
    tasks = np.broadcast_to(np.asarray(n, dtype=np.float64), passed.shape)
    totals = np.stack([passed, tasks], axis=-1).transpose(1, 0, 2)
    if len(passed) < 2 or not passed[0].sum() > 0 or (tasks.sum(axis=1) <= 0).any():
        return Robustness(None, None, None, None, 1.0)
    r = float(_ratio(totals.sum(axis=0)[None])[0])
    drawn = resample(totals, _ratio, draws, seed)
    defined = drawn[np.isfinite(drawn)]
    if not len(defined):
        return Robustness(r, None, None, None, 1.0)
    low, high = percentile(defined)
    bias = settled(fsum(defined.tolist()) / len(defined) - r)
    return Robustness(r, low, high, bias, 1 - len(defined) / len(drawn))


def bootstrap_interval(found: Robustness, scenarios: int) -> tuple[Interval | None, str]:
    """The interval of R, or None and why there is none. `scenarios` is how many have tasks.

    Resamples of one scenario, or of scenarios that are all alike, have no spread, which is no certainty.
    """
    if scenarios < 2:
        return None, "one scenario, so no interval"
    if found.low is None or found.high is None:
        return None, "no interval: no resample has a clean rate"
    if found.low == found.high:
        return None, "every resample gives the same, so no interval: scenarios are all alike"
    return Interval(low=found.low, high=found.high, method="scenario bootstrap, percentile"), ""


def katz(k_min: int, k_clean: int, n: int, level: float = 0.95) -> Interval | None:
    """Katz' log interval of R where only counts were published: as if both runs had drawn their tasks independently.

    None where nothing passed without faults. Where nothing passed with them, half a task is added to every count; where
    everything passed in both, there is no spread to estimate, and the ratio is bounded by the exact interval of either.
    """
    if k_clean <= 0 or n <= 0:
        return None
    r = k_min / k_clean
    if k_min == k_clean == n:
        least = exact(n, n, level).low
        note = "everything passed in both"
        return Interval(low=least, high=settled(1 / least), method="exact bound", level=level, note=note)
    method, note = ("log", "") if k_min else ("log-adjusted", "half a task added to every count")
    # Here and not above: statsmodels loads pandas, and few calls come this far.
    from statsmodels.stats.proportion import confint_proportions_2indep  # noqa: PLC0415

    found = confint_proportions_2indep(k_min, n, k_clean, n, compare="ratio", method=method, alpha=1 - level)
    low, high = (settled(float(limit)) for limit in found)
    return Interval(low=min(low, r), high=max(high, r), method="Katz log", level=level, note=note)


def _ratio(sums: Floats) -> Floats:
    """R of each draw, from draws x plans x (passes, tasks); infinite where the clean rate is 0 or a plan has no tasks."""
    passed, tasks = sums[..., 0], sums[..., 1]
    usable = (tasks > 0).all(axis=1) & (passed[:, 0] > 0)
    rates = np.divide(passed, tasks, out=np.zeros_like(passed), where=tasks > 0)
    worst = rates[:, 1:].min(axis=1)
    found: Floats = np.divide(worst, rates[:, 0], out=np.full(len(rates), np.inf), where=usable)
    return found
