"""A shape of a secret: a pattern, and what has to stand in a text before the pattern is tried."""

from __future__ import annotations

import re
from typing import NamedTuple

VALUE = r"[!$%(-;=?-Z^-~]"  # printable, without space, quotes, < > # & \ [ ]


class Shape(NamedTuple):
    """One of `needles` stands in every match of `pattern`, and so does `gate`, which is looked for first.

    `name` is what reports call it.
    """

    name: str
    needles: tuple[bytes, ...]
    pattern: re.Pattern[bytes]
    gate: bytes = b""


def shape(name: str, needles: str, pattern: str, gate: str = "") -> Shape:
    """A shape by its needles, which bars part, and its pattern; where that has a group, the group is the secret."""
    return Shape(
        name, tuple(part.encode() for part in needles.split("|")), re.compile(pattern.encode()), gate.encode()
    )


def key(name: str, prefix: str, body: str, needles: str = "") -> Shape:
    """A key that is `prefix` and `body`, which ends in a repetition; that is never given back (`+`)."""
    # The bounds on both sides keep long base64 that happens to hold a prefix, and words such as `task-…`, whole. A
    # letter before the key may be the end of an escape, as in `\nsk-…`.
    return shape(
        name, needles or prefix, rf"(?:(?<![A-Za-z0-9])|(?<=\\[bfnrt])){prefix}{body}+(?![A-Za-z0-9])"
    )
