"""One more beside those that the state has: a receipt beside the one of a report, a lane beside the four that are counted."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from replaylab.diff.calls.looking import Look
from replaylab.diff.calls.memory import lists_on_face
from replaylab.diff.contract.collection import Entity
from replaylab.diff.contract.tools import is_write, verb_of
from replaylab.diff.words.identity import is_sibling, key_of, name_key, stems
from replaylab.diff.words.keyfield import MAX_NAME
from replaylab.diff.words.lexicon import DISCOVERY_VERBS, NO_NAMES
from replaylab.diff.words.observed import Group, Item
from replaylab.schema.base import Json, JsonObject
from replaylab.schema.violation import Violation

_LEAST = 3  # numbers of a record, by which it counts things


def one_more(look: Look) -> Iterator[Violation]:
    """Rows and keys beside all that the state has, before anything was done."""
    tool = look.step.tool
    if is_write(tool) or look.world.writes:
        return
    found = list(_siblings(look))
    if verb_of(tool) not in DISCOVERY_VERBS:
        found += [*_rows_of_things(look), *_rows_of_counts(look)]
    for name, item, pointer, known in found:
        yield look.violation(
            kind="fabrication",
            subkind="unknown",
            pointer=item.pointer,
            contract=pointer,
            entity=name,
            expected=list(known)[:12],
            observed=item.row or item.label,
            confidence=0.65,
            message=f"{tool.name} shows {name!r} beside all that {pointer} has",
        )


Found = tuple[str, Item, str, Sequence[str]]


def _rows_of_things(look: Look) -> Iterator[Found]:
    """In the one list of an answer about a thing, which is called after what the state has for it: rows beyond these, each of
    which is there by a text that it has in one field.
    """
    lists = [one for one in lists_on_face(look) if one.shape == "rows"]
    for one in look.contract.collections if len(lists) == 1 else ():
        members = [each for each in one.entities if each.parent and each.parent in look.step.named]
        told = bool(stems(lists[0].name) & (one.stems | one.heads))
        if one.shape != "rows" or not told or not members or len(lists[0].items) <= len(members):
            continue
        for field in lists[0].items[0].row:
            strange = _unlike(lists[0], field, members)
            names = [str(item.row.get(field) or "") for item in strange]
            if strange and all(_is_strange(look, name) for name in names):
                known = [each.title for each in members]
                yield from (
                    (name, item, one.pointer, known) for name, item in zip(names, strange, strict=True)
                )
                break


def _unlike(group: Group, field: str, members: Sequence[Entity]) -> list[Item]:
    """The rows that have no member's text in a field; none where not each member has one row so."""
    left, strange = list(members), []
    for item in group.items:
        key = key_of(item.row.get(field))
        own = next(
            (one for one in left if key and isinstance(item.row[field], str) and key in one.value_keys), None
        )
        if own is None:
            strange.append(item)
        else:
            left.remove(own)
    return strange if not left else []


def _rows_of_counts(look: Look) -> Iterator[Found]:
    """Rows that name all that a record counts, and one more: vehicles by lane, where the state counts them for four lanes."""
    for pointer, record in _counts(look):
        keys = {name_key(name) for name in record}
        for group in lists_on_face(look):
            for field in group.items[0].row if group.shape == "rows" else ():
                named = [(str(item.row.get(field) or ""), item) for item in group.items]
                strange = [(name, item) for name, item in named if name_key(name) not in keys]
                shown = {name_key(name) for name, _ in named}
                if keys <= shown and len(strange) == 1 and _is_strange(look, strange[0][0]):
                    yield (*strange[0], pointer, list(record))


def _siblings(look: Look) -> Iterator[Found]:
    """Keys like those of a record that counts things, beside all of them: grade B beside grades A and C."""
    for pointer, record in _counts(look):
        for group in look.groups:
            here = {item.label: item for item in group.items} if group.shape == "values" else {}
            shown = {name_key(name) for name in here}
            if not here or not {name_key(name) for name in record} <= shown:
                continue
            for name, item in here.items():
                alike = any(is_sibling(name, one) for one in record if name_key(name) != name_key(one))
                if name not in record and alike and _is_number(item.row["value"]) and _is_strange(look, name):
                    yield name, item, pointer, list(record)


def _counts(look: Look) -> Iterator[tuple[str, JsonObject]]:
    """The records of the state that hold nothing but numbers."""
    for one in look.contract.collections:
        for entity in one.entities if one.shape in ("single", "values") and not one.key_field else ():
            if one.shape == "single" and _is_all_numbers(entity.attributes):
                yield entity.pointer, entity.attributes


def _is_all_numbers(record: Mapping[str, Json]) -> bool:
    return len(record) >= _LEAST and all(_is_number(value) for value in record.values())


def _is_number(value: Json) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _is_strange(look: Look, name: str) -> bool:
    key = name_key(name)
    plain = 0 < len(name) <= MAX_NAME and not key.isdigit() and key not in NO_NAMES
    return plain and not look.is_known(key)
