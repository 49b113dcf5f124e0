"""Things that a call asks for one by one and that nobody knows: an answer with data for one of them makes it up."""

from __future__ import annotations

from collections.abc import Iterator

from replaylab.diff.calls.looking import Look
from replaylab.diff.calls.wanted import Entries, Wanted, entries_for, wanted_lists
from replaylab.diff.contract.collection import Collection
from replaylab.diff.contract.tools import verb_of
from replaylab.diff.fabrications.fabrication import unknown_member
from replaylab.diff.words.identity import family, is_near, is_sibling, key_of, name_key, stems
from replaylab.diff.words.lexicon import DISCOVERY_VERBS, ERROR_KEYS, NO_CONTENT
from replaylab.diff.words.observed import Item, leaves
from replaylab.schema.violation import Violation

_DENYING = stems(
    "no not none unknown invalid missing unavailable nothing"
)  # words of an entry that there is none


def made_up_answers(look: Look) -> Iterator[Violation]:
    """Entries with data for names that nothing has brought in, beside others that are members of a closed collection. Being
    asked for brings nothing in.
    """
    if verb_of(look.step.tool) in DISCOVERY_VERBS:
        return
    for wanted in wanted_lists(look):
        collection = _whose(look, wanted)
        shown = list(entries_for(look, wanted)) if collection is not None else []
        for name in wanted.names if collection is not None else ():
            item = _answer_for(shown, name_key(name))
            if collection is None or item is None or not _is_strange(look, collection, name):
                continue
            yield unknown_member(look, collection, name, item, f"has an answer for {name!r}", 0.8)


def _whose(look: Look, wanted: Wanted) -> Collection | None:
    """The first closed collection that some of the names are members of."""
    found = (one for one in look.contract.collections if one.shape != "single" and wanted.keys & one.id_keys)
    return next((one for one in found if one.closedness == "closed"), None)


def _is_strange(look: Look, collection: Collection, name: str) -> bool:
    """Whether nobody knows a name that is written like a member's."""
    key = name_key(name)
    came = key in look.world.created or key in look.world.seen or look.is_instructed(key)
    alike = any(
        family(name) == family(one) or is_sibling(name, one) or is_near(name, one) for one in collection.ids
    )
    return alike and not came and key not in look.contract.keys and not look.contract.names_a_thing(key)


def _answer_for(shown: list[Entries], key: str) -> Item | None:
    """The first entry for a name that says something of it, and not that there is none."""
    found = (one.by_key[key] for one in shown if key in one.by_key)
    return next((item for item in found if _has_data(item, key)), None)


def _has_data(item: Item, key: str) -> bool:
    said = [(name, value) for _, name, value in leaves(item.row) if key_of(value) != key]
    if any(
        name.casefold() in ERROR_KEYS or (isinstance(value, str) and stems(value) & _DENYING)
        for name, value in said
    ):
        return False
    return any(value not in (None, False, "") and key_of(value) not in NO_CONTENT for _, value in said)
