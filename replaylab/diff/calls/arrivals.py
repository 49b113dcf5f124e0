"""Whether a thing may have come since the beginning: by a call that did not say what it made, or with time."""

from __future__ import annotations

from replaylab.diff.calls.looking import Look
from replaylab.diff.contract.arriving import last_number, numbers_on
from replaylab.diff.contract.collection import Collection
from replaylab.diff.words.identity import family


def may_have_come(look: Look, collection: Collection, name: str) -> bool:
    """Whether a name that nobody knows may be that of a member which has come since."""
    if not look.contract.can_grow(collection) or is_out_of_count(collection, name):
        return False
    return bool(nameless(look, collection)) or may_come_unseen(look, collection)


def may_come_unseen(look: Look, collection: Collection) -> bool:
    """Whether members may have come without any call that makes them."""
    if look.contract.arrivals.is_accounted_for(collection) or not look.contract.can_grow(collection):
        return False
    return look.world.time_moved or (collection.closedness == "discoverable" and bool(look.world.writes))


def nameless(look: Look, collection: Collection) -> int:
    """How many calls may have made a member and gave no id for it. Where tools return the ids of what they make, no other does."""
    makers = look.contract.arrivals.makers_of(collection)
    return look.world.anonymous_creations(collection, makers)


def is_out_of_count(collection: Collection, name: str) -> bool:
    """Whether a name is none of those that come next, where the ids count the members: R-505A, or R-77 after R-501 to R-505."""
    counted = numbers_on(collection)
    if counted is None or not name:
        return False
    own, highest = counted
    number = last_number(name)
    return family(name) != own or number is None or number <= highest
