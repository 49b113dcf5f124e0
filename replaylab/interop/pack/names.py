"""What a pack may hold: the names of its members, in order, and how large each may be.

    <run>-<12 digits of the run id>/README.md
                                    SHA256SUMS
                                    objects/3f/3f9c….cassette, .run, .tombstone
                                    runs/<run>

A name that is not one of these is refused before a byte of its content is looked at, so there is no `..` to resolve.
"""

from __future__ import annotations

import re
from typing import Literal, NamedTuple

from replaylab.errors import StoreError, UsageError
from replaylab.store.disk import MAX_FILE
from replaylab.store.refs import check_name

Kind = Literal["readme", "sums", "cassette", "run", "tombstone", "ref"]

README, SUMS = "README.md", "SHA256SUMS"
MAX_MEMBERS = 250_000
MAX_TOTAL = 1 << 38
_LARGEST: dict[Kind, int] = {
    "readme": 1 << 20,
    "sums": 1 << 26,
    "run": 1 << 28,
    "tombstone": 1 << 26,
    "ref": 65,
}
_OBJECT = re.compile(r"objects/([0-9a-f]{2})/(\1[0-9a-f]{62})\.(cassette|run|tombstone)", re.ASCII)
_SHORT = 12


class Name(NamedTuple):
    """What a member is. `about` is the digest in an object's name, or the name of a reference."""

    kind: Kind
    about: str = ""

    @property
    def largest(self) -> int:
        """How many bytes it may have."""
        return _LARGEST.get(self.kind, MAX_FILE)


def parse(path: str) -> Name | None:
    """What the member at `path` (without the pack's own folder) is; None for a name that no pack has."""
    if path in (README, SUMS):
        return Name("readme" if path == README else "sums")
    match = _OBJECT.fullmatch(path)
    if match:
        return Name(match[3], match[2])  # type: ignore[arg-type]
    folder, _, name = path.partition("/")
    if folder != "runs":
        return None
    try:
        return Name("ref", check_name(name))
    except UsageError:
        return None


def object_path(digest: str, suffix: str) -> str:
    """Where an object stands in a pack."""
    return f"objects/{digest[:2]}/{digest}.{suffix}"


def top_folder(run_name: str, run_id: str) -> str:
    """The folder that all members of a pack stand in."""
    return f"{run_name}-{run_id[:_SHORT]}"


def file_name(run_name: str, run_id: str, *, redacted: bool) -> str:
    """What a pack is called where nobody says."""
    return f"{top_folder(run_name, run_id)}{'-redacted' if redacted else ''}.tar"


def refused(what: str, where: str, fix: str = "") -> StoreError:
    """The error for a pack that is not as packs are."""
    return StoreError(
        f"not a sound pack: {what}",
        where=where,
        fix=fix or "get the pack again from whoever published it; nothing of this one was kept",
    )
