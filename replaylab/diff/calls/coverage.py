"""How much of what a simulator said could be checked, and why not the rest."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from replaylab.diff.calls.looking import Look
from replaylab.diff.calls.refusal import Refusal
from replaylab.diff.calls.subjects import subjects
from replaylab.diff.contract.tools import is_write, verb_of
from replaylab.diff.words.lexicon import DISCOVERY_VERBS
from replaylab.schema.violation import KINDS, CheckedFor, Coverage, Covered, Violation


class Tally:
    """Counts calls by tool and kind while a trial is checked."""

    def __init__(self, environment: str) -> None:
        self._environment = environment
        self._calls: Counter[tuple[str, CheckedFor]] = Counter()
        self._checked: Counter[tuple[str, CheckedFor]] = Counter()
        self._why_not: dict[tuple[str, CheckedFor], Counter[str]] = {}
        self._whole = self._checkable = 0

    def add(self, tool: str, why_not: dict[CheckedFor, str]) -> None:
        """One call: for each kind why it could not be checked, "" where it could."""
        self._whole += 1
        self._checkable += not all(why_not.values())
        for kind, why in why_not.items():
            self._calls[tool, kind] += 1
            self._checked[tool, kind] += not why
            if why:
                self._why_not.setdefault((tool, kind), Counter())[why] += 1

    def coverage(self) -> Coverage:
        rows = tuple(
            Covered(
                tool=tool,
                kind=kind,
                calls=calls,
                checked=self._checked[tool, kind],
                why_not=dict(sorted(self._why_not.get((tool, kind), {}).items())),
            )
            for (tool, kind), calls in sorted(
                self._calls.items(), key=lambda one: (one[0][0], KINDS.index(one[0][1]))
            )
        )
        return Coverage(
            environment=self._environment, rows=rows, calls=self._whole, checkable=self._checkable
        )


def why_unchecked(
    look: Look, refusal: Refusal | None, found: Iterable[Violation] = ()
) -> dict[CheckedFor, str]:
    """For each kind why this call can't be checked for it; "" where it can, and where something was found."""
    against = {one.kind for one in found}
    return {kind: "" if kind in against else why for kind, why in _why_unchecked(look, refusal).items()}


def _why_unchecked(look: Look, refusal: Refusal | None) -> dict[CheckedFor, str]:
    if refusal is not None:
        shown = "it was refused, so it shows nothing"
        reason = "" if refusal.reasons and not refusal.is_transport else "the refusal gives no reason"
        if refusal.is_transport:
            reason = "the line failed, and nothing of the environment was said"
        return {"fabrication": shown, "omission": "", "rule_invention": reason, "contradiction": shown}
    bound = [one for one in look.bindings if one.group.items or one.is_named]
    silent = "no list or map in it belongs to a collection of the state"
    closed = [one for one in bound if one.collection.closedness == "closed"]
    whole = [one for one in closed if one.is_named and not is_write(look.step.tool)]
    fabrication = "" if closed else "its collection is not closed: more may be found" if bound else silent
    if verb_of(look.step.tool) in DISCOVERY_VERBS and bound and not closed:
        fabrication = "the tool discovers things"
    return {
        "fabrication": fabrication,
        "omission": "" if whole else "nothing says that it shows all of a collection" if bound else silent,
        "rule_invention": "it was not refused",
        "contradiction": "" if bound or _has_known(look) else "no value in it is one that the state has",
    }


def _has_known(look: Look) -> bool:
    """Whether an answer has a field of which it is known what it has to hold, right or wrong: else only what is wrong would
    count as checked, and every rate of violations would be too high.
    """
    return any(one.fact(field) is not None for one in subjects(look) for field in one.row)
