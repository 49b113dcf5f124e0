"""`verify --key`: what a signature is compared with."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from replaylab.errors import UsageError
from replaylab.interop.pack.keys import PublicKey, public_keys
from replaylab.interop.pack.packed import PackedLibrary
from replaylab.interop.pack.read import Read
from replaylab.interop.pack.signed import Checked, Message, check, read_signature
from replaylab.interop.pack.sshsig import Signature
from replaylab.store.library import Library


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
        """It may be over any run object of the library."""
        return check(self.signature, self.keys, _runs(library), str(self.file))

    def over_run(self, run_id: str, data: bytes) -> Checked:
        """It has to be over this run object."""
        return check(self.signature, self.keys, [Message("the run object", run_id, data)], str(self.file))


def _runs(library: Library) -> Iterator[Message]:
    for run_id in library.objects("run"):
        yield Message("a run object of this library", run_id, library.get(run_id, "run"))
