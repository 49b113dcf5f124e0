"""Two recorded trials out of the library, and where they first part."""

from __future__ import annotations

from collections.abc import Callable

from replaylab.cassette.stored import open_cassette
from replaylab.compare.divergence import Divergence, Side, first_divergence
from replaylab.compare.pairing import Pair
from replaylab.derive.verdict import derive
from replaylab.diff.trial import LANE
from replaylab.score.facts import Trial
from replaylab.store.library import Library


def side_of(library: Library, name: str) -> Side:
    """A recorded trial, as a divergence looks at it."""
    cassette = open_cassette(library, name)
    trajectory, verdict = derive(cassette.header, cassette.lanes)
    return Side(cassette.header, trajectory, verdict, cassette.lanes.get(LANE, ()))


def divergence_of(library: Library, a: Trial, b: Trial) -> Divergence | None:
    """Where two trials first part; None where one of them is not recorded."""
    if a.facts is None or b.facts is None:
        return None
    return first_divergence(side_of(library, a.facts.cassette), side_of(library, b.facts.cassette))


def first_call(library: Library) -> Callable[[Pair], int | None]:
    """Looks up in which call two trials first part."""

    def found(pair: Pair) -> int | None:
        first = divergence_of(library, pair.a, pair.b)
        return first.call if first else None

    return found
