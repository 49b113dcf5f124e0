"""Lists of the cheapest, the longest, the newest: nothing that is left out may come before what is shown."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from replaylab.checks.numbers import exact
from replaylab.diff.calls.looking import Look
from replaylab.diff.lists.misfit import fits, picked_by
from replaylab.diff.lists.standing import sure
from replaylab.diff.omissions.alike import left_out
from replaylab.diff.things.listing import Listing, listings
from replaylab.diff.things.profile import is_moment, profile
from replaylab.diff.things.thing import Thing, things_of
from replaylab.diff.words.identity import stems, words
from replaylab.schema.base import Json
from replaylab.schema.violation import Violation

_WHY = "which comes before what it shows and stands like it"
# Words for the first of an order: what they go by, and whether the least comes first.
_FIRST = {
    "cheapest": ("price cost fare fee rate", True),
    "dearest": ("price cost fare fee rate", False),
    "largest": ("size area capacity volume amount length", False),
    "biggest": ("size area capacity volume", False),
    "smallest": ("size area capacity volume amount", True),
    "longest": ("length duration minutes km", False),
    "shortest": ("length duration minutes km", True),
    "heaviest": ("weight kg", False),
    "lightest": ("weight kg", True),
    "oldest": ("date year born created opened age", True),
    "newest": ("date created opened added", False),
    "latest": ("date created opened added start", False),
    "earliest": ("date start due departure time arrived arrival", True),
    "nearest": ("distance km", True),
    "closest": ("distance km", True),
    "fastest": ("speed duration minutes", True),
}
Order = tuple[str, bool]


def not_the_first(look: Look) -> Iterator[Violation]:
    """Things that come before one which such a list shows."""
    for one in listings(look):
        order = _order(look, one)
        if order is None or one.strange:
            continue
        field, least = order
        shown = [_rank(look, one, each.thing, field, least=least) for each in one.shown]
        known = [rank for rank in shown if rank is not None]
        if len(known) < len(shown) or not _asks_for_so_many(look, one):
            continue
        standings = {profile(look, one.collection, each.thing, whole=False) for each in one.shown} - {None}
        for thing in things_of(look, one.collection):
            rank = (
                None if thing.key in one.keys or thing.gone else _rank(look, one, thing, field, least=least)
            )
            before = (
                rank is not None
                and _passes(look, one, thing)
                and any(_is_before(rank, other) for other in known)
            )
            if (
                before
                and thing.key not in look.said
                and profile(look, one.collection, thing, whole=False) in standings
            ):
                yield left_out(look, one.group, thing, _WHY)


def _is_before(one: Fraction | str, other: Fraction | str) -> bool:
    return (isinstance(one, str) and isinstance(other, str) and one < other) or (
        isinstance(one, Fraction) and isinstance(other, Fraction) and one < other
    )


def _order(look: Look, one: Listing) -> Order | None:
    """The field by which a tool shows the first ones, where a word of it says so and one field alone fits."""
    said = {*words(look.step.tool.name), *words(look.step.tool.description)} & _FIRST.keys()
    if len(said) != 1:
        return None
    names, least = _FIRST[said.pop()]
    fields = [
        name
        for name in sorted(one.collection.fields)
        if stems(name) & stems(names) and _is_ordered(one, name)
    ]
    return (fields[0], least) if len(fields) == 1 else None


def _is_ordered(one: Listing, field: str) -> bool:
    held = [each.attributes.get(field) for each in one.collection.entities]
    return all(_is_number(value) for value in held) or all(is_moment(value) for value in held)


def _is_number(value: Json) -> bool:
    return exact(value) is not None and not isinstance(value, (str, bool))


def _rank(look: Look, one: Listing, thing: Thing, field: str, *, least: bool) -> Fraction | str | None:
    """Where a thing stands in the order, by what is smaller for what comes first."""
    known = sure(look, one.collection, thing, field)
    number = exact(known[0]) if known and _is_number(known[0]) else None
    if number is not None:
        return number if least else -number
    return str(known[0]) if known and least else None


def _passes(look: Look, one: Listing, thing: Thing) -> bool:
    """Whether a thing is what the arguments ask for."""
    for name, value in look.step.arguments.items():
        if isinstance(value, str) and value:
            known = sure(look, one.collection, thing, picked_by(one, name, value))
            if not known or fits(value, known[0]) is not True:
                return False
    return True


def _asks_for_so_many(look: Look, one: Listing) -> bool:
    """Whether each argument says how many are shown, or picks by a field of theirs which all that are shown have."""
    for name, value in look.step.arguments.items():
        if isinstance(value, str) and value:
            field = picked_by(one, name, value)
            held = [each.thing.values.get(field) for each in one.shown] if field else [None]
            if not all(fits(value, part) for part in held):
                return False
        elif value not in (None, "", [], {}) and (isinstance(value, bool) or value != len(one.group.items)):
            return False
    return True
