"""How many each may have, or at once, by a refusal: "at most 1 drill per worker". Such a limit has to be told with that number.

A 1 or a 2 stands everywhere, so that its number alone bears a limit out nowhere.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction

from replaylab.checks.numbers import exact
from replaylab.checks.prose import quantities, quantity
from replaylab.diff.contract.contract import Contract
from replaylab.diff.words.identity import stems
from replaylab.diff.words.lexicon import BOUND_BEFORE, BOUND_LOWER, BOUND_NOUNS, BOUND_UPPER
from replaylab.diff.words.observed import leaves

_WORDS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_N = rf"(?P<{{}}>\d+|{'|'.join(_WORDS)}|once|twice)(?![\w-]|[.]\d)"
_CAP = r"(?:at (?:the )?most|no more than|not more than|more than|only|(?:a )?max(?:imum)?(?: of)?|limit(?:ed)?(?: is| of| to)?:?|up to|just)"
_SCOPE = r"(?:per [a-z]\w*|each|apiece|at (?:once|a time|one time)|in one (?:go|call|order)|(?:a|an|every|each) (?:person|head|user|customer|worker|member|guest|order|visit|day|week|month|year|session))"
_ALLOWANCE = re.compile(
    rf"\b{_CAP} {_N.format('a')}(?: [\w-]+){{0,3}}? {_SCOPE}\b"
    rf"|(?:^|[.;:,] |\b(?:have|take|get|gets|takes|is|allowed|of) ){_N.format('b')}(?: [\w-]+){{0,2}}? (?:per [a-z]\w*|each)\b"
    rf"|\b(?:limit|cap|maximum|allowance|quota) (?:per|for each|for an?) [\w-]+ (?:is|of)\s*{_N.format('c')}"
    rf"|\b(?:each|every) [\w-]+ (?:gets?|has|takes?|may (?:have|take|get)|can (?:have|take|get)) (?:only |at most |just )?{_N.format('d')}"
    rf"|\b(?:maximum|allowance|cap|quota) of {_N.format('e')}(?: [\w-]+){{0,2}} (?:can|may) be\b",
    re.IGNORECASE,
)
_SPREAD = re.compile(r"\b(?:per|each|every|at once|at a time|apiece)\b", re.IGNORECASE)
_LIMITS = BOUND_BEFORE | BOUND_NOUNS | BOUND_UPPER


def loose_allowances(contract: Contract, text: str) -> list[str]:
    """The limits on how many each may have of which no sentence, schema or field has the number."""
    return [found[0] for found in _ALLOWANCE.finditer(text) if _number(found) not in set(_told(contract))]


def _number(found: re.Match[str]) -> Fraction | None:
    said = next(one for one in found.groups() if one).casefold()
    if said in ("once", "twice"):
        return Fraction(1 + (said == "twice"))
    return Fraction(_WORDS.index(said) + 1) if said in _WORDS else quantity(said)


def _told(contract: Contract) -> Iterator[Fraction]:
    """The numbers that a sentence limits or spreads, that a schema bounds, or that a field of that sense has."""
    for one in contract.sentences:
        if one.stems & _LIMITS or _SPREAD.search(one.text):
            yield from (found.value for found in quantities(one.text, words=True))
            yield from (
                Fraction(1 + place)
                for place, word in enumerate(("once", "twice"))
                if word in one.text.casefold()
            )
    schemas = [tool.parameters for tool in contract.environment.tools]
    for pointer, _, value in leaves([contract.environment.initial_state, schemas]):
        if (
            stems(pointer) & (_LIMITS | BOUND_LOWER | {"allowance", "per"})
            and (number := exact(value)) is not None
        ):
            yield number
