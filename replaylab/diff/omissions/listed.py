"""What the record of a thing lists: a call that names one unit and shows its valves shows those that the unit has."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from replaylab.diff.calls.fixed import never_changes
from replaylab.diff.calls.looking import Look
from replaylab.diff.calls.memory import Record, last_of, records
from replaylab.diff.calls.world import Step
from replaylab.diff.contract.binding import id_field_of
from replaylab.diff.contract.collection import Collection, Entity
from replaylab.diff.contract.tools import is_write
from replaylab.diff.omissions.pages import goes_on
from replaylab.diff.words.identity import family, key_of, name_key, stems
from replaylab.diff.words.lexicon import PICKING
from replaylab.diff.words.observed import Group, Item, face_of, groups
from replaylab.schema.violation import Violation

_NOWHERE: Mapping[str, str] = MappingProxyType({})
_SEVERAL = 2
_LISTS = ("rows", "names", "map", "empty")


class Listed(NamedTuple):
    """A list of an answer, with what the state lists there for the thing that the call names."""

    group: Group
    parent: Entity
    members: tuple[Entity, ...]
    collection: Collection
    items: tuple[tuple[str, Item], ...]  # by what they are called
    constant: bool  # the description says that this list never changes


def left_out(look: Look) -> Iterator[Violation]:
    """Members of the record's list that its answer does not show, and that nothing was done with."""
    for listed in () if goes_on(look) else lists_of_records(look):
        said = look.said | {name_key(item.label) for _, item in listed.items}
        for one in listed.members:
            if one.aliases & said or (not listed.constant and _may_be_out(look, listed, one)):
                continue
            yield look.violation(
                kind="omission",
                subkind="missing" if listed.items else "all_missing",
                pointer=listed.group.pointer,
                contract=one.pointer,
                entity=one.id,
                expected=[each.id for each in listed.members][:12],
                observed=[name for name, _ in listed.items][:12],
                confidence=0.85 if listed.constant else 0.75,
                message=f"{look.step.tool.name} leaves out {one.id!r}, which {one.pointer} lists for {listed.parent.id}",
            )


def lists_of_records(look: Look) -> list[Listed]:
    """The lists of an answer about one thing that the state keeps for that thing, and those in rows that show things."""
    if "listed" not in look.kept:
        look.kept["listed"] = _lists_of_records(look)
    listed: list[Listed] = look.kept["listed"]
    return listed


def _lists_of_records(look: Look) -> list[Listed]:
    tool = look.step.tool
    if is_write(tool) or look.world.time_moved or stems(tool.name) & PICKING:
        return []
    found = list(look.groups)
    listed = list(_in_rows(look, found))
    asked = [value for value in look.step.arguments.values() if value not in (None, "")]
    if len(asked) == 1 and isinstance(asked[0], (str, int)):
        face = [one for one in found if _is_on_face(look, one)]
        for parent, whole in _named(look, key_of(asked[0])):
            listed += _listed_for(look, whole, parent, face)
    return listed


def _in_rows(look: Look, found: Sequence[Group]) -> Iterator[Listed]:
    """The lists inside rows that show things: those that bear the names of the state's lists, or show parts of the things;
    an empty one is what the lists of that name in other rows are.
    """
    rows = [one for one in records(look) if one.pointer and "*" not in one.collection.pointer]
    held = [
        (
            one,
            [
                each
                for each in found
                if each.pointer.rpartition("/")[0] == one.pointer and each.shape in _LISTS
            ],
        )
        for one in rows
    ]
    full = [listed for record, own in held for listed in _in_row(look, record, own, _NOWHERE)]
    shown = {one.group.name: _tail(one) for one in full}
    yield from full
    for record, own in held:
        empty = [each for each in own if not each.items]
        done = {one.group.pointer for one in full}
        yield from (one for one in _in_row(look, record, empty, shown) if one.group.pointer not in done)


def _in_row(
    look: Look, record: Record, own: Sequence[Group], as_elsewhere: Mapping[str, str]
) -> Iterator[Listed]:
    for one in _listed_for(look, record.collection, record.entity, own, as_elsewhere):
        # A name that mostly wraps something is a field here: the `items` of a booking.
        if _tail(one) in ("", one.group.name, last_of(one.group.pointer)):
            yield one


def _tail(one: Listed) -> str:
    """The field of the thing that a list is of; "" where the thing is a list or a map of such things itself."""
    return one.collection.pointer.partition("/*")[2].removeprefix("/")


def _listed_for(
    look: Look,
    whole: Collection,
    parent: Entity,
    found: Sequence[Group],
    as_elsewhere: Mapping[str, str] = _NOWHERE,
) -> Iterator[Listed]:
    """The lists of one thing. `as_elsewhere` says by its name which list of a thing an empty one is."""
    for tail, collection, members in look.contract.listed_for(whole, parent) if found else ():
        if not members:
            continue
        shown = [
            (group, items)
            for group in found
            if (items := _shown_as(group, tail, collection, members)) is not None
        ]
        shown = [one for one in shown if tail and stems(one[0].name) == stems(tail)] or shown
        shown = shown or [(one, ()) for one in found if not one.items and as_elsewhere.get(one.name) == tail]
        shown = shown or [(group, ()) for group in found if _is_exemplified(look, group, whole, tail)]
        constant = never_changes(whole.description, tail)
        for group, items in shown if len(shown) < _SEVERAL or tail == "" else ():
            own = members if len(shown) == 1 else _of_their_family(members, items)
            yield Listed(group, parent, own, collection, items, constant)


def _of_their_family(members: Sequence[Entity], items: Sequence[tuple[str, Item]]) -> tuple[Entity, ...]:
    """Of a thing whose parts stand in several lists, those that are written like what one of them shows."""
    families = {family(name) for name, _ in items}
    return tuple(one for one in members if family(one.id) in families)


def _is_exemplified(look: Look, group: Group, whole: Collection, tail: str) -> bool:
    """Whether the tool's example shows, where nothing is shown here, what the record of its thing lists."""
    tool = look.step.tool
    example = tool.example_output if isinstance(tool.example_output, dict) else {}
    shown = next((one for one in groups(example) if one.name == group.name and not one.inside), None)
    if group.items or shown is None:
        return False
    about = next((key_of(example[name]) for name in look.step.arguments if key_of(example.get(name))), "")
    parent = whole.find(about)
    lists = look.contract.listed_for(whole, parent) if parent is not None else ()
    members = next((each for name, _, each in lists if name == tail), ())
    keys = {alias for one in members for alias in one.aliases}
    fields = {field for item in shown.items for field in item.row if key_of(item.row[field]) in keys}
    return any(all(key_of(item.row.get(field)) in keys for item in shown.items) for field in fields)


def _named(look: Look, key: str) -> Iterator[tuple[Entity, Collection]]:
    """The things of that name which are no parts of others."""
    for one in look.contract.collections:
        if "*" not in one.pointer and one.shape in ("map", "rows") and (entity := one.find(key)) is not None:
            yield entity, one


def _is_on_face(look: Look, group: Group) -> bool:
    face = face_of(look.step.observation)
    return (
        group.shape in _LISTS
        and not group.inside
        and group.name in face
        and isinstance(face[group.name], (list, dict))
    )


def _shown_as(
    group: Group, tail: str, collection: Collection, members: Sequence[Entity]
) -> tuple[tuple[str, Item], ...] | None:
    """The items of a group by name, where it shows this list: by its name, by the field that names its rows, or since
    it holds nothing but members. None where it does not.
    """
    own = stems(tail or (collection.name if collection.pointer.endswith("/*") else ""))
    entitled = bool(own) and stems(group.name) == own
    known = frozenset(alias for one in members for alias in one.aliases)
    if group.shape == "empty":
        told = not tail and bool(stems(group.name)) and stems(group.name) <= stems(collection.description)
        return () if entitled or told else None
    field = _field_of(group, own, members, collection)
    if group.shape == "rows" and not field:
        return None
    items = tuple((item.label or str(item.row.get(field) or ""), item) for item in group.items)
    members_shown = sum(name_key(name) in known for name, _ in items)
    keyed = bool(own) and stems(field) == own
    keyed = keyed or (entitled and all(key_of(one.attributes.get(field)) == one.key for one in members))
    # A list of trains shows where each is, and does not list the places.
    names_rows = group.shape != "rows" or field == id_field_of(group) or keyed
    whole = (
        names_rows and members_shown * 2 > len(items) and (not tail or keyed or members_shown == len(items))
    )
    return items if (entitled and members_shown) or keyed or whole else None


def _field_of(group: Group, own: frozenset[str], members: Sequence[Entity], collection: Collection) -> str:
    """The field of rows that holds what is listed."""
    if group.shape != "rows":
        return ""
    known = frozenset(alias for one in members for alias in one.aliases)
    fields = list(group.items[0].row)
    count = {field: sum(key_of(item.row.get(field)) in known for item in group.items) for field in fields}
    best = max(fields, key=lambda field: (count[field], -fields.index(field)), default="")
    if best and count[best]:
        return best
    alike = [field for field in fields if own and stems(field) == own]
    alike += [
        field for field in fields if all(key_of(one.attributes.get(field)) == one.key for one in members)
    ]
    return alike[0] if alike else id_field_of(group, collection)


def _may_be_out(look: Look, listed: Listed, member: Entity) -> bool:
    """Whether a call may have taken a member out: one that names or returns it, or one on what holds the list that names no other
    thing which it can be about.
    """
    for step in look.world.writes:
        if step.concerns(member) or _leads_to_both(look, step, listed, member):
            return True
        others = (step.named - listed.parent.aliases) & look.contract.things.keys()
        part = _tail(listed) not in ("", listed.group.name) and not stems(_tail(listed)) & stems(
            listed.group.name
        )
        if step.mentions(listed.parent) and (part or not others):
            return True
    return False


def _leads_to_both(look: Look, step: Step, listed: Listed, member: Entity) -> bool:
    """Whether a call was on a thing that names both what holds the list and the member, as a swap names a shift and who gives
    it away.
    """
    links = look.contract.links.to
    return any(
        listed.parent.key in links.get(key, ()) and member.key in links.get(key, ()) for key in step.named
    )
