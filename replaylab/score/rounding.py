"""Numbers as printed: decimal texts of exact fractions, so that no float decides which way a tie goes."""

from __future__ import annotations

from fractions import Fraction
from typing import Literal

Rule = Literal["half_even", "half_up", "half_down", "down", "up"]
"""Where a number goes that lies between two: to the nearer, and the first three say where it goes from just between
(to the even one, away from zero, towards zero); `down` and `up` always go towards zero and away from it.
"""


def decimal(value: Fraction | int, digits: int, rule: Rule = "half_even") -> str:
    """The value with so many digits after the point. Zero has no sign."""
    scaled = abs(Fraction(value)) * 10**digits
    whole, rest = divmod(scaled.numerator, scaled.denominator)
    if _goes_up(whole, rest, scaled.denominator, rule):
        whole += 1
    sign = "-" if value < 0 and whole else ""
    text = str(whole).rjust(digits + 1, "0")
    return f"{sign}{text[:-digits]}.{text[-digits:]}" if digits else f"{sign}{text}"


def _goes_up(whole: int, rest: int, denominator: int, rule: Rule) -> bool:
    """Whether whole + rest/denominator becomes whole + 1."""
    if rule in ("up", "down"):
        return rule == "up" and rest > 0
    if 2 * rest != denominator:
        return 2 * rest > denominator
    return rule == "half_up" or (rule == "half_even" and whole % 2 == 1)


def percent(value: Fraction | int, digits: int, rule: Rule = "half_even") -> str:
    """A share as percent points, without the sign: 304/382 with one digit is "79.6"."""
    return decimal(Fraction(value) * 100, digits, rule)
