"""What a call has set to the very value that a later list is filtered by: an entry that was marked as failed is among the
failed ones.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from replaylab.diff.calls.looking import Look
from replaylab.diff.calls.memory import lists_on_face
from replaylab.diff.calls.world import Step
from replaylab.diff.contract.collection import Collection, Entity
from replaylab.diff.contract.tools import is_write, moves_time
from replaylab.diff.omissions.arguments import is_alone
from replaylab.diff.words.identity import key_of, name_key, names_whole, stems
from replaylab.diff.words.keyfield import is_reference
from replaylab.diff.words.lexicon import EVERYTHING, STATUS_FIELDS
from replaylab.diff.words.observed import Group, texts
from replaylab.schema.base import Json
from replaylab.schema.violation import Violation


class Restated(NamedTuple):
    """A member of which a call said how it stands from then on."""

    step: Step
    entity: Entity
    collection: Collection


def unlisted_under_its_new_status(look: Look) -> Iterator[Violation]:
    """Members that calls have set to what a filter asks for, that nothing was done with since, and that are not shown."""
    if is_write(look.step.tool):
        return
    for argument, value in look.step.arguments.items():
        if not isinstance(value, str) or is_reference(argument):
            continue
        for one in _restated(look, argument, key_of(value)):
            group = _list_of(look, one.collection)
            if group is None or _is_shown(look, one.entity) or not _nothing_else(look, argument, one):
                continue
            yield look.violation(
                kind="omission",
                subkind="missing" if group.items else "all_missing",
                pointer=group.pointer,
                contract=one.entity.pointer,
                entity=one.entity.id,
                expected=value,
                observed=[item.row or item.label for item in group.items][:12],
                confidence=0.75,
                message=f"{look.step.tool.name} leaves out {one.entity.id!r}, which {one.step.tool.name} has set to {value!r} in "
                f"call {one.step.call}",
            )


def _restated(look: Look, argument: str, wanted: str) -> Iterator[Restated]:
    """What the last call that names it has set to this value, by an argument that says how a thing stands."""
    setting = [step for step in look.world.writes if wanted and _sets(step, argument, wanted)]
    for collection in look.contract.collections if setting else ():
        for entity in collection.entities if collection.shape != "single" else ():
            naming = [step for step in look.world.writes if step.mentions(entity)]
            if not naming or naming[-1] not in setting:
                continue
            later = (step for step in look.world.writes if step.call > naming[-1].call)
            if not any(moves_time(step.tool) for step in later):
                yield Restated(naming[-1], entity, collection)


def _sets(step: Step, argument: str, wanted: str) -> bool:
    """Whether a call sets what the filter is about, a status, to what it asks for."""
    return any(
        key_of(value) == wanted and stems(name) & stems(argument) & STATUS_FIELDS
        for name, value in step.arguments.items()
    )


def _list_of(look: Look, collection: Collection) -> Group | None:
    """The one list of an answer, where it shows this collection, or is empty and called after it."""
    found = lists_on_face(look)
    if len(found) != 1:
        return None
    bound = any(
        one.group.pointer == found[0].pointer and one.collection.pointer == collection.pointer
        for one in look.bindings
    )
    called = not found[0].items and stems(found[0].name) & (collection.stems | collection.heads)
    return found[0] if bound or called else None


def _is_shown(look: Look, entity: Entity) -> bool:
    told = any(names_whole(text, entity.id) for _, text in texts(look.step.observation))
    return bool(entity.aliases & look.said) or told


def _nothing_else(look: Look, argument: str, one: Restated) -> bool:
    """Whether the other arguments pick nothing: they are empty, or name the one thing that everything belongs to."""
    others = (value for name, value in look.step.arguments.items() if name != argument)
    return all(_is_open(look, one.collection, value) for value in others)


def _is_open(look: Look, collection: Collection, value: Json) -> bool:
    empty = value in (None, "", [], {}) or name_key(str(value)) in EVERYTHING
    return empty or is_alone(look.contract, collection, value)
