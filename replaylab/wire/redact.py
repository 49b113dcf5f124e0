"""Redaction: nothing secret reaches a disk.

Secrets are those whose value is known (the caller reads them from the environment) and those of a well-known shape.
Both are found as they are and behind escapes, URL quoting, base64 and hexadecimal, nested up to `DEPTH` times. Every
secret becomes the same `PLACEHOLDER`, so that a digest doesn't depend on who recorded. Redacting twice changes nothing
more. Compressed bodies have to be decompressed before.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence

from replaylab.schema.base import Json
from replaylab.schema.seeded import SEEDED_HEADER
from replaylab.wire.keyshapes import find_shapes
from replaylab.wire.known import PIECE, Known
from replaylab.wire.spans import Cut, Span, apply, merge, snap
from replaylab.wire.streamed import leaf_views
from replaylab.wire.views import View, runs, views

# Its stars stand in no key, no base64 and no hexadecimal, so that it never joins what it stands between; and they need
# no quoting in JSON, in a header or in a URL.
PLACEHOLDER = "*REDACTED*"

# Which secrets are found, and how, may change; a recording says by which version it was redacted.
REDACTION_VERSION = "2"

DEPTH = 4
_ROUNDS = 8
_REMEMBERED, _SHORT = 4096, 64
_MARK = PLACEHOLDER.encode()

_KEPT_HEADERS = {
    "content-type",
    "openai-processing-ms",
    "openai-version",
    "request-id",
    "retry-after",
    "retry-after-ms",
    SEEDED_HEADER,
    "x-request-id",
    "x-should-retry",
}
_KEPT_PREFIXES = ("x-ratelimit-", "anthropic-ratelimit-")

# In a URL even a short value of such a parameter is a secret; in a text it could be prose about URLs.
_SHORT_PARAMETER = re.compile(
    r"(?i)([?&;](?:x[_-])?(?:api[_-]?key|key|(?:access_|auth_)?token|secret|password)=)[^&;#]+"
)


class Redactor:
    """Takes secrets out of texts, JSON values, bodies, streams, URLs and headers. Pure: the same input, the same output.

    `secrets` are known values; any piece of 8 bytes of one goes. Those shorter than 8 bytes are ignored.
    """

    def __init__(self, secrets: Sequence[str] = ()) -> None:
        self._secrets = tuple(secrets)
        self._known = Known(secrets, harmless=_MARK)
        # Short texts found clean. Keys and names come back in every message, and a scan costs more than they do.
        self._clean: set[str] = set()

    def knowing(self, more: Collection[str]) -> Redactor:
        """One that knows these secrets too; itself where there is none."""
        return Redactor((*self._secrets, *sorted(more))) if more else self

    def text(self, text: str) -> str:
        """`text` without secrets; the same object when there was none."""
        if text in self._clean or (len(text) < PIECE and text.isascii()):
            return text
        data = text.encode("utf-8", "surrogatepass")
        clean = self.body(data)
        if clean is not data:
            return clean.decode("utf-8", "surrogatepass")
        if len(text) <= _SHORT and len(self._clean) < _REMEMBERED:
            self._clean.add(text)
        return text

    def value(self, value: Json) -> Json:
        """A JSON value with its keys and strings redacted. Whatever didn't change is the same object as before."""
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, dict):
            pairs = [(self.text(key), self.value(part)) for key, part in value.items()]
            same = all(a is b and c is d for (a, c), (b, d) in zip(pairs, value.items(), strict=True))
            return value if same else dict(pairs)
        if isinstance(value, list | tuple):
            parts = [self.value(part) for part in value]
            return value if all(a is b for a, b in zip(parts, value, strict=True)) else type(value)(parts)
        return value

    def body(self, data: bytes) -> bytes:
        """A whole body, JSON, text or binary, without secrets; the same object when there was none."""
        for _ in range(_ROUNDS):
            cuts = [Cut(*span) for span in self._spans(data)]
            clean = apply([data], cuts, _MARK)[0] if cuts else data
            if clean == data:
                return data
            data = clean
        return data

    def stream(self, chunks: Sequence[bytes]) -> list[bytes]:
        """The chunks of a streamed body, scanned as a whole: over chunk ends, and over the pieces of each JSON string.

        As many chunks come back; each keeps its bytes apart from a secret's. The placeholder stands where the secret
        began, and the later pieces of it are empty. Untouched chunks are the same objects.
        """
        pieces = list(chunks)
        for _ in range(_ROUNDS):
            # The joined texts first: they know which piece of a secret is its beginning.
            cuts = [cut for view in leaf_views(b"".join(pieces)) for cut in self._cuts(view)]
            clean = apply(pieces, cuts, _MARK)
            clean = apply(clean, [Cut(*span) for span in self._spans(b"".join(clean))], _MARK)
            if clean == pieces:
                return pieces
            pieces = clean
        return pieces

    def _cuts(self, view: View) -> Iterator[Cut]:
        for start, end in self._spans(view.data):
            for index, span in enumerate(view.back(start, end)):
                yield Cut(*span, head=index == 0)

    def url(self, url: str) -> str:
        """A URL without user, password and keys in its query."""
        return _SHORT_PARAMETER.sub(rf"\g<1>{PLACEHOLDER}", self.text(url))

    def headers(self, headers: Iterable[tuple[str, str]]) -> dict[str, str]:
        """The response headers that are worth keeping, named in lower case, sorted, redacted; twins joined by a comma."""
        kept: dict[str, list[str]] = {}
        for raw_name, value in headers:
            name = self.text(raw_name.lower())
            if name in _KEPT_HEADERS or name.startswith(_KEPT_PREFIXES):
                kept.setdefault(name, []).append(value)
        return {name: self.text(", ".join(kept[name])) for name in sorted(kept)}

    def _spans(self, data: bytes, depth: int = DEPTH) -> list[Span]:
        """Where `data` holds secrets, in whatever form: sorted ranges that don't touch."""
        if len(data) < PIECE:
            return []
        long = runs(data)
        suspect = self._known.suspect(data, bool(long))
        found = find_shapes(data, long)
        if suspect:
            found += self._known.runs(data)
        if depth:
            for view in views(data, long, suspect, self._known.escapable):
                for start, end in self._spans(view.data, depth - 1):
                    found += view.back(start, end)
        return snap(data, merge(found)) if found else found
