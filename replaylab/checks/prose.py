"""What a text says: its numbers with their units, and whether it names a word or an identifier."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from replaylab.checks.numbers import exact, read_digits
from replaylab.schema.base import Json

_CURRENCIES = "$€£¥₹"
_DIGITS = re.compile(r"\d{1,3}(?:[\u00a0\u202f' ]\d{3})+(?!\d)(?:[.,]\d+)?|\d[\d.,]*\d|\d")
_LEFT = re.compile(
    rf"(?P<sign>[-−+]?)(?P<currency>(?:[{_CURRENCIES}]|\b(?:USD|EUR|GBP|JPY|INR|CHF|CNY))\s?)?(?P<inner>[-−]?)\Z"
)
# An area or a volume has a digit in its unit; after any other word a digit belongs to an identifier.
_UNIT = re.compile(
    r"[\u00a0\u202f ]?(?:%|‰|°\s?[CFK]?)"
    r"|[-\u00a0\u202f ]?(?:(?:[kcdmµ]?m|ft|yd)[23](?![^\W_]|-\w)|[^\W\d_]+)(?:/[^\W\d_]+\d?)?"
)
_DATE_OR_TIME = re.compile(
    r"\b\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?)?(?:Z|[+-]\d{2}:?\d{2})?"
    r"|(?<!\d)\d{1,2}:\d{2}(?::\d{2})?(?!\d)Z?|\b\d{1,2}/\d{1,2}/\d{2,4}\b"
)
_SCALES = {"thousand": 3, "million": 6, "billion": 9, "mn": 6, "mio": 6, "bn": 9}
_AFTER_CURRENCY = {"k": 3, "m": 6, "b": 9}
_WORDS = (
    *("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"),
    *(
        "eleven",
        "twelve",
        "thirteen",
        "fourteen",
        "fifteen",
        "sixteen",
        "seventeen",
        "eighteen",
        "nineteen",
        "twenty",
    ),
)
_WORD = re.compile(rf"(?<![\w-])(?:{'|'.join(_WORDS)})(?![\w-])", re.IGNORECASE)
_GAP = r"[\s_\-‐‑–]"


class Quantity(NamedTuple):
    """A number in a text, from `start` to `end`; `units` are the unit and the currency as written, where there are."""

    value: Fraction
    units: tuple[str, ...]
    start: int
    end: int


def quantities(text: str, *, words: bool = False) -> Iterator[Quantity]:
    """The numbers that a text says: never a part of a longer number, of an identifier, of a date or of a time.

    "$250,000", "250 000", "$250k", "1.5 million", "12%", "−4 °C", "12-month" and "3-5 days" (3 and 5) are read. With
    `words`, "two" is as well, from zero to twenty.
    """
    text = _DATE_OR_TIME.sub(lambda found: "x" * len(found[0]), text)
    for found in _DIGITS.finditer(text):
        number = _quantity(text, found)
        if number is not None:
            yield number
    if words:
        for found in _WORD.finditer(text):
            value = Fraction(_WORDS.index(found[0].casefold()))
            yield Quantity(value, _unit(text, found.end())[0], found.start(), found.end())


def _quantity(text: str, found: re.Match[str]) -> Quantity | None:
    value = read_digits(found[0])
    left = _LEFT.search(text, max(0, found.start() - 8), found.start())
    if value is None or left is None:
        return None
    units, end = _unit(text, found.end())
    before = text[max(0, left.start() - 24) : left.start()]
    is_range = left["sign"] == "-" and re.search(r"(?:^|[\s(~])[$€£]?\d[\d.,]*%?\Z", before) is not None
    if re.search(r"[^\W_][._:]?\Z" if not left["sign"] else r"[^\W_]\Z", before) and not is_range:
        return None
    if is_range and text[end : end + 1] == "-":
        return None
    # `12-34-5` and `7_a` go on as identifiers; `3-5` is a range.
    if re.match(
        r"\d|_\w|-\d+[-\w]*[-_]\w|-\d*[^\W\d]\w*\d" if not units else r"[\d_]|-\w*\d", text[end : end + 40]
    ):
        return None
    sign = -1 if (left["sign"] in ("-", "−") and not is_range) or left["inner"] else 1
    currency = (left["currency"] or "").strip()
    scales = _SCALES | (_AFTER_CURRENCY if currency else {})
    power = scales.get(units[0].casefold(), 0) if units else 0
    named = () if power else units
    return Quantity(sign * value * 10**power, (*named, *([currency] if currency else [])), left.start(), end)


def _unit(text: str, at: int) -> tuple[tuple[str, ...], int]:
    """The unit that follows position `at`, and where it ends. A word that follows may be none; nobody asks for it."""
    found = _UNIT.match(text, at)
    if found is None:
        return (), at
    unit = found[0].strip("- \u00a0\u202f")
    return (unit,), found.end()


def quantity(value: Json) -> Fraction | None:
    """Like `exact`, and also text that is one number with a unit or a currency: "42 %", "$1,200", "3.5 mg/l"."""
    number = exact(value)
    if number is not None or not isinstance(value, str) or len(value) > 60:
        return number
    found = list(quantities(value))
    whole = len(found) == 1 and not (value[: found[0].start] + value[found[0].end :]).strip()
    return found[0].value if whole else None


@lru_cache(
    maxsize=65536
)  # as many as `numbers.exact` keeps: rows are held against all members of a collection
def normal(text: str) -> str:
    """The form in which identifiers and words are compared: no case, no width, no gaps but between two digits.

    "RA-900", "ra_900" and "RA 900" are one; "A-1-2" and "A-12" are two, and so are "1.5" and "15".
    """
    folded = " ".join(unicodedata.normalize("NFKC", text).casefold().split())
    folded = re.sub(rf"(?<=\d){_GAP}+(?=\d)", "~", folded)
    return re.sub(rf"(?<=\w){_GAP}+(?=\w)", "", folded.replace("_", "-"))


def names(text: str, wanted: str) -> bool:
    """Whether a text names a word, a phrase or an identifier, whatever its case and the gaps inside it.

    It has to stand alone: "compliant" is not named by "non-compliant", nor "RA-90" by "RA-900" or "RA-90-2".
    """
    tokens = re.findall(r"[^\W\d_]+|\d+|[^\w\s\-‐‑–]", _folded(wanted))
    folded = _folded(text)
    if not tokens or not all(token in folded for token in tokens):
        return (
            False  # nothing to look for, or it can't stand there: most names are told apart without a pattern
        )
    pattern = re.escape(tokens[0])
    for left, right in pairwise(tokens):
        both_digits = left.isdigit() and right.isdigit()
        pattern += (f"{_GAP}+" if both_digits else f"{_GAP}*") + re.escape(right)
    start = r"(?<![^\W_])(?<![^\W_][-_‑])(?<!\d[.,])" if tokens[0][0].isalnum() else ""
    end = r"(?![-_‑]?[^\W_])(?![.,]\d)" if tokens[-1][-1].isalnum() else ""
    return re.search(start + pattern + end, folded) is not None


@lru_cache(maxsize=64)  # one answer is searched for many names
def _folded(text: str) -> str:
    return unicodedata.normalize("NFKC", text).casefold()
