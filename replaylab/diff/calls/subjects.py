"""Which thing of the state each object of an observation is about, and what the state says of it."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Iterator
from typing import NamedTuple

from replaylab.checks.matcher import same
from replaylab.checks.numbers import exact
from replaylab.diff.calls.looking import Look
from replaylab.diff.contract.binding import Binding
from replaylab.diff.contract.collection import Collection, Entity
from replaylab.diff.words.identity import key_of, last_word, name_key, stem, stems, words
from replaylab.diff.words.lexicon import ID_WORDS
from replaylab.diff.words.measures import is_measured_alike
from replaylab.diff.words.observed import escape, groups, leaves
from replaylab.schema.base import Json, JsonObject

NAMED = 0.5
_PART = re.compile(r"[;\n]|,(?!\d)|\.\s")
_AMOUNT = re.compile(
    r"([A-Za-z][A-Za-z _-]*?)[ :=]+(?:is |of |at )?(-?\d{1,15}(?:\.\d{1,15})?) ?(%|[A-Za-z][A-Za-z/0-9]*)?\.?"
)
_NOW = frozenset(map(stem, ("current", "currently", "present", "latest", "actual")))
_UNITS = {"percentage": "percent", "pct": "percent"}
_HOLDING = frozenset(map(stem, ("value", "reading", "amount", "result", "measurement", "current")))


class Fact(NamedTuple):
    """A plain value of the state and where it stands. `inside` is the object that it is a part of, "" for none; `bare` is
    set where a map has nothing but this value for a thing.
    """

    value: Json
    pointer: str
    inside: str = ""
    bare: bool = False

    @property
    def name(self) -> str:
        """The field that it stands under."""
        return self.pointer.rpartition("/")[2]


class Subject(NamedTuple):
    """An object of an observation with the facts that the state has for its fields. `id` is "" for the state itself, and
    `about` are the words of the key that it stands under and of its tool. `bare` is set for an entry of a map that is a
    plain value, whose row has no pointers of its own; `linked` where a call may have changed its numbers by way of another
    thing.
    """

    pointer: str
    row: JsonObject
    id: str
    facts: dict[str, Fact]
    listed: bool
    about: frozenset[str] = frozenset()
    bare: bool = False
    linked: bool = False

    def at(self, field: str) -> str:
        """The pointer of a field."""
        return self.pointer if self.bare else f"{self.pointer}/{escape(field)}"

    def fact(self, field: str) -> Fact | None:
        """What the state says of a field. A part of an inner object counts where the observation speaks of that object:
        the `test_date` of a `cardiac_clearance` is not the one of the labs.
        """
        fact = self.facts.get(field_key(field)) or self._renamed(field) or self._measured(field)
        return fact if fact is not None and (not fact.inside or stems(fact.inside) & self.about) else None

    def _renamed(self, field: str) -> Fact | None:
        """The one fact whose name says the same in other words: `speed` is the `current_speed`."""
        wanted = plain_name(field)
        found = [one for one in self.facts.values() if plain_name(one.name) == wanted]
        alike = sum(plain_name(name) == wanted for name in self.row)
        return found[0] if wanted and len(found) == alike == 1 else None

    def _measured(self, field: str) -> Fact | None:
        """The one number that is of the same quantity: `fuel_percent` is the `fuel_level`."""
        if exact(self.row[field]) is None or isinstance(self.row[field], str):
            return None
        found = [one for one in self.facts.values() if is_measured_alike(one.name, field)]
        alike = [name for name in self.row if is_measured_alike(name, field)]
        return found[0] if len(found) == len(alike) == 1 and exact(found[0].value) is not None else None


def subjects(look: Look, *, changed: bool = False) -> Iterator[Subject]:
    """Every object that is about something known, outer ones first; rows of lists by their own id. With `changed` also
    those that a call may have changed.
    """
    done = set()
    for binding in look.bindings:
        if not (_is_shown_as_such(binding) or (binding.evidence.shaped and binding.evidence.most_rows)):
            continue  # rows of another sort that refer to members: how much of each was used, who drives which
        for item in binding.group.items:
            entity = binding.entity_of(item)
            if entity is None or _is_ambiguous(entity, binding.collection):
                continue
            if changed or look.world.fate(entity, binding.collection) == "same":
                done.add(item.pointer)
                bare = binding.group.shape == "values"
                row = Subject(
                    item.pointer,
                    item.row,
                    entity.id,
                    _facts(entity) if _is_shown_as_such(binding) else _own_facts(entity, binding),
                    listed=True,
                    about=_about(look),
                    bare=bare,
                    linked=name_key(entity.id) in look.touched,
                )
                yield from _nested(row)
    if isinstance(look.step.observation, dict) and "" not in done:
        facts, name = _asked(look, changed=changed)
        whole = Subject("", look.step.observation, name, facts, listed=False, about=_about(look))
        whole = whole._replace(linked=name_key(name) in look.touched)
        yield from (one for one in _nested(whole) if one.pointer not in done)
        yield from _told(look, whole)
        yield from _said(whole)


def _is_shown_as_such(binding: Binding) -> bool:
    evidence = binding.evidence
    return evidence.named >= NAMED or evidence.exact or binding.group.shape in ("map", "values")


def _own_facts(entity: Entity, binding: Binding) -> dict[str, Fact]:
    """The facts under the very names that the rows have, where most rows agree with the state in them: in what a row says
    of its own, such as how much of a lot was used, they do not.
    """
    pairs = [(item.row, found) for item in binding.group.items if (found := binding.entity_of(item))]
    names = [
        name
        for name in entity.attributes
        if 2 * sum(name in row and same(one.attributes.get(name), row[name]) for row, one in pairs)
        >= len(pairs)
    ]
    own = _plain({name: entity.attributes[name] for name in names}, entity.pointer)
    return own if len(own) > 1 else {}


def _told(look: Look, whole: Subject) -> Iterator[Subject]:
    """Values that stand beside the name of their field: {"metric": "tal_seconds", "value": 65}, or an answer with nothing
    but the value of the field that an argument names.
    """
    asked = [value for value in look.step.arguments.values() if isinstance(value, str)]
    rows = [
        (item.pointer, item.row) for one in groups(whole.row) if one.shape == "rows" for item in one.items
    ]
    for pointer, row in [("", whole.row), *rows]:
        said = [value for value in row.values() if isinstance(value, str)]
        held = [name for name, value in row.items() if field_key(name) in _HOLDING and _is_plain(value)]
        for name in dict.fromkeys([*said, *(asked if not pointer else ())]):
            fact = whole.facts.get(field_key(name)) if words(name) else None
            if fact is not None and len(held) == 1:
                yield whole._replace(
                    pointer=pointer, row={held[0]: row[held[0]]}, facts={field_key(held[0]): fact}
                )


def _said(whole: Subject) -> Iterator[Subject]:
    """Numbers that texts tell under the name of a field: "effluent COD 49.5 mg/L; dissolved oxygen 2.1 mg/L"."""
    for pointer, _, text in leaves(whole.row):
        for part in _PART.split(text) if isinstance(text, str) else ():
            found = _AMOUNT.fullmatch(" ".join(part.split()))  # one blank each: nothing to try again
            name = f"{found[1]} {found[3] or ''}" if found else ""
            facts = [one for one in whole.facts.values() if name and is_measured_alike(name, one.name)]
            if found and len(facts) == 1 and not facts[0].inside and isinstance(facts[0].value, (int, float)):
                number = float(found[2])
                field = facts[0].name
                yield whole._replace(
                    pointer=f"{whole.pointer}{pointer}",
                    row={field: number},
                    facts={field_key(field): facts[0]},
                    bare=True,
                )


def _about(look: Look) -> frozenset[str]:
    return stems(look.step.tool.name) | stems(look.step.tool.description)


def _is_ambiguous(entity: Entity, collection: Collection) -> bool:
    """Whether several parents hold a thing of this id, so that nobody can tell which is shown."""
    return bool(entity.id) and entity.key in collection.shared_ids


def _nested(outer: Subject) -> Iterator[Subject]:
    """An object and the objects inside it that are no entries of lists."""
    yield outer
    for key, part in outer.row.items():
        if isinstance(part, dict):
            here = f"{outer.pointer}/{escape(key)}"
            yield from _nested(outer._replace(pointer=here, row=part, about=outer.about | stems(key)))


def _asked(look: Look, *, changed: bool) -> tuple[dict[str, Fact], str]:
    """What the state says of the one thing that the arguments name, and of itself where nothing was changed."""
    named = [one for one in named_entities(look) if changed or look.world.fate(one[1], one[0]) == "same"]
    named = named or _answered(look, changed=changed)
    names = {entity.id for _, entity in named}
    if len(names) > 1:
        return {}, ""
    facts: dict[str, Fact] = {}
    if (changed or not look.world.writes) and not named:
        facts = _of_state(look)
    for _, entity in named:
        facts = {**facts, **_facts(entity)}
    return facts, next(iter(names), "")


def _answered(look: Look, *, changed: bool) -> list[tuple[Collection, Entity]]:
    """The one member that the answer itself bears the id of."""
    answer = look.step.observation if isinstance(look.step.observation, dict) else {}
    ids = {name: key_of(value) for name, value in answer.items() if last_word(name) in ID_WORDS}
    found = [
        (one, entity)
        for one in look.contract.collections
        if one.shape in ("rows", "map")
        for entity in one.entities
        if entity.key in {key for name, key in ids.items() if key and stems(name) & (one.heads | one.stems)}
        and (changed or look.world.fate(entity, one) == "same")
    ]
    return found if len(found) == 1 else []


def named_entities(look: Look) -> list[tuple[Collection, Entity]]:
    """The members that arguments name by an id."""
    found = []
    for name, value in look.step.arguments.items():
        wanted = {stem(word) for word in words(name)}
        named = last_word(name) in ID_WORDS | {"name", "callsign"}
        holding = [(one, entity) for one in look.contract.collections if (entity := one.find(key_of(value)))]
        # A map of plain values says of what its keys are by nothing else: `countries` are those of airports.
        only = len(holding) == 1 and holding[0][0].shape == "values"
        found += [pair for pair in holding if named or only or wanted & (pair[0].heads | pair[0].stems)]
    return found


def field_key(name: str) -> str:
    """A field's name without case, gaps and plurals: `competitor_prices` of a map is the `competitor_price` of a row."""
    return "".join(stem(word) for word in words(name)) or name_key(name)


def plain_name(name: str) -> frozenset[str]:
    """What a field is called, without what says that it holds now, and with one word for each unit."""
    said = [_UNITS.get(word, word) for word in words(name)]
    return frozenset(stem(word) for word in said) - _NOW


def _facts(entity: Entity) -> dict[str, Fact]:
    related = {
        field_key(key): Fact(value, entity.pointer)
        for key, value in entity.related.items()
        if _is_plain(value)
    }
    own = _plain(entity.attributes, entity.pointer)
    if list(entity.attributes) == ["value"]:
        own = {name: fact._replace(bare=True) for name, fact in own.items()}
    return {**related, **own}


def _of_state(look: Look) -> dict[str, Fact]:
    """What the state says of itself: its plain values and those of its objects, not those of things that it holds."""
    things = {one.pointer for one in look.contract.collections if one.shape == "map"}
    return _once(_leaves(look.contract.environment.initial_state, "/initial_state", besides=things))


def _plain(node: JsonObject, pointer: str) -> dict[str, Fact]:
    """Plain values by the key of their field, those of inner objects too."""
    return _once(_leaves(node, pointer))


def _once(facts: Iterable[tuple[str, Fact]]) -> dict[str, Fact]:
    """Facts by name; none where two share a name."""
    found: dict[str, Fact] = {}
    twice: set[str] = set()
    for name, fact in facts:
        twice |= {name} & found.keys()
        found[name] = fact
    return {name: fact for name, fact in found.items() if name not in twice}


def _leaves(
    node: JsonObject, pointer: str, inside: str = "", besides: Container[str] = ()
) -> Iterator[tuple[str, Fact]]:
    for key, value in node.items():
        here = f"{pointer}/{escape(key)}"
        if isinstance(value, dict) and here not in besides:
            yield from _leaves(value, here, key, besides)
        elif _is_plain(value):
            yield field_key(key), Fact(value, here, inside)


def _is_plain(value: Json) -> bool:
    return value is not None and not isinstance(value, (dict, list))
