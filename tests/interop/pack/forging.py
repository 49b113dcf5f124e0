"""Makes packs that are not as packs are: by hand, and with the tar writer of the standard library."""

from __future__ import annotations

import hashlib
import io
import tarfile
from collections.abc import Iterable, Mapping
from pathlib import Path

from replaylab.interop.pack.tarball import END, header, padding

Members = dict[str, bytes]


def opened(file: Path) -> tuple[str, Members]:
    """The folder in a pack, and its members: read by Python's tarfile, not by the code under test."""
    with tarfile.open(file, "r:") as tar:
        found = {one.name: tar.extractfile(one) for one in tar.getmembers()}
        data = {name: content.read() for name, content in found.items() if content is not None}
    (top,) = {name.partition("/")[0] for name in data}
    return top, {name.partition("/")[2]: content for name, content in data.items()}


def summed(members: Mapping[str, bytes]) -> Members:
    """The members with a SHA256SUMS over them, in order."""
    rest = {path: data for path, data in members.items() if path != "SHA256SUMS"}
    lines = "".join(f"{hashlib.sha256(rest[path]).hexdigest()}  {path}\n" for path in sorted(rest))
    return dict(sorted((rest | {"SHA256SUMS": lines.encode()}).items()))


def tar(top: str, members: Mapping[str, bytes] | Iterable[tuple[str, bytes]], end: bytes = END) -> bytes:
    """A tar of these members, in the order given."""
    pairs = members.items() if isinstance(members, Mapping) else members
    return b"".join(member(f"{top}/{path}", data) for path, data in pairs) + end


def member(path: str, data: bytes) -> bytes:
    return header(path, len(data)) + data + padding(len(data))


def checksummed(block: bytes) -> bytes:
    """The header with the checksum that its bytes have."""
    blank = block[:148] + b" " * 8 + block[156:]
    return block[:148] + b"%06o\0 " % sum(blank) + block[156:]


def changed(block: bytes, at: int, data: bytes) -> bytes:
    """The header with other bytes in one field, and the right checksum."""
    return checksummed(block[:at] + data + block[at + len(data) :])


def special(name: str, kind: bytes, link: str = "", size: int = 0) -> bytes:
    """A header of the standard library for a link, a device and the like."""
    info = tarfile.TarInfo(name)
    info.type, info.linkname, info.size, info.mtime = kind, link, size, 315532800
    return info.tobuf(tarfile.USTAR_FORMAT)


def written_by_tarfile(top: str, members: Members, form: int, **fields: object) -> bytes:
    """The same members as Python's tarfile writes them; `fields` go into each header."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=form) as made:
        for path, data in members.items():
            info = tarfile.TarInfo(f"{top}/{path}")
            info.size, info.mtime = len(data), 315532800
            for name, value in fields.items():
                setattr(info, name, value)
            made.addfile(info, io.BytesIO(data))
    return out.getvalue()
