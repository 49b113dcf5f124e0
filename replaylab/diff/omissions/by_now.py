"""A member as it is by now: what an accepted call that names or returns it may have changed is what was told of it since, else
nobody knows it.
"""

from __future__ import annotations

from dataclasses import replace

from replaylab.diff.calls.changes import changed_only_by, described
from replaylab.diff.calls.fixed import never_changes
from replaylab.diff.calls.looking import Look
from replaylab.diff.calls.world import Step
from replaylab.diff.contract.collection import Collection, Entity
from replaylab.schema.base import Json


def by_now(look: Look, collection: Collection, entity: Entity) -> Entity:
    """The member as a filter has to take it. A field that nobody knows is None, which lets nothing pass and excludes nothing."""
    steps = [step for step in look.world.writes if step.concerns(entity)]
    if not steps:
        return entity
    now = {field: _now(look, collection, entity, field, steps) for field in entity.attributes}
    return replace(entity, attributes=now)


def _now(look: Look, collection: Collection, entity: Entity, field: str, steps: list[Step]) -> Json:
    """The first value, where none of these calls can have changed it; else what was told since the last that can."""
    first = entity.attributes[field]
    description = described(look.contract, collection)
    if never_changes(description, field):
        return first
    only = changed_only_by(look.contract, description, field)
    changing = [step for step in steps if not only or step.tool.name in only]
    if not changing:
        return first
    told = look.world.told.get((entity.key, field))
    return told.value if told is not None and told.call >= changing[-1].call else None
