"""Things that a list leaves out although it was asked for by a flag, and answers or the calendar tell that the flag is theirs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from replaylab.diff.calls.looking import Look
from replaylab.diff.calls.memory import lists_on_face
from replaylab.diff.contract.collection import Collection
from replaylab.diff.contract.tools import is_write
from replaylab.diff.omissions.alike import left_out, picks, shown_in
from replaylab.diff.omissions.parts_told import is_told_part
from replaylab.diff.omissions.taken import is_cut
from replaylab.diff.things.flagged import is_flagged
from replaylab.diff.things.thing import Thing, things_of
from replaylab.schema.base import JsonObject
from replaylab.schema.violation import Violation

_WHY = "of which it is known that the flags asked for are its own"


def flagged_but_left_out(look: Look) -> Iterator[Violation]:
    """Things that all flags of a call are known to let through, and its other arguments too. What is shown must not speak
    against how the flags are understood.
    """
    flags = {name: value for name, value in look.step.arguments.items() if isinstance(value, bool)}
    if is_write(look.step.tool) or not flags:
        return
    for group in lists_on_face(look):
        shown = shown_in(look, group)
        if shown is None or is_told_part(look, group.name) or is_cut(look, group):
            continue
        things = things_of(look, shown.collection)
        here = [one for one in things if one.key in shown.keys]
        if any(_passes(look, shown.collection, one, flags) is False for one in here):
            continue
        for one in things:
            left = one not in here and not one.gone and one.key not in look.said
            if (
                left
                and _passes(look, shown.collection, one, flags)
                and _is_asked_for(look, shown.collection, one, here)
            ):
                yield left_out(look, group, one, _WHY)


def _passes(look: Look, collection: Collection, one: Thing, flags: JsonObject) -> bool | None:
    said = [is_flagged(look, collection, one, name) for name in flags]
    if None in said:
        return None
    return all(value is wanted for value, wanted in zip(said, flags.values(), strict=True))


def _is_asked_for(look: Look, collection: Collection, one: Thing, here: Sequence[Thing]) -> bool:
    """Whether every way in which each other argument may pick lets a thing through."""
    return all(ways and all(each.says(look, one) for each in ways) for ways in picks(look, collection, here))
