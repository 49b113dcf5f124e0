"""What a list shows although it fails the list's own filter: an order that is sent among those that are open."""

from __future__ import annotations

from collections.abc import Iterator

from replaylab.diff.calls.looking import Look
from replaylab.diff.lists.standing import sure
from replaylab.diff.things.listing import Listing, Shown, listings
from replaylab.diff.things.thing import called
from replaylab.diff.words.identity import key_of, stems
from replaylab.diff.words.keyfield import is_reference
from replaylab.diff.words.lexicon import EVERYTHING, LOWER_BOUND, UPPER_BOUND, WILDCARDS
from replaylab.diff.words.observed import escape
from replaylab.diff.words.stated import is_day_of
from replaylab.schema.base import Json, in_json
from replaylab.schema.violation import Violation


def misfits(look: Look) -> Iterator[Violation]:
    """Things that a list shows, of which it is known that they are not what an argument asks for, beside at least as many that are."""
    for one in listings(look):
        for name, value in look.step.arguments.items():
            if not isinstance(value, str) or key_of(value) in EVERYTHING | {""}:
                continue
            field = picked_by(one, name, value)
            if field:
                yield from _failing(look, one, field, value)


def picked_by(one: Listing, name: str, value: str) -> str:
    """The one field of the listed things that an argument picks by: it is called like it, and some thing has that value there; or it is
    the only one that holds moments of a day that is asked for.
    """
    said = called(name)
    bounds = stems(name) & (LOWER_BOUND | UPPER_BOUND)
    fields = (
        [] if bounds else [field for field in sorted(one.collection.fields) if said and called(field) == said]
    )
    held = {key_of(each.attributes.get(field)) for field in fields for each in one.collection.entities}
    if fields and (key_of(value) in held or is_reference(name) or _days(one, fields[0], value)):
        return fields[0] if len(fields) == 1 else ""
    days = [field for field in sorted(one.collection.fields) if _days(one, field, value)]
    return days[0] if len(days) == 1 and not fields and not bounds else ""


def _days(one: Listing, field: str, value: str) -> bool:
    return any(is_day_of(value, each.attributes.get(field)) for each in one.collection.entities)


def fits(wanted: str, value: Json) -> bool | None:
    """Whether a value is what is asked for; None where it may be."""
    each = value if isinstance(value, list) else [value]
    if any(key_of(part) == key_of(wanted) or is_day_of(wanted, part) for part in each):
        return True
    if (
        value is None
        or not all(isinstance(part, str) for part in each)
        or any(key_of(part) in WILDCARDS for part in each)
    ):
        return None
    return (
        None
        if any(stems(wanted) & stems(str(part)) and not any(map(str.isdigit, wanted)) for part in each)
        else False
    )


def _failing(look: Look, one: Listing, field: str, wanted: str) -> Iterator[Violation]:
    passing = 0
    failing: list[tuple[Shown, Json]] = []
    for each in one.shown:
        known = sure(look, one.collection, each.thing, field)
        said = fits(wanted, known[0]) if known else None
        passing += said is True
        shown = each.item.row.get(field)
        if known and said is False and (shown is None or fits(wanted, shown) is not True):
            failing.append((each, known[0]))
    for each, value in failing if passing >= len(failing) else ():
        at = f"{each.item.pointer}/{escape(field)}" if field in each.item.row else each.item.pointer
        yield look.violation(
            kind="contradiction",
            subkind="changed_value",
            pointer=at,
            contract=f"{each.thing.pointer}/{escape(field)}" if each.thing.pointer else "",
            entity=each.thing.id,
            expected=wanted,
            observed=value,
            confidence=0.7,
            message=f"{look.step.tool.name} shows {each.thing.id!r} among those whose {field} is {in_json(wanted)}; it is {in_json(value)}",
        )
