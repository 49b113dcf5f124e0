"""Numbers as printed: decimal texts of exact fractions, so that no float decides which way a tie goes."""

from __future__ import annotations

from fractions import Fraction
from typing import Literal

Rule = Literal["half_even", "half_up"]


def decimal(value: Fraction | int, digits: int, rule: Rule = "half_even") -> str:
    """The value with so many digits after the point. `half_up` takes ties away from zero; zero has no sign."""
    scaled = abs(Fraction(value)) * 10**digits
    whole, rest = divmod(scaled.numerator, scaled.denominator)
    twice = 2 * rest
    if twice > scaled.denominator or (twice == scaled.denominator and (rule == "half_up" or whole % 2)):
        whole += 1
    sign = "-" if value < 0 and whole else ""
    text = str(whole).rjust(digits + 1, "0")
    return f"{sign}{text[:-digits]}.{text[-digits:]}" if digits else f"{sign}{text}"


def percent(value: Fraction | int, digits: int, rule: Rule = "half_even") -> str:
    """A share as percent points, without the sign: 304/382 with one digit is "79.6"."""
    return decimal(Fraction(value) * 100, digits, rule)
