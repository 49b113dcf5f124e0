"""The same thing shown again: by the same reading with nothing done in between, and as it was at first after a call changed it."""

from __future__ import annotations

from collections.abc import Iterator

from replaylab.checks.matcher import same
from replaylab.diff.calls.changes import described
from replaylab.diff.calls.fixed import never_changes
from replaylab.diff.calls.looking import Look
from replaylab.diff.calls.memory import Record, reading, records
from replaylab.diff.calls.world import Step, Told
from replaylab.diff.contract.tools import is_write
from replaylab.diff.contradictions.contradiction import differs
from replaylab.diff.contradictions.effects import goes_back
from replaylab.diff.words.identity import stems
from replaylab.diff.words.observed import escape, leaves
from replaylab.schema.base import Json, in_json
from replaylab.schema.violation import Violation


def shown_otherwise(look: Look) -> Iterator[Violation]:
    """Plain values of things that nothing has changed since they were shown, or that have gone back by themselves."""
    if is_write(look.step.tool) or look.world.time_moved:
        return
    for record in records(look):
        for field, value in record.row.items():
            if field not in record.entity.attributes or isinstance(value, (dict, list)):
                continue
            last = _last(look, record, field, value)
            if last is not None:
                yield _violation(look, record, field, last, value)


def _last(look: Look, record: Record, field: str, value: Json) -> Told | None:
    """What was said before and can't be otherwise now, where it is. What never changes is held against the state alone."""
    if never_changes(described(look.contract, record.collection), field, record.collection.fields):
        return None
    before = look.world.told.get((record.entity.key, reading(look.step, field)))
    if before is not None and not any(step.call > before.call for step in look.world.writes):
        return before if differs(before.value, value) else None
    if not record.own:
        return None
    last = look.world.told.get((record.entity.key, field))
    first = record.entity.attributes[field]
    if last is None or not last.write or not isinstance(first, str) or not same(first, value):
        return None
    since = [step for step in look.world.writes if step.call > last.call]
    back = any(_may_take_back(look, record, field, step) for step in since)
    return None if back or not differs(last.value, value) else last


def _may_take_back(look: Look, record: Record, field: str, step: Step) -> bool:
    """Whether a later call may have made a value what it was at first: one on this very thing, or on what refers to it, or one
    that speaks of the field or of that value.
    """
    about = stems(step.tool.name) | stems(step.tool.description)
    for node in (step.arguments, step.observation):
        about |= frozenset[str]().union(*(stems(key) | stems(str(part)) for _, key, part in leaves(node)))
    if goes_back(step) or stems(str(record.entity.attributes[field])) & about or stems(field) & about:
        return True
    return record.entity.key in step.keys | look.contract.links.leads_to(step.keys)


def _violation(look: Look, record: Record, field: str, last: Told, value: Json) -> Violation:
    name, first = record.entity.id, record.entity.attributes[field]
    return look.violation(
        kind="contradiction",
        subkind="stale" if same(first, value) else "changed_value",
        pointer=record.at(field),
        contract=f"{record.entity.pointer}/{escape(field)}",
        entity=name,
        expected=last.value,
        observed=value,
        confidence=0.65,
        message=f"{look.step.tool.name} shows {field} of {name} as {in_json(value)}; {last.tool} in call {last.call} said "
        f"{in_json(last.value)}, and nothing since speaks of that",
    )
