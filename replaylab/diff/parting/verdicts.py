"""The violations of a trial with what the peers say of each, and the candidates that peers make sure enough."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from replaylab.diff.parting.peers import is_shared, with_peers
from replaylab.diff.parting.rows import sides_of
from replaylab.diff.parting.voice import Voice
from replaylab.schema.difference import Row
from replaylab.schema.violation import THRESHOLD, Violation

_SHARED = "; all simulators that can be compared do the same, which makes it a shared prior and not right"


class Judged(NamedTuple):
    """What counts, and what is too uncertain to count."""

    violations: tuple[Violation, ...]
    candidates: tuple[Violation, ...]


def judged(voices: Sequence[Voice], rows: Sequence[Row]) -> Judged:
    """The violations in the order of the rows, and of the simulators in each.

    A candidate of which a majority makes a violation is one against the peers: without them it would not count.
    """
    violations: list[Violation] = []
    candidates: list[Violation] = []
    for row in rows:
        sides = [] if row.parted else sides_of(voices, row.calls)
        for voice, call in zip(voices, row.calls, strict=True):
            for one in voice.found(call) if call is not None else ():
                seen = with_peers(one, sides) if sides else one
                if is_shared(seen):
                    seen = seen.model_copy(update={"message": seen.message + _SHARED})
                if one.confidence < THRESHOLD <= seen.confidence:
                    seen = seen.model_copy(update={"against": "peers"})
                (violations if seen.confidence >= THRESHOLD else candidates).append(seen)
    return Judged(tuple(violations), tuple(candidates))
