"""Invented names: siblings of ids that exist, near duplicates, and names of no family at all. None has been said before."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from replaylab.builtin.seeded.draw import Draw
from replaylab.builtin.seeded.ground import Ground

_NUMBER = re.compile(r"\d+")
_PART = re.compile(r"[^\W\d_]{3,}")
_WORDS = ("harlan", "veltri", "sundin", "tessin", "okoro", "maravel", "brisco", "lomond")
_STRANGE = ("Annex Q", "Overflow 2", "TEMP-ENTRY", "Sector Nine", "misc_extra", "Zeta Reserve")


def sibling(ground: Ground, draw: Draw, ids: Sequence[str]) -> str | None:
    """The next ids of the same family: P-139 -> P-142. A name without a number gets another last word."""
    like = draw.one(ids)
    return _first_new(ground, _siblings(like, ids, draw))


def near_duplicate(ground: Ground, draw: Draw, ids: Sequence[str]) -> str | None:
    """An id that is easily taken for one that exists: P-118 -> P-181, P-1188, P-118A."""
    like = draw.one(ids)
    return _first_new(ground, iter(draw.shuffled(list(_near(like)))))


def strange(ground: Ground, draw: Draw) -> str | None:
    """A name of another family."""
    return _first_new(ground, iter(draw.shuffled(_STRANGE)))


def _first_new(ground: Ground, names: Iterator[str]) -> str | None:
    return next((name for name in names if ground.is_new(name)), None)


def _siblings(like: str, ids: Sequence[str], draw: Draw) -> Iterator[str]:
    numbers = list(_NUMBER.finditer(like))
    if numbers:
        last = numbers[-1]
        before, after = like[: last.start()], like[last.end() :]
        same = [one[len(before) : len(one) - len(after)] for one in ids if one.startswith(before)]
        highest = max(int(number) for number in [last[0], *filter(str.isdecimal, same)])
        first = highest + 1 + draw.below(3)
        yield from (f"{before}{number:0{len(last[0])}d}{after}" for number in range(first, first + 40))
    words = list(_PART.finditer(like))
    if words:
        last = words[-1]
        yield from (like[: last.start()] + word + like[last.end() :] for word in draw.shuffled(_WORDS))


def _near(like: str) -> Iterator[str]:
    numbers = list(_NUMBER.finditer(like))
    if numbers:
        start, end = numbers[-1].span()
        digits = like[start:end]
        if len(digits) > 1 and digits[-1] != digits[-2]:
            yield like[:start] + digits[:-2] + digits[-1] + digits[-2] + like[end:]
        yield like[:start] + digits + digits[-1] + like[end:]
        yield like[:start] + digits + "A" + like[end:]
        return
    yield like + like[-1]
    yield like[:-2] + like[-1] + like[-2] if like[-1] != like[-2] else like + "e"
