"""Amounts: what is left of a thing after the calls that took from it, whether it is enough, and what a refusal says of that.

"0.5 ml left, 2 ml needed" is worked out from what a call has put in, what the contract says that each use takes, and how often it was
used. "Only 1 left" is untrue of what is known to be 12.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction

from replaylab.checks.numbers import exact
from replaylab.checks.prose import quantities
from replaylab.diff.refusals.clauses import (
    Thing,
    clauses,
    is_plain_rest,
    open_words,
    things_in,
    things_of,
    values_now,
)
from replaylab.diff.refusals.ledger import remaining
from replaylab.diff.refusals.reason import Reason
from replaylab.diff.words.identity import stems, words
from replaylab.diff.words.lexicon import NEED_WORDS
from replaylab.diff.words.observed import leaves
from replaylab.diff.words.sentences import split
from replaylab.diff.words.stated import numbers_in
from replaylab.schema.base import Json, in_json

_SCARCE = re.compile(
    r"\b(?:not (?:hold |have |contain )?enough|insufficient\w*|too (?:low|little|small|few|empty|short)|(?:run|runs|running|ran) (?:low|short|out)|short(?:age)?|"
    r"(?:less|fewer) than|does(?:n't| not) (?:hold|have|contain) (?:enough|that (?:much|many))|too (?:much|many)|lacks?|missing|down to|(?:nearly|almost) (?:empty|gone|out)|low)\b",
    re.IGNORECASE,
)
_LEFT = re.compile(
    r"\b(?:only|just|merely)\b|\b(?:left|remain(?:s|ing)?|in stock|on hand|available|to spare|at hand|in store|on the shelf|asked|requested|wanted)\b",
    re.IGNORECASE,
)
_ALONE = re.compile(r"\d[\d.,]* ?[^\W\d]*(?: of \d[\d.,]* ?[^\W\d]*)?")
_STOCK = stems(
    "stock quantity qty onhand left remaining remain available units unit copies places seats balance volume amount level "
    "count inventory supply free rest pieces"
)
_SAID = stems(
    "enough insufficient low little small short shortage run runs ran hold have contain much many down left remain remains remaining stock hand "
    "spare shelf store amount quantity number ask asked request requested want wanted for unit units piece pieces material"
)
_LEFT_NUMBER = re.compile(
    r"(?:\b(?:left|remain(?:s|ing)?|in stock|on hand|available|stock|remaining)\s*(?:is|:|=|of)?\s*(?:only|just)?\s*(?P<a>\d[\d.,]*\d|\d)(?![\w-]))"
    r"|(?<![\w.-])(?P<b>\d[\d.,]*\d|\d)(?:\s+(?:of\s+)?(?:it|them|the|these|those)?\s*[\w-]+){0,3}?\s+(?:is |are |still )*(?:left|remain(?:s|ing)?|in stock|on hand|available|to spare)\b"
    r"|\bonly (?P<c>\d[\d.,]*\d|\d)(?![\w.-])(?=\s*[^\d]*\bleft\b)",
    re.IGNORECASE,
)


def _left(reason: Reason) -> frozenset[Fraction]:
    """What may be left of what the call is about: what is known to be there, and what calls may have left."""
    there = (
        number
        for one in things_of(reason)
        for value in values_now(reason, one).values()
        if (number := _number(value)) is not None
    )
    return remaining(reason.look).union(there)


# A share or a least is a threshold, and no amount that a call takes.
_THRESHOLD = re.compile(
    r"%|\bper ?cent|\bat (?:least|most)\b|\bor (?:more|less)\b|\b(?:min|max)imum\b", re.IGNORECASE
)


def is_too_little(reason: Reason, clause: str) -> bool:
    """A clause weighs what is left against what the call takes: its numbers are known, and no more than there has to be."""
    told = [one.value for one in quantities(clause)] or list(_told_left(clause))
    if _THRESHOLD.search(clause) or (not told and not _SCARCE.search(clause)):
        return False
    if not told and not things_in(
        reason, clause
    ):  # of what a call has made nothing but what calls did is known
        taken, there = _taken(reason, ""), remaining(reason.look)
        return any(one < max(taken) for one in there if taken) and _says_no_more(reason, clause)
    if not told:
        return any(_may_be_short(reason, thing) for thing in things_in(reason, clause)) and _says_no_more(
            reason, clause
        )
    patterns = (_SCARCE.search, _LEFT.search, _ALONE.fullmatch)
    weighs = bool(stems(clause) & NEED_WORDS) or any(one(clause) for one in patterns)
    known = _left(reason) | _numbers(reason)
    return weighs and all(one in known for one in told) and _says_no_more(reason, clause)


def _says_no_more(reason: Reason, clause: str) -> bool:
    rest = re.sub(
        r"\b(?:only|need(?:s|ed)?|require[sd]?|necessary)\b",
        " ",
        _SCARCE.sub(" ", clause),
        flags=re.IGNORECASE,
    )
    units = frozenset(word for one in quantities(clause) for unit in one.units for word in stems(unit))
    ruled = frozenset[str]().union(*(stems(text) for text in takings(reason)))
    return is_plain_rest(reason, rest, _SAID | units | ruled)


def takings(reason: Reason) -> list[str]:
    """The sentences that say what the call takes: they have a number and a word of the tool's name."""
    about = stems(reason.look.step.tool.name)
    return [
        one.text
        for one in reason.look.contract.sentences
        if (one.tool == reason.look.step.tool.name or (not one.tool and one.stems & about))
        and len(split(one.text)) == 1
        and any(quantities(one.text))
    ]


def _numbers(reason: Reason) -> frozenset[Fraction]:
    """The numbers of the call and of what it takes, and what lies between each and what is left."""
    own = {
        number for _, _, value in leaves(reason.look.step.arguments) if (number := _number(value)) is not None
    }
    own |= {one.value for text in takings(reason) for one in quantities(text)}
    return frozenset(own | {abs(one - other) for one in own for other in _left(reason)})


def _may_be_short(reason: Reason, thing: Thing) -> bool:
    """Whether what is left of a thing is less than what the call takes, or is known by nobody."""
    amounts = _amounts(reason, thing, values_now(reason, thing))
    taken = _taken(reason, "")
    if not amounts or not taken:
        return any(_number(value) is not None for value in thing.entity.attributes.values()) and not amounts
    return min(amounts.values()) < max(taken)


def _amounts(reason: Reason, thing: Thing, values: dict[str, Json]) -> dict[str, Fraction]:
    """The fields of a thing that hold how much there is of it, with their numbers."""
    ruled = frozenset[str]().union(*(stems(text) for text in takings(reason)))
    return {
        field: number
        for field, value in values.items()
        if (number := _number(value)) is not None and stems(field) & (_STOCK | ruled)
    }


def _taken(reason: Reason, field: str) -> set[Fraction]:
    """How much the call takes: its own numbers, else those of the sentences about it that speak of the field."""
    own = {
        number for _, _, value in leaves(reason.look.step.arguments) if (number := _number(value)) is not None
    }
    return own or {
        one.value
        for text in takings(reason)
        if not field or stems(field) & stems(text)
        for one in quantities(text)
    }


def _number(value: Json) -> Fraction | None:
    return None if isinstance(value, (bool, str)) else exact(value)


def untrue_amount(reason: Reason) -> str:
    """What stands against a reason which says that little or nothing is left of the one thing, or how much that is."""
    return next(_against(reason), "")


def _against(reason: Reason) -> Iterator[str]:
    for clause in clauses(reason.text):
        things = [
            (thing, amounts)
            for thing in things_in(reason, clause)
            if (amounts := _amounts(reason, thing, values_now(reason, thing, sure=True)))
        ]
        if len(things) != 1 or len(things[0][1]) != 1 or reason.sets_a_condition:
            continue
        ((thing, amounts),) = things
        ((field, amount),) = amounts.items()
        if _is_reserved(reason, field):
            continue
        told = _told_left(clause)
        known = {number for value in thing.entity.facts.values() if (number := _number(value)) is not None}
        known |= {number for node in reason.alone for number in numbers_in(node)}
        wrong = (
            bool(told)
            and not told & (known | _left(reason))
            and not open_words(reason, clause) - _known(reason, field)
        )
        taken = _taken(reason, field)
        scarce = (
            not told
            and not list(quantities(clause))
            and bool(_SCARCE.search(clause) or _NONE.search(clause))
            and bool(taken)
            and max(taken) <= amount
            and _says_no_more(reason, _NONE.sub(" ", clause))
            and (
                stems(clause) & (stems(field) | _STOCK) or open_words(reason, clause) <= _known(reason, field)
            )
        )
        if wrong or scarce:
            yield f"{field} of {thing.entity.id} is {in_json(thing.entity.attributes.get(field))}"


_NONE = re.compile(
    r"\b(?:out of stock|sold out|used up|none left|no(?:thing|ne)? (?:\w+ )?left|exhausted|depleted|empty)\b",
    re.IGNORECASE,
)


def _known(reason: Reason, field: str) -> frozenset[str]:
    return reason.of_subjects | _SAID | stems(field)


def _told_left(clause: str) -> set[Fraction]:
    """The numbers that a clause says to be left."""
    found = (match["a"] or match["b"] or match["c"] for match in _LEFT_NUMBER.finditer(_in_digits(clause)))
    return {number for one in found if (number := exact(one.replace(",", ""))) is not None}


_DIGITS = {
    "no": "0",
    "one": "1",
    "two": "2",
    "three": "3",
    "four": "4",
    "five": "5",
    "six": "6",
    "seven": "7",
    "eight": "8",
    "nine": "9",
}


def _in_digits(clause: str) -> str:
    return re.sub(
        rf"\b(?:{'|'.join(_DIGITS)})\b(?= (?:\w+ ){{0,2}}(?:left|remain|in stock|available))",
        lambda found: _DIGITS[found[0].casefold()],
        clause,
        flags=re.IGNORECASE,
    )


def _is_reserved(reason: Reason, field: str) -> bool:
    """Whether a sentence lays down how much has to stay."""
    return any(
        stems(field) & one.stems
        and {"keep", "remain", "stay", "least", "minimum", "reserve", "below"} & set(words(one.text))
        for one in reason.look.contract.sentences
        if len(split(one.text)) == 1
    )
