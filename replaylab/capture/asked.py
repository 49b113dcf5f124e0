"""What a client asked: read off the connection, with the secrets that it carries, and the headers that go on."""

from __future__ import annotations

import base64
import binascii
import re
from collections import OrderedDict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from replaylab.engine.captured.exchange import MAX_BODY, Exchange
from replaylab.wire.answer_headers import FORM, LONG_FORM, secret_parameters
from replaylab.wire.coding import NotDecoded, codings_of, decoded
from replaylab.wire.forward import Headers
from replaylab.wire.redact import Redactor

LANE = b"x-replaylab-lane"
_OURS = b"x-replaylab-"
_RETRY = b"x-stainless-retry-count"

# They belong to one connection, or are made anew for the next.
_NOT_FORWARDED = frozenset(
    b"accept-encoding connection content-length expect host keep-alive proxy-authenticate proxy-authorization"
    b" proxy-connection te trailer transfer-encoding upgrade".split()
)
# Whose values are nobody's business. A credential elsewhere is found by its shape.
_SECRET_HEADERS = frozenset(
    b"authorization proxy-authorization api-key x-api-key x-goog-api-key ocp-apim-subscription-key cookie"
    b" x-auth-token x-amz-security-token cf-aig-authorization helicone-auth x-portkey-api-key".split()
)
# Gateways have headers of their own, whose names say what they are; their values must look like it too.
_SECRET_NAME = re.compile(
    rb"(?:^|[_-])(?:auth|authorization|token|secret|password|credentials?|api[_-]?key|access[_-]?key|signature)$"
)
_SCHEMES = frozenset(("bearer", "basic", "token", "apikey", "digest"))
# What people type where a key is wanted and none is needed. As secrets they would only tear holes into texts.
DUMMIES = frozenset(
    [
        "dummy-key",
        "fake-key",
        "lm-studio",
        "no-api-key",
        "no-key-needed",
        "no-key-required",
        "not-needed",
        "not-required",
        "notneeded",
        "placeholder",
        "sk-no-key-required",
        "test-key",
        "your-api-key",
    ]
)
# Between the parts of a cookie: signs, and numbers as long as a time.
_RUNS = re.compile(r"[^A-Za-z0-9]+|[0-9]{8,}")
_REDACTORS = 64


@dataclass(frozen=True)
class Asked:
    """A whole request. `target` is its path behind the upstream's name with its query, as it was sent."""

    method: str
    target: str
    headers: Headers
    body: bytes

    def header(self, name: bytes) -> str:
        """The first header of that name, "" where there is none."""
        return next((value.decode("latin-1") for key, value in self.headers if key == name), "")

    def all(self, name: bytes) -> list[str]:
        """All headers of that name."""
        return [value.decode("latin-1") for key, value in self.headers if key == name]

    def exchange(self, endpoint: str, redactor: Redactor) -> Exchange:
        """What is hashed and stored of it. A body that isn't what its encoding says is taken as it is."""
        try:
            body = decoded(self.body, codings_of(self.all(b"content-encoding")), MAX_BODY)
        except NotDecoded:
            body = self.body
        retry = self.header(_RETRY)
        return Exchange.of(
            endpoint,
            self.method,
            self.target,
            body,
            redactor,
            content_type=self.header(b"content-type"),
            lane=self.header(LANE),
            retry=int(retry) if retry.isascii() and retry.isdecimal() and len(retry) < 5 else 0,
        )

    def forwarded(self) -> list[tuple[bytes, bytes]]:
        """The headers that the upstream gets: all but those of the connection and ours. Nothing compressed is wanted."""
        named = self.header(b"connection").lower().encode("latin-1").split(b",")
        gone = _NOT_FORWARDED.union(name.strip() for name in named)
        kept = [
            (name, value) for name, value in self.headers if name not in gone and not name.startswith(_OURS)
        ]
        if not self.body and self.method in {"POST", "PUT", "PATCH"}:
            kept.append((b"content-length", b"0"))
        return [*kept, (b"accept-encoding", b"identity")]


def secrets_of(headers: Headers, query: str, body: bytes = b"") -> frozenset[str]:
    """The credentials that a request carries in its headers, its query or the form that it posts: each as it is and, of
    basic authorization, user and password alone.
    """
    found: set[str] = set()
    form = ""
    for name, raw in headers:
        value = raw.decode("latin-1").strip()
        if name in _SECRET_HEADERS:
            found |= set(_cookies(value)) if name == b"cookie" else set(_credentials(value))
        elif _SECRET_NAME.search(name):
            found |= {one for one in _credentials(value) if _mixed(one)}
        elif name == b"content-type" and value.lower().startswith(FORM) and len(body) <= LONG_FORM:
            form = body.decode("latin-1")
    found |= secret_parameters(query) | secret_parameters(form)
    return frozenset(value for value in found if value.lower() not in DUMMIES)


def _mixed(text: str) -> bool:
    """Whether a text has digits and letters, as no word, number or time has."""
    return any(map(str.isdigit, text)) and any(map(str.isalpha, text))


def _cookies(value: str) -> Iterable[str]:
    """What of cookies is like no word, number or time. Any eight bytes of a secret are taken out wherever they stand, and
    a cookie may hold the time: `created` would be torn out of every answer.
    """
    runs = (run for part in value.split(";") for run in _RUNS.split(part.partition("=")[2]))
    return filter(_mixed, runs)


def _credentials(value: str) -> Iterable[str]:
    scheme, space, rest = value.partition(" ")
    if not (space and scheme.lower() in _SCHEMES):
        yield value
        return
    token = rest.strip()
    yield token
    if scheme.lower() == "basic":
        try:
            plain = base64.b64decode(token, validate=True).decode("utf-8")
        except (binascii.Error, UnicodeDecodeError):
            return
        yield plain
        yield plain.partition(":")[2]


class Redactors:
    """A redactor for each set of secrets that clients carry, beside the ones known from the start. Remembers some."""

    def __init__(self, known: Sequence[str] = ()) -> None:
        self._known = tuple(known)
        self._made: OrderedDict[frozenset[str], Redactor] = OrderedDict()

    def knowing(self, secrets: frozenset[str]) -> Redactor:
        """The redactor that knows these secrets too."""
        if secrets not in self._made:
            self._made[secrets] = Redactor((*self._known, *sorted(secrets)))
            if len(self._made) > _REDACTORS:
                self._made.popitem(last=False)
        return self._made[secrets]
