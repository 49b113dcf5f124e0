"""Things that a list leaves out although every way in which its arguments may pick lets them through, and another that stands just
like them is shown.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from replaylab.diff.calls.looking import Look
from replaylab.diff.calls.memory import inner, lists_on_face
from replaylab.diff.calls.world import Step
from replaylab.diff.contract.collection import Collection
from replaylab.diff.contract.tools import is_write
from replaylab.diff.omissions.arguments import asked
from replaylab.diff.omissions.excepted import excepted_words, is_excepted
from replaylab.diff.omissions.pages import hides_what_nobody_knows, is_hidden
from replaylab.diff.omissions.parts_told import is_narrowed, is_told_part
from replaylab.diff.omissions.taken import is_cut
from replaylab.diff.things.profile import SORT, Profile, profile
from replaylab.diff.things.readings import Reading, readings
from replaylab.diff.things.thing import Thing, called, things_of
from replaylab.diff.words.identity import key_of, stems
from replaylab.diff.words.lexicon import CONTAINERS, PICKING, REFERENCE_WORDS, STATUS_FIELDS, WHOLE
from replaylab.diff.words.observed import Group, groups
from replaylab.schema.base import Json, JsonObject
from replaylab.schema.violation import Violation

_WHY = "which its arguments let through and which stands like what it shows"
_FOUND = stems("hit hits match matches found")
_LISTS = ("rows", "names", "empty")
# What a tool says that shows all that its arguments let through.
_MEETING = re.compile(
    r"\b(?:meet|meets|match|matches|pass|passes|fit|fits|satisfy|satisfies)"
    r"(?: (?:all|any|every|each|the|these|those|given|your))* (?:filter|condition|criteri|argument|parameter)"
    r"|\ball,? or (?:only )?those that (?:match|meet|fit)\b",
    re.IGNORECASE,
)
_EVERYTHING = re.compile(r"\beverything (?:about|on|of|around)\b", re.IGNORECASE)


class Shown(NamedTuple):
    """A list that was shown, and which things of a collection its items are, by the field that names them."""

    group: Group
    collection: Collection
    field: str
    keys: tuple[str, ...]


def alike_but_left_out(look: Look) -> Iterator[Violation]:
    """Things that a list has to show as it shows others."""
    if is_write(look.step.tool):
        return
    for group in lists_on_face(look):
        shown = shown_in(look, group)
        if shown is None or is_told_part(look, group.name) or is_cut(look, group):
            continue
        # Without arguments only a list of that name shows all: what is held, or lies on the quay, is told by nothing here.
        if not look.step.arguments and not stems(group.name) & (
            shown.collection.stems | shown.collection.heads
        ):
            continue
        yield from _left_out(look, shown)


def _left_out(look: Look, shown: Shown) -> Iterator[Violation]:
    things = things_of(look, shown.collection)
    here = [one for one in things if one.key in shown.keys]
    picked = list(picks(look, shown.collection, here))
    if any(not one for one in picked):
        return
    flags = {name: value for name, value in look.step.arguments.items() if isinstance(value, bool)}
    excepted = excepted_words(look.step.tool, shown.collection)
    for one in things:
        if is_excepted(excepted, one.values):
            continue
        if one.gone or one.key in look.said or one in here:
            continue
        if is_hidden(look.step.tool, look.step.arguments, one.values):
            continue
        if all(each.says(look, one) for ways in picked for each in ways) and _stands_like_one(
            look, shown, one, here, flags
        ):
            yield left_out(look, shown.group, one, _WHY)


def picks(look: Look, collection: Collection, here: Sequence[Thing]) -> Iterator[list[Reading]]:
    """For each argument that asks for something: the readings that let through all that is shown."""
    for name, value in look.step.arguments.items():
        if value in (None, "", [], {}) or isinstance(value, bool):
            continue
        found = readings(look, collection, name, value)
        if not found and all(
            one.means == "nothing" for one in asked(look.contract, collection, {name: value})
        ):
            continue
        yield [one for one in found if all(one.says(look, each) is not False for each in here)]


def _stands_like_one(
    look: Look, shown: Shown, thing: Thing, here: Sequence[Thing], flags: JsonObject
) -> bool:
    """Whether a thing stands as those do that this list shows; where it shows none, as those that it has shown before under
    the same flags. Without flags, a list that can be told to pick by them hides nothing, nor one that shows what "meets all
    filters". A flag, or a name that says that the
    list is a part, goes by something of which the state tells only where its things differ in how they stand.
    """
    by_name = _picks_by_name(look, shown)
    unknown = hides_what_nobody_knows(look, [one.facts for one in shown.collection.entities])
    hides = bool(flags) or by_name or unknown
    if not hides and (_can_pick(look, shown) or _is_told_whole(look, shown)):
        return True
    own = profile(look, shown.collection, thing, whole=hides)
    if own is None or (hides and not _differ(look, shown, whole=not by_name)):
        return False
    return own in (_standings(look, shown, here, whole=hides) or _before(look, shown, flags, whole=hides))


def _is_told_whole(look: Look, shown: Shown) -> bool:
    """Whether the tool's description says that all are shown which meet what is asked for, or everything about one thing, these
    among it.
    """
    told = look.step.tool.description
    own = shown.collection.stems | shown.collection.heads
    searched = bool(stems(shown.group.name) & _FOUND and stems(told) & WHOLE)
    return searched or bool(_MEETING.search(told)) or bool(_EVERYTHING.search(told) and stems(told) & own)


def _differ(look: Look, shown: Shown, *, whole: bool) -> bool:
    """Whether the things of a collection differ in how they stand, and not only in their sort."""
    found = (profile(look, shown.collection, one, whole=whole) for one in things_of(look, shown.collection))
    return len({frozenset(part for part in one if part[0][:1] != SORT) for one in found if one}) > 1


def _picks_by_name(look: Look, shown: Shown) -> bool:
    """Whether the list bears a word beside the things' own, or a word for how things stand is in the name of the tool; or in its
    description, where that does not say that all are shown.
    """
    own = shown.collection.stems | shown.collection.heads
    tool, listed = look.step.tool, stems(shown.group.name)
    told = stems(tool.description)
    said = stems(tool.name) | (frozenset[str]() if told & WHOLE else told)
    return is_narrowed(look) or bool((said - own) & PICKING) or bool(listed - own - CONTAINERS - _FOUND)


def _can_pick(look: Look, shown: Shown) -> bool:
    """Whether a tool has an argument that picks by how things stand, which was not given."""
    given = {name for name, value in look.step.arguments.items() if value not in (None, "", [])}
    told = look.step.tool.parameters.get("properties", {})
    return any(
        name not in given
        and (
            one.get("type") == "boolean" or stems(name) & STATUS_FIELDS or _is_a_sort(shown.collection, name)
        )
        for name, one in told.items()
        if isinstance(one, dict)
    )


def _is_a_sort(collection: Collection, field: str) -> bool:
    """Whether members share the words that they have in a field."""
    held = [one.attributes.get(field) for one in collection.entities if field in one.attributes]
    said = {str(one) for one in held if isinstance(one, str)}
    return bool(said) and len(said) < len(held)


def _standings(look: Look, shown: Shown, here: Sequence[Thing], *, whole: bool) -> set[Profile]:
    found = (profile(look, shown.collection, one, whole=whole) for one in here)
    return {one for one in found if one is not None}


def _before(look: Look, shown: Shown, flags: JsonObject, *, whole: bool) -> set[Profile]:
    """How those stand that the list of this name has shown before under the same flags, and that nothing was done with since;
    without flags also those of the tool's example.
    """
    tool = look.step.tool
    found: set[Profile] = set()
    for step in look.world.steps:
        given = {name: value for name, value in step.arguments.items() if isinstance(value, bool)}
        if step.tool.name != tool.name or step.refused or given != flags:
            continue
        since = [one for one in look.world.writes if one.call > step.call]
        keys = _keys_in(step.observation, shown)
        found |= _standings(look, shown, _unchanged(look, shown, keys, since), whole=whole)
    if tool.has_example and not flags and not look.world.writes:
        keys = _keys_in(tool.example_output, shown)
        found |= _standings(look, shown, _unchanged(look, shown, keys, ()), whole=whole)
    return found


def _unchanged(look: Look, shown: Shown, keys: set[str], since: Sequence[Step]) -> list[Thing]:
    return [
        one
        for one in things_of(look, shown.collection)
        if one.key in keys and not any(one.key in step.keys for step in since)
    ]


def _keys_in(said: Json, shown: Shown) -> set[str]:
    pointer, face = inner(said)
    lists = [one for one in groups(face, pointer) if one.name == shown.group.name and not one.inside]
    return {key_of(item.label or item.row.get(shown.field)) for one in lists for item in one.items} - {""}


def shown_in(look: Look, group: Group) -> Shown | None:
    """Which things a list shows: by the tool's example, by what it has shown before, by its own rows, or by its name."""
    if group.shape not in _LISTS:
        return None
    for said in (look.step.tool.example_output, *_answers(look), look.step.observation):
        pointer, face = inner(said)
        for one in groups(face, pointer):
            by_example = said is look.step.tool.example_output
            if (
                one.name == group.name
                and not one.inside
                and (found := _sort_of(look, one, by_example=by_example))
            ):
                collection, field = found
                keys = [key_of(item.row.get(field) if field else item.label) for item in group.items]
                return Shown(group, collection, field, tuple(keys))
    sorts = [one for one in _whole(look) if stems(group.name) == one.stems and not group.items]
    return Shown(group, sorts[0], sorts[0].key_field, ()) if len(sorts) == 1 else None


def _answers(look: Look) -> Iterator[Json]:
    for step in look.world.steps:
        if step.tool.name == look.step.tool.name and not step.refused:
            yield step.observation


def _whole(look: Look) -> list[Collection]:
    return [
        one for one in look.contract.collections if one.shape in ("map", "rows") and "*" not in one.pointer
    ]


def _sort_of(look: Look, group: Group, *, by_example: bool) -> tuple[Collection, str] | None:
    """The one collection whose things the rows of a list are, with the field that names them: the list is called after it, else
    the tool's example shows that and no other field names things.
    """
    if group.shape == "names":
        return next(
            ((one, "") for one in _whole(look) if _are_of(look, one, [item.label for item in group.items])),
            None,
        )
    if group.shape != "rows" or not group.items:
        return None
    found = [
        (one, field)
        for field in group.items[0].row
        for one in _whole(look)
        if (called(field) - _IDS or called(group.name)) & (one.heads | one.stems)
        and _are_of(look, one, [item.row.get(field) for item in group.items])
    ]
    titled = [one for one in found if stems(group.name) & (one[0].stems | one[0].heads)]
    best = titled or [one for one in found if by_example and _has_their_fields(group, *one)]
    return best[0] if len(best) == 1 else None


def _has_their_fields(group: Group, collection: Collection, field: str) -> bool:
    """Whether the rows have fields of the things besides the one that names them."""
    return any(one in collection.fields and one != field for one in group.items[0].row)


def _are_of(look: Look, collection: Collection, names: Sequence[Json]) -> bool:
    """Whether names are different ones, most of them of things of a collection."""
    keys = [key_of(one) for one in names]
    known = {one.key for one in things_of(look, collection)}
    return all(keys) and len(set(keys)) == len(keys) and sum(key in known for key in keys) * 2 > len(keys)


_IDS = stems(" ".join(REFERENCE_WORDS))


def left_out(look: Look, group: Group, one: Thing, why: str) -> Violation:
    """A thing that a list has to show and does not; `why` ends the sentence that tells it."""
    return look.violation(
        kind="omission",
        subkind="missing" if group.items else "all_missing",
        pointer=group.pointer,
        contract=one.pointer,
        entity=one.id,
        expected={key: value for key, value in one.values.items() if not isinstance(value, (dict, list))},
        observed=[item.row or item.label for item in group.items][:12],
        confidence=0.7,
        message=f"{look.step.tool.name} leaves out {one.id!r}, {why}",
    )
