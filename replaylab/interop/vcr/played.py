"""From recordings of ours back to vcrpy's exchanges, with what vcrpy has no place for counted by name."""

from __future__ import annotations

import base64
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import NamedTuple

from replaylab.canonical import dumps
from replaylab.cassette.codec import Cassette
from replaylab.cassette.tape import expand
from replaylab.interop.vcr.layout import written
from replaylab.interop.vcr.pair import Pair
from replaylab.schema.base import Json, JsonObject
from replaylab.schema.interaction import Attempt, Interaction
from replaylab.schema.outcome import body_bytes

LABEL = "vcr"
_VERSION = re.compile(r"/v[0-9][a-z0-9]*$")

# What vcrpy can't carry, and what became of it.
LOST = {
    "attempts": "retries: vcrpy knows no attempts, so each stands as an exchange of its own, in the order of the recording",
    "chunks": "streams: vcrpy keeps no pieces and no times, so a client gets each stream at once",
    "broken": "answers that broke off: vcrpy would play them as whole, so they are left out",
    "no_answer": "calls that got no answer (refused, timed out): vcrpy has no place for them, so they are left out",
    "lanes": "lanes in one file: vcrpy plays equal requests in the order of the file, whoever asks",
    "address": "exchanges whose address is not recorded: they stand under an .invalid one; name it with --base-url",
}


class Ordered(NamedTuple):
    """Where an exchange stands among those of other lanes (when its cassette was begun, its time or its number there, its
    place in its lane, its attempt), and the exchange.
    """

    at: tuple[str, float, int, int]
    pair: Pair


@dataclass
class Player:
    """Turns the rows of cassettes into exchanges. `bases` gives the address of an alias; `lost` counts by `LOST`."""

    bases: Mapping[str, str]
    lost: Counter[str] = field(default_factory=Counter)

    def exchanges(self, cassette: Cassette, lane: str, first: int = 0) -> Iterator[Ordered]:
        """All exchanges of a lane of a cassette in order. `first` counts those that came before in other parts."""
        kept = kept_of(cassette)
        rows = cassette.lanes.get(lane, [])
        for ordinal, row in enumerate(rows):
            if len(row.attempts) > 1:
                self.lost["attempts"] += len(row.attempts) - 1
            ours = kept.get(row.path, [])
            for number, attempt in enumerate(row.attempts):
                mine = ours[number] if number < len(ours) else {}
                pair = self._pair(cassette, rows, ordinal, attempt, mine)
                if pair is not None:
                    begun = cassette.header.created
                    at = mine.get("at", attempt.started_ms)
                    yield Ordered((begun, at, first + ordinal, number), pair)

    def _pair(
        self, cassette: Cassette, rows: list[Interaction], ordinal: int, attempt: Attempt, kept: JsonObject
    ) -> Pair | None:
        if attempt.status is None or not attempt.complete:
            self.lost["no_answer" if attempt.status is None else "broken"] += 1
            return None
        if attempt.chunks is not None:
            self.lost["chunks"] += 1
        row = rows[ordinal]
        headers: dict[str, list[str]] = {name: [value] for name, value in attempt.headers.items()}
        headers |= kept.get("repeated", {})
        reason = kept["reason"] if "reason" in kept else None if kept else _reason(attempt.status)
        return Pair(
            method=row.request.method,
            uri=kept.get("uri") or self._uri(row),
            body=self._body(cassette, rows, ordinal, kept),
            asked=kept.get("headers", {} if kept else {"content-type": ["application/json"]}),
            status=attempt.status,
            reason=reason,
            headers=headers,
            content=body_bytes(attempt),
            value=kept.get("value"),
        )

    def _uri(self, row: Interaction) -> str:
        base = self.bases.get(row.request.alias)
        if base is None:
            self.lost["address"] += 1
            base = f"https://{row.request.alias.replace(':', '-')}.invalid"
        base = base.rstrip("/")
        version = _VERSION.search(base)
        # A proxy's clients ask for /v1/… themselves where the address of the vendor ends in it too.
        if version and row.request.path.startswith(version[0] + "/"):
            base = base.removesuffix(version[0])
        return base + row.request.path

    def _body(
        self, cassette: Cassette, rows: list[Interaction], ordinal: int, kept: JsonObject
    ) -> bytes | None:
        if "body" in kept and kept["body"] is None:
            return None
        raw = rows[ordinal].request.raw
        if raw is not None:
            value: Json = base64.b64decode(cassette.blob(raw).b64 or "")
        else:
            value = expand(rows, ordinal, cassette.blob)
        if "body" in kept:
            return written(kept["body"], value)
        return value if isinstance(value, bytes) else dumps(value)


def kept_of(cassette: Cassette) -> dict[str, list[JsonObject]]:
    """What an import kept beside each interaction, by CallPath, one an attempt."""
    return {
        label.path: list(label.value["attempts"])
        for label in cassette.labels
        if label.kind == LABEL and isinstance(label.value, dict) and "attempts" in label.value
    }


def metadata_of(cassette: Cassette) -> JsonObject:
    """The metadata of the file that a cassette was imported from."""
    for label in cassette.labels:
        if label.kind == LABEL and isinstance(label.value, dict) and "metadata" in label.value:
            return dict(label.value["metadata"])
    return {}


def _reason(status: int) -> str:
    try:
        return HTTPStatus(status).phrase
    except ValueError:
        return ""
