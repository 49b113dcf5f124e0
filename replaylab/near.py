"""The known names that are near one that is unknown: what a message calls the closest.

A name that is merely the least unlike of what there is, is none of them: whoever is told it looks for a likeness.
"""

from __future__ import annotations

from collections.abc import Iterable

NEAR = 0.6  # of `difflib`'s ratio; a letter more, less or another, or two changed places, in a word of three
SHOWN = 5


def nearest(name: str, known: Iterable[str], most: int = 3) -> list[str]:
    """The near ones, the nearest first, whatever their case. Last come those that hold the name, are held by it, or have its
    letters in another order.
    """
    import difflib  # noqa: PLC0415 - who spells names right has no use for it

    by_folded = {one.casefold(): one for one in sorted(known)}
    folded = name.casefold()
    found = difflib.get_close_matches(folded, by_folded, n=most, cutoff=NEAR)
    found += [one for one in by_folded if one not in found and _is_kin(folded, one)]
    return [by_folded[one] for one in found[:most]]


def closest(name: str, known: Iterable[str]) -> str:
    """The nearest one, or "" where none is near."""
    return "".join(nearest(name, known, 1))


def listed(known: Iterable[str], most: int = SHOWN) -> str:
    """What there is, for a message that can't say what is near: the first names, and how many more there are."""
    names = list(known)
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return (", ".join(names[:most]) or "none") + more


def _is_kin(name: str, other: str) -> bool:
    short, long = sorted((name, other), key=len)
    return (len(short) > 2 and short in long) or (len(short) > 1 and sorted(name) == sorted(other))
