"""Outcomes by scenario, the one shape that clustered statistics take, and the sums that they all need."""

from __future__ import annotations

from collections.abc import Sequence
from math import fsum
from typing import NamedTuple

Groups = Sequence[Sequence[float]]
"""Outcomes 0..1 of the tasks of each scenario. A task with repeats is one value: the mean of its trials."""


class Sums(NamedTuple):
    """`spread` is the sum over scenarios of the squared sum of deviations, `within` of each task's squared deviation."""

    n: int
    clusters: int
    mean: float
    spread: float
    within: float


def settled(value: float) -> float:
    """Twelve digits of it: the last bits of special functions differ between machines and would show in a table."""
    return float(f"{value:.12g}")


def filled(groups: Groups) -> list[Sequence[float]]:
    """The scenarios that have tasks: one without any is no cluster."""
    return [group for group in groups if len(group)]


def sums(groups: Groups) -> Sums | None:
    """What clustered statistics are made of; None without a task. Correctly rounded, whatever the order."""
    present = filled(groups)
    n = sum(len(group) for group in present)
    if not n:
        return None
    mean = fsum(x for group in present for x in group) / n
    spread = fsum(fsum((*group, -len(group) * mean)) ** 2 for group in present)
    within = fsum((x - mean) ** 2 for group in present for x in group)
    return Sums(n, len(present), mean, spread, within)


def variance_of_mean(found: Sums) -> float | None:
    """The clustered variance of the mean times C/(C-1); None with fewer than two clusters."""
    if found.clusters < 2:
        return None
    return found.spread / found.n**2 * found.clusters / (found.clusters - 1)
