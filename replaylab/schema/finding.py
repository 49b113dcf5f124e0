"""Finding: what a command found, as a value."""

from __future__ import annotations

import re

from replaylab.canonical import digest
from replaylab.schema.base import Frozen, Json, JsonObject

_LONE = re.compile("[\ud800-\udfff]")


def legible(text: str) -> str:
    r"""The text with bytes that are no UTF-8, as names of files can have, written as `\xff`: JSON has no form for them."""
    return _LONE.sub(_escaped, text)


def _escaped(match: re.Match[str]) -> str:
    code = ord(match[0])
    # What Python makes of a byte that is no UTF-8 is that byte again.
    return f"\\x{code - 0xDC00:02x}" if 0xDC80 <= code <= 0xDCFF else f"\\u{code:04x}"


class Finding(Frozen):
    """A difference, a violation, a damaged file: a result to report, not a failure of the command.

    `id` names the finding in scripts and stays the same from one look to the next. `where` is a CallPath, a file or a
    line. `expected` and `observed` are what should stand there and what does, null when that says nothing. `pointer`
    is the JSON pointer of the field, and `closest` what comes nearest, where there is one.
    """

    id: str
    kind: str
    where: str
    expected: Json = None
    observed: Json = None
    message: str
    pointer: str = ""
    closest: str = ""

    @classmethod
    def of(
        cls,
        kind: str,
        where: str,
        message: str,
        *,
        expected: Json = None,
        observed: Json = None,
        pointer: str = "",
        closest: str = "",
    ) -> Finding:
        """A finding whose id follows from its kind and place, so that two finds of one thing are one."""
        where, message = legible(where), legible(message)
        name = digest({"v": "finding/1", "kind": kind, "where": where})[:12]
        return cls(
            id=name,
            kind=kind,
            where=where,
            expected=expected,
            observed=observed,
            message=message,
            pointer=pointer,
            closest=closest,
        )

    def to_json(self) -> JsonObject:
        """All fields, defaults included: scripts read them without asking whether they are there."""
        return self.model_dump(mode="json")
