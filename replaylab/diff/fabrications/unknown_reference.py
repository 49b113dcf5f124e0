"""The finding that a name stands for a thing which a collection does not hold."""

from __future__ import annotations

from replaylab.diff.calls.looking import Look
from replaylab.diff.contract.collection import Collection
from replaylab.diff.words.identity import closest
from replaylab.schema.base import Json
from replaylab.schema.violation import Violation

_SHOWN = 12  # members


def unknown_reference(
    look: Look,
    collection: Collection,
    name: str,
    pointer: str,
    *,
    says: str,
    observed: Json,
    confidence: float,
) -> Violation:
    """`says` is what the answer does with the name: "speaks of 'R-9'"."""
    return look.violation(
        kind="fabrication",
        subkind="unknown_reference",
        pointer=pointer,
        contract=collection.pointer,
        entity=name,
        expected=list(collection.ids[:_SHOWN]),
        observed=observed,
        confidence=confidence,
        message=f"{look.step.tool.name} {says}, which {collection.pointer} does not hold; closest: {closest(name, collection.ids)}",
    )
