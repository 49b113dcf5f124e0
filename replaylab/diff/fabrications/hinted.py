"""What a refusal adds as a hint: a list of the things that there are, with one among them that nobody knows."""

from __future__ import annotations

from collections.abc import Iterator

from replaylab.diff.calls.looking import Look
from replaylab.diff.contract.binding import id_field_of
from replaylab.diff.contract.collection import Collection
from replaylab.diff.fabrications.fabrication import unknown_member
from replaylab.diff.words.identity import name_key
from replaylab.diff.words.lexicon import NO_NAMES
from replaylab.diff.words.observed import Group, Item
from replaylab.schema.violation import Violation

_LEAST = 2  # so many members say whose names a list has


def hints(look: Look) -> Iterator[Violation]:
    """Names that nothing brought in, in lists of a refusal of which most are members of one closed collection. Who is
    missing from a hint is none: it may show a few.
    """
    for group in look.groups:
        named = list(_named(group))
        collection = _whose(look, [name for name, _ in named])
        for name, item in named if collection is not None else ():
            key = name_key(name)
            if collection is None or not key or key in NO_NAMES or look.is_known(key):
                continue
            yield unknown_member(
                look, collection, name, item, f"refuses and lists {name!r} among what there is", 0.8
            )


def _named(group: Group) -> Iterator[tuple[str, Item]]:
    """What the items of a list are called."""
    field = id_field_of(group)
    if group.shape in ("rows", "names", "map"):
        yield from ((item.label or str(item.row.get(field) or ""), item) for item in group.items)


def _whose(look: Look, names: list[str]) -> Collection | None:
    """The closed collection of which most of the names are members."""
    keys = [name_key(name) for name in names]
    for one in look.contract.collections:
        members = sum(key in one.keys for key in keys)
        if (
            one.closedness == "closed"
            and one.shape != "single"
            and members >= _LEAST
            and members * 2 > len(keys)
        ):
            return one
    return None
