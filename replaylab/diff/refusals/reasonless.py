"""Refusals that give no reason: a bare `false`, the contract's own placeholder, "failed to update the inventory"."""

from __future__ import annotations

import re

from replaylab.diff.contract.tools import is_write, verb_of
from replaylab.diff.refusals.denial import named_in
from replaylab.diff.refusals.disproof import (
    Disproof,
    is_bound,
    is_well_formed,
    last_same,
    may_fail_by_chance,
    unknown_arguments,
)
from replaylab.diff.refusals.reason import Reason
from replaylab.diff.refusals.unknown import says_unknown
from replaylab.diff.refusals.used_up import says_used_up
from replaylab.diff.words.identity import key_of, stems
from replaylab.diff.words.lexicon import SET_VERBS
from replaylab.diff.words.observed import leaves
from replaylab.diff.words.sentences import prescribes

_READ = 0.6
_AGAIN = 0.55
_FREE = 0.55
_WEAK = 0.35


def says_nothing(reason: Reason) -> bool:
    """Whether a refusal says that it refuses and what, and not a word of why."""
    said = stems(reason.text)
    return not (
        reason.cause
        or reason.figures
        or said & _SAYING
        or reason.lays_down_a_rule
        or reason.is_loose
        or says_used_up(reason.text)
        or says_unknown(reason.text, named_in(reason.look))
    )


# Words of refusals that are a reason by themselves.
_SAYING = stems(
    """
    invalid already not-found unknown exist exists existing nonexistent missing found exceed exceeds exceeded exceeding
    unavailable available insufficient occupied busy limit maximum minimum conflict mismatch match unsupported supported range
    permitted allowed authorized unauthorized forbidden prohibited blocked recognized unsafe illegal format outside required
    violation violates constraint exhausted negative positive duplicate state closed open locked
    """
)


def unexplained(reason: Reason) -> Disproof | None:
    """How surely a refusal without a reason refuses what nothing forbids; None where it may be due.

    A reading of known things is due by nothing. A write may be due by much that the contract leaves open, so that it is
    sure only where the same was accepted before, or where no sentence forbids anything of the tool.
    """
    if not is_well_formed(reason.look.step) or unknown_arguments(reason) or may_fail_by_chance(reason):
        return None
    step = reason.look.step
    if not is_write(step.tool):
        if _THERE_ARE_NONE.search(reason.text) and not _is_any_asked_for(reason):
            return None
        return Disproof(
            "it gives no reason, and nothing forbids to read what is known",
            _READ if is_bound(reason) else _WEAK,
        )
    before = last_same(reason)
    if before is not None and verb_of(step.tool) in SET_VERBS:
        return Disproof(f"it gives no reason, and the same was accepted in call {before.call}", _AGAIN)
    if is_bound(reason) and not _is_ruled(reason):
        return Disproof("it gives no reason, and no sentence of the contract forbids anything of it", _FREE)
    return Disproof("it gives no reason", _WEAK)


_THERE_ARE_NONE = re.compile(
    r"^\W*(?:there (?:are|is|were|was) (?:\w+ )?(?:no|none|nobody|nothing)|no|none|nobody|nothing)\b",
    re.IGNORECASE,
)


def _is_any_asked_for(reason: Reason) -> bool:
    """Whether something is known that has all that the arguments ask for. If nothing has, "there are none" is the answer."""
    asked = {key_of(value) for _, _, value in leaves(reason.look.step.arguments)} - {""}
    return not asked or any(
        asked <= entity.value_keys | entity.aliases
        for one in reason.look.contract.collections
        for entity in one.entities
    )


def _is_ruled(reason: Reason) -> bool:
    """Whether a sentence that says what must or can't be speaks of what the tool does or of what it is done to."""
    tool = reason.look.step.tool
    about = stems(tool.name) | reason.context
    return any(
        prescribes(one) and (one.tool == tool.name or (not one.tool and one.stems & about))
        for one in reason.look.contract.sentences
    )
