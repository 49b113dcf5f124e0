"""What calls have brought in: a hold that was placed, a person who was paged, stands in the lists that show such."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from replaylab.diff.calls.looking import Look
from replaylab.diff.calls.memory import about_of, inner, lists_on_face, records
from replaylab.diff.calls.world import Step
from replaylab.diff.contract.told import sentences_in
from replaylab.diff.contract.tools import is_write, moves_time, undoes, verb_of
from replaylab.diff.omissions.pages import goes_on
from replaylab.diff.words.identity import key_of, name_key, stem, stems, words
from replaylab.diff.words.lexicon import ID_WORDS, LEAVING_VERBS, PICKING, REMOVE_VERBS
from replaylab.diff.words.observed import Group, groups, leaves
from replaylab.schema.violation import Violation

_LEAVES = re.compile(
    r"\bleaves? (?:the|its|this) \w*(?:list|queue|board|log|agenda|roster|view)\b"
    r"|\b(?:is|are|gets?) (?:removed|deleted|struck|dropped|cleared|taken off)\b|\bno longer\b",
    re.IGNORECASE,
)
_ALL = ""  # whose list it is, where it is nobody's


class Brought(NamedTuple):
    """A name that a call brought in, under the name of its argument or of the field that it returned; `new` where the call
    gave it.
    """

    step: Step
    field: str
    name: str
    new: bool

    @property
    def key(self) -> str:
        return key_of(self.name)


def unshown(look: Look) -> Iterator[Violation]:
    """Names that calls have brought into a list, that nothing took out, and that the list does not show."""
    if is_write(look.step.tool) or stems(look.step.tool.name) & PICKING or goes_on(look):
        return
    for group, owner in _owned(look):
        found = [one for step in look.world.writes for one in _brought(look, step, owner)]
        for one in found:
            if (
                one.key in look.said
                or _goes_by_its_id(look, group, one, found)
                or _was_there(look, group, one, owner)
            ):
                continue
            if _belongs(look, group, one, found) and not _may_be_out(look, one, owner):
                yield look.violation(
                    kind="omission",
                    subkind="missing" if group.items else "all_missing",
                    pointer=group.pointer,
                    entity=one.name,
                    expected=one.name,
                    observed=[item.row or item.label for item in group.items][:12],
                    confidence=0.7,
                    message=f"{look.step.tool.name} leaves out {one.name!r}, which {one.step.tool.name} has brought in in call "
                    f"{one.step.call}",
                )


def _goes_by_its_id(look: Look, group: Group, one: Brought, found: list[Brought]) -> bool:
    """Whether the same call made something that this list shows, or has to show, by the id that it was given."""
    made = [each for each in found if each.new and each.step is one.step]
    return not one.new and any(
        each.key in look.said or stems(group.name) == _bare(each.field) for each in made
    )


def _was_there(look: Look, group: Group, one: Brought, owner: str) -> bool:
    """Whether the state has it there already, so that the call has not brought it in."""
    if not owner:
        bound = [
            each for each in look.bindings if each.group.pointer == group.pointer and each.evidence.is_certain
        ]
        return not _returns(one, group) and any(one.key in each.collection.keys for each in bound)
    return any(
        one.key in {key_of(value) for _, _, value in leaves(entity.attributes.get(group.name))}
        for _, entity in look.contract.things.get(owner, [])
    )


def _owned(look: Look) -> Iterator[tuple[Group, str]]:
    """The lists of an answer with the key of the thing whose they are."""
    parts = {name_key(name) for name in look.contract.environment.initial_state}
    given = [
        value
        for value in look.step.arguments.values()
        if value not in (None, "") and key_of(value) not in parts  # which part of the state is asked for
    ]
    about = about_of(look)
    if not given or (len(given) == 1 and about is not None):
        owner = about[1].key if about is not None and given else _ALL
        yield from ((one, owner) for one in lists_on_face(look))
    rows = {one.pointer: one for one in records(look) if one.own}
    for group in look.groups:
        if (
            group.shape in ("rows", "names", "empty")
            and group.inside in rows
            and group.pointer.rpartition("/")[0] == group.inside
        ):
            yield group, rows[group.inside].entity.key


def _brought(look: Look, step: Step, owner: str) -> Iterator[Brought]:
    """What a call on the owner brought in: other things that it names, and ids that it gave."""
    if (owner and owner not in step.named) or stems(step.tool.name) & REMOVE_VERBS:
        return
    for _, field, value in leaves(step.arguments):
        key = key_of(value)
        if isinstance(value, str) and key and key != owner:
            yield Brought(step, field, value, new=False)
    for field, value in inner(step.observation)[1].items():
        key = key_of(value)
        new = isinstance(value, str) and key not in step.named and not look.contract.names_a_thing(key)
        if new and any(map(str.isdigit, key)) and look.world.created.get(key) == step.call:
            yield Brought(step, field, str(value), new=True)


def _belongs(look: Look, group: Group, one: Brought, found: list[Brought]) -> bool:
    """Whether a list shows such: it is called after what the call made, or shows what the same tool brought in, or bears the
    name of what the tool does.
    """
    own = _bare(one.field)
    if one.new:
        return stems(group.name) == own or _shows_another(group, one, found)
    fields = _fields_like(look, group, own)
    if not fields and (group.shape == "rows" or not _is_of_their_sort(look, group, one)):
        return False
    shown = {key_of(item.row.get(field)) for item in group.items for field in fields}
    shown |= {key_of(item.label) for item in group.items}
    alike = [
        each
        for each in found
        if each.step.tool.name == one.step.tool.name and _bare(each.field) == own and each.key != one.key
    ]
    told = _does_such(look, group, one)
    return told or (
        any(each.key in shown for each in alike) and (bool(_owner_of(one, look)) or _returns(one, group))
    )


def _shows_another(group: Group, one: Brought, found: list[Brought]) -> bool:
    """Whether a list shows, under the very field, something else that the same tool has made."""
    shown = {key_of(item.row.get(one.field)) for item in group.items}
    return any(
        each.new
        and each.key in shown
        and (each.step.tool.name, each.field) == (one.step.tool.name, one.field)
        for each in found
    )


def _is_of_their_sort(look: Look, group: Group, one: Brought) -> bool:
    """Whether a thing is of the sort of those that a plain list names; of an empty one nobody can tell."""
    shown = {
        collection.pointer
        for item in group.items
        for collection, _ in look.contract.things.get(key_of(item.label), [])
    }
    own = {collection.pointer for collection, _ in look.contract.things.get(one.key, [])}
    sorts = [one for one in look.contract.collections if one.stems == stems(group.name) and one.entities]
    if not group.items:  # it may be called after things of another sort
        return bool(own) and not any(one.pointer not in own for one in sorts)
    return bool(own & shown)


def _owner_of(one: Brought, look: Look) -> bool:
    """Whether the list is that of one thing, which the call names too."""
    about = about_of(look)
    return about is not None and about[1].key in one.step.named


def _returns(one: Brought, group: Group) -> bool:
    """Whether the call returned a list of this very name."""
    return isinstance(inner(one.step.observation)[1].get(group.name), list)


def _does_such(look: Look, group: Group, one: Brought) -> bool:
    """Whether a list bears the name of what a tool does, or a sentence on that list speaks of it: "queue is the list of
    holds", of `place_hold`.
    """
    name, does = stems(group.name), stems("_".join(words(one.step.tool.name)[1:]))
    if not name or not does:
        return False
    described = (
        part
        for text in look.contract.environment.state_description.values()
        for part in sentences_in(str(text))
    )
    return name <= stems(one.step.tool.name) or any(
        re.match(rf"{re.escape(group.name)} (?:is|are|lists?|holds?)\b", part) and does <= stems(part)
        for part in described
    )


def _bare(field: str) -> frozenset[str]:
    """What a field is called after, without a word for ids: `lots` and `lot_id` are both of lots."""
    parts = words(field)
    own = parts[:-1] if len(parts) > 1 and (parts[-1] in ID_WORDS or parts[-1] == "ids") else parts
    return frozenset(stem(part) for part in own)


def _fields_like(look: Look, group: Group, own: frozenset[str]) -> list[str]:
    """The fields of a list's rows, or of those that the example has there, that are called like this."""
    rows = [item.row for item in group.items]
    if not rows:  # what stands there, by the example and by the state
        examples = (one for one in groups(look.step.tool.example_output) if one.name == group.name)
        rows = [item.row for one in examples for item in one.items]
        state = (one for one in look.contract.collections if one.name == group.name and one.shape == "rows")
        rows += [entity.attributes for one in state for entity in one.entities]
    return list(dict.fromkeys(field for row in rows for field in row if _bare(field) == own))


def _may_be_out(look: Look, one: Brought, owner: str) -> bool:
    """Whether a later call may have taken it out again, or time has."""
    later = (step for step in look.world.writes if step.call > one.step.call)
    return any(
        moves_time(step.tool) or undoes(step.tool) or _takes_out(look, step, one, owner) for step in later
    )


def _takes_out(look: Look, step: Step, one: Brought, owner: str) -> bool:
    """Whether a call ends or moves it, or ends what is in the list without naming any other thing."""
    removes = bool(stems(step.tool.name) & REMOVE_VERBS) or _LEAVES.search(step.tool.description) is not None
    concerns = not owner or owner in step.named
    if one.key in step.keys:
        other = step.tool.name != one.step.tool.name
        moves = verb_of(step.tool) in LEAVING_VERBS and not any(
            each.new for each in _brought(look, step, _ALL)
        )
        again = not other and bool(owner) and not concerns
        # What is done with it for its owner leaves it there, if it does not remove it.
        away = other and moves and (not owner or not concerns)
        return removes or away or (again and _is_one_place(look, one, owner))
    return removes and concerns and not (step.named - {owner}) & look.contract.things.keys()


def _is_one_place(look: Look, one: Brought, owner: str) -> bool:
    """Whether the thing that was brought has a field that says where it is, so that it can be in one place alone."""
    sorts = frozenset[str]().union(*(each.heads for each, _ in look.contract.things.get(owner, [])))
    return any(
        stems(field) & sorts and not isinstance(value, (list, dict))
        for _, entity in look.contract.things.get(one.key, [])
        for field, value in entity.attributes.items()
    )
