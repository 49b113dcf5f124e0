"""Many tests at once: adjusted p values within a declared family."""

from __future__ import annotations

from collections.abc import Sequence

from statsmodels.stats.multitest import multipletests

from replaylab.score.stats.groups import settled


def holm(ps: Sequence[float]) -> list[float]:
    """Family-wise: none of the claims in a text may be false (at 5 %)."""
    return _adjusted(ps, "holm")


def bh(ps: Sequence[float]) -> list[float]:
    """Benjamini-Hochberg: of what an exploration points at, few may be false."""
    return _adjusted(ps, "fdr_bh")


def _adjusted(ps: Sequence[float], method: str) -> list[float]:
    if not len(ps):
        return []
    return [settled(float(p)) for p in multipletests(ps, method=method)[1]]
