"""From an exchange of vcrpy's to one of ours, and what ours has no place for.

Nothing of a file is stored before it was decoded and redacted. What stock vcrpy needs to match a request and to answer it
beyond our own fields (the address, the spelling of the body, some request headers, the reason, headers that came twice)
becomes `kept`, which stands in a label of the interaction.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from replaylab.engine.captured.exchange import Exchange
from replaylab.errors import UsageError
from replaylab.interop.vcr.layout import Layouts, whole
from replaylab.interop.vcr.pair import CODING, Headers, Note, Pair, pairs_of, values_of
from replaylab.schema.base import JsonObject
from replaylab.schema.interaction import Attempt, Failure, FailureKind
from replaylab.wire.answer_headers import KeptHeaders
from replaylab.wire.coding import NotDecoded, codings_of, decoded
from replaylab.wire.origins import Address, address_of
from replaylab.wire.redact import Redactor
from replaylab.wire.transport import packed

# They belong to the connection, or to the bytes as they were before they were decoded and redacted.
_FRAMING = frozenset(("connection", "content-length", "keep-alive", "transfer-encoding", CODING))
_FAILURES: dict[int, FailureKind] = {401: "unauthorized", 403: "unauthorized", 429: "rate_limited"}


@dataclass(frozen=True)
class Converted:
    """`kept` is what an export needs beyond the exchange and the attempt. `address` is where it was asked, redacted."""

    exchange: Exchange
    attempt: Attempt
    kept: JsonObject
    address: Address
    notes: tuple[Note, ...]


@dataclass(frozen=True)
class Converter:
    """How exchanges are converted: what takes secrets out, and which headers are kept."""

    redactor: Redactor
    headers: KeptHeaders

    def convert(self, pair: Pair, where: str, lane: str, layouts: Layouts) -> Converted:
        """The exchange, redacted. Raises UsageError for one that no HTTP client could make."""
        notes: list[Note] = []
        uri = self.redactor.url(pair.uri)
        try:
            address = address_of(uri)
        except UsageError as error:
            raise UsageError(f"{error.what}: {ascii(uri)[:200]}", where=where) from error
        if uri != pair.uri:
            notes.append(Note("redacted_uri", where))
        body = self._asked(pair, where, notes)
        exchange = Exchange.of(
            address.alias,
            pair.method,
            address.target,
            body,
            self.redactor,
            content_type=next(iter(values_of(pair.asked, "content-type")), ""),
            lane=lane,
            retry=_retry(pair.asked),
        )
        attempt = self._attempt(pair, where, notes)
        notes += self._dropped(pair, where)
        return Converted(
            exchange, attempt, self._kept(pair, uri, body, exchange, layouts), address, tuple(notes)
        )

    def _asked(self, pair: Pair, where: str, notes: list[Note]) -> bytes:
        """The body of the request, decoded and redacted."""
        body = pair.body or b""
        try:
            plain = decoded(body, codings_of(values_of(pair.asked, CODING)))
        except NotDecoded:
            notes.append(Note("not_decoded", where))
            plain = body
        clean = self.redactor.body(plain)
        if clean != plain:
            notes.append(Note("redacted", where))
        return clean

    def _attempt(self, pair: Pair, where: str, notes: list[Note]) -> Attempt:
        content, headers = self._plain(pair, where, notes)
        clean = b"".join(self.redactor.stream([content]))
        if clean != content:
            notes.append(Note("redacted", where))
        failure = None
        if pair.status >= 400:
            kind = _FAILURES.get(pair.status, "http_status")
            failure = Failure(kind=kind, message=f"HTTP {pair.status}")
        return Attempt(
            status=pair.status,
            headers=headers,
            failure=failure,
            **(packed(clean) if clean else {}),
        )

    def _plain(self, pair: Pair, where: str, notes: list[Note]) -> tuple[bytes, dict[str, str]]:
        """The body without its codings, and the headers that are kept. The coding stays where it can't be taken off."""
        headers = self.headers.answer(self.redactor, pairs_of(pair.headers))
        coding = pair.header(CODING)
        try:
            return decoded(pair.content, codings_of(coding)), headers
        except NotDecoded as error:
            notes.append(Note("not_decoded", where, str(error)))
            return pair.content, {**headers, CODING: ", ".join(coding)}

    def _kept(self, pair: Pair, uri: str, body: bytes, exchange: Exchange, layouts: Layouts) -> JsonObject:
        kept: JsonObject = {"uri": uri}
        layout = layouts.of(exchange.body)
        if pair.body is None:
            kept["body"] = None
        elif body != exchange.body:
            kept["body"] = whole(body)
        elif layout:
            kept["body"] = layout
        asked = {
            name: [self.headers.value(self.redactor, name, value) for value in values]
            for name, values in pair.asked.items()
            if self.headers.of_question(name)
        }
        if asked:
            kept["headers"] = asked
        if pair.reason is not None:
            kept["reason"] = self.redactor.text(pair.reason)
        twice = self._twice(pair.headers)
        if twice:
            kept["repeated"] = twice
        return kept

    def _twice(self, headers: Headers) -> dict[str, list[str]]:
        """The headers that came more than once: in an attempt their values stand joined."""
        names = dict.fromkeys(name.lower() for name in headers if self.headers.of_answer(name))
        values = {name: values_of(headers, name) for name in names}
        return {
            name: [self.headers.value(self.redactor, name, value) for value in found]
            for name, found in values.items()
            if len(found) > 1
        }

    def _dropped(self, pair: Pair, where: str) -> Iterable[Note]:
        for name in pair.asked:
            if not self.headers.of_question(name) and name.lower() not in (*_FRAMING, "host"):
                yield Note("dropped_request_header", where, self.redactor.text(name.lower()))
        for name in pair.headers:
            if not self.headers.of_answer(name) and name.lower() not in _FRAMING:
                yield Note("dropped_header", where, self.redactor.text(name.lower()))


def _retry(asked: Headers) -> int:
    text = next(iter(values_of(asked, "x-stainless-retry-count")), "0").strip()
    return int(text) if text.isascii() and text.isdigit() and len(text) < 4 else 0
