"""Entity omission: a member that must appear in a list and does not, or a call that denies what exists."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from replaylab.checks.matcher import same
from replaylab.diff.calls.looking import Look
from replaylab.diff.calls.memory import naming_field
from replaylab.diff.calls.scope import is_about_another, is_of_another_sort, is_put_otherwise, other_names
from replaylab.diff.contract.binding import Binding, id_field_of, is_growing
from replaylab.diff.contract.collection import Collection, Entity
from replaylab.diff.contract.granularity import is_finer
from replaylab.diff.contract.members import owners_of
from replaylab.diff.contract.tools import is_write
from replaylab.diff.omissions.arguments import common_field
from replaylab.diff.omissions.by_now import by_now
from replaylab.diff.omissions.filters import Filter, Judged, is_status
from replaylab.diff.omissions.pages import goes_on, may_be_hidden
from replaylab.diff.omissions.parts_told import is_narrowed, is_told_part, stands_like_one
from replaylab.diff.words.identity import key_of, name_key, stems, words
from replaylab.diff.words.lexicon import ID_WORDS, NO_CONTENT, STATUS_FIELDS
from replaylab.diff.words.observed import Group, Item, face_of, leaves
from replaylab.schema.base import Json
from replaylab.schema.violation import Violation

_IDS = stems(" ".join(ID_WORDS))
_LEAST, _SENTENCE = 2, 5  # values that tell a member, and words that make a text one of its own


def omissions(look: Look) -> Iterator[Violation]:
    """Members left out, in the order of the state."""
    for binding in () if goes_on(look) or is_narrowed(look) else _complete(look):
        if is_finer(binding) or is_put_otherwise(binding) or is_about_another(look, binding):
            continue
        listed = _listed(look, binding)
        shown = [*listed, *_answered_for(look, binding)]
        here = {entity.pointer for entity in shown}
        keys = [entity.key for entity in listed]
        unchanged = [one.key for one in listed if look.world.fate(one, binding.collection) == "same"]
        filtering = Filter(look.contract, binding, look.step.tool, look.step.arguments, keys, unchanged)
        # What is told to be all there are, and no tool takes out, stays; but a call may have changed what a filter asks for.
        whole = binding.collection.is_told_whole and not filtering.asked and not filtering.picking
        shrinks = not whole or look.contract.can_shrink(binding.collection)
        alike = [one for one in listed if one.key in unchanged]
        is_part = is_told_part(look, binding.group.name)
        facts = [one.facts for one in binding.collection.entities]
        for entity in binding.collection.entities:
            name = binding.id_of(entity) or entity.title
            if not name or entity.pointer in here or not _is_in_scope(look, binding, entity):
                continue
            if is_of_another_sort(binding, entity):
                continue
            if is_part and not stands_like_one(binding.collection, entity, alike):
                continue
            now = as_told(look, binding.collection, entity)
            if now is not None and _stands_anew(look, binding.collection, entity, now, listed):
                continue
            known = now or by_now(look, binding.collection, entity)
            if may_be_hidden(look, known.facts, [one.facts for one in listed], facts):
                continue
            judged = filtering.judge(known)
            fate = (
                "same"
                if now is not None or not shrinks
                else look.world.fate(entity, binding.collection, key_of(name))
            )
            if judged.duty == "must" and fate != "perhaps gone" and (now or entity.key not in look.ended):
                yield _missing(look, binding, entity, judged)


def as_told(look: Look, collection: Collection, entity: Entity) -> Entity | None:
    """A member as the last call that names it says that it stands; None where that call says nothing of it."""
    last = max((step.call for step in look.world.writes if step.concerns(entity)), default=-1)
    told = {
        field: look.world.told[entity.key, field]
        for field in entity.attributes
        if (entity.key, field) in look.world.told
    }
    standing = [one for field, one in told.items() if stems(field) & STATUS_FIELDS and one.call >= last >= 0]
    if not standing or look.world.time_moved:
        return None
    now = {field: one.value for field, one in told.items()}
    return replace(entity, attributes={**by_now(look, collection, entity).attributes, **now})


def _stands_anew(
    look: Look, collection: Collection, entity: Entity, now: Entity, shown: Sequence[Entity]
) -> bool:
    """Whether a call has put a member into another status, in which none that is shown stands: a list may be of those alone that
    stand as these do, where the call does not ask for that status.
    """
    asked = [value for _, _, value in leaves(look.step.arguments)]
    others = [by_now(look, collection, one).attributes for one in shown]
    return any(
        is_status(field, collection)
        and isinstance(value, str)
        and not same(entity.attributes[field], value)
        and not any(same(one.get(field), value) for one in others)
        and not any(same(one, value) for one in asked)
        for field, value in now.attributes.items()
    )


def replaced(look: Look) -> Iterator[Violation]:
    """Members whose values stand under an id that nobody knows, and that nothing else shows."""
    if is_write(look.step.tool):
        return
    bound = {one.group.pointer: (one.collection, one.id_field) for one in look.bindings}
    for group in look.groups:
        collection, field = bound.get(group.pointer) or _referred(look, group)
        for item in group.items if collection is not None else ():
            name = item.label or str(item.row.get(field) or "")
            if (
                not name
                or look.is_known(name_key(name))
                or collection is None
                or name_key(name) in collection.keys
            ):
                continue
            entity = _by_all_values(collection, item, field)
            if entity is not None and entity.key and entity.key not in look.said:
                yield _replaced(look, group, entity, name)


def _referred(look: Look, group: Group) -> tuple[Collection | None, str]:
    """The things that the rows of a list are called after, where it shows no collection as such."""
    field = naming_field(look, group)
    return look.contract.bare_names.get(stems(field)) or look.contract.referring.get(field), field


def _replaced(look: Look, group: Group, entity: Entity, name: str) -> Violation:
    return look.violation(
        kind="omission",
        subkind="missing",
        pointer=group.pointer,
        contract=entity.pointer,
        entity=entity.id,
        expected=_short(entity.attributes),
        observed=name,
        confidence=0.65 if not look.world.time_moved else 0.55,
        message=f"{look.step.tool.name} leaves out {entity.id!r}, which {entity.pointer} holds (its values stand under {name!r})",
    )


def _by_all_values(collection: Collection, item: Item, id_field: str) -> Entity | None:
    """The one member that has all values of a row which it has fields for, two at least, or a whole sentence of it."""
    row = {
        key: value
        for key, value in item.row.items()
        if key != id_field and not isinstance(value, (dict, list))
    }
    alike = []
    for one in collection.entities:
        shared = [key for key in row if key in one.attributes]
        equal = [key for key in shared if same(one.attributes[key], row[key])]
        sentence = any(len(str(row[key]).split()) >= _SENTENCE for key in equal)
        if sentence or (len(equal) >= _LEAST and len(equal) == len(shared)):
            alike.append(one)
    return alike[0] if len(alike) == 1 else None


def _complete(look: Look) -> list[Binding]:
    """The bindings that show a collection as a whole; the one with the most members for each collection."""
    best: dict[str, Binding] = {}
    for one in look.bindings:
        listing = one.shows_all or _is_asked_for(look, one) or _refer(look, one) or _is_picked_from(look, one)
        if listing and not is_write(look.step.tool):
            former = best.get(one.collection.pointer)
            if former is None or one.evidence.members > former.evidence.members:
                best[one.collection.pointer] = one
    return list(best.values())


def _is_asked_for(look: Look, binding: Binding) -> bool:
    """Whether an argument lists members of this very collection, and some of them are shown."""
    lists = [value for value in look.step.arguments.values() if isinstance(value, list) and len(value) > 1]
    known = binding.collection.keys
    return bool(binding.evidence.members) and any(
        all(key_of(one) in known for one in value) for value in lists
    )


def _refer(look: Look, binding: Binding) -> bool:
    """Whether several members are shown that all refer to what an argument names, so that it lists those that do."""
    if _are_of_the_tool(look, binding):
        return False  # rows that have ids of their own only tell of these
    found = (binding.entity_of(item) for item in binding.group.items)
    shown = [entity for entity in found if entity is not None]
    return len(shown) > 1 and bool(common_field(shown, [key for key in look.step.named if key]))


def _are_of_the_tool(look: Look, binding: Binding) -> bool:
    """Whether rows bear an id by which they are what the tool is named after, and no members: swaps, that name members."""
    own = binding.collection.stems | binding.collection.heads
    return any(
        words(field)[-1:] and words(field)[-1] in ID_WORDS and called & stems(look.step.tool.name)
        for item in binding.group.items[:1]
        for field in item.row
        if field != binding.id_field and (called := stems(field) - _IDS - own)
    )


def _is_picked_from(look: Look, binding: Binding) -> bool:
    """Whether rows with the collection's own fields are shown, and an argument picks by one of these: none that is shown
    fails. An argument that names what the collection belongs to picks it as a whole.
    """
    if not (binding.evidence.shaped and binding.evidence.most_rows) or binding.group.inside:
        return False
    found = [binding.entity_of(item) for item in binding.group.items]
    shown = [entity.key for entity in found if entity is not None]
    filtering = Filter(look.contract, binding, look.step.tool, look.step.arguments, shown)
    picks = any(one.means == "attribute" for one in filtering.asked)
    whole = _is_of_parent(look, binding.collection)
    passing = all(filtering.judge(entity).duty != "must not" for entity in found if entity is not None)
    return bool(shown) and (picks or whole) and passing


def _is_of_parent(look: Look, collection: Collection) -> bool:
    """Whether an argument names the one thing that holds the collection."""
    return any(
        one.shape == "single" and one.key_field and collection.pointer.startswith(f"{one.pointer}/")
        for one in look.contract.collections
        for entity in one.entities
        if entity.aliases & look.step.named
    )


def _listed(look: Look, binding: Binding) -> list[Entity]:
    """The members that the observation shows in this list, or in another that is not about something else."""
    lists = [one for one in look.groups if not one.inside and not is_growing(one.name)]
    if (
        binding.evidence.entitled
    ):  # a list of this very name is the list, and what others show is something else
        lists = [one for one in lists if one.pointer not in _bound_elsewhere(look, binding)]
    names = {key_of(name) for one in lists for name in _names(one, binding.collection)}
    names |= {key_of(name) for name in other_names(binding)}
    found = [binding.entity_of(item) for item in binding.group.items]
    shown = [entity for entity in found if entity is not None]
    return [
        *shown,
        *_repeated(binding, found),
        *(entity for entity in binding.collection.entities if entity.aliases & names),
    ]


def _repeated(binding: Binding, found: Sequence[Entity | None]) -> Iterator[Entity]:
    """The members of which a row repeats every field. By their ids they are not told apart where several have one."""
    collection, known = binding.collection, {id(one) for one in found if one is not None}
    if collection.shape == "rows" and (not collection.key_field or None in found):
        rows = [item.row for item in binding.group.items]
        for row, place in zip(rows, owners_of(rows, collection.entities), strict=True):
            one = None if place is None else collection.entities[place]
            if one is not None and id(one) not in known and one.attributes.keys() <= row.keys():
                yield one


def _bound_elsewhere(look: Look, binding: Binding) -> set[str]:
    """The pointers of the lists that show another collection."""
    others = (one for one in look.bindings if one.collection.pointer != binding.collection.pointer)
    return {one.group.pointer for one in others if one.evidence.is_certain}


def _answered_for(look: Look, binding: Binding) -> list[Entity]:
    """The members that the observation names as what it is about. An object that answers for one member alone is about
    it, whether it repeats the name or not.
    """
    fields = face_of(look.step.observation)
    said = {key_of(value) for value in fields.values()} | {key_of(field) for field in fields}
    shown = [entity for entity in binding.collection.entities if entity.aliases & said]
    if any(_is_plain(value) or (value and isinstance(value, (list, dict))) for value in fields.values()):
        asked = [look.contract.member(binding.collection, value) for value in look.step.arguments.values()]
        shown += [entity for entity in asked if entity is not None]
    return shown


def _names(group: Group, collection: Collection) -> Iterator[str]:
    """What the items of a list are called, by the field that names them here or in general."""
    fields = {id_field_of(group), id_field_of(group, collection)}
    for item in group.items:
        yield item.label
        yield from (str(item.row.get(field, "")) for field in fields)


def _is_plain(value: Json) -> bool:
    return value is not None and not isinstance(value, (list, dict, bool)) and key_of(value) not in NO_CONTENT


def _is_in_scope(look: Look, binding: Binding, entity: Entity) -> bool:
    """Whether a nested member belongs to a parent that is shown: the one that the call names, or the only one there is."""
    if not entity.parent:
        return True
    parents = {one.parent for one in binding.collection.entities}
    named = parents & (look.step.named | binding.group.owners)
    return entity.parent in named if named else len(parents) == 1


def _missing(look: Look, binding: Binding, entity: Entity, judged: Judged) -> Violation:
    sure = 0.9 if judged.certain else 0.65
    if look.world.time_moved:
        sure *= 0.6
    none = not binding.group.items
    return look.violation(
        kind="omission",
        subkind="all_missing" if none else "missing",
        pointer=binding.group.pointer,
        contract=entity.pointer,
        entity=binding.id_of(entity) or entity.title,
        expected=_short(entity.attributes),
        observed=[binding.name_of(item) for item in binding.group.items][:12],
        confidence=round(sure, 2),
        message=f"{look.step.tool.name} leaves out {binding.id_of(entity) or entity.title!r}, which {entity.pointer} holds ({judged.why})",
    )


def _short(row: Json) -> Json:
    return {key: value for key, value in row.items() if not isinstance(value, (dict, list))}
