"""A miss: what was asked and is not recorded, what comes nearest, and where the two part."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Literal

from replaylab.errors import EXIT_DIVERGED, ReplaylabError
from replaylab.schema.base import Json, JsonObject

Reason = Literal["nothing_recorded", "no_such_request", "asked_more_often", "out_of_order"]


@dataclass(frozen=True)
class Miss:
    """`key` is what was looked up: the request digest after the normalisers.

    `nearest` is the CallPath of the recording that comes closest, "" for none; `pointer` leads to the first field in
    which it differs, `expected` and `observed` are the values there (texts are cut to their surroundings). `recorded` and
    `asked` count, for `asked_more_often`, how often it is recorded and which time this was.
    """

    key: str
    endpoint: str
    method: str
    path: str
    lane: str
    reason: Reason
    message: str
    nearest: str = ""
    pointer: str = ""
    expected: Json = None
    observed: Json = None
    recorded: int = 0
    asked: int = 1
    fix: str = ""

    def to_json(self) -> JsonObject:
        """All of it, for an error body or a document."""
        return asdict(self)


class MissError(ReplaylabError):
    """What was asked is not recorded, and nobody may be asked now."""

    exit_code = EXIT_DIVERGED

    def __init__(self, miss: Miss) -> None:
        super().__init__(miss.message, where=miss.path, closest=miss.nearest, fix=miss.fix)
        self.miss = miss
