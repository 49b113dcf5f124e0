"""From an exchange of vcrpy's to one of ours, and what ours has no place for.

Nothing of a file is stored before it was decoded and redacted. What stock vcrpy needs to match a request and to answer it
beyond our own fields (the address, the spelling of the body, some request headers, the reason, headers that came twice)
becomes `kept`, which stands in a label of the interaction.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from replaylab.engine.captured.exchange import MAX_BODY, Exchange
from replaylab.errors import UsageError
from replaylab.interop.vcr.pair import CODING, Headers, Note, Pair, pairs_of, values_of
from replaylab.schema.base import Json, JsonObject
from replaylab.schema.interaction import Attempt, Failure, FailureKind
from replaylab.wire.answer_headers import KeptHeaders, credentials
from replaylab.wire.coding import NotDecoded, Unreadable, codings_of, decoded, looks_coded
from replaylab.wire.origins import Address, address_of
from replaylab.wire.redact import Redactor
from replaylab.wire.transport import packed

# They belong to the connection, or to the bytes as they were before they were decoded and redacted.
_FRAMING = frozenset(("connection", "content-length", "keep-alive", "transfer-encoding", CODING))
_REMEMBERED = 256
_FAILURES: dict[int, FailureKind] = {401: "unauthorized", 403: "unauthorized", 429: "rate_limited"}


@dataclass(frozen=True)
class Converted:
    """`body` is the request's, decoded and redacted, None where the file says null. `kept` is what an export needs beyond
    it, the exchange and the attempt. `address` is where it was asked, redacted.
    """

    exchange: Exchange
    attempt: Attempt
    body: bytes | None
    kept: JsonObject
    address: Address
    notes: tuple[Note, ...]


class Converter:
    """Converts exchanges. `secrets` are values that must never be stored; `headers` says which headers are kept.

    What an exchange carries as a credential is a secret in all the rest of it: a server may say a key again.
    """

    def __init__(self, secrets: Sequence[str] = (), headers: KeptHeaders | None = None) -> None:
        self.headers = headers or KeptHeaders()
        self.redactor = Redactor(secrets)
        self._made: dict[frozenset[str], Redactor] = {}

    def knowing(
        self, carried: Iterable[tuple[str, str]], uri: str = "", body: bytes | None = None
    ) -> Redactor:
        """The redactor that also knows the credentials among these headers, in the query and in a posted form."""
        found = credentials(carried, uri, body)
        if not found:
            return self.redactor
        if found not in self._made:
            if len(self._made) >= _REMEMBERED:
                self._made.clear()
            self._made[found] = self.redactor.knowing(found)
        return self._made[found]

    def convert(self, pair: Pair, where: str) -> Converted:
        """The exchange, redacted. Raises UsageError for one that no HTTP client could make."""
        _refuse_half_characters(pair, where)
        redactor = self.knowing((*pairs_of(pair.asked), *pairs_of(pair.headers)), pair.uri, pair.body)
        return _One(pair, where, redactor, self.headers).converted()


class _One:
    """One exchange while it is converted."""

    def __init__(self, pair: Pair, where: str, redactor: Redactor, headers: KeptHeaders) -> None:
        self._pair, self._where, self._redactor, self._headers = pair, where, redactor, headers
        self._notes: list[Note] = []

    def converted(self) -> Converted:
        pair = self._pair
        uri = self._redactor.url(pair.uri)
        try:
            address = address_of(uri)
        except UsageError as error:
            raise UsageError(f"{error.what}: {ascii(uri)[:200]}", where=self._where) from error
        if uri != pair.uri:
            self._note("redacted_uri")
        body = self._clean(self._plain(pair.body or b"", values_of(pair.asked, CODING))[0])
        exchange = Exchange.of(
            address.alias,
            pair.method,
            address.target,
            body,
            self._redactor,
            content_type=next(iter(values_of(pair.asked, "content-type")), ""),
            retry=_retry(pair.asked),
        )
        attempt = self._attempt()
        kept = self._kept(uri)
        self._say_what_is_dropped()
        stored = None if pair.body is None else body
        return Converted(exchange, attempt, stored, kept, address, tuple(self._notes))

    def _note(self, kind: str, detail: str = "") -> None:
        self._notes.append(Note(kind, self._where, detail))

    def _plain(self, body: bytes, codings: list[str]) -> tuple[bytes, bool]:
        """The body without its codings, and whether all of it is there. What nobody could look into is not kept."""
        if len(body) > MAX_BODY:
            self._note("not_kept", f"it is larger than {MAX_BODY >> 20} MiB")
            return b"", False
        try:
            return decoded(body, codings_of(codings), MAX_BODY), True
        except NotDecoded as error:
            if isinstance(error, Unreadable) or looks_coded(body):
                self._note("not_kept", str(error))
                return b"", False
            self._note("decoded_before")
            return body, True

    def _clean(self, plain: bytes) -> bytes:
        clean = b"".join(self._redactor.stream([plain]))
        if clean != plain:
            self._note("redacted")
        return clean

    def _attempt(self) -> Attempt:
        pair = self._pair
        plain, whole = self._plain(pair.content, pair.header(CODING))
        clean = self._clean(plain)
        failure = (
            None
            if whole
            else Failure(kind="bad_shape", message="the body could not be decoded and was not kept")
        )
        if pair.status >= 400:
            failure = Failure(kind=_FAILURES.get(pair.status, "http_status"), message=f"HTTP {pair.status}")
        return Attempt(
            status=pair.status,
            headers=self._headers.answer(self._redactor, pairs_of(pair.headers)),
            failure=failure,
            complete=whole,
            **(packed(clean) if clean else {}),
        )

    def _kept(self, uri: str) -> JsonObject:
        kept: JsonObject = {"uri": uri}
        if self._pair.value is not None:
            kept["value"] = self._redactor.value(_json(self._pair.value))
        if asked := self._values(self._pair.asked, self._headers.of_question):
            kept["headers"] = asked
        if self._pair.reason is not None:
            kept["reason"] = self._redactor.text(self._pair.reason)
        # In an attempt the values of a header that came more than once stand joined.
        answered = self._values(_lower(self._pair.headers), self._headers.of_answer)
        if twice := {name: values for name, values in answered.items() if len(values) > 1}:
            kept["repeated"] = twice
        return kept

    def _values(self, headers: Headers, kept: Callable[[str], bool]) -> dict[str, list[str]]:
        return {
            name: [self._headers.value(self._redactor, name, value) for value in values]
            for name, values in headers.items()
            if kept(name)
        }

    def _say_what_is_dropped(self) -> None:
        for name in self._pair.asked:
            if not self._headers.of_question(name) and name.lower() not in (*_FRAMING, "host"):
                self._note("dropped_request_header", self._redactor.text(name.lower()))
        for name in self._pair.headers:
            if not self._headers.of_answer(name) and name.lower() not in _FRAMING:
                self._note("dropped_header", self._redactor.text(name.lower()))


def _refuse_half_characters(pair: Pair, where: str) -> None:
    """JSON can spell half of a character, which no recording can hold. Bodies are bytes and may hold what they like."""
    texts = [pair.method, pair.uri, pair.reason or ""]
    texts += [part for one in (pair.asked, pair.headers) for item in pairs_of(one) for part in item]
    for text in texts:
        try:
            text.encode()
        except UnicodeEncodeError as error:
            raise UsageError(
                f"it holds a lone surrogate, which is no character: {ascii(text)[:200]}", where=where
            ) from error


def _json(value: Json) -> Json:
    """A value without bytes, which no line of a cassette can hold."""
    if isinstance(value, dict):
        return {key: _json(part) for key, part in value.items()}
    if isinstance(value, list):
        return [_json(part) for part in value]
    return value.decode("utf-8", "backslashreplace") if isinstance(value, bytes) else value


def _lower(headers: Headers) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for name, value in pairs_of(headers):
        found.setdefault(name.lower(), []).append(value)
    return found


def _retry(asked: Headers) -> int:
    text = next(iter(values_of(asked, "x-stainless-retry-count")), "0").strip()
    return int(text) if text.isascii() and text.isdigit() and len(text) < 4 else 0
