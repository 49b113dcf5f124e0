"""Whether any of many players differ at all, asked before any pair is."""

from __future__ import annotations

from collections.abc import Sequence
from math import fsum

from replaylab.score.stats.groups import settled
from replaylab.score.stats.laws import chi2_above


def cochran_q(rows: Sequence[Sequence[float]]) -> tuple[float, float]:
    """Q and its p; a row holds one task's outcomes, one a player. Ignores clusters, as the published test does.

    Written so that a task's mean over repeats is as good as 0 and 1: the spread of the players' sums over what
    shuffling each row would give. With 0 and 1 this is Cochran's Q.
    """
    players = len(rows[0]) if rows else 0
    if any(len(row) != players for row in rows):
        message = "every task needs one outcome a player"
        raise ValueError(message)
    if players < 2:
        return 0.0, 1.0
    totals = [fsum(row[player] for row in rows) for player in range(players)]
    middle = fsum(totals) / players
    between = fsum((total - middle) ** 2 for total in totals)
    within = fsum((x - fsum(row) / players) ** 2 for row in rows for x in row)
    if within < 1e-12:  # nobody differs on any task
        return 0.0, 1.0
    q = (players - 1) * between / within
    return settled(q), settled(chi2_above(q, players - 1))
