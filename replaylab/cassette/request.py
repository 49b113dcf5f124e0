"""A request to a model, and its digest `request/1` or `raw/1`.

`request/1` is the SHA-256 over the RFC 8785 form of

    {"v": "request/1", "alias": …, "method": …, "path": …, "body": {…}}

where `body` is the request body with each message, and the tool list, replaced by its own digest. Other interfaces call
the list that grows otherwise (`contents`, `input`), or have none: then `turns` stands beside `v` and says how. What is no
I-JSON object gets `raw/1`: the same object with `"v": "raw/1"` and, as `body`, the SHA-256 of the bytes. Headers, host and
key take no part. A step costs what it adds, because digests of messages are remembered by object.
"""

from __future__ import annotations

import base64
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from operator import is_
from typing import Any, Literal

from replaylab.canonical import Digest, NotIJson, digest, digest_bytes, parse_strict
from replaylab.schema.base import JsonObject
from replaylab.schema.cassette import Blob

Form = Literal["request/1", "raw/1"]
MESSAGES = "messages"
# The list that a conversation grows in, by interface: chat completions and Anthropic messages, Gemini, Responses.
TURNS = (MESSAGES, "contents", "input")


@dataclass(frozen=True)
class Request:
    """`messages` is the list that stands in the body as `turns`; "" says that the body has none. `params` is the body
    without it and without `tools`. `raw` holds a body that is no I-JSON object, else None.
    """

    alias: str
    params: JsonObject
    messages: Sequence[JsonObject]
    tools: Sequence[JsonObject] = ()
    method: str = "POST"
    path: str = "/chat/completions"
    raw: bytes | None = field(default=None, repr=False)
    turns: str = MESSAGES

    def body(self) -> JsonObject:
        """The request body as one object."""
        tools = {"tools": list(self.tools)} if self.tools else {}
        turns = {self.turns: list(self.messages)} if self.turns else {}
        return {**self.params, **turns, **tools}

    @classmethod
    def from_bytes(cls, alias: str, path: str, data: bytes, method: str = "POST") -> Request:
        """Read a body from outside. One that is no I-JSON object stays raw; so does one whose `tools` is a text, which
        would read like the digest of a list.
        """
        try:
            body = parse_strict(data)
        except NotIJson:
            body = None
        if not isinstance(body, dict) or isinstance(body.get("tools"), str):
            return cls(alias, {}, (), method=method, path=path, raw=data)
        turns = next((name for name in TURNS if name in body and _objects(body[name])), "")
        messages = body.pop(turns) if turns else ()
        tools = body.pop("tools") if body.get("tools") and _objects(body["tools"]) else ()
        return cls(alias, body, messages, tools, method, path, turns=turns)


def _objects(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(item, dict) for item in value)


class BlobPool:
    """Digests of values, remembered by object identity, and the values by digest.

    The pool keeps a reference to each value that it has seen, so an identity can't be taken by another object.
    """

    def __init__(self) -> None:
        self._seen: dict[int, tuple[Any, Digest]] = {}
        self._told: dict[int, tuple[tuple[Any, ...], tuple[Digest, ...]]] = {}
        self.blobs: dict[str, Blob] = {}

    def add(self, value: Any) -> Digest:
        known = self._seen.get(id(value))
        if known is not None:
            return known[1]
        name = digest(value)
        self._seen[id(value)] = (value, name)
        if name not in self.blobs:
            self.blobs[name] = Blob.model_construct(digest=name, value=value)
        return name

    def add_all(self, values: Sequence[Any]) -> tuple[Digest, ...]:
        """The digests of several values. A conversation grows at its end: what was asked with its first value before is not
        looked up again, as far as it is made of the very same objects.
        """
        if not values:
            return ()
        before, known = self._told.get(id(values[0]), ((), ()))
        if len(before) > len(values) or not all(map(is_, before, values)):
            known = ()
        digests = (*known, *map(self.add, values[len(known) :]))
        self._told[id(values[0])] = (tuple(values), digests)
        return digests

    def add_bytes(self, data: bytes) -> Digest:
        name = digest_bytes(data)
        self.blobs.setdefault(name, Blob(digest=name, b64=base64.b64encode(data).decode()))
        return name


@dataclass(frozen=True)
class Digested:
    """A request with the digests of its parts."""

    form: Form
    digest: Digest
    messages: tuple[Digest, ...] = ()
    params: Digest | None = None
    tools: Digest | None = None
    raw: Digest | None = None

    def parts(self) -> Iterator[Digest]:
        yield from (part for part in (self.params, self.tools, self.raw) if part)
        yield from self.messages


def digest_request(request: Request, pool: BlobPool) -> Digested:
    """The digest of a request; its parts go into the pool."""
    if request.raw is not None:
        raw = pool.add_bytes(request.raw)
        return Digested("raw/1", raw_digest(request.alias, request.method, request.path, raw), raw=raw)
    messages = pool.add_all(request.messages)
    tools = pool.add(request.tools) if request.tools else None
    name = request_digest(
        request.alias, request.method, request.path, request.params, messages, tools, request.turns
    )
    return Digested("request/1", name, messages, pool.add(request.params), tools)


def request_digest(
    alias: str,
    method: str,
    path: str,
    params: Mapping[str, Any],
    messages: Sequence[str],
    tools: str | None,
    turns: str = MESSAGES,
) -> Digest:
    """`request/1`, from the body without messages and tools, and the digests of those."""
    body = {**params} | ({turns: list(messages)} if turns else {}) | ({"tools": tools} if tools else {})
    # Said where it is not the usual one: a list of digests could be what a body without turns holds itself.
    named = {"turns": turns} if turns != MESSAGES else {}
    return digest({"v": "request/1", "alias": alias, "method": method, "path": path, "body": body, **named})


def raw_digest(alias: str, method: str, path: str, body: str) -> Digest:
    """`raw/1`, from the SHA-256 of the body."""
    return digest({"v": "raw/1", "alias": alias, "method": method, "path": path, "body": body})
