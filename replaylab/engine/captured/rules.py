"""Normalisers: what takes no part in the key by which a request is found again. Nothing that is stored changes.

The key of a request is the request digest of what the rules make of it; what no rule touches keeps its own digest. Messages
are normalised one by one and remembered by digest, so that a step of a conversation costs what it adds.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from replaylab.canonical import Digest, digest, digest_bytes
from replaylab.cassette.request import BlobPool, Digested, Request, digest_request, raw_digest, request_digest
from replaylab.errors import UsageError
from replaylab.schema.base import Json
from replaylab.schema.capture import NormaliseRule
from replaylab.schema.cassette import Blob
from replaylab.schema.interaction import RequestLine
from replaylab.schema.patterns import compile_pattern
from replaylab.schema.pointer import unescape

_REMEMBERED = 50_000
_PIECE = re.compile(r"\n|[^\n]{1,1000}(?=\n|\Z)|[^\n]{1,1000}(?<=[ \t])|[^\n]{1,1000}")
Value = Callable[[str], Json]
RawBytes = Callable[[str], bytes]


@dataclass(frozen=True)
class Rule:
    """A rule made ready: the parts of its pointer, its pattern."""

    given: NormaliseRule
    parts: tuple[str, ...] | None
    pattern: re.Pattern[str] | None

    def fits(self, endpoint: str, path: str) -> bool:
        """Whether it is about such requests. `path` has no query; a path of the rule may end with `*`."""
        wanted = self.given.path
        same = path.startswith(wanted[:-1]) if wanted.endswith("*") else path == wanted
        return self.given.endpoint in ("", endpoint) and (not wanted or same)

    def within(self, place: Sequence[str]) -> tuple[str, ...] | None:
        """What is left of its pointer below a place of the body; None where it leads elsewhere."""
        if self.parts is None:
            return ()
        if len(self.parts) < len(place):
            return () if _leads(self.parts, place) else None
        return self.parts[len(place) :] if _leads(self.parts, place) else None

    def text(self, text: str) -> str:
        """A text with what matches replaced, line by line; a long line in pieces that end at a space where there is one.

        So a pattern costs no more than the text is long, whatever it is.
        """
        if self.pattern is None:
            return text
        return "".join(
            self.pattern.sub(lambda _: self.given.replace, piece) for piece in _PIECE.findall(text)
        )


def _leads(parts: Sequence[str], place: Sequence[str]) -> bool:
    return all(part in ("*", key) for part, key in zip(parts, place, strict=False))


def ready(rule: NormaliseRule) -> Rule:
    """Raises UsageError for a rule that says nothing, a pointer that is none, or a pattern that could run away."""
    if not rule.pointer and not rule.pattern:
        raise UsageError("the rule names nothing", fix="give it a pointer, a pattern, or both")
    if rule.pointer and not rule.pointer.startswith("/"):
        raise UsageError(
            f"not a JSON pointer: {rule.pointer[:100]!r}", fix="it begins with a slash: /messages/0/content"
        )
    parts = tuple(map(unescape, rule.pointer.split("/")[1:])) if rule.pointer else None
    pattern = compile_pattern(rule.pattern, max_open=1, flags=0) if rule.pattern else None
    if pattern is not None and pattern.search("") is not None:
        raise UsageError(
            f"the pattern {rule.pattern!r} matches nothing at all", fix="let it match one character"
        )
    return Rule(rule, parts, pattern)


class Parts(NamedTuple):
    """A request by the digests of its parts, and how their values are had. `blobs` are those of one that was just asked."""

    alias: str
    method: str
    path: str
    turns: str
    digested: Digested
    value: Value
    raw: RawBytes
    blobs: Mapping[str, Blob] = {}


def parts_of(request: Request) -> tuple[Digested, Parts]:
    """The digests of a request that was just asked, with its parts at hand."""
    pool = BlobPool()
    digested = digest_request(request, pool)
    return digested, Parts(
        request.alias,
        request.method,
        request.path,
        request.turns,
        digested,
        lambda name: pool.blobs[name].value,
        lambda name: request.raw or b"",
        pool.blobs,
    )


def parts_of_row(row: RequestLine, messages: Sequence[str], value: Value, raw: RawBytes) -> Parts:
    """The same of a recorded one, its messages put together already."""
    digested = Digested(
        row.form,
        Digest(row.digest),
        tuple(map(Digest, messages)),
        _named(row.params),
        _named(row.tools),
        _named(row.raw),
    )
    return Parts(row.alias, row.method, row.path, row.turns, digested, value, raw)


def body_of(parts: Parts) -> Json:
    """The whole body of a request by its parts; `{"raw": text}` for one that is no I-JSON object."""
    digested = parts.digested
    if digested.raw is not None:
        return {"raw": parts.raw(digested.raw).decode("utf-8", "backslashreplace")}
    params = parts.value(digested.params) if digested.params else {}
    turns = {parts.turns: [parts.value(name) for name in digested.messages]} if parts.turns else {}
    tools = {"tools": list(parts.value(digested.tools))} if digested.tools else {}
    return {**params, **turns, **tools}


def _named(name: str | None) -> Digest | None:
    return None if name is None else Digest(name)


class Rules:
    """Normaliser rules in force. Raises UsageError for one that is no good. Not thread-safe; its owner locks."""

    def __init__(self, rules: Sequence[NormaliseRule] = ()) -> None:
        self.rules = tuple(rules)
        self._ready = [ready(rule) for rule in rules]
        self._known: dict[tuple[str, tuple[int, ...]], Digest] = {}

    def __bool__(self) -> bool:
        return bool(self.rules)

    def key(self, asked: Parts) -> Digest:
        """What a request is looked up by: its digest after the rules, its own digest where none touches it."""
        plain = asked.path.partition("?")[0]
        chosen = [at for at, rule in enumerate(self._ready) if rule.fits(asked.alias, plain)]
        if not chosen:
            return asked.digested.digest
        path = asked.path
        for rule in self._everywhere(chosen):
            path = rule.text(path)
        if asked.digested.raw is not None:
            return self._raw_key(asked, path, chosen)
        return self._json_key(asked, path, chosen)

    def body(self, endpoint: str, path: str, body: Json) -> Json:
        """A whole body after the rules, for showing what is compared."""
        for rule in self._ready:
            if rule.fits(endpoint, path.partition("?")[0]):
                body = _applied(rule, rule.parts or (), body)
        return body

    def _everywhere(self, chosen: Sequence[int]) -> list[Rule]:
        return [self._ready[at] for at in chosen if self._ready[at].parts is None]

    def _raw_key(self, asked: Parts, path: str, chosen: Sequence[int]) -> Digest:
        name = asked.digested.raw
        data = asked.raw(name) if name else b""
        text = data.decode("utf-8", "surrogateescape")
        for rule in self._everywhere(chosen):
            text = rule.text(text)
        clean = text.encode("utf-8", "surrogateescape")
        return raw_digest(asked.alias, asked.method, path, digest_bytes(clean))

    def _json_key(self, asked: Parts, path: str, chosen: Sequence[int]) -> Digest:
        digested, turns = asked.digested, asked.turns
        messages = [
            self._part((turns, str(at)), name, asked.value, chosen)
            for at, name in enumerate(digested.messages)
        ]
        tools = self._part(("tools",), digested.tools, asked.value, chosen) if digested.tools else None
        params = asked.value(digested.params) if digested.params else {}
        for at in chosen:
            rule = self._ready[at]
            if rule.parts is None or rule.parts[0] not in (turns, "tools") or rule.parts[0] in params:
                params = _applied(rule, rule.parts or (), params)
        return request_digest(asked.alias, asked.method, path, params, messages, tools, turns)

    def _part(self, place: tuple[str, ...], name: Digest, value: Value, chosen: Sequence[int]) -> Digest:
        """The digest of a message, or of the tool list, after the rules that lead to it."""
        leading = [(at, self._ready[at].within(place)) for at in chosen]
        here = tuple(at for at, left in leading if left is not None)
        if not here:
            return name
        known = (name, here)  # two places differ in nothing but which rules lead there
        found = self._known.get(known)
        if found is None:
            part = value(name)
            for at, left in leading:
                if left is not None:
                    part = _applied(self._ready[at], left, part)
            found = digest(part)
            if len(self._known) < _REMEMBERED:
                self._known[known] = found
        return found


def _applied(rule: Rule, left: Sequence[str], value: Json) -> Json:
    """A value after a rule whose pointer goes on with `left`; the same object where nothing changed."""
    if left:
        return _below(rule, left, value)
    if rule.pattern is None:
        return rule.given.replace
    return _texts(rule, value)


def _below(rule: Rule, left: Sequence[str], value: Json) -> Json:
    key, rest = left[0], left[1:]
    if isinstance(value, dict):
        found = {
            name: _applied(rule, rest, part) if key in ("*", name) else part for name, part in value.items()
        }
        return found if any(found[name] is not part for name, part in value.items()) else value
    if isinstance(value, list | tuple):
        items = [
            _applied(rule, rest, part) if key in ("*", str(at)) else part for at, part in enumerate(value)
        ]
        return items if any(a is not b for a, b in zip(items, value, strict=True)) else value
    return value


def _texts(rule: Rule, value: Json) -> Json:
    if isinstance(value, str):
        return rule.text(value)
    if isinstance(value, dict):
        return {name: _texts(rule, part) for name, part in value.items()}
    if isinstance(value, list | tuple):
        return [_texts(rule, part) for part in value]
    return value
