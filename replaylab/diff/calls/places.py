"""Places that stand in a state only as values, such as the rooms in which patients are, and what is said of their number.

The state does not list them, so one more may be there. It is an invention where a counter of the state or the task's
instruction leaves no room for it: the simulator never saw the instruction, so that is said (`against`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from replaylab.diff.calls.looking import Look
from replaylab.diff.contract.binding import id_field_of
from replaylab.diff.contract.tools import is_write
from replaylab.diff.words.identity import family, key_of, name_key, stems
from replaylab.diff.words.lexicon import TAKEN_FIELDS, VACANT
from replaylab.diff.words.observed import Group, Item, escape
from replaylab.schema.base import Json
from replaylab.schema.violation import Violation

_FULL = re.compile(
    r"\b(?:at|to|reached|of) (?:its |their )?(?:full|maximum|max) capacity\b|\bfully (?:booked|occupied|loaded|staffed)\b"
    r"|\bno (?:free|vacant|empty|available|open) \w+|\ball \w+(?: \w+)? (?:are|is) (?:full|occupied|taken|in use)\b",
    re.IGNORECASE,
)


class Places(NamedTuple):
    """A list of places: those that the state names as values, and those that it does not."""

    group: Group
    known: list[Item]
    unknown: list[Item]


def unlisted_places(look: Look) -> Iterator[Violation]:
    """Places beyond those that the state speaks of, where nothing may be beyond them."""
    if is_write(look.step.tool):
        return
    for group in look.groups:
        places = _places(look, group)
        if places is None:
            continue
        yield from _against_instruction(look, places)
        yield from _against_counter(look, places)


def _places(look: Look, group: Group) -> Places | None:
    """The list as places: some of its names are values of the state, the others are written like them."""
    if group.shape != "rows" or any(one.group.pointer == group.pointer for one in look.bindings):
        return None
    field = id_field_of(group)
    known, unknown = (
        [item for item in group.items if _is_of_state(look, item.row.get(field)) is wanted]
        for wanted in (True, False)
    )
    families = {family(str(item.row.get(field))) for item in known}
    alike = [item for item in unknown if family(str(item.row.get(field))) in families]
    return Places(group, known, alike) if known else None


def _is_of_state(look: Look, value: Json) -> bool:
    found = look.contract.universe.known(key_of(value))
    return found is not None and found.provenance == "state"


def _against_instruction(look: Look, places: Places) -> Iterator[Violation]:
    told = _FULL.search(look.instructed)
    for item in places.unknown if told else ():
        name = str(item.row.get(id_field_of(places.group)))
        if is_taken(item) is False and not look.world.knows(name_key(name)):
            yield look.violation(
                kind="fabrication",
                subkind="attribute_universe",
                against="instruction",
                pointer=item.pointer,
                contract="/instruction",
                entity=name,
                expected=[str(one.row.get(id_field_of(places.group))) for one in places.known],
                observed=item.row,
                quote=told[0] if told else "",
                confidence=0.7,
                message=f"{look.step.tool.name} shows {name!r} as free; the state names no such place, and the "
                f"instruction says {told[0] if told else ''!r}",
            )


def _against_counter(look: Look, places: Places) -> Iterator[Violation]:
    """A counter such as `exam_rooms_occupied` says how many are taken."""
    taken = [item for item in places.group.items if is_taken(item)]
    counters = [
        (pointer, value)
        for pointer, name, value in _counters(look)
        if stems(name) & stems(places.group.name) == stems(places.group.name) and stems(name) & TAKEN_FIELDS
    ]
    if len(counters) != 1 or look.world.writes or len(taken) <= counters[0][1]:
        return
    for item in places.unknown:
        if is_taken(item):
            name = str(item.row.get(id_field_of(places.group)))
            yield look.violation(
                kind="fabrication",
                subkind="counter_mismatch",
                pointer=item.pointer,
                contract=counters[0][0],
                entity=name,
                expected=counters[0][1],
                observed=len(taken),
                confidence=0.8,
                message=f"{look.step.tool.name} shows {len(taken)} taken, {name!r} among them; {counters[0][0]} is "
                f"{counters[0][1]}",
            )


def _counters(look: Look) -> Iterator[tuple[str, str, int]]:
    for one in look.contract.collections:
        for entity in one.entities if one.shape == "single" else ():
            for field, value in entity.attributes.items():
                if isinstance(value, int) and not isinstance(value, bool):
                    yield f"{entity.pointer}/{escape(field)}", field, value


def is_taken(item: Item) -> bool | None:
    """Whether a row says that the place is taken; None where it does not say."""
    for field, value in item.row.items():
        if isinstance(value, bool) and stems(field) & (TAKEN_FIELDS | VACANT):
            return value if stems(field) & TAKEN_FIELDS else not value
        if isinstance(value, str) and stems(value) & (TAKEN_FIELDS | VACANT):
            return not stems(value) & VACANT
    return None
