"""What a refusal says of things, and what is known to stand against it: the first of these rules that finds something."""

from __future__ import annotations

from replaylab.diff.refusals.amounts import untrue_amount
from replaylab.diff.refusals.bounds import within_its_own_limit
from replaylab.diff.refusals.counted import untrue_number
from replaylab.diff.refusals.dated import untrue_date
from replaylab.diff.refusals.equal import differ_all
from replaylab.diff.refusals.held import free_then
from replaylab.diff.refusals.hours import within_hours
from replaylab.diff.refusals.lacking import has_it
from replaylab.diff.refusals.reason import Reason
from replaylab.diff.refusals.relations import untrue_relation
from replaylab.diff.refusals.selfmade import untrue_of_itself
from replaylab.diff.refusals.standing import untrue_standing
from replaylab.diff.refusals.standings import stands_otherwise
from replaylab.diff.refusals.used_up import still_left

_RULES = (
    untrue_standing,
    untrue_relation,
    untrue_number,
    untrue_date,
    within_its_own_limit,
    untrue_of_itself,
    still_left,
    differ_all,
    stands_otherwise,
    within_hours,
    free_then,
    untrue_amount,
    has_it,
)


def untrue_part(reason: Reason) -> str:
    """What stands against a reason, in words; "" where nothing does."""
    return next((found for rule in _RULES if (found := rule(reason))), "")
