"""Finding: what a command found, as a value."""

from __future__ import annotations

from replaylab.canonical import digest
from replaylab.schema.base import Frozen, Json, JsonObject


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
