"""What is held at the asked time by another: a record of the state, or of an accepted call, whose time meets that of the call."""

from __future__ import annotations

import re
from collections.abc import Iterator

from replaylab.diff.contract.collection import Entity
from replaylab.diff.refusals.clauses import has_rule, is_plain_rest, names_of, things_in, things_of
from replaylab.diff.refusals.reason import Reason
from replaylab.diff.words.identity import key_of, names_whole, stems
from replaylab.diff.words.observed import leaves, words_of
from replaylab.diff.words.spans import Span, span_of
from replaylab.schema.base import Json, JsonObject

_HELD = re.compile(
    r"\b(?:taken|occupied|busy|in use|out|away|on loan|lent|let|hired|rented|reserved|booked|engaged|unavailable|spoken for|gone|committed|"
    r"overlap(?:s|ped|ping)?|clash(?:es|ed)?|conflict(?:s|ing)?|collid\w+|double[- ]book\w*|double|already (?:has|have|held)|runs?|lasts?|until|till|"
    r"(?:not|n't) (?:free|available|vacant|back)|(?:is|are|was) with|has|have|had)\b",
    re.IGNORECASE,
)
_WHEN = stems(
    "january february march april may june july august september october november december monday tuesday wednesday thursday friday saturday "
    "sunday night nights day days morning afternoon evening hour hours minute minutes slot slots date dates then that time period overlap "
    "overlaps clash clashes conflict conflicts double book booking hold run lasts until till between then another someone somebody "
    "hire rent let loan"
)


def is_held_then(reason: Reason, clause: str) -> bool:
    """A clause says that what the call wants is taken then, or by whom, and a record of that time names it."""
    if has_rule(reason, clause) or not (_HELD.search(clause) or _names_a_holder(reason, clause)):
        return False
    there = holders(reason)
    # Whose time is not the asked one, holds nothing then; and what holds one thing does not hold another.
    others = {one.key for one in _rows(reason)} - {
        key_of(value) for one in there for _, _, value in leaves(one)
    }
    about = {one.entity.key for one in things_in(reason, clause)}
    if about & others:
        return False
    wanted = about & {one.entity.key for one in things_of(reason)}
    there = (
        [one for one in there if wanted & {key_of(value) for _, _, value in leaves(one)}] if wanted else there
    )
    known = frozenset[str]().union(*(words_of(one) for one in there))
    return bool(known) and is_plain_rest(reason, _HELD.sub(" ", clause), known | _WHEN)


def _names_a_holder(reason: Reason, clause: str) -> bool:
    return any(
        isinstance(value, str) and names_whole(clause, value)
        for one in holders(reason)
        for _, _, value in leaves(one)
    )


def holders(reason: Reason) -> list[JsonObject]:
    """The records that name a thing of the call and whose time meets the asked one, each with what it refers to."""
    asked = span_of(_timed(reason.look.step.arguments))
    if asked is None:
        return []
    return list(_meeting(reason, asked))


def free_then(reason: Reason) -> str:
    """What stands against a reason which says that a thing is taken at that time, where the state tells when it is, and that is at
    other times; "" where nothing does.
    """
    things, asked = things_of(reason), span_of(_timed(reason.look.step.arguments))
    if asked is None or reason.look.world.writes or not _TAKEN.search(reason.text) or holders(reason):
        return ""
    for thing in things:
        told = [one for one in _rows(reason) if thing.entity.key in _refers_to(one)]
        named = [name for name in names_of(thing) if names_whole(reason.text, name)]
        if told and (named or len(things) == 1):
            return f"nothing that the state holds for {thing.entity.id} meets the asked time"
    return ""


_TAKEN = re.compile(
    r"\b(?:taken|occupied|already (?:hired|rented|booked|reserved|taken|let)|double[- ]book\w*|overlaps? with|clash(?:es)? with|conflicts? with|"
    r"(?:is|are) booked|not (?:free|available|vacant) (?:on|at|in|then|for|from|between|during)|spoken for)\b",
    re.IGNORECASE,
)


def _rows(reason: Reason) -> Iterator[Entity]:
    """The members of the state that have a time."""
    for collection in reason.look.contract.collections:
        for entity in collection.entities if collection.shape in ("map", "rows") else ():
            if span_of(_timed(entity.attributes)):
                yield entity


def _refers_to(entity: Entity) -> frozenset[str]:
    return frozenset(key_of(value) for _, _, value in leaves(entity.attributes))


def _meeting(reason: Reason, asked: Span) -> Iterator[JsonObject]:
    named = frozenset(thing.entity.key for thing in things_of(reason))
    gone = frozenset(key for step in reason.look.world.writes for key in step.named)
    for entity in _rows(reason):
        own = span_of(_timed(entity.attributes))
        if (
            _refers_to(entity) & named
            and own
            and own.meets(asked)
            and entity.key not in reason.look.step.named | gone
        ):
            yield {"id": entity.id, **entity.attributes, **_referred(reason, entity.attributes)}
    for step in reason.look.world.writes:
        own = span_of(_timed(step.arguments))
        if step.named & named and own and own.meets(asked):
            shown = step.observation if isinstance(step.observation, dict) else {}
            yield {"id": shown, **step.arguments, **_referred(reason, step.arguments)}


def _timed(node: JsonObject) -> JsonObject:
    """The plain fields of an object."""
    return {key: value for key, value in node.items() if not isinstance(value, (dict, list))}


def _referred(reason: Reason, node: Json) -> JsonObject:
    """What the state says of the things to which an object refers."""
    things = reason.look.contract.things
    return {
        f"of {key}": entity.attributes
        for _, _, value in leaves(node)
        if (key := key_of(value)) in things
        for _, entity in things[key][:1]
    }
