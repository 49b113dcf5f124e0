"""References: a field such as `patient_id` that names something of a closed collection which is not in it."""

from __future__ import annotations

from collections.abc import Iterator

from replaylab.checks.numbers import exact
from replaylab.diff.calls.arrivals import may_come_unseen, may_have_come, nameless
from replaylab.diff.calls.looking import Look
from replaylab.diff.calls.memory import naming_field
from replaylab.diff.contract.binding import is_growing
from replaylab.diff.contract.collection import Collection
from replaylab.diff.contract.tools import is_write, verb_of
from replaylab.diff.words.identity import (
    closest,
    family,
    is_near,
    is_sibling,
    key_of,
    last_word,
    name_key,
    stem,
    stems,
    words,
)
from replaylab.diff.words.keyfield import MAX_NAME
from replaylab.diff.words.lexicon import DISCOVERY_VERBS, ID_WORDS, NO_NAMES
from replaylab.diff.words.observed import Group, escape, leaves
from replaylab.diff.words.stated import times
from replaylab.schema.base import Json
from replaylab.schema.violation import Violation

_LEAST_OTHERS = 2  # known names by which a list is one of things


def references(look: Look) -> Iterator[Violation]:
    """Fields that refer to what nothing knows, each value once. Only reads: what a write returns may be new."""
    if is_write(look.step.tool):
        return
    done: set[str] = set()
    for pointer, value, collection in _references(look):
        key = key_of(value)
        if (
            key in done | NO_NAMES
            or str(value).isdigit()
            or look.is_known(key)
            or collection.shape
            == "texts"  # the id that a simulator numbers a sentence with refers to nothing
            or may_have_come(look, collection, str(value))
        ):
            continue
        if _is_one_without_zeros(str(value), collection):
            continue
        alike = _looks_like_one(look, str(value), collection)
        if not alike and not _is_among_members(look, pointer, str(value), collection):
            continue
        done.add(key)
        leak = look.contract.universe.leak(key)
        yield look.violation(
            kind="fabrication",
            subkind="example_leak" if leak else "unknown_reference",
            pointer=pointer,
            contract=collection.pointer,
            entity=str(value),
            expected=list(collection.ids[:12]),
            observed=value,
            confidence=0.75 if leak else 0.7 if alike else 0.6,
            message=f"{look.step.tool.name} refers to {value!r}, which {collection.pointer} does not hold; "
            f"closest: {closest(str(value), collection.ids)}",
        )


def strange_names(look: Look) -> Iterator[Violation]:
    """Names that nobody knows, where all others in the same list are things, of whatever sorts, or were given by calls."""
    if is_write(look.step.tool) or verb_of(look.step.tool) in DISCOVERY_VERBS:
        return
    for group in look.groups:
        field = naming_field(look, group)
        if (
            group.shape not in ("rows", "names")
            or (group.shape == "rows" and not field)
            or _is_bound_open(look, group)
        ):
            continue
        named = [(item, str(item.label or item.row.get(field) or "")) for item in group.items]
        strange = [one for one in named if one[1] and _is_strange(look, one[1])]
        if len(strange) != 1 or not all(
            _is_a_thing(look, name) for _, name in named if name != strange[0][1]
        ):
            continue
        others = [name for _, name in named if name != strange[0][1]]
        given = sum(_was_given(look, name) for name in others)
        if (len(others) >= _LEAST_OTHERS and given < len(others)) or (
            given and _was_empty(look, field or group.name)
        ):
            item, name = strange[0]
            yield look.violation(
                kind="fabrication",
                subkind="unknown",
                pointer=item.pointer,
                contract="",
                entity=name,
                expected=others[:12],
                observed=item.row or item.label,
                confidence=0.6,
                message=f"{look.step.tool.name} shows {name!r} among what is known; nothing has brought it in",
            )


def _was_given(look: Look, name: str) -> bool:
    """Whether a call gave this name, which it was not told itself."""
    key = name_key(name)
    call = look.world.created.get(key)
    return call is not None and not any(key in one.named for one in look.world.steps if one.call == call)


def _was_empty(look: Look, name: str) -> bool:
    """Whether the state has a part of this name which is empty at first, so that calls alone put anything there."""
    state = look.contract.environment.initial_state
    return any(
        not part and isinstance(part, (dict, list)) and stems(key) == stems(name)
        for key, part in state.items()
    )


def _is_bound_open(look: Look, group: Group) -> bool:
    """Whether more may come to what a list shows."""
    bound = [one for one in look.bindings if one.group.pointer == group.pointer and one.evidence.members]
    grown = [one.collection for one in bound if look.contract.can_grow(one.collection)]
    open_ones = [one for one in grown if not _only_refers(look, one)]
    more = any(nameless(look, one) or may_come_unseen(look, one) for one in open_ones)
    return more or (look.world.time_moved and not bound and len(group.items) <= _LEAST_OTHERS + 1)


def _only_refers(look: Look, collection: Collection) -> bool:
    """Whether a plain list names things that a closed collection holds, so that nothing else can come into it."""
    held = [look.contract.things.get(key, []) for key in collection.keys]
    closed = (any(one.closedness == "closed" for one, _ in pairs) for pairs in held)
    return collection.shape == "names" and bool(held) and all(closed)


def _is_strange(look: Look, name: str) -> bool:
    key = name_key(name)
    plain = len(name) <= MAX_NAME and exact(name) is None and not any(times(name))
    return plain and bool(key) and key not in NO_NAMES and not look.is_known(key)


def _is_a_thing(look: Look, name: str) -> bool:
    """Whether a name is that of a thing, of one that a call made, or what a call has put somewhere."""
    key = name_key(name)
    return key in look.contract.things or look.world.created.get(key) is not None or key in look.world.said


def _references(look: Look) -> Iterator[tuple[str, Json, Collection]]:
    """Every value that should name a member of a closed collection, by its field or by the list that it stands in."""
    bound = {
        (f"{item.pointer}/{escape(one.id_field)}", one.collection.pointer)
        for one in look.bindings
        for item in one.group.items
    }
    for pointer, field, value in leaves(look.step.observation):
        owner = (
            _owner(look, field)
            or look.contract.bare_names.get(stems(field))
            or look.contract.referring.get(field)
            or _of_family(look, value)
        )
        owner = owner if isinstance(value, (str, int)) else None
        if owner is not None and (pointer, owner.pointer) not in bound:
            yield pointer, value, owner
    for group in look.groups:
        owner = _owner_of_list(look, group) if group.shape == "names" else None
        if owner is not None and not any(one.group.pointer == group.pointer for one in look.bindings):
            yield from ((item.pointer, item.label, owner) for item in group.items)


def _owner_of_list(look: Look, group: Group) -> Collection | None:
    """The closed collection that a list of names refers to, by what the state says of the list of that name."""
    said = {
        head
        for one in look.contract.collections
        if stems(one.name) == stems(group.name)
        for head in one.heads
    } | {stem(part) for part in words(group.name)[-2:-1] if last_word(group.name) == "ids"}
    found = [one for one in look.contract.collections if one.closedness == "closed" and said & one.heads]
    return max(
        (one for one in found if one.shape != "single"), key=lambda one: len(one.entities), default=None
    )


def _of_family(look: Look, value: Json) -> Collection | None:
    """The closed collection whose ids alone are written like this one: letters, and a number."""
    if not isinstance(value, str) or " " in value:
        return None
    return look.contract.families.get(family(value))


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


def _is_among_members(look: Look, pointer: str, value: str, collection: Collection) -> bool:
    """Whether an unknown name stands in a list whose other rows all have members there."""
    above, _, field = pointer.rpartition("/")
    inside, _, place = above.rpartition("/")
    rows = next((one for one in look.groups if one.pointer == inside and one.shape == "rows"), None)
    if (
        rows is None
        or not place.isdigit()
        or len(value) > MAX_NAME
        or exact(value) is not None
        or is_growing(rows.name)
    ):
        return False
    others = [key_of(item.row.get(field)) for item in rows.items if item.row.get(field) != value]
    return bool(others) and all(one in collection.keys or look.world.knows(one) for one in others)


def _is_one_without_zeros(value: str, collection: Collection) -> bool:
    """Whether a member is called so but for leading zeros: 01-06-01 and 1-6-1."""
    said = _without_zeros(value)
    return any(said == _without_zeros(one) for one in collection.ids)


def _without_zeros(name: str) -> list[str]:
    return [part.lstrip("0") or "0" if part.isdigit() else part for part in words(name)]


def _looks_like_one(look: Look, value: str, collection: Collection) -> bool:
    """Whether it is written like an id of that collection, or is one of an example."""
    if look.contract.universe.leak(name_key(value)) and collection.is_named_after_members:
        return True
    if collection in look.contract.referring.values() and not any(
        char.isdigit() for one in collection.ids for char in one
    ):
        alike = family(value)[:1] in {family(one)[:1] for one in collection.ids}
        return " " not in value and (alike or any(is_sibling(value, one) for one in collection.ids))
    return family(value) in {family(one) for one in collection.ids} or any(
        is_sibling(value, one) or is_near(value, one) for one in collection.ids
    )
