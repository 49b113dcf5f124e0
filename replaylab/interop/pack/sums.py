"""SHA256SUMS, as `sha256sum` writes and checks it: a digest, two spaces, a path, a newline; sorted by path."""

from __future__ import annotations

import re
from collections.abc import Mapping

from replaylab.interop.pack.names import MAX_MEMBERS, SUMS, parse, refused

_LINE = re.compile(r"([0-9a-f]{64})  (\S+)", re.ASCII)


def encode(digests: Mapping[str, str]) -> bytes:
    """The file over {path: digest}."""
    return "".join(f"{digests[path]}  {path}\n" for path in sorted(digests)).encode("ascii")


def decode(data: bytes, where: str) -> dict[str, str]:
    """{path: digest}. Raises StoreError for anything that `encode` would not have written."""
    found: dict[str, str] = {}
    try:
        lines = data.decode("ascii").split("\n")
    except UnicodeDecodeError as error:
        raise refused(f"{SUMS} is not ASCII", where) from error
    if lines.pop():
        raise refused(f"{SUMS} does not end with a newline", where)
    if len(lines) > MAX_MEMBERS:
        raise refused(f"{SUMS} lists {len(lines)} files, more than {MAX_MEMBERS}", where)
    for line in lines:
        match = _LINE.fullmatch(line)
        if match is None:
            raise refused(f"{SUMS} has the line {line[:200]!a}", where)
        found[match[2]] = match[1]
    for path in found:
        name = parse(path)
        if name is None or name.kind == "sums":
            raise refused(f"{SUMS} lists {ascii(path)[:200]}, which no pack holds", where)
    if encode(found) != data:
        raise refused(f"{SUMS} is not sorted by path, or lists a file twice", where)
    return found
