"""The union of libraries, as far as it needs no reading of cassettes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from replaylab.canonical import Digest
from replaylab.errors import StoreError, UsageError
from replaylab.schema.tombstone import Tombstone
from replaylab.store.library import Library
from replaylab.store.objects import SUFFIXES, Suffix


class Conflict(NamedTuple):
    """A reference name that stands for different runs; `runs` gives (library folder, run id), the target first."""

    name: str
    runs: tuple[tuple[Path, Digest], ...]


class StillThere(NamedTuple):
    """A cassette that was purged in one library while others have it whole; `here` says that the target does."""

    stone: Tombstone
    holders: tuple[Path, ...]
    here: bool


class Union(NamedTuple):
    """What a union did: objects copied, damaged objects of the target that were replaced, references taken over.

    The references in `conflicts` were left as they were in the target; who resolves them makes a new run object.
    `purged` has the cassettes that one of the libraries purged and another still has.
    """

    added: dict[Suffix, int]
    restored: tuple[Path, ...]
    refs: dict[str, Digest]
    conflicts: tuple[Conflict, ...]
    purged: tuple[StillThere, ...] = ()


def union(target: Library, sources: Sequence[Library]) -> Union:
    """Copy into `target` every object and reference of `sources` that it lacks; each object is verified.

    A purge counts for all: what one of the libraries purged is copied from none, and its tombstone is taken over; what
    the target itself still has stays, and is named. A redacted stand-in gives way to the whole cassette.

    A damaged object of the target is replaced by a sound one. Objects come before references, so being killed leaves
    a sound library, and doing it again goes on. Raises UsageError for a source that is no library, StoreError naming
    the file when an object that is wanted is sound nowhere.
    """
    for source in sources:
        if not source.exists():
            raise UsageError(
                f"no library at {source.root}",
                where=str(source.root),
                fix="name a folder that holds objects/ and runs/",
            )
    others = [source for source in sources if source.root.resolve() != target.root.resolve()]
    added: dict[Suffix, int] = {}
    restored: list[Path] = []
    still: tuple[StillThere, ...] = ()
    purged = _purged([target, *others])
    for suffix in SUFFIXES:
        holders = _holders(others, suffix)
        added[suffix] = 0
        if suffix == "cassette":
            still = _still_there(target, holders, purged)
            holders = {name: having for name, having in holders.items() if name not in purged}
        for name, having in sorted(holders.items()):
            if not target.has(name, suffix):
                target.put(_sound(having, name, suffix), suffix)
                added[suffix] += 1
            elif not _is_sound(target, name, suffix):
                target.restore(_sound(having, name, suffix), suffix)
                restored.append(target.path(name, suffix))
    _unite_tombstones(target, others, purged)
    refs, conflicts = _unite_refs(target, others)
    return Union(added, tuple(restored), refs, conflicts, still)


def _purged(libraries: Iterable[Library]) -> dict[str, Tombstone]:
    """What was purged anywhere; the target's own tombstone, and else the first, says why."""
    found: dict[str, Tombstone] = {}
    for library in libraries:
        for name, stone in library.all_gone().items():
            if stone.why == "purged":
                found.setdefault(name, stone)
    return found


def _still_there(
    target: Library, holders: Mapping[str, list[Library]], purged: Mapping[str, Tombstone]
) -> tuple[StillThere, ...]:
    found = []
    for name, stone in sorted(purged.items()):
        here = target.has(name, "cassette")
        roots = tuple(library.root for library in holders.get(name, ()))
        if here or roots:
            found.append(StillThere(stone, roots, here))
    return tuple(found)


def _unite_tombstones(target: Library, sources: Sequence[Library], purged: Mapping[str, Tombstone]) -> None:
    wanted = {name: stone for source in sources for name, stone in source.all_gone().items()} | dict(purged)
    for name, stone in sorted(wanted.items()):
        own = target.tombstones.get(name)
        if not target.has(name, "cassette") and (own is None or own.why == "redacted" != stone.why):
            target.tombstones.put(stone)
    for name in list(target.tombstones.names()):
        if target.gone(name) is None:  # a stand-in whose cassette is here now
            target.tombstones.remove(name)


def _holders(sources: Iterable[Library], suffix: Suffix) -> dict[str, list[Library]]:
    holders: dict[str, list[Library]] = {}
    for source in sources:
        for name in source.objects(suffix):
            holders.setdefault(name, []).append(source)
    return holders


def _is_sound(library: Library, name: str, suffix: Suffix) -> bool:
    try:
        library.get(name, suffix)
    except StoreError:
        return False
    return True


def _sound(sources: Sequence[Library], name: str, suffix: Suffix) -> bytes:
    """The bytes from the first source whose copy is sound; the last one's error when none is."""
    for source in sources[:-1]:
        if _is_sound(source, name, suffix):
            return source.get(name, suffix)
    return sources[-1].get(name, suffix)


def _unite_refs(
    target: Library, sources: Sequence[Library]
) -> tuple[dict[str, Digest], tuple[Conflict, ...]]:
    claims: dict[str, list[tuple[Path, Digest]]] = {}
    for library in (target, *sources):
        for name, run_id in library.refs().items():
            claims.setdefault(name, []).append((library.root, run_id))
    own = target.refs()
    taken: dict[str, Digest] = {}
    conflicts: list[Conflict] = []
    for name, runs in sorted(claims.items()):
        if len({run_id for _, run_id in runs}) > 1:
            conflicts.append(Conflict(name, tuple(runs)))
        elif name not in own:
            with target.lock(
                name
            ):  # a recording that began meanwhile has this name: it is refused, not overrun
                if target.ref(name) is None:
                    taken[name] = runs[0][1]
                    target.set_ref(name, taken[name])
    return taken, tuple(conflicts)
