"""The entries of a HAR file: what was asked, what came, and when.

Credentials go here: of request headers only the lane and the number of a retry are read, of response headers those that
every recording keeps, and bodies and URLs are redacted. What an exchange sends as a key is a secret in all the rest of it.
Cookies are never read.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from urllib.parse import urlencode, urlsplit

from replaylab.engine.captured.exchange import MAX_BODY, Exchange
from replaylab.errors import UsageError
from replaylab.interop.talk.reading import Node
from replaylab.schema.base import in_json
from replaylab.schema.interaction import Attempt, Failure
from replaylab.wire.answer_headers import credentials
from replaylab.wire.origins import address_of
from replaylab.wire.redact import Redactor

_WEBSOCKET = re.compile(r"^ws(?=s?://)")
LANE, RETRY = "x-replaylab-lane", "x-stainless-retry-count"
_DAY_MS = 86_400_000.0


@dataclass(frozen=True)
class Entry:
    """An exchange, when it began (milliseconds since 1970) and how long it took."""

    where: str
    host: str
    base: str
    asked: Exchange
    attempt: Attempt
    began: float
    ms: float


def read_entry(where: str, node: Node, redactor: Redactor, lacks: Counter[str]) -> Entry:
    """One entry. Raises Wrong."""
    request = node.at("request")
    url = request.at("url")
    try:
        # A websocket begins as a request of HTTP.
        address = address_of(_WEBSOCKET.sub("http", url.text()))
    except UsageError as error:
        raise url.wrong("it is no URL of HTTP") from error
    pairs = [*_headers(request.at("headers"))]
    headers = dict(pairs)
    body = _asked(request.at("postData"), lacks)
    redactor = redactor.knowing(credentials(pairs, address.target, body))
    ms = max(0.0, min(node.at("time").number(0), _DAY_MS))
    asked = Exchange.of(
        address.alias,
        request.at("method").text(),
        address.target,
        body,
        redactor,
        content_type=headers.get("content-type", ""),
        lane=headers.get(LANE, ""),
        retry=_retry(headers.get(RETRY, "")),
    )
    base = redactor.url(address.origin)
    host = urlsplit(address.origin).hostname or ""
    return Entry(where, host, base, asked, _attempt(node, redactor, ms, lacks), _time(node), round(ms, 3))


def _headers(node: Node) -> Iterator[tuple[str, str]]:
    for one in node.items():
        yield one.at("name").text().lower(), one.at("value").text("")


def _retry(text: str) -> int:
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 4 else 0


def _time(node: Node) -> float:
    began = node.at("startedDateTime")
    try:
        when = datetime.fromisoformat(began.text())
        return (when if when.tzinfo else when.replace(tzinfo=UTC)).astimezone(UTC).timestamp() * 1000
    except (ValueError, OverflowError) as error:
        raise began.wrong("it is not an ISO 8601 time") from error


def _asked(data: Node, lacks: Counter[str]) -> bytes:
    """The body of a request: its text, or its fields as a form sends them."""
    if data.value is None:
        return b""
    if data.has("text"):
        return _decoded(data.at("text"), data.at("encoding"))
    fields = data.at("params").items()
    if any(one.has("fileName") for one in fields):
        lacks["uploads"] += 1
    pairs = [(one.at("name").text(), one.at("value").text("")) for one in fields]
    return urlencode(pairs).encode("ascii")


def _decoded(text: Node, encoding: Node) -> bytes:
    body = _body(text, encoding)
    if len(body) > MAX_BODY:
        raise text.wrong(f"it is larger than {MAX_BODY >> 20} MiB")
    return body


def _body(text: Node, encoding: Node) -> bytes:
    said = encoding.text("")
    if said == "base64":
        try:
            return base64.b64decode(text.text(), validate=True)
        except (binascii.Error, ValueError) as error:
            raise text.wrong(f"it is no base64: {error}") from error
    if said:
        raise encoding.wrong(f"nobody knows the encoding {in_json(said)}")
    return text.text().encode("utf-8")


def _attempt(node: Node, redactor: Redactor, ms: float, lacks: Counter[str]) -> Attempt:
    response = node.at("response")
    status = response.at("status").count(0, most=999)
    if status == 0:
        said = redactor.text(response.at("_error").text("") or "no answer is in the file")
        return Attempt(latency_ms=ms, failure=Failure(kind="read_error", message=said[:200]))
    content = response.at("content")
    body, complete = b"", True
    if content.has("text"):
        body = redactor.body(_decoded(content.at("text"), content.at("encoding")))
    elif content.value is not None and content.at("size").number(0) > 0:
        lacks["bodies"] += 1
        complete = False
    return Attempt(
        status=status,
        latency_ms=ms,
        headers=redactor.headers(_headers(response.at("headers"))),
        complete=complete,
        **_as_field(body),
    )


def _as_field(body: bytes) -> dict[str, Any]:
    try:
        return {"text": body.decode("utf-8")}
    except UnicodeDecodeError:
        return {"b64": base64.b64encode(body).decode("ascii")}
