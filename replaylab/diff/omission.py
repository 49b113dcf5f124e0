"""Entity omission: a member that must appear in a list and does not, or a call that denies what exists."""

from __future__ import annotations

from collections.abc import Iterator

from replaylab.diff.binding import Binding, is_growing
from replaylab.diff.collection import Entity
from replaylab.diff.filters import Filter, Judged
from replaylab.diff.looking import Look
from replaylab.diff.observed import groups
from replaylab.diff.tools import is_write
from replaylab.schema.base import Json
from replaylab.schema.violation import Violation


def omissions(look: Look) -> Iterator[Violation]:
    """Members left out, in the order of the state."""
    for binding in _complete(look):
        shown = _shown(look, binding)
        keys = [entity.key for entity in shown]
        filtering = Filter(look.contract, binding.collection, look.step.tool, look.step.arguments, keys)
        for entity in binding.collection.entities:
            name = binding.id_of(entity) or entity.title
            if not name or entity in shown or not _is_in_scope(look, binding, entity):
                continue
            judged = filtering.judge(entity)
            if judged.duty == "must" and look.world.fate(entity, binding.collection) != "perhaps gone":
                yield _missing(look, binding, entity, judged)


def _complete(look: Look) -> list[Binding]:
    """The bindings that show a collection as a whole; the one with the most members for each collection."""
    best: dict[str, Binding] = {}
    for one in look.bindings:
        if one.shows_all and not is_write(look.step.tool):
            former = best.get(one.collection.pointer)
            if former is None or one.evidence.members > former.evidence.members:
                best[one.collection.pointer] = one
    return list(best.values())


def _shown(look: Look, binding: Binding) -> list[Entity]:
    """The members that the observation shows, in this list or in another that is not about something else."""
    others = [
        binding._replace(group=group)
        for group in groups(look.step.observation)
        if not group.inside and not is_growing(group.name)
    ]
    found = (one.entity_of(item) for one in (binding, *others) for item in one.group.items)
    return [entity for entity in found if entity is not None]


def _is_in_scope(look: Look, binding: Binding, entity: Entity) -> bool:
    """Whether a nested member belongs to a parent that is shown: the one that the call names, or the only one there is."""
    if not entity.parent:
        return True
    parents = {one.parent for one in binding.collection.entities}
    named = parents & look.step.named
    return entity.parent in named if named else len(parents) == 1


def _missing(look: Look, binding: Binding, entity: Entity, judged: Judged) -> Violation:
    sure = 0.9 if judged.certain else 0.65
    if look.world.time_moved:
        sure *= 0.6
    none = not binding.group.items
    return Violation(
        kind="omission",
        subkind="all_missing" if none else "missing",
        call=look.step.call,
        tool=look.step.tool.name,
        pointer=binding.group.pointer,
        contract=entity.pointer,
        entity=binding.id_of(entity) or entity.title,
        expected=_short(entity.attributes),
        observed=[binding.name_of(item) for item in binding.group.items][:12],
        confidence=round(sure, 2),
        message=f"{look.step.tool.name} leaves out {binding.id_of(entity) or entity.title!r}, which {entity.pointer} holds ({judged.why})",
    )


def _short(row: Json) -> Json:
    return {key: value for key, value in row.items() if not isinstance(value, (dict, list))}
