"""Things that stand in the wrong section of an answer, in two, or in none, and sections that count more or fewer than there are."""

from __future__ import annotations

from collections.abc import Iterator

from replaylab.diff.calls.looking import Look
from replaylab.diff.lists.sections import (
    NOWHERE,
    Section,
    counted_by,
    plain_row,
    sections,
    sorted_by,
)
from replaylab.diff.things.listing import by_key
from replaylab.diff.things.profile import profile
from replaylab.diff.things.thing import Thing, things_of
from replaylab.schema.violation import Violation


def misplaced_in_sections(look: Look) -> Iterator[Violation]:
    """Things in a section where they do not stand."""
    found = sections(look, counts=False)
    sorting = sorted_by(look, found)
    if sorting is None:
        return
    known, seen = by_key(look, sorting.collection), dict[str, str]()
    for section in found:
        for key, pointer in section.names:
            place = sorting.place(look, known[key])
            twice = key in seen and not place
            if twice or place not in ("", section.key):
                where = seen.get(key, "") if twice else place
                yield _misplaced(look, section, known[key], pointer, where)
            seen[key] = section.key


def left_out_of_sections(look: Look) -> Iterator[Violation]:
    """Things that stand in one of the sections, that no section shows, and that stand like some which are shown."""
    found = sections(look, counts=False)
    sorting = sorted_by(look, found)
    if sorting is None or look.step.arguments:
        return
    shown = {key for section in found for key, _ in section.names}
    known = by_key(look, sorting.collection)
    standings = {profile(look, sorting.collection, known[key], whole=False) for key in shown} - {None}
    labels = {section.key: section for section in found}
    for one in things_of(look, sorting.collection):
        place = sorting.place(look, one)
        if one.key in shown | look.said or place not in labels:
            continue
        if profile(look, sorting.collection, one, whole=False) in standings:
            section = labels[place]
            yield look.violation(
                kind="omission",
                subkind="missing",
                pointer=section.pointer,
                contract=one.pointer,
                entity=one.id,
                expected=plain_row(one),
                observed=section.value,
                confidence=0.7,
                message=f"{look.step.tool.name} leaves out {one.id!r}, which stands in {section.label!r}",
            )


def miscounted_sections(look: Look) -> Iterator[Violation]:
    """Sections that count more things than can stand there; or fewer than stand there, where all things stand alike. Only where another
    section counts right.
    """
    found = sections(look, counts=True)
    sorting = counted_by(look, found)
    if sorting is None:
        return
    places = [(one, sorting.place(look, one)) for one in things_of(look, sorting.collection)]
    unknown = sum(not place for _, place in places)
    there = {section.key: sum(place == section.key for _, place in places) for section in found}
    alike = len({profile(look, sorting.collection, one, whole=False) for one, _ in places}) == 1
    wrong = [one for one in found if _is_wrong(one, there[one.key], unknown, alike=alike)]
    for section in wrong if len(wrong) < len(found) else ():
        yield look.violation(
            kind="contradiction",
            subkind="changed_value",
            pointer=section.pointer,
            contract=sorting.collection.pointer,
            entity=section.label,
            expected=there[section.key],
            observed=section.value,
            confidence=0.7,
            message=f"{look.step.tool.name} counts {section.value} of {sorting.collection.name} in {section.label!r}; there are {there[section.key]}",
        )


def _is_wrong(section: Section, there: int, unknown: int, *, alike: bool) -> bool:
    count = section.value if isinstance(section.value, int) else 0
    return count > there + unknown or (count < there and alike)


def _misplaced(look: Look, section: Section, thing: Thing, pointer: str, where: str) -> Violation:
    told = "it stands in none" if where in (NOWHERE, "") else f"it stands in {where!r}"
    return look.violation(
        kind="contradiction",
        subkind="changed_value",
        pointer=pointer,
        contract=thing.pointer,
        entity=thing.id,
        expected=where,
        observed=section.label,
        confidence=0.7,
        message=f"{look.step.tool.name} shows {thing.id!r} in {section.label!r}; {told}",
    )
