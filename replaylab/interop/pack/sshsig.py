"""Detached signatures in the format of `ssh-keygen -Y sign`, which makes and checks them too.

What is signed is a file that a reader has: SHA256SUMS of a pack, or a run object. The namespace is `replaylab`, so a
signature that a key gave for something else is none here.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import re
from dataclasses import dataclass

from replaylab.errors import UsageError
from replaylab.interop.pack.keys import TYPE, PrivateKey, PublicKey
from replaylab.interop.pack.wire_format import Malformed, Parts, string

NAMESPACE = "replaylab"
_MAGIC = b"SSHSIG"
_HASHES = {b"sha256": hashlib.sha256, b"sha512": hashlib.sha512}
_ARMOR = re.compile(
    rb"\s*-----BEGIN SSH SIGNATURE-----\r?\n([A-Za-z0-9+/=\r\n]+?)\r?\n-----END SSH SIGNATURE-----\s*"
)
_WIDTH = 70


@dataclass(frozen=True)
class Signature:
    """What a signature file holds: whose key, over which hash, and the 64 bytes."""

    key: PublicKey
    hash: bytes
    reserved: bytes
    raw: bytes

    def fits(self, message: bytes) -> bool:
        """Whether it was made over this message."""
        return self.key.signed(self.raw, _signed(message, self.hash, self.reserved))


def sign(key: PrivateKey, message: bytes) -> bytes:
    """The signature file. The same key and message give the same bytes, and `ssh-keygen -Y sign` the same again."""
    raw = key.sign(_signed(message, b"sha512", b""))
    blob = _MAGIC + (1).to_bytes(4) + string(key.public.blob)
    blob += string(NAMESPACE.encode()) + string(b"") + string(b"sha512") + string(string(TYPE) + string(raw))
    text = base64.b64encode(blob).decode()
    lines = [text[at : at + _WIDTH] for at in range(0, len(text), _WIDTH)]
    lines = ["-----BEGIN SSH SIGNATURE-----", *lines, "-----END SSH SIGNATURE-----"]
    return ("\n".join(lines) + "\n").encode()


def parse(data: bytes, where: str) -> Signature:
    """A signature out of its file. Raises UsageError for one that is damaged, of another namespace or key type."""
    match = _ARMOR.fullmatch(data)
    if match is None:
        raise UsageError(
            "this is no SSH signature",
            where=where,
            fix=f"`replaylab sign` makes one, and so does `ssh-keygen -Y sign -n {NAMESPACE} -f KEY FILE`",
        )
    try:
        return _parsed(b"".join(match[1].split()), where)
    except (Malformed, binascii.Error) as error:
        raise UsageError("the signature is damaged", where=where) from error


def _parsed(armored: bytes, where: str) -> Signature:
    parts = Parts(base64.b64decode(armored, validate=True))
    if parts.raw(6) != _MAGIC or parts.number() != 1:
        raise Malformed("another version")
    public, namespace, reserved, hashed, signature = (parts.string() for _ in range(5))
    parts.end()
    if namespace != NAMESPACE.encode():
        raise UsageError(
            f"the signature is for the namespace {ascii(namespace.decode(errors='replace'))[:80]}",
            where=where,
            fix=f"it has to be made for this one: ssh-keygen -Y sign -n {NAMESPACE} -f KEY FILE",
        )
    kind, raw_key = _pair(public)
    if kind != TYPE or len(raw_key) != 32:
        said = ascii(kind.decode(errors="replace"))[:60]
        raise UsageError(f"the signature is by a key of the type {said}; Ed25519 is due", where=where)
    algorithm, raw = _pair(signature)
    if algorithm != TYPE or len(raw) != 64 or hashed not in _HASHES:
        raise Malformed("not an Ed25519 signature")
    return Signature(PublicKey(raw_key), hashed, reserved, raw)


def _pair(data: bytes) -> tuple[bytes, bytes]:
    """Type and value; of other key types the rest is of no interest."""
    parts = Parts(data)
    kind, value = parts.string(), parts.string()
    if kind == TYPE:
        parts.end()
    return kind, value


def _signed(message: bytes, hashed: bytes, reserved: bytes) -> bytes:
    digest = _HASHES[hashed](message).digest()
    return _MAGIC + string(NAMESPACE.encode()) + string(reserved) + string(hashed) + string(digest)
