"""What a quantity is called without the words for how it is measured: `fuel_percent` and `fuel_level` are both of fuel."""

from __future__ import annotations

from replaylab.diff.words.identity import stem, words

# Words for one way of measuring; two of one line may stand for one another, and for none.
_SORTS = (
    "percent percentage pct level",
    "volume amount quantity qty count number",
    "score rating",
)
_SORT_OF = {stem(word): at for at, line in enumerate(_SORTS) for word in line.split()}
_UNITS = frozenset(
    [
        "mg",
        "l",
        "kg",
        "g",
        "t",
        "km",
        "m",
        "cm",
        "mm",
        "kwh",
        "mwh",
        "gwh",
        "mw",
        "kw",
        "w",
        "hz",
        "kpa",
        "psi",
        "bar",
        "c",
        "f",
        "celsius",
        "fahrenheit",
        "ml",
        "usd",
        "eur",
        "gbps",
        "mbps",
        "ms",
        "hr",
        "hrs",
        "minute",
        "minutes",
        "second",
        "seconds",
        "hour",
        "hours",
        "mile",
        "miles",
        "meter",
        "meters",
        "metre",
        "metres",
        "liter",
        "liters",
        "litre",
        "litres",
        "mgl",
    ]
)
_NOW = frozenset(
    map(stem, ("new", "current", "currently", "present", "latest", "actual", "updated", "remaining"))
)


def bare_quantity(name: str) -> frozenset[str]:
    """The stems of what is measured."""
    said = [stem(word) for word in words(name) if word not in _UNITS and not word.isdigit()]
    return frozenset(said) - _SORT_OF.keys() - _NOW


def is_measured_alike(one: str, other: str) -> bool:
    """Whether two names are of one quantity, measured in one way as far as they say."""
    left, right = bare_quantity(one), bare_quantity(other)
    mine, theirs = _sorts(one), _sorts(other)
    alike = not mine or not theirs or bool(mine & theirs)
    return bool(left) and left == right and alike and _units(one) == _units(other)


def _sorts(name: str) -> frozenset[int]:
    return frozenset(_SORT_OF[one] for word in words(name) if (one := stem(word)) in _SORT_OF)


def _units(name: str) -> frozenset[str]:
    return frozenset(words(name)) & _UNITS
