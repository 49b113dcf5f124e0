"""Lists inside texts: "4 items pending: N-101, N-102" lists what a list would, and so does `locked_tables` "a, b and c"."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from replaylab.diff.contract.collection import Collection
from replaylab.diff.contract.evidence import object_of
from replaylab.diff.words.identity import family, ids_in, key_of, name_key, names_whole, stems
from replaylab.diff.words.observed import Group, Item, leaves, texts
from replaylab.schema.base import Json, JsonObject
from replaylab.schema.scenario import Tool

_LEAST = 2  # members named in one text before it counts as a list of them
_LONGEST = 3  # words of a name in a written list
_COMMA = re.compile(r" ?(?:[,;]|\band\b) ?")
_ASIDE = re.compile(r" ?\([^()]*\)")
_AND_MORE = re.compile(
    r"\betc\b|\bothers?\b|\bmore\b|\.\.\.|…|\be\.g\.|\bsuch as\b|\bincluding\b", re.IGNORECASE
)


def told_groups(observation: Json, collections: Sequence[Collection]) -> Iterator[Group]:
    """For each text that names several members of a collection: these, and what else is written like them."""
    if isinstance(observation, str) and observation.lstrip().startswith(("{", "[", "`")):
        return  # JSON that breaks off: what it would have said further on is not missing
    for pointer, text in texts(observation):
        named = list(dict.fromkeys(ids_in(text))) if " " in text else []
        for one in collections if len(named) >= _LEAST else ():
            families = {family(name) for name in one.ids}
            alike = [name for name in named if family(name) in families]
            if sum(name_key(name) in one.keys for name in alike) >= _LEAST:
                yield Group(pointer, "", "names", tuple(Item(pointer, name, {}) for name in alike))


def written_lists(observation: Json, collections: Sequence[Collection]) -> Iterator[Group]:
    """For each text under the very name of a collection of names that is nothing but names: these."""
    for pointer, key, text in leaves(observation):
        if not isinstance(text, str) or not stems(key) or _AND_MORE.search(text):
            continue
        line = " ".join(text.split())  # one blank each, so that a pattern has nothing to try again
        parts = [part for one in _COMMA.split(line) if (part := _ASIDE.sub("", one).strip(" ."))]
        for one in collections:
            is_own = one.shape == "names" and one.stems == stems(key) and len(parts) >= _LEAST
            known = sum(name_key(part) in one.keys for part in parts) if is_own else 0
            if known and all(len(part.split()) <= _LONGEST for part in parts):
                yield Group(pointer, key, "names", tuple(Item(pointer, part, {}) for part in parts))


def told_whole(
    observation: Json, tool: Tool, arguments: JsonObject, collections: Sequence[Collection]
) -> Iterator[Group]:
    """What the one text of an answer tells of a collection that the tool is named after and nothing else, or of the members
    that an argument lists: those whose names it says, and those that it may mean by a word of their own.
    """
    found = [(pointer, text) for pointer, text in texts(observation) if " " in text]
    if len(found) != 1 or not isinstance(observation, dict) or _AND_MORE.search(found[0][1]):
        return
    pointer, text = found[0]
    lists = [value for value in arguments.values() if isinstance(value, list) and len(value) >= _LEAST]
    for one in collections:
        asked = any(all(key_of(name) in one.keys for name in value) for value in lists)
        whole = not arguments and bool(one.stems) and stems(object_of(tool.name)) == one.stems
        named = [name for name in one.ids if name and names_whole(text, name)]
        if (asked or whole) and named and one.shape in ("rows", "map"):
            meant = [name for name in one.ids if name in named or _own_words(name, one) & stems(text)]
            yield Group(pointer, "", "names", tuple(Item(pointer, name, {}) for name in meant))


def _own_words(name: str, collection: Collection) -> frozenset[str]:
    """The words of a name that no other member's has."""
    others = frozenset[str]().union(*(stems(one) for one in collection.ids if one != name))
    return stems(name) - others
