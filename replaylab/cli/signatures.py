"""`verify --key`: what a signature is compared with."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from replaylab.canonical import digest_bytes
from replaylab.errors import StoreError, UsageError
from replaylab.interop.pack import sums
from replaylab.interop.pack.keys import PublicKey, public_keys
from replaylab.interop.pack.names import SUMS
from replaylab.interop.pack.packed import PackedLibrary
from replaylab.interop.pack.read import Read
from replaylab.interop.pack.signed import Checked, Message, check, read_signature
from replaylab.interop.pack.sshsig import Signature
from replaylab.store import disk
from replaylab.store.library import Library

_MAX_SUMS = 1 << 28


@dataclass(frozen=True)
class Signed:
    """A signature file and the keys that are trusted, read before anything else is looked at."""

    file: Path
    signature: Signature
    keys: list[PublicKey]

    @classmethod
    def read(cls, cwd: Path, key: Path, signature: Path | None, pack: Path | None) -> Signed:
        """Raises UsageError for a key or a signature that is none."""
        keys = public_keys(cwd / key.expanduser())
        if signature is None and pack is None:
            raise UsageError("--key checks a signature, and none is named", fix="add --signature FILE")
        file = cwd / (signature or f"{pack}.sig")
        return cls(file, read_signature(file), keys)

    def of_pack(self, library: PackedLibrary, run_id: str, read: Read) -> Checked:
        """It may be over the pack or over the run in it."""
        messages = [
            Message("SHA256SUMS of the pack", run_id, read.sums),
            Message("the run object alone", run_id, library.get(run_id, "run")),
        ]
        return check(self.signature, self.keys, messages, str(self.file))

    def of_library(self, library: Library) -> Checked:
        """It may be over any run object of the library, or over the pack that it was unpacked from."""
        return check(self.signature, self.keys, _of(library, list(library.objects("run"))), str(self.file))

    def over_run(self, library: Library, run_id: str) -> Checked:
        """It has to be over this run object, or over a pack of this run that the library was unpacked from."""
        return check(self.signature, self.keys, _of(library, [run_id]), str(self.file))


def _of(library: Library, runs: Sequence[str]) -> Iterator[Message]:
    for run_id in runs:
        yield Message("the run object", run_id, library.get(run_id, "run"))
    packed = _unpacked(library)
    yield from (message for message in packed if message.run in runs)


def _unpacked(library: Library) -> Iterator[Message]:
    """SHA256SUMS, which an unpacked library keeps. It says of one run alone that the pack is about it: the one that its
    `runs/NAME` names. Run objects that this one follows are listed too, and whoever signed did not sign for those.
    """
    path = library.root / SUMS
    try:
        data = disk.read_file(path, limit=_MAX_SUMS)
        listed = sums.decode(data, str(path))
    except (FileNotFoundError, StoreError):
        return  # no pack was unpacked here, or the file is no longer as it was: nothing can be over it
    about = {digest for name, digest in listed.items() if name.startswith("runs/")}
    for run_id in library.objects("run"):
        if digest_bytes(f"{run_id}\n".encode()) in about and run_id in listed.values():
            yield Message(f"{SUMS} of the pack that this library was unpacked from", run_id, data)
