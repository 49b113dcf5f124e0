"""State fabrication: an item of a closed collection that the state does not hold and that nothing brought in."""

from __future__ import annotations

from collections.abc import Iterator

from replaylab.diff.calls.arrivals import is_out_of_count, nameless
from replaylab.diff.calls.looking import Look
from replaylab.diff.contract.arriving import last_number
from replaylab.diff.contract.binding import Binding
from replaylab.diff.contract.collection import Collection
from replaylab.diff.contract.granularity import is_finer
from replaylab.diff.contract.tools import is_write, verb_of
from replaylab.diff.words.identity import closest, family, is_near, is_sibling, name_key
from replaylab.diff.words.lexicon import DISCOVERY_VERBS, NO_NAMES
from replaylab.diff.words.observed import Item
from replaylab.schema.violation import Violation


def fabrications(look: Look) -> Iterator[Violation]:
    """Invented items, each once, in document order."""
    done: set[str] = set()
    for binding in look.bindings:
        for violation in _in_binding(look, binding):
            if name_key(violation.entity) not in done:
                done.add(name_key(violation.entity))
                yield violation


def _in_binding(look: Look, binding: Binding) -> Iterator[Violation]:
    collection = binding.collection
    invented = [item for item in binding.group.items if _is_invented(look, binding, item)]
    if not invented or is_finer(binding):
        return
    known = len(binding.group.items) - len(invented)
    free = nameless(look, collection) if look.contract.can_grow(collection) else 0
    fitting = [item for item in invented if not is_out_of_count(collection, binding.name_of(item))]
    come = fitting[:free] if free else []
    for item in [one for one in invented if one not in come]:
        name = binding.name_of(item) or _described(item)
        subkind = subkind_of(look, collection, name, replaced=binding.entity_by_name(item) is not None)
        yield look.violation(
            kind="fabrication",
            subkind=subkind,
            pointer=item.pointer,
            contract=collection.pointer,
            entity=name,
            expected=list(collection.ids[:12]),
            observed=item.row or item.label,
            confidence=_confidence(look, binding, known, name, sort=subkind),
            message=_message(look, collection, name, subkind),
        )


def _is_invented(look: Look, binding: Binding, item: Item) -> bool:
    name = binding.name_of(item)
    if name_key(name) in NO_NAMES or binding.entity_of(item) is not None:
        return False
    if binding.group.shape == "values" and not binding.evidence.members > 1:
        return False
    if name:
        known = look.is_known(name_key(name)) or _is_given_out(look, binding.collection, name)
        return not known and not _is_number_of_another_sort(binding, name)
    return (
        bool(_described(item))
        and binding.shows_all
        and binding.evidence.valued
        and not _is_known_otherwise(look, item)
    )


def _is_given_out(look: Look, collection: Collection, name: str) -> bool:
    """Whether a write returns the id of what it made: one of the members' family with a number above all of theirs, in a
    collection that can grow.
    """
    if not is_write(look.step.tool) or not look.contract.can_grow(collection):
        return False
    alike = [one for one in collection.ids if family(one) == family(name)]
    number = last_number(name)
    return bool(alike) and number is not None and all(number > (last_number(one) or 0) for one in alike)


def _is_number_of_another_sort(binding: Binding, name: str) -> bool:
    """Whether a row is only numbered, where members have names: slot 4 that is free, in a list of who has which slot."""
    return name.isdigit() and not any(one.isdigit() for one in binding.key.names)


def _is_known_otherwise(look: Look, item: Item) -> bool:
    """Whether a row without an id names anything that was brought in by a call."""
    return any(
        look.world.knows(name_key(str(value))) for value in item.row.values() if isinstance(value, str)
    )


def _described(item: Item) -> str:
    """A row without an id, by its first text."""
    return next((value for value in item.row.values() if isinstance(value, str)), "")


def subkind_of(look: Look, collection: Collection, name: str, *, replaced: bool = False) -> str:
    """What sort of invention it is; the most telling one."""
    if look.contract.universe.leak(name_key(name)):
        return "example_leak"
    if replaced:
        return "id_replaced"
    if any(is_sibling(name, one) for one in collection.ids):
        return "sibling"
    if any(is_near(name, one) for one in collection.ids):
        return "near_duplicate"
    return "unknown"


def unknown_member(
    look: Look, collection: Collection, name: str, item: Item, says: str, confidence: float
) -> Violation:
    """A name that an answer treats as a member of a closed collection, which does not hold it. `says` tells how it does."""
    return look.violation(
        kind="fabrication",
        subkind=subkind_of(look, collection, name),
        pointer=item.pointer,
        contract=collection.pointer,
        entity=name,
        expected=list(collection.ids[:12]),
        observed=item.row or item.label,
        confidence=confidence,
        message=f"{look.step.tool.name} {says}, which {collection.pointer} does not hold; "
        f"closest: {closest(name, collection.ids)}",
    )


def _confidence(look: Look, binding: Binding, known: int, name: str, *, sort: str) -> float:
    """How sure it is that the collection is shown and closed; arrivals, discoveries and logs make it less, where the contract
    does not tell how such come. What stands in an example alone was copied and not discovered.
    """
    sure = 0.95 if known and binding.is_named else 0.85 if known else 0.75
    leak = sort == "example_leak"
    if sort == "id_replaced" and not known:
        return 0.75  # what stands there has the members' values, and is nothing that came
    named = bool(binding.id_field) or binding.group.shape == "names"
    accounted = named and look.contract.arrivals.is_accounted_for(binding.collection)
    if binding.collection.closedness == "discoverable" and not accounted:
        # A log that nothing has been added to yet is whole.
        sure *= 0.7 if binding.collection.entities and not look.world.writes else 0.4
    if verb_of(look.step.tool) in DISCOVERY_VERBS:
        # What is written like a member, has a member's values, or stands in the list of that very name, is no discovery.
        told = known or binding.evidence.kin or binding.evidence.valued or binding.evidence.entitled
        sure *= 0.8 if told or leak else 0.6
    grows = look.contract.can_grow(binding.collection) and not is_out_of_count(binding.collection, name)
    if look.world.time_moved and grows and not accounted:
        sure *= 0.5
    return round(sure, 2)


def _message(look: Look, collection: Collection, name: str, subkind: str) -> str:
    near = closest(name, collection.ids)
    leak = look.contract.universe.leak(name_key(name))
    where = f"; it stands only in an example ({leak.pointer})" if leak and subkind == "example_leak" else ""
    return f"{look.step.tool.name} shows {name!r}, which {collection.pointer} does not hold{where}" + (
        f"; closest: {near}" if near else ""
    )
