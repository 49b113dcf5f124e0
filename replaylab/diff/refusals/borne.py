"""Whether a reason is borne out clause by clause, by the state, by accepted calls or by the arguments, in whatever words."""

from __future__ import annotations

import re
from collections.abc import Callable

from replaylab.diff.refusals.absent import is_absent
from replaylab.diff.refusals.amounts import is_too_little
from replaylab.diff.refusals.clauses import clauses, halves, is_plain_rest
from replaylab.diff.refusals.equal import is_the_same
from replaylab.diff.refusals.held import is_held_then
from replaylab.diff.refusals.hours import is_out_of_hours
from replaylab.diff.refusals.lacking import is_lacking
from replaylab.diff.refusals.reason import Reason
from replaylab.diff.refusals.standings import is_told_otherwise, stands_so, was_brought_there, was_told
from replaylab.diff.words.clock import is_elapsed

RULES: tuple[Callable[[Reason, str], bool], ...] = (
    stands_so,
    is_absent,
    was_brought_there,
    was_told,
    is_the_same,
    is_told_otherwise,
    is_held_then,
    is_out_of_hours,
    is_too_little,
    is_lacking,
)


# What only sets off what was said before it, or says again that the call is refused.
_ADDED = re.compile(
    r"^(?:too (?:late|early)|not (?:in|on|at|with) (?:an? |the |its |their |any )?[\w-]+"
    r"|(?:[\w-]+ )?(?:can't|cannot|can not|may not|won't) be \w+(?: (?:again|now|any ?more|twice|at the moment|then|for now))?)$",
    re.IGNORECASE,
)

# Who says that a time is too late for the hours, or that what is paid is not overdue, need not know what time it is.
_TIMELY = re.compile(r"\btoo (?:late|early)\b|\b(?:not|n't|no longer) overdue\b", re.IGNORECASE)


def is_borne_out(reason: Reason) -> bool:
    """Whether each clause of a reason is borne out or says nothing new, and one at least is borne out."""
    loose = reason.loose_numbers or reason.loose_caps or reason.loose_spans
    untold = reason.needs_a_clock and is_elapsed(_TIMELY.sub(" ", reason.text))
    if loose or untold or reason.sets_a_condition:
        return False
    told = [_verdict(reason, clause) for clause in clauses(reason.text)]
    return None not in told and True in told


def _verdict(reason: Reason, clause: str) -> bool | None:
    """True where a clause is borne out, False where it says nothing new, None where it says what nothing bears out."""
    if any(rule(reason, clause) for rule in RULES):
        return True
    parts = [_verdict(reason, one) for one in halves(clause)]
    if parts and None not in parts:
        return True in parts
    return False if _ADDED.match(clause) or is_plain_rest(reason, clause) else None
