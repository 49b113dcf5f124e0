"""The same row twice in a list of things that have ids."""

from __future__ import annotations

from collections.abc import Iterator

from replaylab.canonical import canonical
from replaylab.diff.calls.looking import Look
from replaylab.diff.things.listing import listings
from replaylab.diff.words.identity import stems
from replaylab.schema.violation import Violation


def shown_twice(look: Look) -> Iterator[Violation]:
    """Things of which a list of that name has two equal rows, value by value."""
    for one in listings(look):
        own = one.collection.heads | one.collection.stems
        titled = bool(stems(one.group.name) & own) or (
            not one.group.name and bool(stems(look.step.tool.name) & own)
        )
        seen: set[tuple[str, bytes]] = set()
        for item, thing in one.shown if titled and not one.group.inside else ():
            row = thing.key, canonical(item.row)
            if row in seen:
                yield look.violation(
                    kind="fabrication",
                    subkind="counter_mismatch",
                    pointer=item.pointer,
                    contract=thing.pointer,
                    entity=thing.id,
                    expected=1,
                    observed=2,
                    confidence=0.7,
                    message=f"{look.step.tool.name} shows {thing.id!r} twice, and there is one",
                )
            seen.add(row)
