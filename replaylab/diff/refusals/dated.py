"""Dates that a refusal tells wrongly of a thing: "PY-75 is due on 2025-12-11", where it is due another day; "J-12 was closed on
2025-07-04", where it is open.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from replaylab.diff.contract.collection import Collection, Entity
from replaylab.diff.refusals.reason import Reason
from replaylab.diff.refusals.standing import mentions, numbers_of, standing_of
from replaylab.diff.words.identity import stems
from replaylab.schema.base import Json, in_json

_SAYS = re.compile(
    r"^ (?P<what>[a-z]+(?: [a-z]+){0,2}?)(?: (?:on|at|until|till|by|since|from))? (?P<day>\d{4}-\d\d-\d\d)",
    re.IGNORECASE,
)
_DAY = re.compile(r"\d{4}-\d\d-\d\d")
_AUXILIARY = stems("is are was were be been has had have will on at by since until till from running not")


def untrue_date(reason: Reason) -> str:
    """What stands against a date that the reason gives a thing, in words; "" where nothing does."""
    return next(_wrong_dates(reason), "")


def _wrong_dates(reason: Reason) -> Iterator[str]:
    for collection, entity, _, rest in mentions(reason):
        found = _SAYS.match(rest)
        if found and not any(found["day"] in str(one) for one in numbers_of(reason, entity)):
            yield from _unlike(reason, collection, entity, stems(found["what"]) - _AUXILIARY)


def _unlike(reason: Reason, collection: Collection, entity: Entity, what: frozenset[str]) -> Iterator[str]:
    """The one field of that name, where it is known to have another day, or none yet."""
    fields = [one for one in entity.attributes if what and what == stems(one) - _AUXILIARY]
    standing = dict(standing_of(reason.look, collection, entity))
    if len(fields) == 1 and fields[0] in standing and _is_open_or_a_day(standing[fields[0]]):
        yield f"{fields[0]} of {entity.id} is {in_json(standing[fields[0]])}"


def _is_open_or_a_day(value: Json) -> bool:
    return value is None or (isinstance(value, str) and _DAY.match(value) is not None)
