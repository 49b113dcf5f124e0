"""Exact numbers out of JSON values. No binary fractions take part, so 0.1 + 0.2 is 0.3."""

from __future__ import annotations

import re
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache

from replaylab.schema.base import Json

MAX_DIGITS = 40  # a longer run of digits is a key or a hash
_SIGNS = 5  # -…e-10

_GAPS = "_'\u00a0\u202f "
_PLAIN = re.compile(r"\d+(\.\d+)?|\.\d+")
_GROUPED = re.compile(r"\d{1,3}(,\d{3})+(\.\d+)?|\d{1,3}(,\d{2})*,\d{3}(\.\d+)?")
_CONTINENTAL = re.compile(r"\d{1,3}(\.\d{3})+,\d+|\d{1,3}(\.\d{3}){2,}|\d+,\d+")
_SPACED = re.compile(rf"\d{{1,3}}([{_GAPS}]\d{{3}})+([.,]\d+)?")
_EXPONENT = re.compile(r"(?P<mantissa>.*?)[eE](?P<exponent>[+-]?\d{1,2})")


def read_digits(text: str) -> Fraction | None:
    """The value of unsigned digits with separators, or None where they are no number, such as "1.2.3".

    "250,000", "250 000", "250'000" and "1.250.000" have thousands separators, "1.250,5" and "0,5" a decimal comma,
    "12,34,567" Indian grouping. What could be either is read the English way: "1,250" is 1250 and "1.250" is 1.25.
    """
    if len(text) > MAX_DIGITS:
        return None
    if _SPACED.fullmatch(text):
        text = re.sub(f"[{_GAPS}]", "", text)
    if _PLAIN.fullmatch(text):
        return Fraction(Decimal(text))
    if _GROUPED.fullmatch(text):
        return Fraction(Decimal(text.replace(",", "")))
    if _CONTINENTAL.fullmatch(text):
        return Fraction(Decimal(text.replace(".", "").replace(",", ".")))
    return None


def exact(value: Json) -> Fraction | None:
    """The number that a JSON value is: an int, a float (by its shortest decimal form), or text that is one number.

    Booleans are no numbers, nor is text with a unit or anything else in it.
    """
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return Fraction(value)
    if isinstance(value, float):
        return Fraction(Decimal(repr(value))) if value - value == 0 else None
    text = value.strip() if isinstance(value, str) else ""
    return _signed(text) if 0 < len(text) <= MAX_DIGITS + _SIGNS else None


@lru_cache(maxsize=65536)  # one row is held against every member of a collection
def _signed(text: str) -> Fraction | None:
    sign = -1 if text[:1] in ("-", "−") else 1
    body = text[1:] if text[:1] in ("-", "−", "+") else text
    scientific = _EXPONENT.fullmatch(body)
    number = read_digits(scientific["mantissa"] if scientific else body)
    if number is None:
        return None
    power = int(scientific["exponent"]) if scientific else 0
    return sign * number * Fraction(10) ** power


def show(number: Fraction) -> str:
    """A number for a message: exact when it is short in decimals, else rounded to six places."""
    if number.denominator == 1:
        return str(number.numerator)
    text = f"{Decimal(number.numerator) / Decimal(number.denominator):.6f}".rstrip("0").rstrip(".")
    return text if Fraction(text) == number else f"about {text}"
