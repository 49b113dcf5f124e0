"""A call that denies what exists: "P-110 not found", where the state holds P-110."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from replaylab.diff.calls.looking import Look
from replaylab.diff.calls.refusal import Refusal
from replaylab.diff.contract.collection import Collection, Entity
from replaylab.diff.contract.tools import moves_time
from replaylab.diff.refusals.given import denied_rows, told_in_words
from replaylab.diff.refusals.unknown import says_unknown
from replaylab.diff.words.identity import family, key_of, name_key, names_whole, stem, stems, words
from replaylab.diff.words.keyfield import is_reference
from replaylab.diff.words.lexicon import ENDING_VERBS, NO_NAMES, PLACES, REMOVE_VERBS
from replaylab.diff.words.observed import leaves
from replaylab.schema.violation import Violation

_SHORT = 3  # a value this long may stand in any text


def named_in(look: Look) -> list[str]:
    """The texts and numbers that the arguments of a call give."""
    return [str(value) for _, _, value in leaves(look.step.arguments) if key_of(value)]


def denials(look: Look, refusal: Refusal) -> Iterator[Violation]:
    """Members that the call names, and that the refusal says there are not."""
    if not says_unknown(refusal.text, named_in(look)) or _is_of_another(look, refusal):
        return
    if is_of_whereabouts(look, refusal):
        return
    denied = denied_arguments(look, refusal)
    if any(is_unknown(look, value) for _, key, value in leaves(look.step.arguments) if key in denied):
        return
    yield from _denied_again(look, refusal, denied)
    yield from denied_rows(look, refusal, denied)
    for argument, entity, collection in _named(look):
        if argument in denied and not _is_removed(look, entity, collection):
            yield look.violation(
                kind="omission",
                subkind="denial",
                pointer=refusal.pointer,
                contract=entity.pointer,
                entity=entity.id,
                expected=entity.id,
                observed=refusal.text,
                confidence=0.9,
                message=f"{look.step.tool.name} says that {entity.id!r} does not exist, and {entity.pointer} holds it",
            )


def _is_removed(look: Look, entity: Entity, collection: Collection) -> bool:
    """Whether a call may have ended a member: none where all there are are told and no tool is named after ending them, nor
    where an accepted answer has shown it since.
    """
    if collection.is_told_whole and not look.contract.can_end(collection):
        return False
    if _was_just_shown(look, entity.key):
        return False
    # Who says how a thing stands says that it is there.
    told = [one.call for (key, _), one in look.world.told.items() if key == entity.key]
    named = [
        step.call
        for step in look.world.writes
        if step.mentions(entity) and stems(step.tool.name) & ENDING_VERBS
    ]
    if told and named and max(told) >= max(named) and not _is_ended(look, max(named)):
        return False
    return look.world.is_removed(entity, collection)


def _was_just_shown(look: Look, name: str) -> bool:
    """Whether the very same call was answered with this name, and nothing was done since."""
    this, since = look.step, max((one.call for one in look.world.writes), default=-1)
    return any(
        one.call > since
        and not one.refused
        and (one.tool.name, one.arguments) == (this.tool.name, this.arguments)
        and any(key_of(part) == name for _, _, part in leaves(one.observation))
        for one in look.world.steps
    )


def _is_ended(look: Look, call: int) -> bool:
    """Whether a call removes what it names, and does not only use it."""
    return bool(stems(look.world.steps[call].tool.name) & REMOVE_VERBS)


_HAS_NO = re.compile(r"([\w./:#-]+) (?:has|have|holds?) no\b", re.IGNORECASE)
_NO_SUCH_NOUN = re.compile(r"\b(?:an? |the )?([a-z_]+) (?:does|do)(?:n['’]t| not) exist\b", re.IGNORECASE)


def _is_of_another(look: Look, refusal: Refusal) -> bool:
    """Whether a refusal says what a thing that the call names does not have, or that there is none of another sort."""
    owner = _HAS_NO.search(refusal.text)
    if owner is not None and key_of(owner[1]) in look.contract.keys | look.step.named:
        return True
    noun = _NO_SUCH_NOUN.search(refusal.text)
    said = stems(noun[1]) if noun is not None else frozenset[str]()
    about = frozenset().union(*(stems(key) for _, key, _ in leaves(look.step.arguments)))
    return (
        bool(said)
        and not said & about
        and not stems(refusal.text) & about
        and bool(said & look.contract.nouns)
    )


_NOT_AT = re.compile(
    r"\bnot (?:be )?(?:\w+ )?(?:at|in|inside|on|aboard|within|with) ((?:(?!and\b|or\b)[\w-]+ ?){1,4})",
    re.IGNORECASE,
)
_STANDS = re.compile(r"\((?:current )?(?:status|state|location)\W", re.IGNORECASE)


def is_of_whereabouts(look: Look, refusal: Refusal) -> bool:
    """Whether a refusal says that a thing is not where it would have to be, or how it stands, and so that it exists: "not found
    at current location", "not in the vehicle". Not where the state puts it in the place that is named.
    """
    if _STANDS.search(refusal.text):
        return True
    place = _NOT_AT.search(refusal.text)
    if place is None:
        return False
    said = stems(place[1])
    text = name_key(refusal.text[place.start() :])
    held = (value for _, entity, _ in _named(look) for value in entity.value_keys if len(value) > _SHORT)
    if any(value in text for value in held):
        return False
    denied = denied_arguments(look, refusal)
    holders = (stems(key) - {"id", "name"} for _, key, _ in leaves(look.step.arguments) if key not in denied)
    return bool(said & PLACES) or any(one and one <= said for one in holders)


def _denied_again(look: Look, refusal: Refusal, denied: Sequence[str]) -> Iterator[Violation]:
    """What an accepted answer has shown as an id, and nothing has been done with since."""
    for _, key, value in leaves(look.step.arguments):
        name = key_of(value)
        came = {**look.world.seen, **look.world.created}
        given = any(map(str.isdigit, name)) and key in denied and is_reference(key)
        shown = came.get(name, told_in_words(look, name)) if given else None
        if shown is None or look.contract.universe.known(name) is not None:
            continue
        since = [step for step in look.world.writes if step.call > shown]
        moved = any(moves_time(step.tool) for step in look.world.writes if step.call > last_shown(look, name))
        if moved or any(name in step.named for step in since):
            continue
        yield look.violation(
            kind="omission",
            subkind="denial",
            pointer=refusal.pointer,
            entity=str(value),
            expected=str(value),
            observed=refusal.text,
            confidence=0.75,
            message=f"{look.step.tool.name} says that {value!r} does not exist; {look.world.steps[shown].tool.name} has "
            f"shown it in call {shown}",
        )


def last_shown(look: Look, name: str) -> int:
    """The last call whose accepted answer has this id; -1 where none has."""
    steps = (one for one in look.world.steps if not one.refused and name in one.keys)
    return max(
        (one.call for one in steps if any(key_of(part) == name for _, _, part in leaves(one.observation))),
        default=-1,
    )


def denied_arguments(look: Look, refusal: Refusal) -> list[str]:
    """The arguments that a refusal speaks of: those whose value it names, else those that it names, else the only one."""
    given = [(key, value) for _, key, value in leaves(look.step.arguments) if key_of(value)]
    text = refusal.text.casefold()
    by_value = [
        key for key, value in given if len(str(value)) > 1 and names_whole(text, str(value).casefold())
    ]
    said = stems(text)
    by_name = [
        key
        for key, _ in given
        if stems(key) <= said or (stems(key) - {"id", "name"} and stems(key) - {"id", "name"} <= said)
    ]
    references = [key for key, _ in given if is_reference(key)]
    return by_value or by_name or (references if len(references) == 1 else [])


def _named(look: Look) -> Iterator[tuple[str, Entity, Collection]]:
    """Each member that an argument names, with the argument; not where the argument wants another sort of thing. An order is
    one of the orders before it is one that a queue refers to.
    """
    for _, key, value in leaves(look.step.arguments):
        own = sorts_of(look, key)
        families = {family(one) for collection in own for one in collection.ids}
        for collection in sorted(look.contract.collections, key=lambda one: one not in own):
            entity = collection.find(key_of(value))
            if (
                collection.closedness == "closed"
                and entity is not None
                and (own or collection.shape not in ("names", "texts") or any(map(str.isdigit, entity.id)))
                and (not own or collection in own or family(entity.id) in families)
            ):
                yield key, entity, collection
                break


def is_unknown(look: Look, value: object) -> bool:
    """Whether nothing brought a name in before this call."""
    key = key_of(value)
    known = look.contract.names_a_thing(key) or key in look.world.created or key in look.world.seen
    return bool(key) and not known and told_in_words(look, key) is None


def is_another_sort(look: Look, argument: str, value: object) -> bool:
    """Whether an argument wants one sort of thing by its name, and its value is a known thing of another."""
    own = sorts_of(look, argument)
    families = {family(one) for collection in own for one in collection.ids}
    return (
        bool(own) and not any(one.find(key_of(value)) for one in own) and family(str(value)) not in families
    )


def sorts_of(look: Look, argument: str) -> list[Collection]:
    """The collections whose members an argument takes, by its name; none where that says nothing."""
    parts = words(argument)
    own = {stem(part) for part in (parts[:-1] if len(parts) > 1 else parts)}
    return [
        one
        for one in look.contract.collections
        if own
        and any(entity.key not in NO_NAMES for entity in one.entities)
        and (own & one.stems or own & one.heads)
    ]
