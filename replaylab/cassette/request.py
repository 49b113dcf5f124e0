"""A request to a model, and its digest `request/1` or `raw/1`.

`request/1` is the SHA-256 over the RFC 8785 form of

    {"v": "request/1", "alias": …, "method": …, "path": …, "body": {…}}

where `body` is the request body with each message, and the tool list, replaced by its own digest. What is not I-JSON
gets `raw/1`: the same object with `"v": "raw/1"` and, as `body`, the SHA-256 of the bytes. Headers, host and key take
no part. A step costs what it adds, because digests of messages are remembered by object.
"""

from __future__ import annotations

import base64
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from replaylab.canonical import Digest, NotIJson, digest, digest_bytes, parse_strict
from replaylab.schema.base import JsonObject
from replaylab.schema.cassette import Blob

Form = Literal["request/1", "raw/1"]


@dataclass(frozen=True)
class Request:
    """`params` is the body without `messages` and `tools`. `raw` holds a body that is not I-JSON, else None."""

    alias: str
    params: JsonObject
    messages: Sequence[JsonObject]
    tools: Sequence[JsonObject] = ()
    method: str = "POST"
    path: str = "/chat/completions"
    raw: bytes | None = field(default=None, repr=False)

    def body(self) -> JsonObject:
        """The request body as one object."""
        tools = {"tools": list(self.tools)} if self.tools else {}
        return {**self.params, "messages": list(self.messages), **tools}

    @classmethod
    def from_bytes(cls, alias: str, path: str, data: bytes, method: str = "POST") -> Request:
        """Read a body from outside. A body that is no I-JSON object with a list of message objects stays raw."""
        try:
            body = parse_strict(data)
        except NotIJson:
            return cls(alias, {}, (), method=method, path=path, raw=data)
        shaped = (
            isinstance(body, dict) and _objects(body.get("messages", [])) and _objects(body.get("tools", []))
        )
        if not shaped or body.get("tools") == [] or "messages" not in body:
            return cls(alias, {}, (), method=method, path=path, raw=data)
        messages, tools = body.pop("messages"), body.pop("tools", ())
        return cls(alias, body, messages, tools, method, path)


def _objects(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(item, dict) for item in value)


class BlobPool:
    """Digests of values, remembered by object identity, and the values by digest.

    The pool keeps a reference to each value that it has seen, so an identity can't be taken by another object.
    """

    def __init__(self) -> None:
        self._seen: dict[int, tuple[Any, Digest]] = {}
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
    messages = tuple(map(pool.add, request.messages))
    tools = pool.add(request.tools) if request.tools else None
    name = request_digest(request.alias, request.method, request.path, request.params, messages, tools)
    return Digested("request/1", name, messages, pool.add(request.params), tools)


def request_digest(
    alias: str,
    method: str,
    path: str,
    params: Mapping[str, Any],
    messages: Sequence[str],
    tools: str | None,
) -> Digest:
    """`request/1`, from the body without messages and tools, and the digests of those."""
    body = {**params, "messages": list(messages)} | ({"tools": tools} if tools else {})
    return digest({"v": "request/1", "alias": alias, "method": method, "path": path, "body": body})


def raw_digest(alias: str, method: str, path: str, body: str) -> Digest:
    """`raw/1`, from the SHA-256 of the body."""
    return digest({"v": "raw/1", "alias": alias, "method": method, "path": path, "body": body})
