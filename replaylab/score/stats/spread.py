"""How much tasks of one scenario go together, and what that costs in tasks. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from math import fsum
from typing import NamedTuple

from replaylab.score.stats.groups import Groups, filled, sums, variance_of_mean


class Anova(NamedTuple):
    """One-way analysis of variance by scenario. `size` is the adjusted mean number of tasks a scenario (n0).

    `icc` and `f` are None where nothing varies.
    """

    between: float
    within: float
    size: float
    f: float | None
    icc: float | None


def anova(groups: Groups) -> Anova | None:
    """None with fewer than two scenarios, or with one task in each: then there is no within to compare with."""
    present = filled(groups)
    n, clusters = sum(len(group) for group in present), len(present)
    if clusters < 2 or n == clusters:
        return None
    mean = fsum(x for group in present for x in group) / n
    means = [fsum(group) / len(group) for group in present]
    between = fsum(len(g) * (m - mean) ** 2 for g, m in zip(present, means, strict=True)) / (clusters - 1)
    inner = fsum((x - m) ** 2 for g, m in zip(present, means, strict=True) for x in g) / (n - clusters)
    size = (n - kish([len(group) for group in present])) / (clusters - 1)
    whole = between + (size - 1) * inner
    icc = (between - inner) / whole if whole > 1e-15 else None
    return Anova(between, inner, size, between / inner if inner > 1e-15 else None, icc)


def icc(groups: Groups) -> float | None:
    """The intraclass correlation of tasks of one scenario; it may be negative. None where it can't be estimated."""
    found = anova(groups)
    return found.icc if found else None


def kish(sizes: Sequence[int]) -> float:
    """The mean number of tasks in the scenario of a task; 0 without tasks."""
    tasks = sum(sizes)
    return sum(size * size for size in sizes) / tasks if tasks else 0.0


def design_effect(icc: float, kish: float) -> float:
    """How many times as many tasks the clusters cost, for planning: never less than 1."""
    return max(1.0, 1 + (kish - 1) * icc)


def empirical_design_effect(groups: Groups) -> float | None:
    """The clustered variance of the rate over that of independent tasks; None where either can't be estimated."""
    found = sums(groups)
    variance = variance_of_mean(found) if found else None
    if found is None or variance is None or found.within < 1e-15:
        return None
    return variance / (found.within / found.n**2)
