"""The table of all types of claims."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from replaylab.audit import assertions as say
from replaylab.audit.book import Book
from replaylab.audit.compute import Checked
from replaylab.audit.decide import chance, orders, sets, values
from replaylab.audit.value import Assessment

DECIDERS: dict[str, Callable[[Book, Any], Checked]] = {
    "equals": values.equals,
    "recompute": values.recompute,
    "grim": values.grim,
    "joint_sum": values.joint_sum,
    "rounding_rule": values.rounding_rule,
    "same_condition": values.same_condition,
    "cross_reference": values.cross_reference,
    "unit": values.unit,
    "figure": values.figure,
    "order": orders.order,
    "monotone": orders.monotone,
    "argmax": orders.argmax,
    "same_top": orders.same_top,
    "disagreements": orders.disagreements,
    "universal": sets.universal,
    "count": sets.count,
    "scope": sets.scope,
    "differs": chance.differs,
    "equivalent": chance.equivalent,
    "exact_tie": chance.exact_tie,
}


def decide(book: Book, claim: say.Claim) -> Assessment:
    """What is to be said of a claim."""
    checked = DECIDERS[claim.type](book, claim)
    return Assessment(
        id=claim.id,
        kind=claim.type,
        outcome=checked.outcome,
        where=claim.where,
        said=claim.said or checked.said,
        found=checked.found,
        numbers=checked.numbers or {},
        explanation=checked.explanation,
        reason=checked.reason,
    )
