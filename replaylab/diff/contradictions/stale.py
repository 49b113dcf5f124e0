"""Stale answers: a call was accepted that changed a value, and a later answer shows it as it was at first."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from replaylab.checks.matcher import same
from replaylab.diff.calls.looking import Look
from replaylab.diff.calls.memory import is_of_what_it_made
from replaylab.diff.calls.subjects import Fact, Subject, subjects
from replaylab.diff.calls.world import Step
from replaylab.diff.contract.tools import is_write, moves_time, verb_of
from replaylab.diff.contradictions.contradiction import differs, is_fixed
from replaylab.diff.words.identity import key_of, stems, words
from replaylab.diff.words.keyfield import is_reference
from replaylab.diff.words.lexicon import (
    ID_WORDS,
    IN_PROGRESS,
    NEW_WORDS,
    OUTCOME_FIELDS,
    OUTCOMES,
    REMOVE_VERBS,
    SET_VERBS,
    STATUS_FIELDS,
    TARGET_WORDS,
    VAGUE_FIELDS,
)
from replaylab.diff.words.observed import leaves
from replaylab.schema.base import Json, in_json
from replaylab.schema.violation import Violation

_LEAST_SHARED = 2
_POSITIONS = 2
_OF_IDS = frozenset((word,) for word in ID_WORDS)


class Claim(NamedTuple):
    """What an accepted write says a value is from now on: by what it returned, or by the arguments that set it.

    `said` are the words of the field, `name` its name as written; `told` is set where the write itself returned it.
    """

    step: Step
    said: frozenset[str]
    value: Json
    told: bool
    name: str = ""


def stale_values(look: Look) -> Iterator[Violation]:
    """Fields that show the state as it was at first, after a call has changed them."""
    found = claims(look)
    if is_write(look.step.tool) or not found:
        return
    done: set[str] = set()
    for subject in subjects(look, changed=True):
        if subject.listed and not subject.id:
            continue  # what a call did may have its own row, and this one is an older one: an entry of a log
        for field, value in subject.row.items():
            fact = subject.fact(field)
            pointer = subject.at(field)
            if fact is None or pointer in done or not same(fact.value, value) or is_fixed(look, fact):
                continue
            claim = _last(look, found, subject, field, fact)
            if claim is not None:
                done.add(pointer)
                yield _violation(look, subject, field, fact, claim)


def claims(look: Look) -> list[Claim]:
    """What the accepted writes so far say, oldest first; what time or a reset may have changed since is gone."""
    found: list[Claim] = []
    for step in look.world.writes:
        if moves_time(step.tool) or verb_of(step.tool) in REMOVE_VERBS:
            found = [one for one in found if moves_time(step.tool) and _is_switch(one)]
        returned = list(_returned(step))
        found += returned
        if not is_under_way(step):
            found += _set(step)
    return found


def _returned(step: Step) -> Iterator[Claim]:
    for pointer, key, value in leaves(step.observation):
        is_row = any(part.isdigit() for part in pointer.split("/"))
        said = stems(key) - NEW_WORDS
        bare = said <= OUTCOME_FIELDS | VAGUE_FIELDS and not stems(key) & NEW_WORDS
        if said and not bare and not is_row and _can_be_set(value):
            yield Claim(step, said, value, told=True, name=key)


def _set(step: Step) -> Iterator[Claim]:
    """What the arguments of a call that sets something set."""
    if verb_of(step.tool) not in SET_VERBS:
        return
    for _, key, value in leaves(step.arguments):
        if (
            not stems(key) & TARGET_WORDS
            and words(key)[-1:] not in _OF_IDS
            and _can_be_set(value, asked=bool(stems(key) & STATUS_FIELDS))
        ):
            said = (stems("_".join(words(step.tool.name)[1:])) | stems(key)) - NEW_WORDS
            yield Claim(step, said, value, told=False, name=key)


def _is_switch(claim: Claim) -> bool:
    """Whether a call has put something into one of two positions, in which it stays while time passes."""
    properties = claim.step.tool.parameters.get("properties", {})
    choices = [
        schema.get("enum")
        for field in claim.step.arguments
        if isinstance(schema := properties.get(field), dict)
    ]
    two = [one for one in choices if isinstance(one, list) and len(one) == _POSITIONS]
    return len(two) == 1 and verb_of(claim.step.tool) in SET_VERBS and claim.value in two[0]


def _can_be_set(value: Json, *, asked: bool = False) -> bool:
    """Whether a value can be what a field is from now on. "done" may say of a call that it was made, where no status was `asked` for."""
    if isinstance(value, str):
        return len(words(value)) <= 3 and (asked or not stems(value) <= OUTCOMES)
    return isinstance(value, (bool, int, float))


def is_under_way(step: Step) -> bool:
    """Whether what a call returned says that it has only begun: "COOLING", "initiated"."""
    texts = (value for _, _, value in leaves(step.observation) if isinstance(value, str))
    return any(word.endswith("ing") or stems(word) & IN_PROGRESS for text in texts for word in words(text))


def _last(look: Look, found: list[Claim], subject: Subject, field: str, fact: Fact) -> Claim | None:
    """The last claim on this field of this subject, where it says another value than the state."""
    about = [
        one for one in found if _is_about(look, one, subject, field) and not _is_undone(look, one, subject)
    ]
    if not about or not differs(about[-1].value, fact.value) or not differs(fact.value, about[-1].value):
        return None
    return about[-1]


def _is_undone(look: Look, claim: Claim, subject: Subject) -> bool:
    """Whether something was done since with another thing that this one refers to, or that refers to it: what the valve of
    a unit does changes the unit. So it is with what the call has brought here: a pump that is moved on is here no more.
    """
    key = key_of(subject.id)
    links = look.contract.links
    brought = {key_of(value) for _, name, value in leaves(claim.step.arguments) if is_reference(name)}
    others = links.to.get(key, frozenset()) | links.of.get(key, frozenset()) | brought - {key, ""}
    since = [step for step in look.world.writes if step.call > claim.step.call]
    return any(step.named & others and key not in step.named for step in since)


def _is_about(look: Look, claim: Claim, subject: Subject, field: str) -> bool:
    """Whether a claim means this field: by all of its words where no other field has them; and this thing."""
    # What a call on several things at once returns is said of none of them.
    asked = {key_of(value) for value in claim.step.arguments.values()}
    if subject.id and key_of(subject.id) not in asked:
        return False
    things = {
        key
        for one in look.contract.collections
        if one.shape in ("rows", "map")
        for key in asked & one.id_keys
    }
    if claim.told and subject.id and things - {key_of(subject.id)} and key_of(claim.value) not in asked:
        return False  # of which of the things that the call is about it is said, nobody can tell
    said = {key for _, key, _ in leaves(claim.step.observation)} | claim.step.arguments.keys()
    if claim.told and is_of_what_it_made(look, claim.step, claim.name, claim.value):
        return False
    if claim.name != field and field in said:
        return False  # the call speaks of this very field, and of another one with this value
    wanted = stems(field)
    if "per" in wanted - claim.said:
        return False  # a rate is not the amount
    # The `request_status` of an answer about a request is its status.
    owner = {
        stem
        for key, value in claim.step.arguments.items()
        if key_of(value) == key_of(subject.id)
        for stem in stems(key)
    }
    if claim.said == wanted or (subject.id and claim.said - owner == wanted - NEW_WORDS != frozenset()):
        return True
    others = [stems(name) for name in subject.row if name != field]
    shared = claim.said & wanted
    if claim.told:
        return bool(shared) and claim.said <= wanted and not any(claim.said <= one for one in others)
    least = min(len(wanted), _LEAST_SHARED)
    return len(shared) >= least and not any(len(claim.said & one) >= len(shared) for one in others)


def _violation(look: Look, subject: Subject, field: str, fact: Fact, claim: Claim) -> Violation:
    return look.violation(
        kind="contradiction",
        subkind="stale",
        pointer=subject.at(field),
        contract=fact.pointer,
        entity=subject.id,
        expected=claim.value,
        observed=fact.value,
        confidence=0.75 if claim.told else 0.65,
        message=f"{look.step.tool.name} shows {field} of {subject.id or 'the state'} as {in_json(fact.value)}, as it was at first; "
        f"{claim.step.tool.name} in call {claim.step.call} made it {in_json(claim.value)}",
    )
