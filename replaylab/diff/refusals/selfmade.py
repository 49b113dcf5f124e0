"""Reasons that speak against themselves: how long ago this very call was made, and a limit that the told amount keeps to."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from replaylab.checks.prose import quantities
from replaylab.diff.refusals.reason import Reason
from replaylab.diff.words.identity import stems

_SINCE_THE_CALL = re.compile(
    r"\b(?:minute|hour|day|week|month)s? (?:have|has|had)(?: already)? (?:passed|elapsed|gone by) since (?:this|your) (?P<what>request|call|query)"
    r" (?:was|has been|had been) (?:opened|made|sent|submitted|received|started|placed)\b",
    re.IGNORECASE,
)
_AT_MOST = re.compile(
    r"^\S+ (?:[a-z]+ )?(?:at most|at the most),? (?:and|but) [\w.:-]+ (?:has|is|weighs|needs|wants|takes) $",
    re.IGNORECASE,
)


def untrue_of_itself(reason: Reason) -> str:
    """What the reason has against itself, in words; "" where nothing is so."""
    return next(iter((*_made_now(reason), *_kept_to(reason))), "")


def _made_now(reason: Reason) -> Iterator[str]:
    """No time has passed since the call that is refused was made; where the state holds requests, one of these may be meant."""
    found = _SINCE_THE_CALL.search(reason.text)
    held = frozenset[str]().union(*(one.stems | one.heads for one in reason.look.contract.collections))
    if found and not stems(found["what"]) & held:
        yield f"the {found['what']} is made now"


def _kept_to(reason: Reason) -> Iterator[str]:
    """It says that a thing has too much, and by its own numbers it does not: "A takes 576 at most, and B has 300"."""
    told = list(quantities(reason.text))
    for limit, amount in pairwise(told):
        alike = not amount.units or amount.units == limit.units
        if alike and _AT_MOST.match(reason.text[limit.start : amount.start]) and amount.value <= limit.value:
            yield f"{amount.value} is no more than {limit.value}"
