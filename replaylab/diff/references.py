"""References: a field such as `patient_id` that names something of a closed collection which is not in it."""

from __future__ import annotations

from collections.abc import Iterator

from replaylab.diff.collection import Collection
from replaylab.diff.identity import closest, family, is_near, is_sibling, key_of, name_key, stem, words
from replaylab.diff.lexicon import CREATE_VERBS, ID_WORDS, NO_NAMES
from replaylab.diff.looking import Look
from replaylab.diff.observed import leaves
from replaylab.diff.tools import is_write, verb_of
from replaylab.schema.violation import Violation


def references(look: Look) -> Iterator[Violation]:
    """Fields that refer to what nothing knows, each value once. Only reads: what a write returns may be new."""
    if is_write(look.step.tool) or verb_of(look.step.tool) in CREATE_VERBS or look.world.time_moved:
        return
    done: set[str] = set()
    own = {(one.id_field, one.collection.pointer) for one in look.bindings}
    for pointer, field, value in leaves(look.step.observation):
        key = key_of(value)
        if key in done | NO_NAMES or not isinstance(value, (str, int)) or look.is_known(key):
            continue
        collection = _owner(look, field)
        if (
            collection is None
            or (field, collection.pointer) in own
            or not _looks_like_one(look, str(value), collection)
        ):
            continue
        done.add(key)
        leak = look.contract.universe.leak(key)
        yield Violation(
            kind="fabrication",
            subkind="example_leak" if leak else "unknown_reference",
            call=look.step.call,
            tool=look.step.tool.name,
            pointer=pointer,
            contract=collection.pointer,
            entity=str(value),
            expected=list(collection.ids[:12]),
            observed=value,
            confidence=0.75 if leak else 0.7,
            message=f"{look.step.tool.name} refers to {field} {value!r}, which {collection.pointer} does not hold; "
            f"closest: {closest(str(value), collection.ids)}",
        )


def _owner(look: Look, field: str) -> Collection | None:
    """The closed collection that a field refers to by its name: `patient_id` to patients."""
    parts = words(field)
    own = {stem(part) for part in parts[:-1]}
    if len(parts) < 2 or parts[-1] not in ID_WORDS:
        return None
    found = [
        one
        for one in look.contract.collections
        if one.closedness == "closed" and own & one.heads and one.shape != "single"
    ]
    return max(found, key=lambda one: len(one.entities), default=None)


def _looks_like_one(look: Look, value: str, collection: Collection) -> bool:
    """Whether it is written like an id of that collection, or is one of an example."""
    if look.contract.universe.leak(name_key(value)):
        return True
    return family(value) in {family(one) for one in collection.ids} or any(
        is_sibling(value, one) or is_near(value, one) for one in collection.ids
    )
