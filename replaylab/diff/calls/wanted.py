"""What a call asks for by a list of names or ids: which of them are known, and which of them its answer shows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from replaylab.diff.calls.looking import Look
from replaylab.diff.calls.memory import inner
from replaylab.diff.contract.tools import is_write, verb_of
from replaylab.diff.words.identity import key_of, name_key, names_whole, stem, words
from replaylab.diff.words.keyfield import MAX_NAME
from replaylab.diff.words.lexicon import EVERYTHING, OUTCOME_KEYS, READ_VERBS, REMOVE_VERBS
from replaylab.diff.words.observed import Group, Item, escape, texts
from replaylab.schema.scenario import Tool

_SEVERAL = 2
_SHORT = 3  # a name this long may stand in any text


class Wanted(NamedTuple):
    """One list of an argument, by its names."""

    argument: str
    names: tuple[str, ...]

    @property
    def keys(self) -> frozenset[str]:
        return frozenset(name_key(one) for one in self.names)


def wanted_lists(look: Look) -> Iterator[Wanted]:
    """The arguments of a read that list several different names."""
    if not reads(look.step.tool):
        return
    for name, value in look.step.arguments.items():
        listed = value if isinstance(value, list) else []
        names = tuple(str(one) for one in listed if isinstance(one, str) and 0 < len(one) <= MAX_NAME)
        keys = {name_key(one) for one in names}
        if len(names) == len(listed) == len(keys) >= _SEVERAL and not keys & EVERYTHING:
            yield Wanted(name, names)


def reads(tool: Tool) -> bool:
    """Whether a tool only shows: by what is declared or by its verb; where nothing is declared, also by the first word of its
    description: "Queries the results".
    """
    told = words(tool.description)[:1]
    undeclared = tool.effect == "unknown" or tool.effect_from == "inferred"
    return not is_write(tool) or (undeclared and bool(told) and stem(told[0]) in READ_VERBS)


def is_said(look: Look, name: str) -> bool:
    """Whether an answer has a name: as a key, as a value, or inside a text."""
    key = name_key(name)
    return key in look.said or any(
        names_whole(text, name) or (len(key) > _SHORT and key in name_key(text))
        for _, text in texts(look.step.observation)
    )


def is_ended(look: Look, key: str) -> bool:
    """Whether a call on this name may have ended it."""
    return any(key in step.named and verb_of(step.tool) in REMOVE_VERBS for step in look.world.writes)


class Entries(NamedTuple):
    """A list or a map of an answer with an entry for some of the names: their keys, and how many entries are of none."""

    group: Group
    by_key: dict[str, Item]
    others: int


def entries_for(look: Look, wanted: Wanted) -> Iterator[Entries]:
    """The maps of an answer that have such names as keys, and the lists whose rows are named by them alone."""
    keys = wanted.keys
    for group in (*_face(look), *look.groups):
        if group.inside:
            continue
        if group.shape in ("map", "values"):
            found = {name_key(item.label): item for item in group.items}
        else:
            field = next((one for one in _fields(group) if _names_rows(group, one, keys)), "")
            found = {key_of(item.row.get(field)): item for item in group.items if field}
        own = {key: item for key, item in found.items() if key in keys}
        if own:
            yield Entries(group, own, len(found) - len(own))


def _face(look: Look) -> Iterator[Group]:
    """The parts of an answer itself as a map, without words on how the call went."""
    pointer, face = inner(look.step.observation)
    parts = {key: part for key, part in face.items() if key.casefold() not in OUTCOME_KEYS}
    items = (
        Item(f"{pointer}/{escape(key)}", key, part if isinstance(part, dict) else {"value": part})
        for key, part in parts.items()
    )
    if any(isinstance(part, (dict, list)) for part in parts.values()):  # else it is a group already
        yield Group(pointer, "", "map", tuple(items))


def _fields(group: Group) -> list[str]:
    return list(group.items[0].row) if group.shape == "rows" and group.items else []


def _names_rows(group: Group, field: str, keys: frozenset[str]) -> bool:
    """Whether a field has one of the names in each row, and never the same."""
    said = [key_of(item.row.get(field)) for item in group.items]
    return keys.issuperset(said) and len(set(said)) == len(said)
