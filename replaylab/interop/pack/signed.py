"""What a signature is over, and whether one is good.

A pack is signed through its SHA256SUMS, which lists every other file of it. A run is signed through its run object, whose
SHA-256 is the run id; since that names every cassette, a signature over it also holds for any pack of the run, a redacted
one too (of which the README and the tombstones are then not covered).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from replaylab.errors import UsageError
from replaylab.given import read_given
from replaylab.interop.pack.keys import PublicKey
from replaylab.interop.pack.sshsig import Signature, parse
from replaylab.schema.finding import Finding

_MAX_FILE = 1 << 16


@dataclass(frozen=True)
class Message:
    """Something that can be signed: what it is called, the run that it is about, and its bytes."""

    what: str
    run: str
    data: bytes


@dataclass(frozen=True)
class Checked:
    """What came of a signature. `over` is None where it is not good, and `finding` says why."""

    key: PublicKey
    over: Message | None
    finding: Finding | None


def read_signature(path: Path) -> Signature:
    """A signature file. Raises UsageError where there is none, or it is none."""
    try:
        data = read_given(path, _MAX_FILE)
    except FileNotFoundError as error:
        raise UsageError(
            "there is no such signature", where=str(path), fix="name it with --signature FILE"
        ) from error
    except OSError as error:
        raise UsageError(f"the signature can't be read: {error.strerror}", where=str(path)) from error
    return parse(data, str(path))


def check(
    signature: Signature, trusted: Sequence[PublicKey], messages: Iterable[Message], where: str
) -> Checked:
    """Compare a signature with the keys that are trusted and everything that it can be over, in order."""
    mine = next((key for key in trusted if key == signature.key), None)
    if mine is None:
        message = (
            f"the signature is by the key {signature.key.fingerprint}, which is not the one that was given"
        )
        found = Finding.of(
            "signature-key",
            where,
            message,
            expected=[key.fingerprint for key in trusted],
            observed=signature.key.fingerprint,
        )
        return Checked(signature.key, None, found)
    over = next((message for message in messages if signature.fits(message.data)), None)
    if over is not None:
        return Checked(mine, over, None)
    message = f"the signature by {mine.fingerprint} is over something else than this: it was changed, or is another one"
    return Checked(mine, None, Finding.of("signature", where, message))
