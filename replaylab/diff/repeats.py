"""A simulator's further answers to the very same questions, out of the lanes of `--repeats`."""

from __future__ import annotations

from collections.abc import Sequence

from replaylab.cassette.codec import Cassette
from replaylab.diff.contract import Contract
from replaylab.diff.projection import Projection
from replaylab.schema.trajectory import Action, Trajectory


def repeated(
    cassette: Cassette, contract: Contract, actions: Sequence[Action], past: Trajectory | None
) -> dict[int, list[Projection]]:
    """By the number of the call."""
    return {}
