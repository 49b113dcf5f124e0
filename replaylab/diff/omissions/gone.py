"""The same question put again: what stood in the answer, and what no call since can have taken out, stands there still."""

from __future__ import annotations

from collections.abc import Iterator

from replaylab.canonical import canonical
from replaylab.diff.calls.looking import Look
from replaylab.diff.calls.memory import inner, lists_on_face, naming_field
from replaylab.diff.calls.world import Step
from replaylab.diff.contract.binding import id_field_of
from replaylab.diff.contract.tools import is_write, moves_time, verb_of
from replaylab.diff.words.identity import key_of, stems
from replaylab.diff.words.lexicon import (
    DISCOVERY_VERBS,
    ENDING_VERBS,
    LEAVING_ARGUMENTS,
    LEAVING_VERBS,
    SET_VERBS,
)
from replaylab.diff.words.observed import Group, Item, groups
from replaylab.schema.scenario import Tool
from replaylab.schema.violation import Violation


def no_longer_shown(look: Look) -> Iterator[Violation]:
    """Items of the last answer to this very call that are not in this one."""
    tool = look.step.tool
    before = _last_answer(look)
    if before is None or is_write(tool) or verb_of(tool) in DISCOVERY_VERBS:
        return
    since = [step for step in look.world.writes if step.call > before.call]
    if any(moves_time(step.tool) for step in since):
        return
    pointer, face = inner(before.observation)
    lists = {one.name: one for one in groups(face, pointer) if not one.inside}
    for group in lists_on_face(look):
        then = lists.get(group.name)
        if then is not None and then.shape in ("rows", "names"):
            yield from _gone(look, group, then, since)


def _last_answer(look: Look) -> Step | None:
    """The last step at which this call was put and answered."""
    asked = canonical(look.step.arguments)
    same = [
        step
        for step in look.world.steps
        if step.tool.name == look.step.tool.name and not step.refused and canonical(step.arguments) == asked
    ]
    return same[-1] if same else None


def _gone(look: Look, group: Group, then: Group, since: list[Step]) -> Iterator[Violation]:
    field = id_field_of(then)
    fields = {field, naming_field(look, then)} - {""}
    here = {canonical(item.row or item.label) for item in group.items}
    for item in then.items:
        name = item.label or str(item.row.get(field) or "")
        if not key_of(name):
            out = bool(since) or canonical(item.row) in here or len(group.items) >= len(then.items)
        else:
            # A title names a row beside its id, by which calls name it.
            keys = {key_of(name), *(key_of(item.row.get(one)) for one in fields)} - {""}
            out = key_of(name) in look.said or not _is_sound(look, name) or _may_be_out(keys, since)
        if not out:
            yield _violation(look, group, item, name)


def _is_sound(look: Look, name: str) -> bool:
    """Whether what was shown then is a thing of the contract, or was given by a call."""
    key = key_of(name)
    return key in look.world.seen and (look.contract.names_a_thing(key) or key in look.world.created)


def _may_be_out(keys: set[str], since: list[Step]) -> bool:
    return any(keys & step.keys or may_take_away(step.tool) for step in since)


def may_take_away(tool: Tool) -> bool:
    """Whether a write may take something out of where it stands, whatever it names."""
    own = stems(tool.name)
    return bool(own & (LEAVING_VERBS | ENDING_VERBS | LEAVING_ARGUMENTS)) or verb_of(tool) in SET_VERBS


def _violation(look: Look, group: Group, item: Item, name: str) -> Violation:
    return look.violation(
        kind="omission",
        subkind="missing" if group.items else "all_missing",
        pointer=group.pointer,
        entity=name,
        expected=item.row or item.label,
        observed=[one.row or one.label for one in group.items][:12],
        confidence=0.7,
        message=f"{look.step.tool.name} leaves out {name or 'a row'!r}, which the same call has shown before, and nothing was done "
        "since that takes it out",
    )
