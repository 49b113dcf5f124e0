"""Answers that sort things into sections: cards by column, people by manager, numbers of containers by yard. Which field of which things
they are sorted by, and where each thing stands by now.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from replaylab.diff.calls.looking import Look
from replaylab.diff.calls.memory import inner
from replaylab.diff.contract.collection import Collection
from replaylab.diff.contract.tools import is_write, moves_time, verb_of
from replaylab.diff.lists.standing import PUTTING, sure
from replaylab.diff.things.listing import by_key, collections_of_things
from replaylab.diff.things.thing import Thing, called, things_of
from replaylab.diff.words.identity import key_of, stems
from replaylab.diff.words.observed import escape
from replaylab.schema.base import Json, JsonObject

NOWHERE = "-"  # where a thing stands that stands in no section
_SEVERAL = 2
_SUMS = frozenset(("total", "all", "sum", "count"))


class Section(NamedTuple):
    """A part of an answer: what it is called, and what it lists, or how many it counts."""

    label: str
    pointer: str
    value: Json

    @property
    def key(self) -> str:
        """The key of its label."""
        return key_of(self.label)

    @property
    def names(self) -> list[tuple[str, str]]:
        """The keys of what it lists, each with its pointer; of rows the first value."""
        each = self.value if isinstance(self.value, list) else []
        return [(key_of(_first(one)), f"{self.pointer}/{at}") for at, one in enumerate(each)]


class Sorting(NamedTuple):
    """What things are sorted by: a field of theirs; "" where the state has lists of them instead, by `lists`."""

    collection: Collection
    field: str
    lists: Mapping[str, str] = {}  # by the key of a thing: the key of what lists it

    def place(self, look: Look, thing: Thing) -> str:
        """The key of where a thing stands by now; "" where nobody knows."""
        if not self.field:
            return _listed_at(look, self.lists, thing)
        known = sure(look, self.collection, thing, self.field)
        return "" if not known else key_of(known[0]) or NOWHERE

    def labels(self, look: Look) -> frozenset[str]:
        """The keys of all that a section may be called."""
        if not self.field:
            return frozenset(self.lists.values()) | frozenset(self.lists)
        held = {
            key_of(one) for thing in things_of(look, self.collection) for one in thing.get(self.field)
        } - {""}
        of = [one for one in collections_of_things(look) if held and held <= one.id_keys]
        return frozenset(held).union(*(one.id_keys for one in of))


def _first(one: Json) -> Json:
    return next(iter(one.values()), None) if isinstance(one, dict) else one


def sections(look: Look, *, counts: bool) -> list[Section]:
    """The sections of a reading: the keys of an object that holds nothing but lists, or nothing but counts; or rows with one of them."""
    pointer, face = inner(look.step.observation)
    nodes = [
        (pointer, face),
        *((f"{pointer}/{escape(key)}", part) for key, part in face.items() if isinstance(part, dict)),
    ]
    for at, node in nodes:
        found = {key: part for key, part in node.items() if key.casefold() not in _SUMS}
        if len(found) >= _SEVERAL and all(_is_such(part, counts=counts) for part in found.values()):
            return [Section(key, f"{at}/{escape(key)}", part) for key, part in found.items()]
    return []


def _is_such(part: Json, *, counts: bool) -> bool:
    return isinstance(part, int) and not isinstance(part, bool) if counts else isinstance(part, list)


def sortings(look: Look, labels: frozenset[str]) -> Iterator[Sorting]:
    """All that things of the state can be sorted by into sections of these labels."""
    for one in collections_of_things(look):
        for field in sorted(one.fields - {one.key_field}):
            if all(isinstance(each.attributes.get(field), (str, type(None))) for each in one.entities):
                yield Sorting(one, field)
    for whole in look.contract.collections:
        if "*" not in whole.pointer and whole.shape in ("map", "rows"):
            yield from _by_lists(look, whole, labels)


def _by_lists(look: Look, whole: Collection, labels: frozenset[str]) -> Iterator[Sorting]:
    """What lists the things of the state, each in one place: columns with their cards."""
    tails: dict[str, dict[str, str]] = {}
    twice: set[str] = set()
    parents = [one for one in whole.entities if one.key in labels]
    for parent in parents:
        for tail, _, members in look.contract.listed_for(whole, parent):
            held = tails.setdefault(tail, {})
            for one in members:
                twice |= {tail} if one.key in held else set()
                held[one.key] = parent.key
    for tail, held in tails.items():
        of = [
            one
            for one in collections_of_things(look)
            if held and held.keys() <= one.id_keys and one.pointer != whole.pointer
        ]
        if tail not in twice and len(of) == 1:
            yield Sorting(of[0], "", {**{parent.key: parent.key for parent in parents}, **held})


def _listed_at(look: Look, lists: Mapping[str, str], thing: Thing) -> str:
    """Where a thing stands that lists of the state hold: where it was, or where the last call on it has put it."""
    naming = [step for step in look.world.writes if thing.key in step.keys or moves_time(step.tool)]
    if not naming:
        return lists.get(thing.key, "")
    labels = {key for key, of in lists.items() if key == of}
    to = labels & naming[-1].named
    put = len(to) == 1 and thing.key in naming[-1].named and verb_of(naming[-1].tool) in PUTTING
    return next(iter(to)) if put else ""


def sorted_by(look: Look, found: Sequence[Section]) -> Sorting | None:
    """The one way to sort things by which most stand where a reading lists them."""
    if is_write(look.step.tool) or not found:
        return None
    names = [(one.key, key) for one in found for key, _ in one.names]
    fitting: list[tuple[int, Sorting]] = []
    labels = frozenset(section.key for section in found)
    for one in sortings(look, labels) if len(names) >= _SEVERAL else ():
        created = look.world.created
        if not all(key in one.collection.id_keys or key in created for _, key in names):
            continue
        known = by_key(look, one.collection)
        if not all(key in known for _, key in names):
            continue
        if not labels <= one.labels(look):
            continue
        at = [(label, one.place(look, known[key])) for label, key in names]
        first = [(label, key_of(known[key].values.get(one.field))) for label, key in names]
        right = sum(a == (b or c) for (a, b), (_, c) in zip(at, first, strict=True))
        wrong = sum(b not in ("", a) for a, b in at)
        if right >= wrong and right:
            fitting.append((right - wrong, one))
    best = max((score for score, _ in fitting), default=0)
    fitting = [one for one in fitting if one[0] == best]
    return fitting[0][1] if len(fitting) == 1 else None


def counted_by(look: Look, found: Sequence[Section]) -> Sorting | None:
    """The one way to sort things by which a reading counts them: its tool speaks of the things and of what they are sorted by."""
    if is_write(look.step.tool) or not found or look.step.arguments:
        return None
    about = stems(look.step.tool.name) | stems(look.step.tool.description)
    labels = frozenset(section.key for section in found)
    fitting = [
        one
        for one in sortings(look, labels)
        if one.collection.stems & about and called(one.field) & about and labels <= one.labels(look)
    ]
    return fitting[0] if len(fitting) == 1 else None


def plain_row(thing: Thing) -> JsonObject:
    """The plain values of a thing."""
    return {key: value for key, value in thing.values.items() if not isinstance(value, (dict, list))}
