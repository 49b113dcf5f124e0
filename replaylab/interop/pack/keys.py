"""Ed25519 keys from the files that people have: OpenSSH's own format, or PEM as openssl writes it.

The one door to the package `cryptography`, which is an extra: only what signs or checks signatures imports this. A private key is read, used and forgotten; nothing of it is in a message.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from replaylab.errors import UsageError
from replaylab.given import read_given
from replaylab.interop.pack.wire_format import Malformed, Parts, string

TYPE = b"ssh-ed25519"
_OPENSSH = b"-----BEGIN OPENSSH PRIVATE KEY-----"
_MAX_FILE = 1 << 20
_MAKE = "ssh-keygen -t ed25519 -N '' -f FILE makes one without a passphrase"


@dataclass(frozen=True)
class PublicKey:
    """An Ed25519 public key: its 32 bytes. Two are equal when these are; `comment` is what its file calls it."""

    raw: bytes
    comment: str = field(default="", compare=False)

    @property
    def blob(self) -> bytes:
        """As SSH writes it."""
        return string(TYPE) + string(self.raw)

    @property
    def fingerprint(self) -> str:
        """As `ssh-keygen -l` prints it."""
        return "SHA256:" + base64.b64encode(hashlib.sha256(self.blob).digest()).decode().rstrip("=")

    @property
    def line(self) -> str:
        """As it stands in a .pub file."""
        return f"{TYPE.decode()} {base64.b64encode(self.blob).decode()}"

    def signed(self, signature: bytes, message: bytes) -> bool:
        """Whether this key signed the message."""
        try:
            Ed25519PublicKey.from_public_bytes(self.raw).verify(signature, message)
        except (InvalidSignature, ValueError):
            return False
        return True


class PrivateKey:
    """An Ed25519 key that signs. It shows nothing of itself but its public half."""

    def __init__(self, key: Ed25519PrivateKey) -> None:
        self._key = key
        self.public = PublicKey(key.public_key().public_bytes_raw())

    def __repr__(self) -> str:
        return f"PrivateKey({self.public.fingerprint})"

    def sign(self, message: bytes) -> bytes:
        """64 bytes; the same for the same message."""
        return self._key.sign(message)


def private_key(path: Path) -> PrivateKey:
    """Read a key to sign with. Raises UsageError for one that is encrypted, of another type, public, or none at all."""
    data = _read(path)
    load = serialization.load_ssh_private_key if _OPENSSH in data else serialization.load_pem_private_key
    if b"PRIVATE KEY-----" not in data:
        public = any(word in data for word in (TYPE, b"PUBLIC KEY-----", b"ssh-", b"ecdsa-"))
        what = (
            "this is a public key, and signing takes the private one" if public else "this is no private key"
        )
        raise UsageError(what, where=str(path), fix="name the file without .pub" if public else _MAKE)
    try:
        key = load(data, password=None)
    except TypeError as error:  # what the library raises where a passphrase is missing
        raise _encrypted(path) from error
    except (ValueError, UnsupportedAlgorithm) as error:
        if b"ENCRYPTED" in data or "password" in str(error).lower():
            raise _encrypted(path) from error
        raise UsageError(
            "the key can't be read: it is damaged, or of a kind that is not known here",
            where=str(path),
            fix=f"an Ed25519 key is due; {_MAKE}",
        ) from None  # what the parser says may quote the file
    if not isinstance(key, Ed25519PrivateKey):
        kind = type(key).__name__.lstrip("_").removesuffix("PrivateKey")
        raise UsageError(f"the key is of the type {kind}; Ed25519 is due", where=str(path), fix=_MAKE)
    return PrivateKey(key)


def public_keys(path: Path) -> list[PublicKey]:
    """The keys of a file: a .pub file, an allowed_signers file, or PEM. Raises UsageError for a line that is no key."""
    data = _read(path)
    if b"PRIVATE KEY-----" in data:
        fix = "name the public key: the file that ends with .pub, or `ssh-keygen -y -f FILE > FILE.pub`"
        raise UsageError("this is a private key, and checking takes the public one", where=str(path), fix=fix)
    if b"-----BEGIN PUBLIC KEY-----" in data:
        return [_pem(data, path)]
    found = list(_lines(data, path))
    if not found:
        raise UsageError(
            "there is no key in this file", where=str(path), fix="a line `ssh-ed25519 AAAA…` is due"
        )
    return found


def _pem(data: bytes, path: Path) -> PublicKey:

    try:
        key = serialization.load_pem_public_key(data)
    except (ValueError, UnsupportedAlgorithm) as error:
        raise UsageError("the key can't be read", where=str(path), fix="an Ed25519 key is due") from error
    if not isinstance(key, Ed25519PublicKey):
        kind = type(key).__name__.lstrip("_").removesuffix("PublicKey")
        raise UsageError(f"the key is of the type {kind}; Ed25519 is due", where=str(path))
    return PublicKey(key.public_bytes_raw(), path.name)


def _lines(data: bytes, path: Path) -> Iterator[PublicKey]:
    for number, line in enumerate(data.decode("utf-8", errors="replace").splitlines(), start=1):
        words = line.split()
        if not words or words[0].startswith("#"):
            continue
        # `ssh-ed25519 KEY comment`, or `principal ssh-ed25519 KEY` with nothing that restricts the key.
        at = next((place for place in (0, 1) if words[place : place + 1] == [TYPE.decode()]), None)
        where = f"{path}, line {number}"
        if at is None or len(words) < at + 2:
            raise UsageError(
                "not an Ed25519 public key, or one with options, which are not read here",
                where=where,
                fix="`ssh-ed25519 AAAA… comment`, one key a line; a name may stand in front",
            )
        try:
            parts = Parts(base64.b64decode(words[at + 1], validate=True))
            kind, raw = parts.string(), parts.string()
            parts.end()
        except (Malformed, binascii.Error) as error:
            raise UsageError("the key on this line is damaged", where=where) from error
        if kind != TYPE or len(raw) != 32:
            raise UsageError("the key on this line is damaged", where=where)
        yield PublicKey(raw, words[0] if at else " ".join(words[2:]))


def _read(path: Path) -> bytes:
    try:
        return read_given(path, _MAX_FILE)
    except FileNotFoundError as error:
        raise UsageError("there is no such key file", where=str(path), fix=_MAKE) from error
    except OSError as error:
        raise UsageError(f"the key can't be read: {error.strerror}", where=str(path), fix=_MAKE) from error


def _encrypted(path: Path) -> UsageError:
    return UsageError(
        "the key is locked with a passphrase, which is never asked for here",
        where=str(path),
        fix="sign with `ssh-keygen -Y sign -n replaylab -f KEY FILE`, which asks for it: `replaylab sign --help` says "
        "which FILE; or use a key without a passphrase",
    )
