"""What a call has made, and what a later list leaves out that its arguments let through: a visit that was booked for that day."""

from __future__ import annotations

from collections.abc import Iterator

from replaylab.diff.calls.looking import Look
from replaylab.diff.contract.tools import moves_time
from replaylab.diff.lists.misfit import fits, picked_by
from replaylab.diff.lists.standing import sure
from replaylab.diff.omissions.alike import left_out
from replaylab.diff.omissions.parts_told import is_narrowed, is_told_part
from replaylab.diff.omissions.taken import is_cut_or_picked
from replaylab.diff.things.listing import Listing, listings
from replaylab.diff.things.thing import Thing, things_of
from replaylab.diff.words.identity import stems
from replaylab.diff.words.lexicon import REMOVE_VERBS
from replaylab.schema.violation import Violation

_WHY = "which a call has made and the arguments let through"


def made_but_left_out(look: Look) -> Iterator[Violation]:
    """Things that calls made, which a list of such has to show by all that it is asked for."""
    for one in listings(look) if look.world.writes else ():
        if is_cut_or_picked(look, one.group) or is_narrowed(look) or is_told_part(look, one.group.name):
            continue
        for thing in things_of(look, one.collection):
            if thing.made >= 0 and thing.key not in look.said and _is_let_through(look, one, thing):
                yield left_out(look, one.group, thing, _WHY)


def _is_let_through(look: Look, one: Listing, thing: Thing) -> bool:
    """Whether nothing was done with it since, and each argument asks for what it has."""
    since = (step for step in look.world.writes if step.call > thing.made)
    if any(
        moves_time(step.tool) or thing.key in step.keys or stems(step.tool.name) & REMOVE_VERBS
        for step in since
    ):
        return False
    for name, value in look.step.arguments.items():
        if value in (None, "", [], {}):
            continue
        field = picked_by(one, name, value) if isinstance(value, str) else ""
        known = sure(look, one.collection, thing, field) if field else ()
        if not known or not isinstance(value, str) or fits(value, known[0]) is not True:
            return False
    return True
