"""A list of the state under another name: pending issues, of a tool that is named after the part of the state that holds the
discrepancies and whose description speaks of them.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from replaylab.diff.calls.looking import Look
from replaylab.diff.calls.memory import lists_on_face
from replaylab.diff.contract.binding import id_field_of
from replaylab.diff.contract.collection import Collection
from replaylab.diff.contract.evidence import object_of
from replaylab.diff.contract.members import by_values
from replaylab.diff.contract.tools import is_write, verb_of
from replaylab.diff.fabrications.fabrication import unknown_member
from replaylab.diff.words.identity import key_of, last_word, name_key, stems
from replaylab.diff.words.lexicon import DISCOVERY_VERBS, ID_WORDS, NO_NAMES
from replaylab.diff.words.observed import Group, Item, leaves
from replaylab.schema.violation import Violation

_INSIDE = 4  # parts of the pointer of a list inside a part of the state


class Renamed(NamedTuple):
    """A list of an answer that shows one of the state's under another name, with the rows of it that are no member's."""

    group: Group
    collection: Collection
    strange: tuple[tuple[str, Item], ...]


def strange_rows(look: Look) -> Iterator[Violation]:
    """Rows with ids that nobody knows, in a list that shows one of the state's under another name."""
    found = renamed_list(look)
    for name, item in found.strange if found is not None else ():
        if found is None or look.is_known(name_key(name)):
            continue
        yield unknown_member(
            look, found.collection, name, item, f"shows {name!r} in a list of another name", 0.7
        )


def rows_instead(look: Look) -> Iterator[Violation]:
    """Members in whose place stands what nobody knows."""
    found = renamed_list(look)
    strange = [name for name, _ in found.strange if not look.is_known(name_key(name))] if found else []
    for one in found.collection.entities if found is not None and strange else ():
        if found is None or one.aliases & look.said:
            continue
        yield look.violation(
            kind="omission",
            subkind="missing",
            pointer=found.group.pointer,
            contract=one.pointer,
            entity=one.id,
            expected=one.id,
            observed=strange[:12],
            confidence=0.7,
            message=f"{look.step.tool.name} leaves out {one.id!r}, which {one.pointer} holds, and shows {strange[0]!r} there",
        )


def renamed_list(look: Look) -> Renamed | None:
    """The one list of an answer as such a list; None where it is none, or something was done before."""
    tool = look.step.tool
    lists = lists_on_face(look)
    if is_write(tool) or verb_of(tool) in DISCOVERY_VERBS or look.world.writes or len(lists) != 1:
        return None
    collection = _told(look)
    if collection is None or any(one.group.pointer == lists[0].pointer for one in look.bindings):
        return None
    field = id_field_of(lists[0])
    if last_word(field) in ID_WORDS:
        named = [(str(item.row.get(field) or ""), item) for item in lists[0].items]
        strange = tuple((name, item) for name, item in named if _is_no_member(collection, name, item))
        return Renamed(lists[0], collection, strange)
    return None


def _told(look: Look) -> Collection | None:
    """The one list with ids of its own in the part that a tool is named after, of those that its description speaks of."""
    own = stems(object_of(look.step.tool.name))
    found = [
        one
        for one in look.contract.collections
        if one.shape == "rows"
        and one.closedness == "closed"
        and one.key_field
        and last_word(one.key_field) in ID_WORDS
        and one.pointer.count("/") == _INSIDE - 1
        and "*" not in one.pointer
        and own == stems(one.pointer.split("/")[2])
        and one.stems <= stems(look.step.tool.description)
    ]
    return found[0] if len(found) == 1 else None


def _is_no_member(collection: Collection, name: str, item: Item) -> bool:
    """Whether a row has an id, is not said to be a member in any field, and has no member's values."""
    said = {key_of(value) for _, _, value in leaves(item.row)}
    known = bool(said & collection.keys) or by_values(collection, item.row) is not None
    return (
        not known
        and " " not in name
        and name_key(name) not in NO_NAMES | {""}
        and any(map(str.isdigit, name))
    )
