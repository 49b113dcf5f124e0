"""Lists that accepted calls have made longer, and lists of what a removal has left: what was put in, and what no removal speaks
of, stands there.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from replaylab.diff.calls.looking import Look
from replaylab.diff.calls.memory import inner, lists_on_face
from replaylab.diff.calls.world import Step
from replaylab.diff.contract.collection import Collection, Entity
from replaylab.diff.contract.tools import is_write, moves_time, verb_of
from replaylab.diff.omissions.arguments import is_alone
from replaylab.diff.words.identity import key_of, name_key, stem, stems, words
from replaylab.diff.words.lexicon import CREATE_VERBS, ENDING_VERBS, ID_WORDS, REMOVE_VERBS, REST_WORDS
from replaylab.diff.words.observed import Group, groups, leaves
from replaylab.schema.base import JsonObject
from replaylab.schema.violation import Violation

_NOW = stems("current active all new")
_ADDING = stems("add adds append appends store stores insert enter enters")


class Put(NamedTuple):
    """A name that an accepted call has put into a list."""

    step: Step
    name: str


def ungrown(look: Look) -> Iterator[Violation]:
    """What calls have put into a list of the state, in an answer that shows that list as if they had not."""
    for group in lists_on_face(look):
        found = (
            list(_returned_before(look, group))
            if is_write(look.step.tool) or _is_unfiltered(look, group)
            else []
        )
        if not is_write(look.step.tool) and _is_unfiltered(look, group):
            found += _made_for(look, group)
        for one in found:
            yield _violation(
                look, group, one.name, f"which {one.step.tool.name} has put there in call {one.step.call}"
            )
    pointer, face = inner(look.step.observation)
    for group in groups(face, pointer) if stems(look.step.tool.name) & REMOVE_VERBS else ():
        if group.shape in ("rows", "names", "texts") and not group.inside and is_write(look.step.tool):
            yield from _swept(look, group)


def _is_unfiltered(look: Look, group: Group) -> bool:
    """Whether no argument picks: each is empty, or names the one thing that all is about."""
    collection = _of_this_name(look, group)
    return collection is not None and all(
        value in (None, "", [], {}) or is_alone(look.contract, collection, value)
        for value in look.step.arguments.values()
    )


def _made_for(look: Look, group: Group) -> Iterator[Put]:
    """The ids of what calls have added to the list that a read shows whole, where it has no row more than before."""
    collection = _of_this_name(look, group)
    if collection is None or look.world.time_moved:
        return
    if any(stems(step.tool.name) & ENDING_VERBS for step in look.world.writes):
        return
    made = [put for step in look.world.writes if (put := _made(look, step, collection)) is not None]
    if len(group.items) >= len(collection.entities) + len(made):
        return
    for one in made:
        named = {name_key(one.name)} | {key_of(value) for _, _, value in leaves(one.step.arguments)}
        if not (named - {""}) & look.said:
            yield one


def _of_this_name(look: Look, group: Group) -> Collection | None:
    """The list of the state itself that a list is called after."""
    said = stems(group.name) - _NOW
    found = (
        one for one in look.contract.collections if one.pointer.count("/") == 2 and one.shape != "single"
    )
    return next((one for one in found if said and said == one.stems - _NOW), None)


def _made(look: Look, step: Step, collection: Collection) -> Put | None:
    """The one new id that a call returned for what it adds to a list: the tool says so, or the id is named after the list."""
    tool = step.tool
    own = collection.stems - _NOW
    adds = own <= stems(tool.description) and bool(stems(tool.description) & _ADDING)
    if verb_of(tool) not in CREATE_VERBS and not adds:
        return None
    for field, value in inner(step.observation)[1].items():
        parts = words(field)
        key = key_of(value)
        new = isinstance(value, str) and any(map(str.isdigit, key)) and key not in step.named
        called = parts[-1:] and parts[-1] in ID_WORDS and own & {stem(part) for part in parts[:-1]}
        if new and called and look.world.created.get(key) == step.call:
            return Put(step, str(value))
    return None


def _returned_before(look: Look, group: Group) -> Iterator[Put]:
    """What calls were given and have shown in the list of the state that this one returns; of writes, calls of the same tool."""
    state = look.contract.environment.initial_state
    if not isinstance(state.get(group.name), list) or verb_of(look.step.tool) in ENDING_VERBS:
        return
    for step in look.world.writes:
        other = is_write(look.step.tool) and step.tool.name != look.step.tool.name
        if other or moves_time(step.tool) or verb_of(step.tool) in ENDING_VERBS:
            continue
        pointer, face = inner(step.observation)
        then = next((one for one in groups(face, pointer) if one.name == group.name), None)
        items = then.items if then is not None else ()
        shown = {key_of(value) for item in items for value in (item.label, *item.row.values())} - {""}
        for _, _, value in leaves(step.arguments):
            key = key_of(value)
            if key in shown and key not in look.said and not _named_since(look, step, key):
                yield Put(step, str(value))


def _named_since(look: Look, step: Step, key: str) -> bool:
    later = [one for one in look.world.writes if one.call > step.call]
    return any(
        key in one.named or stems(one.tool.name) & REMOVE_VERBS or moves_time(one.tool) for one in later
    )


def _swept(look: Look, group: Group) -> Iterator[Violation]:
    """Members that a removal does not speak of, and that are not among what it says is left."""
    for collection in look.contract.collections:
        left = stems(group.name) & REST_WORDS and collection.stems & stems(group.name)
        if "*" in collection.pointer or not (left or name_key(group.name) == name_key(collection.name)):
            continue
        if not all(collection.find(_name_of(item.label, item.row, collection)) for item in group.items):
            continue
        if any(
            _names(look.step, collection.find(_name_of(item.label, item.row, collection)))
            for item in group.items
        ):
            continue  # what the argument names, or what names it, has been left: it is not what is left
        gone = [one for one in collection.entities if one.id and not one.aliases & look.said]
        meant = [one for one in gone if _is_meant(look.step, one)]
        for one in gone if meant else ():
            if one not in meant and not any(_is_meant(step, one) for step in look.world.writes):
                yield _violation(
                    look, group, one.id, f"which {one.pointer} holds and the call does not speak of", one
                )


def _name_of(label: str, row: JsonObject, collection: Collection) -> str:
    return name_key(label or str(row.get(collection.key_field) or ""))


def _names(step: Step, one: Entity | None) -> bool:
    """Whether the record of a member has what an argument names, or is it."""
    held = {key_of(value) for _, _, value in leaves(one.attributes)} if one is not None else set[str]()
    return bool(step.named & held)


def _is_meant(step: Step, one: Entity) -> bool:
    """Whether an argument can speak of a member: they share a word, or one stands in the other."""
    own = frozenset(stem for value in (one.id, *one.attributes.values()) for stem in stems(str(value)))
    for _, _, value in leaves(step.arguments):
        key = key_of(value)
        if key and (key in name_key(one.id) or (isinstance(value, str) and stems(value) & own)):
            return True
    return False


def _violation(look: Look, group: Group, name: str, why: str, of: Entity | None = None) -> Violation:
    return look.violation(
        kind="omission",
        subkind="missing" if group.items else "all_missing",
        pointer=group.pointer,
        contract=of.pointer if of is not None else "",
        entity=name,
        expected=name,
        observed=[item.row or item.label for item in group.items][:12],
        confidence=0.7,
        message=f"{look.step.tool.name} leaves out {name!r}, {why}",
    )
