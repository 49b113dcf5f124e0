"""A list that is longer than the count which stands beside it: nine ready pods where eight are ready."""

from __future__ import annotations

import re
from collections.abc import Iterator

from replaylab.diff.calls.looking import Look
from replaylab.diff.calls.memory import inner, lists_on_face
from replaylab.diff.contract.tools import is_write
from replaylab.diff.words.identity import key_of, stems
from replaylab.diff.words.observed import Group, leaves
from replaylab.schema.base import JsonObject
from replaylab.schema.violation import Violation

_NUMBER_OF = re.compile(r"\s*(?:the )?(?:current |total )?(?:number|count) of\b", re.IGNORECASE)
_QUOTED = re.compile(r"['\"`](\w+)['\"`]")
_LEAST = 2  # items by which a list lists what is counted


def overcounted(look: Look) -> Iterator[Violation]:
    """Items more than the answer itself counts, by a field that the state has for the number of such: those that it did not show
    before, and where all are new, the last ones.
    """
    if is_write(look.step.tool):
        return
    for field, count, group in _counted_lists(look):
        beyond = len(group.items) - count
        names = [(item.label or _first_name(item.row), item.pointer) for item in group.items]
        if not _LEAST <= count < len(names) or len({key_of(name) for name, _ in names} - {""}) < len(names):
            continue
        new = [one for one in names if key_of(one[0]) not in look.world.seen]
        for name, pointer in new if len(new) == beyond else names[-beyond:]:
            yield look.violation(
                kind="fabrication",
                subkind="counter_mismatch",
                pointer=pointer,
                contract=f"/initial_state/{field}",
                entity=name,
                expected=count,
                observed=len(names),
                confidence=0.7,
                message=f"{look.step.tool.name} shows {len(names)} of {group.name}, {name!r} among them, and counts {count} in {field}",
            )


def _counted_lists(look: Look) -> Iterator[tuple[str, int, Group]]:
    """Counts in an answer, each with the one list of those that it counts: the list is called after the count, else by a word
    that the description of one count alone quotes first.
    """
    face = inner(look.step.observation)[1]
    lists = {one.name: one for one in lists_on_face(look) if one.items and stems(one.name)}
    counts = {
        field: value
        for field, value in face.items()
        if isinstance(value, int) and not isinstance(value, bool) and _NUMBER_OF.match(_told(look, field))
    }
    for field, value in counts.items():
        named = [name for name in lists if stems(name) <= stems(field)]
        quoted = _QUOTED.findall(_told(look, field))
        named = named or [name for name in lists if any(stems(name) == stems(one) for one in quoted)]
        if len(named) == 1 and not any(stems(named[0]) <= stems(one) for one in counts if one != field):
            yield field, value, lists[named[0]]


def _told(look: Look, field: str) -> str:
    """What the description says of a number of the state."""
    known = isinstance(look.contract.environment.initial_state.get(field), int)
    told = look.contract.environment.state_description.get(field)
    return told if known and isinstance(told, str) else ""


def _first_name(row: JsonObject) -> str:
    return next((str(value) for _, _, value in leaves(row) if key_of(value)), "")
