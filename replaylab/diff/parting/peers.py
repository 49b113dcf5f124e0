"""What the other simulators say of a violation. A majority against it makes it surer; all alike is no innocence."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from replaylab.diff.parting.compared import Side, value_at
from replaylab.diff.parting.projection import same_value
from replaylab.diff.words.identity import name_key
from replaylab.diff.words.observed import leaves
from replaylab.schema.violation import Violation

# How much a majority against a simulator says by itself. Simulators err alike more often than by chance, so this is far
# below the share of right verdicts that independent errors gave.
MAJORITY = 0.3
Stand = Literal["agree", "disagree", ""]


def with_peers(one: Violation, sides: Sequence[Side]) -> Violation:
    """The violation with who agrees and who disagrees; surer where most of three or more disagree.

    `sides` are all simulators that answered this call with the same history, the violating one among them.
    """
    mine = next(side for side in sides if side.simulator == one.simulator)
    stands = {
        side.simulator: stand_on(one, mine, side) for side in sides if side is not mine and not side.hushed
    }
    agree = tuple(name for name, stand in stands.items() if stand == "agree")
    disagree = tuple(name for name, stand in stands.items() if stand == "disagree")
    update: dict[str, object] = {"agree": agree, "disagree": disagree}
    if len(disagree) * 2 > len(agree) + len(disagree) + 1:  # of two, one is no majority
        update["confidence"] = round(1 - (1 - one.confidence) * (1 - MAJORITY), 3)
    return one.model_copy(update=update)


def is_shared(one: Violation) -> bool:
    """Whether every simulator that can be compared does the same: they have a prior in common, not a reason."""
    return bool(one.agree) and not one.disagree


def stand_on(one: Violation, mine: Side, peer: Side) -> Stand:
    """Whether a peer does what the violation speaks of, does the opposite, or says nothing of it."""
    if one.kind == "rule_invention" or (one.kind == "omission" and mine.said.refused):
        return "agree" if peer.said.refused else "disagree"
    if one.kind == "contradiction":
        return _on_value(one, mine, peer)
    if peer.said.refused:
        return "disagree" if one.kind == "fabrication" else ""
    shown = _shown(peer, one, mine)
    if shown is None:
        return ""
    return "agree" if shown == (one.kind == "fabrication") else "disagree"


def _on_value(one: Violation, mine: Side, peer: Side) -> Stand:
    for key, value in mine.said.values.items():
        if value.pointer == one.pointer and key in peer.said.values:
            return "agree" if same_value(value.said, peer.said.values[key].said) else "disagree"
    return ""


def _shown(peer: Side, one: Violation, mine: Side) -> bool | None:
    """Whether a peer shows the entity; None where it does not show the collection at all."""
    wanted = name_key(one.entity)
    named = any(wanted in map(name_key, shown.names.values()) for shown in peer.said.shown.values())
    if named:
        return True
    lists = [key for key, shown in mine.said.shown.items() if _is_in(one.pointer, shown.within)]
    if any(key in peer.said.shown for key in lists):
        return False
    return _named(peer, one, wanted)


def _named(peer: Side, one: Violation, wanted: str) -> bool | None:
    """The same where nobody knows which collection it is: by the names that stand in the answer, if it has that place."""
    said = peer.said.observation
    if any(wanted in (name_key(key), name_key(str(value))) for _, key, value in leaves(said)):
        return True
    place = one.pointer.rpartition("/")[0] if one.kind == "fabrication" else one.pointer
    return False if isinstance(value_at(said, place), list | dict) else None


def _is_in(pointer: str, roots: Sequence[str]) -> bool:
    return any(pointer == root or pointer.startswith(f"{root}/") for root in roots)
