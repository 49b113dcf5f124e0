"""Responder: requests as bytes, answers as bytes. The loopback server and an in-process transport both stand on it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from replaylab.builtin.answer import stream
from replaylab.builtin.asked import Refusal
from replaylab.builtin.models import Models
from replaylab.canonical import NotIJson, parse_strict
from replaylab.catalogue.loader import Catalogue, shipped
from replaylab.schema.base import Json, JsonObject
from replaylab.schema.seeded import to_header

Response = tuple[int, dict[str, str], Iterable[bytes]]

_JSON = {"content-type": "application/json"}
_EVENTS = {"content-type": "text/event-stream; charset=utf-8", "cache-control": "no-store"}


class Responder:
    """The built-in models behind the paths of the API. Stateless but for memory; safe to share by threads."""

    def __init__(self, catalogue: Catalogue, trusted: Sequence[Path] | None = None) -> None:
        """`trusted`: the folders whose twins may be run, by default those that come with replaylab."""
        self.models = Models(catalogue, (shipped(),) if trusted is None else trusted)

    def respond(self, path: str, body: bytes, method: str = "POST") -> Response:
        """(status, headers, body in pieces). `path` with or without `/v1`; a streamed answer has a piece an event."""
        path = "/" + path.partition("?")[0].removeprefix("/v1/").strip("/")
        if (method, path) == ("GET", "/models"):
            return _json(200, self.models.listing())
        if (method, path) != ("POST", "/chat/completions"):
            what = f"nothing answers to {method} {path[:100]}"
            fix = "POST to /v1/chat/completions, or GET /v1/models."
            return refused(Refusal(what, status=404, code="unknown_url", fix=fix))
        try:
            asked = parse_strict(body)
        except NotIJson as error:
            return refused(Refusal(f"the body is no JSON that can be read: {error.what}"))
        status, answer, seeded = self.models.answer(asked)
        if status != 200:
            return _json(status, answer)
        identity = {"x-request-id": answer["id"], **to_header(seeded)}
        if asked.get("stream") is True:
            return 200, _EVENTS | identity, _events(asked, answer)
        return _json(200, answer, identity)


def refused(refusal: Refusal) -> Response:
    """A refusal as a response."""
    return _json(refusal.status, refusal.body())


def _json(status: int, value: JsonObject, headers: dict[str, str] | None = None) -> Response:
    return status, _JSON | (headers or {}), (_text(value),)


def _events(body: JsonObject, answer: JsonObject) -> Iterator[bytes]:
    for chunk in stream(body, answer):
        yield b"data: " + _text(chunk) + b"\n\n"
    yield b"data: [DONE]\n\n"


def _text(value: Json) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode("utf-8")
