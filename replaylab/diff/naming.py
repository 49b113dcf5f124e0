"""By what name a finding tells of a thing: by the one that the answer itself uses, and each thing once.

Rules find a thing under the name that they know it by: the id in the state, the whole text of an entry. Who reads the
finding looks for it in the answer: where the list has `trip_id`, a vehicle that is missing is told by its trip; of "EC-1: on
file" the name is EC-1. What an invented row refers to, and nobody knows either, is told with the row.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from replaylab.diff.calls.looking import Look
from replaylab.diff.contract.collection import Collection, Entity
from replaylab.diff.words.identity import key_of, last_word, name_key, stems, words
from replaylab.diff.words.keyfield import rank_key
from replaylab.diff.words.lexicon import ID_WORDS
from replaylab.diff.words.observed import leaves
from replaylab.schema.base import Json, JsonObject
from replaylab.schema.pointer import lookup, unescape
from replaylab.schema.violation import THRESHOLD, Violation

_NAMED = ("fabrication", "omission")
_REFERENCES = frozenset(("unknown_reference", "example_leak"))
_STAMP = re.compile(r"^\W?\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d)?(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)?)?\W*")
_HEAD = re.compile(r"^(.*?\w)(?:: | \()")
_HEAD_WORDS = 5


def told_once(look: Look, found: Sequence[Violation]) -> list[Violation]:
    """The findings of one call, each thing by its name in the answer, and once."""
    named = [
        one.model_copy(update={"entity": name_of(look, one)}) if one.kind in _NAMED and one.entity else one
        for one in found
    ]
    return list(_without_twins(_with_their_rows(named)))


def name_of(look: Look, one: Violation) -> str:
    """What the thing of a finding is called in the answer; its own name where that is not clear."""
    if one.subkind == "denial":
        return one.entity  # the call itself has used this name
    if one.kind == "fabrication":
        return _invented(look, one) or _head(look, one.entity)
    return _missing(look, one) or _head(look, one.entity)


def _with_their_rows(found: Sequence[Violation]) -> Iterator[Violation]:
    """Without the references that an invented row makes: who invents a row invents what is in it."""
    rows = [
        f"{one.pointer}/"
        for one in found
        if one.kind == "fabrication"
        and one.pointer
        and one.subkind != "unknown_reference"
        and one.confidence >= THRESHOLD
    ]
    for one in found:
        inside = (
            one.kind == "fabrication" and one.subkind in _REFERENCES and one.pointer.startswith(tuple(rows))
        )
        if not inside:
            yield one


def _without_twins(found: Iterable[Violation]) -> Iterator[Violation]:
    """Without what is found twice under one name, by rules that knew it by two; the surer one stays, in the first one's place."""
    best: dict[tuple[str, str], Violation] = {}
    order: list[tuple[tuple[str, str], Violation]] = []
    for number, one in enumerate(found):
        named = one.kind in _NAMED and bool(name_key(one.entity))
        key = (one.kind, name_key(one.entity)) if named else ("", str(number))
        if key not in best:
            order.append((key, one))
        if key not in best or one.confidence > best[key].confidence:
            best[key] = one
    yield from (best[key] for key, _ in order)


def _missing(look: Look, one: Violation) -> str:
    """What a member that is left out of a list would be called there; "" where its own name will do."""
    entity, collection = _member(look, one)
    if entity is None or collection is None:
        return ""
    if entity.key in look.step.named:
        return ""  # as the call itself names it
    row = _row_there(look, one.pointer)
    field = _known_by(look, collection, row, one.pointer)
    return str(entity.attributes[field]) if field and entity.attributes.get(field) else ""


def _member(look: Look, one: Violation) -> tuple[Entity | None, Collection | None]:
    for collection in look.contract.collections:
        for entity in collection.entities:
            if entity.pointer == one.contract and entity.key == name_key(one.entity):
                return entity, collection
    return None, None


def _row_there(look: Look, pointer: str) -> JsonObject:
    """A row of the list at this place of the answer; where that has none, one of the tool's example under the same name."""
    shown = _rows(lookup(look.step.observation, pointer))
    if shown:
        return shown[0]
    name = unescape(pointer.rpartition("/")[2])
    return next(iter(_rows(_under(look.step.tool.example_output, name))), {})


def _under(node: Json, name: str) -> Json:
    """What stands in an example under a name, on whatever level."""
    if isinstance(node, dict):
        if name in node:
            return node[name]
        return next((found for part in node.values() if (found := _under(part, name)) is not None), None)
    return None


def _rows(node: Json) -> list[JsonObject]:
    return [row for row in node if isinstance(row, dict)] if isinstance(node, list) else []


def _known_by(look: Look, collection: Collection, row: JsonObject, pointer: str) -> str:
    """The field of the state whose values name the members where such a row stands; "" where their own ids do."""
    own = collection.key_field
    name = unescape(pointer.rpartition("/")[2])
    ranked = sorted(
        (field for field in row if rank_key(field, name, row) > 0),
        key=lambda field: -rank_key(field, name, row),
    )
    if not ranked or any(_is_known(look, collection, field) for field in ranked):
        return ""
    for field in ranked:
        for mine in sorted(collection.fields):
            if mine != own and _same_field(field, mine, collection) and _tells_apart(collection, mine):
                return mine
        if last_word(field) in ID_WORDS:
            return ""  # their ids, under another name
    return ""


def _is_known(look: Look, collection: Collection, field: str) -> bool:
    """Whether a field of the answer has the members' own names: it is called like theirs, or like one of them (`book` of
    books), or the answer's rows have some.
    """
    shown = {key_of(value) for _, key, value in leaves(look.step.observation) if key == field}
    called = bool(stems(field)) and stems(field) <= collection.heads
    return called or stems(field) == stems(collection.key_field) or bool(shown & collection.id_keys)


def _same_field(shown: str, mine: str, collection: Collection) -> bool:
    """Whether a field of the answer is one of the state: `policy_name` of a policy is its `name`."""
    said, known = words(shown), words(mine)
    return said == known or (
        bool(said)
        and said[-1:] == known
        and stems(" ".join(said[:-1])) <= collection.stems | collection.heads
    )


def _tells_apart(collection: Collection, field: str) -> bool:
    values = [key_of(entity.attributes.get(field)) for entity in collection.entities]
    return "" not in values and len(set(values)) == len(values)


def _invented(look: Look, one: Violation) -> str:
    """What an invented row is called: by the field that names the members beside it."""
    row = lookup(look.step.observation, one.pointer)
    beside = _rows(lookup(look.step.observation, one.pointer.rpartition("/")[0]))
    known = next((each for each in look.contract.collections if each.pointer == one.contract), None)
    if not isinstance(row, dict) or known is None:
        return ""
    fields = [field for field, value in row.items() if key_of(value) and isinstance(value, str)]
    others = [each for each in beside if each is not row]
    for field in fields:
        members = [each for each in others if key_of(each.get(field)) in known.id_keys]
        if others and len(members) == len(others):
            return str(row[field])
    return ""


def _head(look: Look, name: str) -> str:
    """A name without the time before it and what is said of the thing behind it, where no other thing has the rest."""
    plain = _STAMP.sub("", name) or name
    found = _HEAD.match(plain)
    if found and len(words(found[1])) <= _HEAD_WORDS and not _is_part_of_it(look, plain[found.end() :]):
        plain = found[1]
    if plain == name or not name_key(plain):
        return name
    # "Room (north)" and "Room (south)" are two, and a member's own name must not be given to another thing.
    known = [key for one in look.contract.collections for key in one.id_keys]
    own = name_key(name)
    shared = sum(key == name_key(plain) for key in known) or any(
        key != own and _is_headed(look, key, plain) for key in known
    )
    return name if shared else plain


def _is_part_of_it(look: Look, rest: str) -> bool:
    """Whether one word in brackets belongs to a name, as it does for members: "Sulfa (rash)"."""
    return len(words(rest)) == 1 and any(
        name.endswith(")") and len(words(name.rpartition("(")[2])) == 1
        for one in look.contract.collections
        for name in one.ids
    )


def _is_headed(look: Look, key: str, plain: str) -> bool:
    """Whether another member's name begins with this name and goes on with what is said of it."""
    return key.startswith(name_key(plain)) and any(
        (found := _HEAD.match(_STAMP.sub("", entity.id))) is not None
        and name_key(found[1]) == name_key(plain)
        for one in look.contract.collections
        for entity in one.entities
        if entity.key == key
    )
