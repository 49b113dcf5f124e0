"""Many tests at once: adjusted p values within a declared family."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate

from replaylab.score.stats.groups import settled


def holm(ps: Sequence[float]) -> list[float]:
    """Family-wise: none of the claims in a text may be false (at 5 %).

    Written out, since statsmodels collects garbage in each call: a second where a table holds thirty thousand trials.
    """
    order = sorted(range(len(ps)), key=lambda index: ps[index])
    raised = [min(1.0, (len(ps) - place) * ps[index]) for place, index in enumerate(order)]
    by_index = dict(zip(order, accumulate(raised, max), strict=True))
    return [settled(by_index[index]) for index in range(len(ps))]


def bh(ps: Sequence[float]) -> list[float]:
    """Benjamini-Hochberg: of what an exploration points at, few may be false."""
    from scipy.stats import false_discovery_control  # noqa: PLC0415 - loading it takes a second, and few ask

    return [settled(float(p)) for p in false_discovery_control(list(ps), method="bh")] if len(ps) else []
