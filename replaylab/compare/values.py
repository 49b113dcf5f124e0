"""Shares with what they stand on: exact counts, never a rounded number alone. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction

from replaylab.schema.base import Frozen, JsonObject
from replaylab.score.rounding import percent
from replaylab.score.stats.interval import clustered
from replaylab.score.value import Interval


class Share(Frozen):
    """`k` of `n`, in so many scenarios. Without any `n` there is no value and no interval: that is not 0 %."""

    k: int = 0
    n: int = 0
    scenarios: int = 0
    interval: Interval | None = None

    @property
    def value(self) -> Fraction | None:
        """The exact share."""
        return Fraction(self.k, self.n) if self.n else None

    @property
    def text(self) -> str:
        """In percent points with one digit; "" without a value. What is more than none is not printed as none."""
        value = self.value
        if value is None:
            return ""
        shown = percent(value, 1)
        if value and shown == "0.0":
            return "<0.1"
        return ">99.9" if value < 1 and shown == "100.0" else shown

    def to_json(self) -> JsonObject:
        """With the share as a number, null without any."""
        value = self.value
        return self.model_dump(mode="json") | {"share": None if value is None else float(value)}


def share_of(by_scenario: Mapping[tuple[str, ...], tuple[int, int]]) -> Share:
    """The share of k of n over scenarios, which are the clusters of its interval."""
    held = {name: (k, n) for name, (k, n) in sorted(by_scenario.items()) if n}
    if not held:
        return Share()
    groups = [[1.0] * k + [0.0] * (n - k) for k, n in held.values()]
    return Share(
        k=sum(k for k, _ in held.values()),
        n=sum(n for _, n in held.values()),
        scenarios=len(held),
        interval=clustered(groups),
    )


def median(values: Iterable[float]) -> float | None:
    """The middle value, the mean of the middle two; None of nothing."""
    ordered: Sequence[float] = sorted(values)
    if not ordered:
        return None
    half = len(ordered) // 2
    return ordered[half] if len(ordered) % 2 else (ordered[half - 1] + ordered[half]) / 2
