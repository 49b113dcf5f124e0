"""Which member of a collection a name or a row means."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from replaylab.checks.matcher import same
from replaylab.diff.contract.collection import Collection, Entity
from replaylab.diff.contract.likeness import LEAST, Likeness, is_plain
from replaylab.diff.words.identity import key_of, name_key, names_whole, stems, words
from replaylab.schema.base import JsonObject

_SAME_TEXT = 0.6
_TOKEN = re.compile(r"\w+")
_SENTENCE = 5


@dataclass(frozen=True)
class Key:
    """By what the members of a collection are known: their ids (`field` is ""), or a field that differs in each."""

    collection: Collection
    field: str = ""
    by_key: Mapping[str, Entity] = dataclasses.field(default_factory=dict, hash=False, compare=False)

    def find(self, key: str) -> Entity | None:
        """The member of that key."""
        return self.by_key.get(key) if self.field else self.collection.find(key)

    @cached_property
    def by_first_word(self) -> Mapping[str, Sequence[tuple[str, Entity]]]:
        """The members of more than a letter by the first word of what they are called, "" for what has no word. A text that
        holds a name has its first word too.
        """
        found: dict[str, list[tuple[str, Entity]]] = {}
        for written, one in self.names.items():
            if len(name_key(written)) > 1:
                first = _TOKEN.search(written.casefold())
                found.setdefault(first[0] if first else "", []).append((written, one))
        return found

    @cached_property
    def names(self) -> dict[str, Entity]:
        """Every member by its name as written."""
        if self.field:
            return {str(entity.attributes[self.field]): entity for entity in self.by_key.values()}
        return {entity.id: entity for entity in self.collection.entities}


def keys_for(collection: Collection, id_field: str) -> Iterator[Key]:
    """The ids, and the field that is called like `id_field` where it tells the members apart: slots by their cargo."""
    yield Key(collection)
    if not id_field or collection.shape not in ("rows", "map"):
        return
    for name in sorted(collection.fields):
        if name == collection.key_field or not (stems(name) and stems(name) <= stems(id_field)):
            continue
        by_key = {key_of(one.attributes.get(name)): one for one in collection.entities}
        if len(by_key) == len(collection.entities) and "" not in by_key:
            yield Key(collection, name, by_key)


def by_name(key: Key, name: str) -> Entity | None:
    """The member of that name; also where more stands around it: "AMR-05 (Unit 5)"."""
    found = key.find(name_key(name))
    if found or not name or " " not in name:
        return found
    if key.collection.shape == "texts":
        return _by_text(key.collection, name)
    said = dict.fromkeys(("", *_TOKEN.findall(name.casefold())))
    near = (each for word in said for each in key.by_first_word.get(word, ()))
    whole = [one for written, one in near if names_whole(name, written)]
    return max(whole, key=lambda one: len(one.id), default=None)


def _by_text(collection: Collection, text: str) -> Entity | None:
    """The member that says the same in most of its words: a note that is put shorter is still that note."""
    said = stems(text)
    shared = [
        (len(said & stems(one.id)) / max(1, min(len(said), len(stems(one.id)))), one)
        for one in collection.entities
    ]
    share, best = max(shared, key=lambda pair: pair[0], default=(0.0, None))
    return best if share >= _SAME_TEXT else None


def by_values(collection: Collection, row: JsonObject) -> Entity | None:
    """The member whose values a row repeats: two at least, and more than half of the fields that both have; or, under
    whatever names, two texts of which one has digits, as ids and dates do, or a whole sentence.
    """
    best, most = None, LEAST - 1
    plain = {name: value for name, value in row.items() if is_plain(value)}
    said = {
        key_of(value): str(value)
        for value in plain.values()
        if len(key_of(value)) > 3 and isinstance(value, str)
    }
    telling = [key for key, text in said.items() if _tells(text)]
    for place in collection.likeness.like(plain, telling):
        entity = collection.entities[place]
        shared = [name for name in plain if name in entity.attributes]
        equal = sum(1 for name in shared if same(entity.attributes[name], plain[name]))
        texts = [said[key] for key in said.keys() & entity.value_keys]
        by_text = len(texts) if any(char.isdigit() for text in texts for char in text) else 0
        if any(len(text.split()) >= _SENTENCE for text in texts):
            by_text = max(by_text, LEAST)
        score = max(equal if shared and equal / len(shared) > 0.5 else 0, by_text)
        if score > most:
            best, most = entity, score
    return best


def is_row_of(row: JsonObject, member: JsonObject) -> bool:
    """Whether a row has a member's values in all fields that both have: two at least, or all that either has."""
    shared = [field for field in row if field in member]
    equal = (
        same(member[field], row[field]) or key_of(member[field]) == key_of(row[field]) != ""
        for field in shared
    )
    return (len(shared) >= LEAST or (bool(shared) and len(shared) == len(row) == len(member))) and all(equal)


def owners_of(rows: Sequence[JsonObject], members: Sequence[Entity]) -> list[int | None]:
    """The place of the member that each row shows (`is_row_of`), None for a row that shows none. Each member has one row."""
    likeness = Likeness([one.attributes for one in members], [one.value_keys for one in members])
    taken, found = set[int](), list[int | None]()
    for row in rows:
        near = (place for place in likeness.whole(row) if place not in taken)
        found.append(next((place for place in near if is_row_of(row, members[place].attributes)), None))
        if (own := found[-1]) is not None:
            taken.add(own)
    return found


def _tells(text: str) -> bool:
    return any(char.isdigit() for char in text) or len(text.split()) >= _SENTENCE


def called(name: str) -> frozenset[str]:
    """The stems of a list's name without what says that ids are listed: `listing_ids` lists listings."""
    parts = words(name)
    return (
        stems("_".join(parts[:-1]))
        if len(parts) > 1 and parts[-1] in ("id", "ids", "list", "names", "map")
        else stems(name)
    )
