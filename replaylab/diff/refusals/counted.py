"""Numbers that a refusal tells wrongly: how many it was given, how many a thing needs, what is measured at a thing.

"Gletscher needs a crew of 3, not 6" is untrue of a call that gave two people, and of a lift that needs four; "the gust at
Kreuzjoch is 102 km/h" is, where it is 72.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction

from replaylab.checks.numbers import exact
from replaylab.checks.prose import quantity
from replaylab.diff.contract.collection import Collection, Entity
from replaylab.diff.refusals.reason import Reason
from replaylab.diff.refusals.standing import numbers_of, standing_of
from replaylab.diff.words.identity import stem, stems, words
from replaylab.diff.words.lexicon import COMMON
from replaylab.schema.base import in_json

_NUMBER = r"(?P<number>\d+(?:[.,]\d+)*)"
_GIVEN = re.compile(
    rf"(?:\bnot|\bgot|\bgave|\breceived|\bgiven|\bcall (?:has|names)) {_NUMBER}\s*(?:$|[.;,)!])"
    rf"|\b(?P<other>\d+) (?:(?:were|was) )?(?:given|provided|supplied|named|listed)\b",
    re.IGNORECASE,
)
_NEEDS = re.compile(
    rf"^ (?:needs|requires|wants|takes)(?: at least| exactly)?(?: an?)?(?: (?P<noun>[a-z]+) of)? {_NUMBER}(?: (?P<after>[a-z]+))?",
    re.IGNORECASE,
)
_NEEDED = stems("needed required need needs requires required minimum min")
_MEASURED = (
    r"\b(?P<what>(?:[a-z]+ ){{1,3}})(?:at|of|in|on|for) (?:the )?{name}(?: is| stands at)(?: only| already| just| still)? "
    + _NUMBER
)
_SHOWN = (
    rf"\b(?P<what>(?:[a-z]+ ){{{{1,3}}}})(?:says|said|shows|showed|reads|read|gives|gave|records|recorded) {_NUMBER}"
    r"(?: ?[a-z%/]+)? (?:for|of|at|on) (?:the )?{name}(?![\w-])"
)
_OWN = (
    r"(?<![\w-]){name}'s (?P<what>(?:[a-z]+ ){{1,3}})(?:is|stands at)(?: only| already| just| still)? "
    + _NUMBER
)


def untrue_number(reason: Reason) -> str:
    """What stands against a number of the reason, in words; "" where nothing does."""
    return next(iter((*_given(reason), *_needed(reason), *_measured(reason))), "")


def _given(reason: Reason) -> Iterator[str]:
    """More than the one list of the call holds is said to be given. Fewer may be those that count."""
    lists = {name: value for name, value in reason.look.step.arguments.items() if isinstance(value, list)}
    found = _GIVEN.search(reason.text)
    if len(lists) != 1 or found is None:
        return
    ((name, value),) = lists.items()
    number = quantity(found["number"] or found["other"])
    spoken = stems(name) & stems(reason.text)
    others = {
        exact(one) for one in reason.look.step.arguments.values() if not isinstance(one, (list, dict, bool))
    }
    if spoken and number is not None and number > len(value) and number not in others:
        yield f"{name} of the call holds {len(value)}"


def _needed(reason: Reason) -> Iterator[str]:
    """A thing is said to need another number than the field has that tells how many of such it needs."""
    for things in _named(reason):
        name = things[0][1].id
        for at in re.finditer(rf"(?<![\w-]){re.escape(name)}(?![\w-])", reason.text, re.IGNORECASE):
            found = _NEEDS.match(reason.text[at.end() :])
            noun = stems(found["noun"] or found["after"] or "") if found else frozenset[str]()
            if found is not None and noun:
                fields = [
                    (one, entity, field)
                    for one, entity in things
                    for field in entity.attributes
                    if stems(field) & _NEEDED and noun == stems(field) - _NEEDED
                ]
                yield from _unlike(reason, fields, quantity(found["number"]))


def _measured(reason: Reason) -> Iterator[str]:
    """A field is said to be another number than it is known to be."""
    for things in _named(reason):
        name = re.escape(things[0][1].id)
        known = {exact(value) for _, entity in things for value in numbers_of(reason, entity)}
        for pattern in (_MEASURED, _SHOWN, _OWN):
            for found in re.finditer(pattern.format(name=name), reason.text, re.IGNORECASE):
                what = frozenset(map(stem, words(found["what"]))) - COMMON
                fields = [
                    (one, entity, field)
                    for one, entity in things
                    for field in entity.attributes
                    if what and what <= stems(field)
                ]
                number = quantity(found["number"])
                if number not in known:
                    yield from _unlike(reason, fields, number)


def _named(reason: Reason) -> list[list[tuple[Collection, Entity]]]:
    """The things that the text names, each with all that the state says of it in parts of its own."""
    found: dict[str, list[tuple[Collection, Entity]]] = {}
    for collection, entity in reason.subjects:
        if entity.id and collection.shape in ("map", "rows") and "*" not in collection.pointer:
            found.setdefault(entity.key, []).append((collection, entity))
    return list(found.values())


def _unlike(
    reason: Reason, fields: list[tuple[Collection, Entity, str]], said: Fraction | None
) -> Iterator[str]:
    """The one field that is known and is no such number, however rounded."""
    if len(fields) != 1 or said is None:
        return
    collection, entity, field = fields[0]
    value = dict(standing_of(reason.look, collection, entity)).get(field)
    number = exact(value) if not isinstance(value, bool) else None
    if number is not None and said not in {number, *(round(number, places) for places in (0, 1, 2))}:
        yield f"{field} of {entity.id} is {in_json(value)}"
