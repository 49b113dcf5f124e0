"""What a comparison could have found."""

from __future__ import annotations

from math import asin, fsum, sqrt

import numpy as np

from replaylab.score.stats.groups import settled
from replaylab.score.stats.laws import normal_below, normal_quantile


def least_difference(
    n: int, discordance: float = 0.25, design_effect: float = 1, power: float = 0.8, alpha: float = 0.05
) -> float:
    """The least true difference of two players on the same n tasks that a test finds with this power.

    `discordance` is the share of tasks that one passes and the other doesn't. 1 where no difference would do.
    """
    if n <= 0:
        return 1.0
    reach = normal_quantile(1 - alpha / 2) + normal_quantile(power)
    return min(1.0, settled(reach * sqrt(discordance * design_effect / n)))


def mcnemar_power(n: int, only_a: float, only_b: float, alpha: float = 0.05) -> float:
    """The chance that the exact McNemar test finds a difference, given the true shares of discordant tasks."""
    from scipy.stats import binom  # noqa: PLC0415 - loading it takes a second, and few ask

    apart = only_a + only_b
    if n <= 0 or apart <= 0:
        return 0.0
    discordant = np.arange(1, n + 1)
    # The most tasks on the lesser side with which the test still rejects; -1 where it never does.
    most = binom.ppf(alpha / 2, discordant, 0.5)
    most = np.where(2 * binom.cdf(most, discordant, 0.5) <= alpha, most, most - 1)
    share = only_a / apart
    rejects = binom.cdf(most, discordant, share) + binom.sf(discordant - most - 1, discordant, share)
    return settled(fsum((binom.pmf(discordant, n, apart) * rejects).tolist()))


def unpaired_power(p1: float, p2: float, n: int, alpha: float = 0.05) -> float:
    """The chance that two rates of n tasks each, drawn independently, are found to differ (arcsine)."""
    if n <= 0:
        return 0.0
    shift = abs(2 * asin(sqrt(p1)) - 2 * asin(sqrt(p2))) * sqrt(n / 2)
    reach = normal_quantile(1 - alpha / 2)
    return settled(normal_below(shift - reach) + normal_below(-reach - shift))
