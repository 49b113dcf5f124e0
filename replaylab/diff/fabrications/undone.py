"""Acts that nobody did: a list of what was done is empty at first, no call has changed anything, and an answer fills it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from replaylab.diff.calls.looking import Look
from replaylab.diff.contract.collection import Collection
from replaylab.diff.contract.tools import is_write, verb_of
from replaylab.diff.words.identity import key_of, stem, stems, words
from replaylab.diff.words.lexicon import CONTAINERS, DISCOVERY_VERBS, GROWING, NO_NAMES
from replaylab.diff.words.observed import Group, Item
from replaylab.schema.violation import Violation

_DONE = re.compile(
    r"\b(?:executed|performed|applied|created|submitted|taken|issued|booked|completed|carried out|placed|sent|posted|made|"
    r"administered|approved)\b",
    re.IGNORECASE,
)


def never_done(look: Look) -> Iterator[Violation]:
    """Items of a list of acts, before any call that could act."""
    tool = look.step.tool
    if is_write(tool) or verb_of(tool) in DISCOVERY_VERBS or look.world.writes:
        return
    for group in look.groups:
        collection = _acts(look, group)
        for item in group.items if collection is not None and not group.inside else ():
            name = _name(item)
            if collection is None or key_of(name) in NO_NAMES | {""}:
                continue
            yield look.violation(
                kind="fabrication",
                subkind="unknown",
                pointer=item.pointer,
                contract=collection.pointer,
                entity=name,
                expected=[],
                observed=item.row or item.label,
                confidence=0.65,
                message=f"{tool.name} shows {name!r} in {collection.pointer}, which is empty at first, and nothing was done",
            )


def _acts(look: Look, group: Group) -> Collection | None:
    """The list of acts that a group shows: by its name, or by that without a word for a log."""
    if group.shape not in ("rows", "names", "texts") or not group.name:
        return None
    said = stems(group.name)
    found = [
        one
        for one in look.contract.collections
        if not one.entities and _DONE.search(one.description) and said in (one.stems, _bare(one.name))
    ]
    return found[0] if len(found) == 1 else None


def _bare(name: str) -> frozenset[str]:
    return frozenset(
        part for word in words(name) if (part := stem(word)) not in CONTAINERS and part not in GROWING
    )


def _name(item: Item) -> str:
    return item.label or next((value for value in item.row.values() if isinstance(value, str)), "")
