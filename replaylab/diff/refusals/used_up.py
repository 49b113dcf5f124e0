"""What a refusal says is used up: "cola is sold out", "the cart is empty"."""

from __future__ import annotations

import re
from collections.abc import Iterator

from replaylab.checks.numbers import exact
from replaylab.diff.contract.collection import Collection, Entity
from replaylab.diff.refusals.reason import Reason
from replaylab.diff.refusals.standing import named_things, standing_of
from replaylab.diff.words.identity import last_word, stems
from replaylab.diff.words.lexicon import NAME_WORDS
from replaylab.schema.base import Json

_USED_UP = re.compile(
    r"\b(?:sold out|used up|out of stock|not in stock|no stock|(?:run|runs|ran) out|exhausted|depleted|unavailable|"
    r"(?:is|are|was|were) empty|(?:none|nothing|no more) (?:is |are )?left)\b",
    re.IGNORECASE,
)


# What runs out too, and is no thing of the state: nobody counts it there.
_OTHER = stems("deadline quota time limit period window budget session request call allowance")
_NEAR = 5  # words before it that can say what is used up


def says_used_up(text: str) -> bool:
    """Whether a text says that there is nothing left of something, and sets no other condition."""
    return _USED_UP.search(text) is not None


def _subject(text: str) -> frozenset[str]:
    """The stems of the words of which a text says it: those right before."""
    found = _USED_UP.search(text)
    return (
        stems(" ".join(re.split(r"[.,;:]\s", text[: found.start()])[-1].split()[-_NEAR:]))
        if found
        else frozenset()
    )


def _name(entity: Entity) -> str:
    return next(
        (str(value) for field, value in entity.attributes.items() if last_word(field) in NAME_WORDS), ""
    )


def has_none_left(reason: Reason) -> Entity | None:
    """The thing of which the state has none left, where a reason says so; or of which calls may have taken the rest, where
    that is known by nobody.
    """
    said = _subject(reason.text)
    if not said or said & _OTHER or reason.is_loose or reason.sets_a_condition or reason.needs_a_clock:
        return None
    for collection, entity in reason.subjects:
        if not said & (stems(entity.id) | stems(_name(entity)) | collection.heads):
            continue
        known = dict(standing_of(reason.look, collection, entity))
        amounts = {field: value for field, value in entity.attributes.items() if _is_amount(value)}
        # Of what calls were about, only what was told since is known.
        unsure = entity.key in reason.look.touched and bool(amounts.keys() - known.keys())
        if unsure or any(not _left(known.get(field, value)) for field, value in amounts.items()):
            return entity
    return None


def still_left(reason: Reason) -> str:
    """What stands against a reason which says of a thing that it is out of what it has a field of: `stock` is 12."""
    return next(_still_left(reason), "")


def _still_left(reason: Reason) -> Iterator[str]:
    if not says_used_up(reason.text):
        return
    said = stems(reason.text)
    for collection, entity in _told(reason):
        for field, value in standing_of(reason.look, collection, entity):
            number = exact(value)
            if stems(field) and stems(field) <= said and number is not None and number > 0:
                yield f"{field} of {entity.id} is {value}"


def _told(reason: Reason) -> list[tuple[Collection, Entity]]:
    """The one thing that the text names by its id; of several nobody knows which one is meant."""
    found = named_things(reason)
    here = [pair for pair in found if pair[1].id.casefold() in reason.text.casefold()]
    return here if len(here) == 1 else []


def _is_amount(value: Json) -> bool:
    return isinstance(value, (list, dict)) or (exact(value) is not None and not isinstance(value, str))


def _left(value: Json) -> bool:
    """Whether an amount is more than nothing; what is no amount any more is not nothing."""
    number = exact(value)
    return bool(value) if number is None else number > 0
