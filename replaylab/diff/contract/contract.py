"""Contract: everything that a detector may know of an environment, worked out once."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import cached_property, lru_cache

from replaylab.checks.matcher import same
from replaylab.diff.contract.arriving import Arrivals
from replaylab.diff.contract.binding import Binding, all_bindings
from replaylab.diff.contract.collection import Collection, Entity, within
from replaylab.diff.contract.extract import collections_of
from replaylab.diff.contract.links import Links
from replaylab.diff.contract.members import Key, by_name, called
from replaylab.diff.contract.prose import told_groups, told_whole, written_lists
from replaylab.diff.contract.referred import id_families, is_whole, referrers_in, referring_fields
from replaylab.diff.contract.tools import is_write, sound
from replaylab.diff.contract.universe import Universe
from replaylab.diff.words.identity import key_of, name_key, stem, stems, words
from replaylab.diff.words.lexicon import (
    ADDED_RATES,
    CREATE_VERBS,
    ENDING_VERBS,
    ID_WORDS,
    LEAVING_VERBS,
    NAME_WORDS,
)
from replaylab.diff.words.mapped import is_data
from replaylab.diff.words.observed import escape, groups, leaves, words_of
from replaylab.diff.words.sentences import LiteralError, Sentence, literal_errors, open_clause, sentences_of
from replaylab.diff.words.stated import caps, numbers_in, times_in
from replaylab.schema.base import Json, JsonObject
from replaylab.schema.scenario import Environment, Tool

# A description that says of all that it describes that it stays: "All passengers by id. Never changes."
_WHOLLY_FIXED = re.compile(r"(?:^|[.;]\s+)(?:it |they )?never changes?\b", re.IGNORECASE)


class Contract:
    """The contract of one environment."""

    def __init__(self, environment: Environment) -> None:
        self.environment = environment
        self.collections = collections_of(
            environment.initial_state, environment.state_description, subjects_of(environment)
        )
        self._shown: dict[str, tuple[tuple[str, Collection], ...]] = {}
        self._listed: dict[tuple[str, str], tuple[tuple[str, Collection, tuple[Entity, ...]], ...]] = {}

    @cached_property
    def universe(self) -> Universe:
        return Universe(self.environment)

    @cached_property
    def links(self) -> Links:
        return Links(self.collections)

    @cached_property
    def arrivals(self) -> Arrivals:
        return Arrivals(self.environment, self.sentences, told=not self.open_clause)

    @cached_property
    def sentences(self) -> tuple[Sentence, ...]:
        return sentences_of(self.environment)

    @cached_property
    def errors(self) -> tuple[LiteralError, ...]:
        return literal_errors(self.environment)

    @cached_property
    def state_numbers(self) -> list[Fraction]:
        """Every number of the state, the smallest first."""
        return sorted(set(numbers_in(self.environment.initial_state)))

    @cached_property
    def rates(self) -> list[Fraction]:
        """The shares of the state that are added to what something costs: a `transaction_fee_rate` of 0.003."""
        fields = leaves(self.environment.initial_state)
        found = (
            number for _, key, value in fields if stems(key) & ADDED_RATES for number in numbers_in(value)
        )
        return sorted({one for one in found if 0 < one < 1})

    @cached_property
    def numbers(self) -> frozenset[Fraction]:
        """Every number of the contract: of the state, of sentences and schemas, and how many there are of what it holds."""
        told = numbers_in([one.text for one in self.sentences])
        schemas = numbers_in([tool.parameters for tool in self.environment.tools])
        counts = (Fraction(len(one.entities)) for one in self.collections)
        return frozenset((*self.state_numbers, *told, *schemas, *counts))

    @cached_property
    def number_words(self) -> dict[Fraction, frozenset[str]]:
        """For each number of the contract the words of the places where it stands."""
        found: dict[Fraction, frozenset[str]] = {}
        places = [(stems(pointer), value) for pointer, _, value in leaves(self.environment.initial_state)]
        places += [(one.stems, one.text) for one in self.sentences]
        for tool in self.environment.tools:
            about = stems(tool.name) | stems(tool.description)
            places += [(about | stems(pointer), value) for pointer, _, value in leaves(tool.parameters)]
        for said, value in places:
            for number in numbers_in(value):
                found[number] = found.get(number, frozenset()) | said
        return found

    @cached_property
    def times(self) -> frozenset[str]:
        """Every time and date of the state and of the sentences."""
        told = times_in([one.text for one in self.sentences])
        return frozenset((*times_in(self.environment.initial_state), *told))

    @cached_property
    def caps(self) -> frozenset[str]:
        """The words in which sentences set limits."""
        return frozenset(stem for one in self.sentences for cap in caps(one.text) for stem in stems(cap))

    @cached_property
    def state_words(self) -> frozenset[str]:
        """The words of the state and of what is said of it."""
        return words_of([self.environment.initial_state, self.environment.state_description])

    @cached_property
    def open_clause(self) -> Sentence | None:
        return open_clause(self.sentences)

    @cached_property
    def keys(self) -> frozenset[str]:
        """Every key by which a member of any collection is known."""
        return frozenset[str]().union(*(one.keys for one in self.collections))

    @cached_property
    def things(self) -> dict[str, list[tuple[Collection, Entity]]]:
        """By the key of its id: every thing that has one, with its collection."""
        found: dict[str, list[tuple[Collection, Entity]]] = {}
        for one in self.collections:
            for entity in one.entities if one.shape in ("map", "rows") else ():
                if entity.key:
                    found.setdefault(entity.key, []).append((one, entity))
        return found

    def can_grow(self, collection: Collection) -> bool:
        """Whether a collection may get members while an environment runs: not where it is told to be all there are and no
        tool makes any. What takes one makes none: `place_request`.
        """
        part = "".join(collection.pointer.split("/")[2:3])
        told = self.environment.state_description.get(part, "")
        if isinstance(told, str) and _WHOLLY_FIXED.search(told):
            return False
        return not collection.is_told_whole or self._is_object(collection, CREATE_VERBS, taken=False)

    def can_shrink(self, collection: Collection) -> bool:
        """Whether a tool may take members out: one that is named after them, or after nothing, and does such a thing."""
        return self._is_object(collection, LEAVING_VERBS | ENDING_VERBS, taken=True)

    def can_end(self, collection: Collection) -> bool:
        """Whether a tool may end members, so that they are no more."""
        return self._is_object(collection, ENDING_VERBS, taken=True)

    def _is_object(self, collection: Collection, verbs: frozenset[str], *, taken: bool) -> bool:
        called = collection.heads | collection.stems
        for tool in self.environment.tools:
            own = frozenset(stem(word) for word in words(tool.name)[1:])
            takes = any(stems(name) & called for name in tool.parameters.get("properties", {}))
            aimed = own & called or (taken and not own and takes)
            if is_write(tool) and stems(tool.name) & verbs and aimed and (taken or not takes):
                return True
        return False

    @cached_property
    def nouns(self) -> frozenset[str]:
        """What things are called: by their collections, and by what takes them."""
        taken = (
            stems(name) for tool in self.environment.tools for name in tool.parameters.get("properties", {})
        )
        return self.sorts.union(*taken)

    @cached_property
    def sorts(self) -> frozenset[str]:
        """What the members of collections are called."""
        many = (one for one in self.collections if one.shape in ("map", "rows"))
        return frozenset[str]().union(*(one.heads | one.stems for one in many))

    @cached_property
    def whole_things(self) -> list[Collection]:
        """The collections that hold all things of their sort."""
        return [
            one
            for one in self.collections
            if is_whole(one) and one.shape in ("map", "rows") and "*" not in one.pointer
        ]

    def referrers(self, collection: Collection, key: str) -> dict[str, list[Entity]]:
        """By field: the members that refer to a thing there."""
        return self._referrers.get(collection.pointer, {}).get(key, {})

    @cached_property
    def _referrers(self) -> dict[str, dict[str, dict[str, list[Entity]]]]:
        return {one.pointer: referrers_in(one, self.things.keys()) for one in self.whole_things}

    def names_a_thing(self, key: str) -> bool:
        """Whether a name stands in the contract, and not only as the name of a field."""
        places = self.universe.places(key)
        return key in self.keys or any(one.provenance != "state_key" for one in places)

    def shown_by(self, tool: Tool) -> tuple[tuple[str, Collection], ...]:
        """What a tool's example output shows: names of its groups, with the collection of each."""
        if tool.name not in self._shown:
            example = tool.example_output if tool.has_example else None
            found = all_bindings(list(groups(example)), tool, self.collections)
            self._shown[tool.name] = tuple(
                (one.group.name, one.collection) for one in found if one.evidence.is_certain
            )
        return self._shown[tool.name]

    def shows_as_example(self, tool: Tool, field: str, value: Json) -> bool:
        """Whether a tool's example shows this very value under that field."""
        example = leaves(tool.example_output) if tool.has_example else ()
        return any(key == field and same(part, value) for _, key, part in example)

    def bindings(self, tool: Tool, observation: Json, arguments: JsonObject) -> list[Binding]:
        """The collections that an observation of this tool shows.

        Of a collection under several parents, only what belongs to those that the arguments name is meant. An argument
        may say which collection is shown: `entity_type` "robot".
        """
        named = frozenset(key for _, _, value in leaves(arguments) if (key := key_of(value)))
        collections = [within(one, named) for one in self.collections]
        wanted = self.asked_for(arguments)
        shown = [("", within(one, named)) for one in wanted]
        shown += [(name, within(one, named)) for name, one in self.shown_by(tool)]
        found = list(groups(observation))
        listed = any(one.shape in ("rows", "names", "map") for one in found)
        things = [one for one in collections if one.shape != "single"]
        found += written_lists(observation, things)
        if not listed:
            told = list(told_groups(observation, things))
            found += told or told_whole(observation, tool, arguments, things)
        return [
            one for one in all_bindings(found, tool, collections, shown) if not self._is_another_part(one)
        ]

    def _is_another_part(self, binding: Binding) -> bool:
        """Whether a list bears the name of another part of the state, so that it shows that part: prices are no stock."""
        name = binding.group.name
        own = called(name) & (binding.collection.stems | binding.collection.heads)
        if own and binding.group.shape in ("rows", "names"):
            return False
        return name_key(name) in self._parts and name_key(name) != name_key(binding.collection.name)

    @cached_property
    def referring(self) -> dict[str, Collection]:
        """Fields under which nothing but members of one closed collection stand, in the state and in the tools' examples:
        `owner`, of people.
        """
        return referring_fields(self.environment, self.collections)

    @cached_property
    def bare_names(self) -> dict[frozenset[str], Collection]:
        """By what one of them is called: the closed collections of things; `draft` is one of `drafts`."""
        found: dict[frozenset[str], list[Collection]] = {}
        for one in self.collections:
            if is_whole(one) and one.shape in ("map", "rows") and one.entities[0].id:
                for name in {frozenset({head}) for head in one.heads} | {one.stems}:
                    found.setdefault(name, []).append(one)
        return {name: of[0] for name, of in found.items() if len(of) == 1 and name}

    @cached_property
    def families(self) -> dict[tuple[str, ...], Collection]:
        """Families of ids, letters and a number, that closed collections alone have; the first of them."""
        return id_families(self.collections)

    @cached_property
    def _parts(self) -> frozenset[str]:
        """The names of what the state holds several things under."""
        return frozenset(_parts(self.environment.initial_state))

    def listed_for(
        self, whole: Collection, parent: Entity
    ) -> tuple[tuple[str, Collection, tuple[Entity, ...]], ...]:
        """What the state lists for one thing: the field ("" where the thing is but a list), the collection, its members."""
        at = (whole.pointer, parent.pointer)
        if at not in self._listed:
            self._listed[at] = tuple(self._lists_of(whole, parent))
        return self._listed[at]

    def _lists_of(
        self, whole: Collection, parent: Entity
    ) -> Iterator[tuple[str, Collection, tuple[Entity, ...]]]:
        done: set[str] = set()
        for tail, one, members in _lists(self.collections, whole, parent):
            if tail not in done:
                done.add(tail)
                yield tail, one, self._by_what_they_refer_to(members) if one.shape == "rows" else members

    def _by_what_they_refer_to(self, members: tuple[Entity, ...]) -> tuple[Entity, ...]:
        """Rows named by the things that they refer to, where each refers to another: places of a queue by readers."""
        for field in members[0].attributes:
            owner = self.bare_names.get(stems(field)) or self.referring.get(field)
            names = [key_of(each.attributes.get(field)) for each in members]
            if owner is not None and len(set(names)) == len(names) and owner.keys.issuperset(names):
                return tuple(
                    Entity(
                        str(each.attributes[field]),
                        each.pointer,
                        frozenset({key}),
                        each.attributes,
                        each.parent,
                    )
                    for each, key in zip(members, names, strict=True)
                )
        return tuple(each for each in members if each.id)

    def member(self, collection: Collection, value: Json) -> Entity | None:
        """The member of a collection that a value names, or None."""
        return by_name(Key(collection), str(value)) if key_of(value) else None

    def asked_for(self, arguments: JsonObject) -> list[Collection]:
        """The collections that arguments name by what their members are called."""
        found = []
        for value in arguments.values():
            wanted = (
                stems(value) if isinstance(value, str) and not any(char.isdigit() for char in value) else None
            )
            by_name = [
                one for one in self._shareable if wanted and (wanted == one.stems or wanted <= one.heads)
            ]
            told = [one for one in self._shareable if wanted and wanted <= stems(one.description)]
            found += by_name[:1] or (told if len(told) == 1 else [])
        return found

    @cached_property
    def _shareable(self) -> list[Collection]:
        return [one for one in self.collections if one.entities and one.shape != "single"]


def _lists(
    collections: Sequence[Collection], whole: Collection, parent: Entity
) -> Iterator[tuple[str, Collection, tuple[Entity, ...]]]:
    start = f"{whole.pointer}/*"
    for one in collections:
        tail = one.pointer.removeprefix(start).removeprefix("/")
        if not one.pointer.startswith(start) or "/" in tail or one.shape not in ("names", "rows", "map"):
            continue
        members = tuple(
            each for each in one.entities if each.parent == parent.key and (each.id or one.shape == "rows")
        )
        if members:
            yield tail, one, members
    entries = {
        key: part for key, part in parent.attributes.items() if is_data(key) and isinstance(part, dict)
    }
    if entries and len(entries) == len(parent.attributes):  # a thing that is a map of others
        members = tuple(
            Entity(key, f"{parent.pointer}/{escape(key)}", frozenset({name_key(key)}), part, parent.key)
            for key, part in entries.items()
        )
        yield "", whole, members


def _parts(node: Json) -> Iterator[str]:
    if isinstance(node, dict):
        for key, part in node.items():
            if part and isinstance(part, (dict, list)):
                yield name_key(key)
            yield from _parts(part)
    elif isinstance(node, list):
        for part in node:
            yield from _parts(part)


def subjects_of(environment: Environment) -> frozenset[str]:
    """The stems of what tools take ids of: `component` for a `component_id`."""
    return frozenset(_subjects(environment))


def _subjects(environment: Environment) -> Iterator[str]:
    for tool in environment.tools:
        for name in tool.parameters.get("properties", {}):
            parts = words(name)
            if len(parts) > 1 and parts[-1] in ID_WORDS | NAME_WORDS | {"ids", "names"}:
                yield from (stem(part) for part in parts[:-1])


def contract_of(environment: Environment) -> Contract:
    """The contract of an environment, worked out once: trials of one environment follow each other."""
    return _contract(environment.model_dump_json())


@lru_cache(maxsize=32)
def _contract(environment: str) -> Contract:
    read = Environment.model_validate_json(environment)
    tools = tuple(one.model_copy(update={"parameters": sound(one.parameters)}) for one in read.tools)
    return Contract(read.model_copy(update={"tools": tools}))
