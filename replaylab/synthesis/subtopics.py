"""The sub-topics of a scenario: sixteen, no two of which say the same. Those that stand stay, and the missing are asked for.

A model that is asked for the whole list again mostly gives the same list again, so a repair asks for the rest alone. Whether
it answers with the rest or with all sixteen makes no difference.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from replaylab.examine.scenario import SUBTOPICS
from replaylab.schema.finding import Finding
from replaylab.synthesis.rules import overlap, too_long, unfit

WHERE = "scenario.json: subtopics"


class Topics(NamedTuple):
    """Those that stand, in the order in which they came, and what is wrong with the others; nothing where all are there."""

    stand: tuple[str, ...]
    findings: tuple[Finding, ...] = ()
    left_out: tuple[str, ...] = ()

    @property
    def missing(self) -> int:
        return SUBTOPICS - len(self.stand)


def joined(before: Sequence[str], given: Sequence[str]) -> Topics:
    """What stands once `given` came: of those that say the same the first, and no more than are due."""
    stand, findings, left_out = list(before), list[Finding](), list[str]()
    for topic in given:
        if _known(topic) in map(_known, before):  # the list was given again, as it may be
            continue
        # The rule names the later of two, so what is found is about this one.
        found = [*too_long(WHERE, "subtopic", topic), *unfit(WHERE, topic), *overlap([*stand, topic])]
        if len(stand) == SUBTOPICS or found or not topic.strip():
            left_out.append(topic)
            findings += found
        else:
            stand.append(topic)
    if len(stand) == SUBTOPICS:
        return Topics(tuple(stand), (), tuple(left_out))
    what = f"{SUBTOPICS} different sub-topics are due, and {len(stand)} stand"
    short = Finding.of("subtopics", WHERE, what, observed=len(stand))
    return Topics(tuple(stand), (short, *findings), tuple(left_out))


def _known(topic: str) -> str:
    return topic.casefold().strip()
