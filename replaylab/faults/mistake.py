"""Semantic faults: a value of the right shape that is wrong. It looks like any other, so only its meaning gives it away."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date, datetime, timedelta
from decimal import Decimal

from replaylab.canonical import canonical
from replaylab.checks.depends import Path, Place
from replaylab.checks.failure import is_error
from replaylab.checks.matcher import same
from replaylab.schema.base import Json, copied
from replaylab.schema.fault import Semantic

_FIELDS_OF_OUTCOME = frozenset({"error", "errors", "success", "ok"})
# By the unit that ends a field's name: what its number is multiplied by, and what is added then.
_UNITS: tuple[tuple[tuple[str, ...], str, str], ...] = (
    (("_c", "celsius"), "1.8", "32"),
    (("_f", "fahrenheit"), "0.5", "-16"),
    (("_kg", "kilograms"), "2.2", "0"),
    (("_km", "kilometers", "kilometres"), "0.62", "0"),
    (("_m", "meters", "metres"), "3.28", "0"),
    (("_h", "_hours", "hours", "_min", "minutes"), "60", "0"),
    (("_s", "seconds", "_mg", "_ml", "_g"), "0.001", "0"),
)
_OTHERWISE = ("100", "0")  # cents for dollars, a share for a percentage


def mistaken(
    kind: Semantic, clean: Json, places: Sequence[Place], others: Sequence[Json], draw: int
) -> Json | None:
    """`clean` with one of the values at `places` wrong, or None where that kind can change none of them.

    `wrong_unit` gives a number in another unit without saying so. `yesterday` gives what stood there before: a date a
    day earlier, a number that has drifted, and for a text another one that a field of that name holds in `clean` or in
    `others` (earlier observations, the initial state).
    """
    free = [place for place in places if place.key.casefold() not in _FIELDS_OF_OUTCOME]
    first = draw % len(free) if free else 0
    for place in [*free[first:], *free[:first]]:
        wrong = _in_wrong_unit(place) if kind == "wrong_unit" else _as_before(place, [clean, *others])
        if wrong is None:
            continue
        changed = _put(copied(clean), place.path, wrong)
        if not is_error(changed) and canonical(changed) != canonical(clean):
            return changed
    return None


def _put(node: Json, path: Path, value: Json) -> Json:
    if not path:
        return value
    inner = node
    for part in path[:-1]:
        inner = inner[part]
    inner[path[-1]] = value
    return node


def _in_wrong_unit(place: Place) -> Json | None:
    if isinstance(place.value, str):
        return None
    key = place.key.casefold()
    factor, offset = next(
        ((factor, offset) for ends, factor, offset in _UNITS if key.endswith(ends)), _OTHERWISE
    )
    return _number(Decimal(str(place.value)) * Decimal(factor) + Decimal(offset), place.value)


def _as_before(place: Place, around: Sequence[Json]) -> Json | None:
    value = place.value
    if isinstance(value, str):
        return _day_before(value) or _another(place, around)
    step = max(abs(Decimal(str(value))) / 8, Decimal(1))
    return _number(Decimal(str(value)) - step if value >= step else Decimal(str(value)) + step, value)


def _number(value: Decimal, like: int | float) -> int | float | None:
    """A whole number stays whole, so that the shape stays right; others keep four decimals."""
    if abs(value) >= 2**53 or not value.is_finite():
        return None
    return round(value) if isinstance(like, int) else float(round(value, 4))


def _day_before(text: str) -> str | None:
    """The same date or time of the day before, written alike."""
    try:
        day = date.fromisoformat(text[:10])
        if len(text) > 10:
            datetime.fromisoformat(text)
        return (day - timedelta(days=1)).isoformat() + text[10:]
    except (ValueError, OverflowError):
        return None


def _another(place: Place, around: Sequence[Json]) -> str | None:
    """Another text under the same name; the nearest in the order given."""
    texts = (value for node in around for value in _under(node, place.key))
    return next((text for text in texts if text and not same(place.value, text)), None)


def _under(node: Json, key: str) -> Iterator[str]:
    for name, part in (
        node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
    ):
        if name == key and isinstance(part, str):
            yield part
        yield from _under(part, key)
