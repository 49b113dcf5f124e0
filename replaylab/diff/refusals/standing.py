"""What stands now against what a refusal says of it: "B-2 is locked", where B-2 is a draft.

Only what is known to stand disproves: what the state says and nothing can have changed, or what was said last. A word is
held against a field whose values it is one of, and only where nothing else that is known of the thing bears it out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from replaylab.checks.numbers import exact
from replaylab.checks.prose import Quantity, quantities
from replaylab.diff.calls.changes import described
from replaylab.diff.calls.looking import Look
from replaylab.diff.calls.memory import Record
from replaylab.diff.contract.collection import Collection, Entity
from replaylab.diff.contract.told import sentences_in
from replaylab.diff.contradictions.records import due_of
from replaylab.diff.refusals.reason import Reason, opposites_of
from replaylab.diff.words.identity import key_of, stems, words
from replaylab.diff.words.lexicon import COMMON
from replaylab.diff.words.observed import leaves
from replaylab.schema.base import Json, in_json

_LONGEST = 3  # words that say how a thing stands
_SAYS = re.compile(
    r"(?P<not> (?:is|are|was|has been) not(?: yet)?| (?:isn't|aren't)| (?:is|are|was|has been))"
    r"(?: already| currently| still| now| only| in| in state| in status| marked| set to)*"
    r"[ '\"]+(?P<what>[a-z][\w-]*(?:[ -][a-z][\w-]*){0,2}?)['\"]?(?=[,;.:()!]|$| and\b| but\b| so\b| since\b| because\b)",
    re.IGNORECASE,
)
_HAS = re.compile(
    r" (?:has|holds|contains|is at|have)(?: only| just| already| still)? (?=[\d$€£])", re.IGNORECASE
)
_DOES = re.compile(
    r"^ (?!has\b|is\b|was\b|needs\b|takes\b)(?P<verb>[a-z]+s)(?: only| already| still)? (?=[\d$€£])",
    re.IGNORECASE,
)
_OF = re.compile(r"^ (?:of|in|on|at) (?:the )?(?P<owner>[\w.:-]+)")


class Said(NamedTuple):
    """What a reason says of a thing: that it is or is not so, in these words."""

    collection: Collection
    entity: Entity
    what: str
    holds: bool
    owner: str  # whose it is said to be, "" where nothing says it


def untrue_standing(reason: Reason) -> str:
    """What stands against the reason, in words; "" where nothing does."""
    return next(iter((*_wrong_words(reason), *_wrong_numbers(reason), *_wrong_amounts(reason))), "")


def _wrong_words(reason: Reason) -> Iterator[str]:
    for said in _sayings(reason):
        wanted = stems(said.what) - COMMON
        if not wanted or len(words(said.what)) > _LONGEST:
            continue
        standing = dict(standing_of(reason.look, said.collection, said.entity))
        if said.holds:
            yield from _disproved(reason, said, wanted, standing)
        else:
            yield from (
                f"{field} of {said.entity.id} is {in_json(value)}"
                for field, value in standing.items()
                if (isinstance(value, str) and stems(value) == wanted and not value.isdigit())
                or (value is True and stems(field) == wanted)
            )


def _sayings(reason: Reason) -> Iterator[Said]:
    """What the text says of the things that it names."""
    for collection, entity, before, rest in mentions(reason):
        if before.endswith(" of "):
            continue  # it is said of something in it
        of = _OF.match(rest)
        told = _SAYS.match(rest[of.end() :] if of else rest)
        if told:
            holds = "n't" not in told["not"] and " not" not in told["not"]
            yield Said(collection, entity, told["what"], holds, key_of(of["owner"]) if of else "")


def mentions(reason: Reason) -> Iterator[tuple[Collection, Entity, str, str]]:
    """Each place where the text names a thing: the collection, the thing, and what stands before and after its id."""
    for collection, entity in named_things(reason):
        for at in re.finditer(rf"(?<![\w-]){re.escape(entity.id)}(?![\w-])", reason.text, re.IGNORECASE):
            yield collection, entity, reason.text[: at.start()], reason.text[at.end() :]


def named_things(reason: Reason) -> list[tuple[Collection, Entity]]:
    """The things that the text names by their ids: those that one collection alone holds, others as names of a list."""
    found: dict[str, list[tuple[Collection, Entity]]] = {}
    for collection, entity in reason.subjects:
        if entity.id and collection.shape in ("map", "rows", "names"):
            found.setdefault(entity.key, []).append((collection, entity))
    # Rows inside other things refer to it, as names in lists do.
    held = (
        [pair for pair in pairs if pair[0].shape != "names" and "*" not in pair[0].pointer]
        for pairs in found.values()
    )
    return [
        own[0] if own else pairs[0] for own, pairs in zip(held, found.values(), strict=True) if len(own) <= 1
    ]


def standing_of(look: Look, collection: Collection, entity: Entity) -> Iterator[tuple[str, Json]]:
    """The fields of a thing whose values are known by now."""
    record = Record("", {}, entity, collection, own=True)
    for field in entity.attributes if collection.shape != "names" else ():
        due = due_of(look, record, field)
        if due is not None:
            yield field, due.value


def _disproved(
    reason: Reason, said: Said, wanted: frozenset[str], standing: dict[str, Json]
) -> Iterator[str]:
    if _is_borne_out(reason, said, wanted):
        return
    for field, value in standing.items():
        if isinstance(value, bool):
            if stems(field) == wanted and not value:
                yield f"{field} of {said.entity.id} is {in_json(value)}"
        elif _is_another(value, wanted) and _may_stand(reason.look, said.collection, field, wanted):
            yield f"{field} of {said.entity.id} is {in_json(value)}"
    yield from _not_in_list(reason, said, wanted)


def _is_another(value: Json, wanted: frozenset[str]) -> bool:
    """Whether a value is a short text with none of these words."""
    return isinstance(value, str) and len(words(value)) <= _LONGEST and not stems(value) & wanted


def _is_borne_out(reason: Reason, said: Said, wanted: frozenset[str]) -> bool:
    """Whether anything that is known of the thing has these words: its state at first or by now, what calls on it said or
    gave, a list that it stands in, a thing that it refers to.
    """
    look, key = reason.look, said.entity.key
    standing = dict(standing_of(look, said.collection, said.entity))
    known: list[Json] = [
        {field: value for field, value in said.entity.facts.items() if standing.get(field, value) == value}
    ]
    known += [standing]
    known += [step.observation for step in look.world.writes if key in step.keys]
    own = frozenset[str]().union(*(_true_words(node) for node in known))
    given = (step.arguments for step in look.world.writes if key in step.keys)
    own |= frozenset[str]().union(*(stems(str(value)) for node in given for _, _, value in leaves(node)))
    return wanted <= own or any(
        wanted <= stems(step.tool.name) for step in look.world.writes if key in step.keys
    )


def _true_words(node: Json) -> frozenset[str]:
    """The words of texts, and of the names of fields that are true or hold something."""
    found: frozenset[str] = opposites_of(node)
    for pointer, _, value in leaves(node):
        if value not in (None, False, "", 0):
            found |= stems(pointer)
        if isinstance(value, str):
            found |= stems(value)
    return found


def _may_stand(look: Look, collection: Collection, field: str, wanted: frozenset[str]) -> bool:
    """Whether a field may hold these words: some member has them there, or the description names them after the field."""
    if any(
        isinstance(value := one.attributes.get(field), str) and stems(value) == wanted
        for one in collection.entities
    ):
        return True
    if any(wanted & stems(name) for name in look.contract.environment.initial_state):
        return False  # where a thing is, and not how it stands: "in the queue already"
    told = (
        sentence
        for sentence in sentences_in(described(look.contract, collection))
        if words(field) and words(sentence)[: len(words(field))] == words(field)
    )
    return any(wanted <= stems(one) - stems(field) for one in told)


def _not_in_list(reason: Reason, said: Said, wanted: frozenset[str]) -> Iterator[str]:
    """A list of that name, of what the call names, which nothing can have changed and in which the thing is not."""
    for collection, entity in reason.subjects:
        if said.owner and entity.key != said.owner:
            continue
        for field, value in entity.attributes.items():
            if not isinstance(value, list) or stems(field) != wanted or not all(map(_is_plain, value)):
                continue
            due = due_of(reason.look, Record("", {}, entity, collection, own=True), field, lists=True)
            if due is not None and said.entity.key not in {key_of(one) for one in value}:
                yield f"{field} of {entity.id} does not hold {said.entity.id}"


def _is_plain(value: Json) -> bool:
    return isinstance(value, (str, int))


def _wrong_numbers(reason: Reason) -> Iterator[str]:
    """A number that is said of a thing under the words of its field, where another stands and none of the thing's is so."""
    for collection, entity, said, rest in mentions(reason):
        told = next(iter(quantities(rest)), None) if _HAS.match(rest) else None
        if told is None:
            continue
        after = words(re.split(r"[,;.(]", rest[told.end :])[0])[:2]
        unit = _units_of(told) | stems(" ".join(after))
        # "takes 300 gsm at most, and BD-350 has 806": of what it is, was said before.
        before = list(quantities(said)) if not unit else []
        unit = unit or (_units_of(before[-1]) if before else unit)
        numbers = _numbers(reason, collection, entity)
        yield from _unlike(reason, entity, told, {one: numbers[one] for one in numbers if unit & stems(one)})


def _wrong_amounts(reason: Reason) -> Iterator[str]:
    """A number with a word that the description says of one field: "C-1 owes 80", where `balance` is "what it owes"."""
    for collection, entity, _, rest in mentions(reason):
        does, told = _DOES.match(rest), next(iter(quantities(rest)), None)
        verb = stems(does["verb"]) - COMMON if does else frozenset[str]()
        if not verb or told is None:
            continue
        sentences = [stems(one) for one in sentences_in(described(reason.look.contract, collection))]
        numbers = _numbers(reason, collection, entity)
        meant = [field for field in numbers if any(verb | stems(field) <= one for one in sentences)]
        yield from _unlike(reason, entity, told, {field: numbers[field] for field in meant})


def _numbers(reason: Reason, collection: Collection, entity: Entity) -> dict[str, Json]:
    """The fields of a thing that are known to have a number."""
    standing = standing_of(reason.look, collection, entity)
    return {
        field: value for field, value in standing if not isinstance(value, bool) and exact(value) is not None
    }


def _unlike(reason: Reason, entity: Entity, told: Quantity, meant: dict[str, Json]) -> Iterator[str]:
    """The one field that is meant, where none of the thing's numbers is the told one."""
    if len(meant) == 1 and told.value not in {exact(value) for value in numbers_of(reason, entity)}:
        yield from (f"{field} of {entity.id} is {in_json(value)}" for field, value in meant.items())


def _units_of(one: Quantity) -> frozenset[str]:
    return frozenset(stem for unit in one.units for stem in stems(unit))


def numbers_of(reason: Reason, entity: Entity) -> Iterator[Json]:
    """All numbers that are known of a thing, also what calls on it have said."""
    world = reason.look.world
    yield from (value for _, _, value in leaves(entity.facts))
    yield from (told.value for (key, _), told in world.told.items() if key == entity.key)
    for step in world.writes:
        if entity.key in step.keys:
            yield from (value for node in (step.arguments, step.observation) for _, _, value in leaves(node))
