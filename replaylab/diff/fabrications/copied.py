"""Copied examples: what only a tool's example output has, shown as if the environment held it."""

from __future__ import annotations

from collections.abc import Iterator

from replaylab.diff.calls.looking import Look
from replaylab.diff.contract.binding import id_field_of
from replaylab.diff.contract.collection import Collection
from replaylab.diff.words.identity import key_of, name_key, stems, words
from replaylab.diff.words.lexicon import NO_NAMES
from replaylab.diff.words.observed import Group, Item, leaves
from replaylab.schema.violation import Violation

_SENTENCE = 3  # words by which a text says something of its own


def copied_examples(look: Look) -> Iterator[Violation]:
    """Items of a list that is empty at first, and rows without an id, that stand in an example alone."""
    bound = {one.group.pointer: one.collection for one in look.bindings}
    for group in look.groups:
        id_field = id_field_of(group)
        if group.pointer in bound:
            found = ((item, _sentence(look, item)) for item in group.items if not id_field)
            yield from (_violation(look, bound[group.pointer], item, name) for item, name in found if name)
            continue
        empty = _empty_collection(look, group)
        for item in group.items if empty is not None else ():
            name = item.label or str(item.row.get(id_field) or "")
            if empty is not None and _is_copied(look, name):
                yield _violation(look, empty, item, name)


def _empty_collection(look: Look, group: Group) -> Collection | None:
    """The collection that holds nothing at first and that a list bears the name of."""
    said = stems(group.name)
    found = (one for one in look.contract.collections if not one.entities and one.stems and one.stems <= said)
    return next(found, None)


def _sentence(look: Look, item: Item) -> str:
    """The text of a row that stands in an example and nowhere else."""
    texts = [
        value for value in item.row.values() if isinstance(value, str) and len(words(value)) >= _SENTENCE
    ]
    return next((text for text in texts if _is_copied(look, text)), "")


def _is_copied(look: Look, name: str) -> bool:
    key = key_of(name)
    return (
        key not in NO_NAMES
        and look.contract.universe.leak(name_key(name)) is not None
        and not look.is_known(key)
        and not _is_a_field(look, name)
    )


def _is_a_field(look: Look, text: str) -> bool:
    """Whether a text is a field of the state with its value there: "dpi 240", where a file has 240 as its `dpi`."""
    said = words(text)
    state = leaves(look.contract.environment.initial_state)
    return any(said == (*words(field), *words(str(value))) for _, field, value in state if value is not None)


def _violation(look: Look, collection: Collection, item: Item, name: str) -> Violation:
    leak = look.contract.universe.leak(name_key(name))
    return look.violation(
        kind="fabrication",
        subkind="example_leak",
        pointer=item.pointer,
        contract=collection.pointer,
        entity=name,
        expected=list(collection.ids[:12]),
        observed=item.row or item.label,
        confidence=0.65 if not look.world.time_moved else 0.4,
        message=f"{look.step.tool.name} shows {name!r}, which {collection.pointer} does not hold; it stands only in an "
        f"example ({leak.pointer if leak else ''})",
    )
