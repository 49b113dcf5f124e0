"""Finding: one thing that a command found. Findings are values; failures are exceptions."""

from __future__ import annotations

from replaylab.schema.base import Frozen, Json


class Finding(Frozen):
    """`where` is a CallPath, a file or a pointer; `message` is what a person reads; `closest` what comes nearest."""

    id: str
    kind: str
    where: str
    expected: Json = None
    observed: Json = None
    message: str = ""
    pointer: str = ""
    closest: str = ""

    def to_json(self) -> dict[str, Json]:
        """All fields, empty ones too: readers of `--json` may rely on them."""
        return self.model_dump(mode="json")
