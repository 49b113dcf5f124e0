"""Contradiction: a value of the state is shown otherwise, and no call has changed it."""

from __future__ import annotations

from collections.abc import Iterator

from replaylab.checks.matcher import same
from replaylab.checks.numbers import exact
from replaylab.checks.prose import quantity
from replaylab.diff.calls.fixed import never_changes
from replaylab.diff.calls.looking import Look
from replaylab.diff.calls.subjects import Fact, Subject, field_key, named_entities, subjects
from replaylab.diff.contract.told import told_of
from replaylab.diff.contract.tools import is_write
from replaylab.diff.things.profile import is_moment
from replaylab.diff.words.identity import key_of, last_word, name_key, stems
from replaylab.diff.words.lexicon import (
    ID_WORDS,
    MONEY,
    NAME_WORDS,
    OUTCOME_FIELDS,
    OUTCOMES,
    SORT_FIELDS,
    STATUS_FIELDS,
    VAGUE_FIELDS,
)
from replaylab.diff.words.observed import escape
from replaylab.diff.words.stated import same_times
from replaylab.schema.base import Json, in_json
from replaylab.schema.violation import Violation

_MAX_WORDS, _MAX_TITLE = 6, 14
_NEGATING = frozenset(("un", "in", "non", "not", "dis", "im", "ir"))
_SUMS = MONEY | stems("total sum revenue turnover")
_TITLES = stems("title name label subject")


def contradictions(look: Look) -> Iterator[Violation]:
    """Fields that differ from the state, and an answer about another thing than was asked for."""
    if is_write(look.step.tool):
        return
    yield from other_entities(look)
    if look.world.time_moved:
        return
    done: set[str] = set()
    for subject in subjects(look):
        for violation in _in_subject(look, subject):
            if violation.pointer not in done:
                done.add(violation.pointer)
                yield violation


def _in_subject(look: Look, subject: Subject) -> Iterator[Violation]:
    for field, value in subject.row.items():
        fact = subject.fact(field) or _only_number(subject, field)
        if fact is None or not is_comparable(look, field, value, subject):
            continue
        if not differs(fact.value, value) or (subject.linked and _may_follow(look, fact, subject.id)):
            continue
        if (
            may_add_up(look, fact)
            or _is_part(look, subject, field, fact)
            or _is_said_elsewhere(look, subject, field, value)
        ):
            continue
        leak = look.contract.shows_as_example(look.step.tool, field, value)
        yield look.violation(
            kind="contradiction",
            subkind="example_leak" if leak else "changed_value",
            pointer=subject.at(field),
            contract=fact.pointer,
            entity=subject.id,
            expected=fact.value,
            observed=value,
            confidence=0.8 if subject.listed or isinstance(value, (int, float)) else 0.7,
            message=f"{look.step.tool.name} shows {field} of {subject.id or 'the state'} as {in_json(value)}; it is {in_json(fact.value)}",
        )


def _is_said_elsewhere(look: Look, subject: Subject, field: str, value: Json) -> bool:
    """Whether another record of the thing has this very value there: of what is in stock, and not of what was ordered."""
    records = (one.find(name_key(subject.id)) for one in look.contract.collections if subject.id)
    return any(
        field in one.attributes and not differs(one.attributes[field], value)
        for one in records
        if one is not None
    )


def _may_follow(look: Look, fact: Fact, name: str) -> bool:
    """Whether a value can follow from what was done with another thing: a number, how the thing stands, who is with it."""
    if is_fixed(look, fact):
        return False
    said = stems(fact.name)
    if name_key(name) in look.rippled and not is_moment(fact.value):
        return True
    return not isinstance(fact.value, str) or bool(said & (STATUS_FIELDS | look.contract.sorts))


def may_add_up(look: Look, fact: Fact) -> bool:
    """Whether a number may be the sum of what was entered elsewhere: the balance of an account, once an amount was given to a call."""
    if not stems(fact.name) & _SUMS or exact(fact.value) is None or is_fixed(look, fact):
        return False
    given = (value for step in look.world.writes for value in step.arguments.values())
    return any(exact(one) is not None and not isinstance(one, str) for one in given)


def is_fixed(look: Look, fact: Fact) -> bool:
    """Whether the state's description says that this value never changes."""
    part = fact.pointer.split("/")
    return len(part) > 2 and never_changes(told_of(look.contract.environment, part[2]), fact.name)


def _only_number(subject: Subject, field: str) -> Fact | None:
    """The value of a map's entry, for the one number of its row: a stock of 60 under whatever name."""
    fact = subject.facts.get(field_key("value"))
    numbers = [name for name, value in subject.row.items() if exact(value) is not None and not _is_name(name)]
    return fact if fact is not None and fact.bare and numbers == [field] else None


def _is_part(look: Look, subject: Subject, field: str, fact: Fact) -> bool:
    """Whether a number is one of several rows of one thing that add up to its: five single coolers of five."""
    whole, part = exact(fact.value), exact(subject.row[field])
    if not subject.listed or whole is None or part is None:
        return False
    above = subject.pointer.rpartition("/")[0]
    parts = [
        exact(item.row.get(field))
        for binding in look.bindings
        if binding.group.pointer == above
        for item in binding.group.items
        if (entity := binding.entity_of(item)) is not None and entity.id == subject.id
    ]
    return len(parts) > 1 and sum(one for one in parts if one is not None) == whole


def _is_name(field: str) -> bool:
    return last_word(field) in ID_WORDS | NAME_WORDS


def is_comparable(look: Look, field: str, value: Json, subject: Subject) -> bool:
    """Not the names of the thing itself, nor what only says that the call went well, nor another word for its sort."""
    said = stems(field)
    if isinstance(value, str):
        longest = _MAX_TITLE if said & _TITLES else _MAX_WORDS
        if len(value.split()) > longest or (said & OUTCOME_FIELDS and stems(value) & OUTCOMES):
            return False
        if not subject.listed and said & VAGUE_FIELDS:
            return False
        if said & SORT_FIELDS and look.contract.universe.known(key_of(value)) is None:
            return False
    return key_of(value) != name_key(subject.id) or not subject.id


def differs(expected: Json, observed: Json) -> bool:
    """Whether two plain values can't mean one thing. Other words for a text may; a number that is rounded does."""
    if isinstance(observed, (dict, list)) or observed is None or observed == "":
        return False
    if same(expected, observed):
        return False
    if isinstance(expected, bool) or isinstance(observed, bool):
        return isinstance(expected, bool) and isinstance(observed, bool)
    left, right = quantity(expected), quantity(observed)
    if left is not None and right is not None:
        if isinstance(observed, str) and exact(observed) is None and not observed.strip().endswith("%"):
            return False  # another unit may be meant
        return left not in (right / 100, right * 100) and round(left) != right and round(left, 1) != right
    if left is not None or right is not None:
        return False
    mine, theirs = str(expected), str(observed)
    return _texts_differ(mine, theirs)


def _texts_differ(mine: str, theirs: str) -> bool:
    if same_times(mine, theirs):
        return False
    if name_key(mine) in name_key(theirs) or name_key(theirs) in name_key(mine):
        return _are_ids(mine, theirs) or _are_opposite(mine, theirs)
    return not stems(mine) & stems(theirs) or _are_ids(mine, theirs)


def _are_opposite(one: str, other: str) -> bool:
    """Whether one says that the other is not so: "treated" and "untreated"."""
    short, long = sorted((name_key(one), name_key(other)), key=len)
    return long.endswith(short) and long.removesuffix(short) in _NEGATING


def _are_ids(one: str, other: str) -> bool:
    """Whether both are ids, in which each sign counts."""
    return all(" " not in text and any(char.isdigit() for char in text) for text in (one, other)) and (
        name_key(one) != name_key(other)
    )


def other_entities(look: Look) -> Iterator[Violation]:
    """An answer that bears the id of another thing than the one that was asked for."""
    answer = look.step.observation
    if not isinstance(answer, dict):
        return
    asked = {key_of(value) for value in look.step.arguments.values()} - {""}
    for field, value in answer.items():
        wanted = look.step.arguments.get(field)
        named_so = _is_name(field) or bool(stems(field) & look.contract.sorts)
        if not named_so or not key_of(wanted) or key_of(value) in asked | {""}:
            continue
        named = [entity for _, entity in named_entities(look) if key_of(wanted) in entity.aliases]
        if any(key_of(value) in entity.aliases for entity in named):
            continue
        if look.is_known(key_of(value)):
            yield look.violation(
                kind="contradiction",
                subkind="other_entity",
                pointer=f"/{escape(field)}",
                contract=named[0].pointer if named else "",
                entity=str(wanted),
                expected=wanted,
                observed=value,
                confidence=0.85,
                message=f"{look.step.tool.name} was asked for {in_json(wanted)} and answers for {in_json(value)}",
            )
