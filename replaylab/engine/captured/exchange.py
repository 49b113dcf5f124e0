"""What a client asked, in the one form that is hashed and stored."""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import unquote

from replaylab.cassette.request import Request
from replaylab.wire.redact import Redactor

MAX_BODY = 64 << 20  # bytes of a request or an answer that are kept
# What stands for the boundary that a client draws anew for each upload.
BOUNDARY = b"replaylab-boundary"
_BOUNDARY = re.compile(r"""(?i);\s*boundary=(?:"([^"]{1,200})"|([^\s;"]{1,200}))""")


@dataclass(frozen=True)
class Exchange:
    """What a client asked, redacted already. `Exchange.of` makes one from what came over the wire.

    `endpoint` is the alias of the upstream (`openai`, `anthropic`, `gemini`, …). `path` begins with a slash, is without the
    proxy's prefix, its query sorted and redacted, its fragment gone. `body` is without content encoding, redacted; the
    boundary of a multipart one is a fixed one. `lane` is what `X-Replaylab-Lane` said, "" for none (and `main` is the lane
    of those that send none); `retry` is what the SDK's retry-count header said.
    """

    endpoint: str
    method: str
    path: str
    body: bytes
    lane: str = ""
    retry: int = 0

    @classmethod
    def of(
        cls,
        endpoint: str,
        method: str,
        target: str,
        body: bytes,
        redactor: Redactor,
        *,
        content_type: str = "",
        lane: str = "",
        retry: int = 0,
    ) -> Exchange:
        """From a request's target (path and query), its decoded body and its content type."""
        if content_type.strip().lower().startswith("multipart/"):
            body = _with_fixed_boundary(body, content_type)
        path = redactor.url(sorted_target(target))
        return cls(
            endpoint, method.upper(), path, redactor.body(body), redactor.text(lane.strip()), max(0, retry)
        )

    def request(self) -> Request:
        """It as a request, whose digest is what it is known by."""
        return Request.from_bytes(self.endpoint, self.path, self.body, self.method)


def sorted_target(target: str) -> str:
    """A path with its query sorted by name, values of one name in their order; without a fragment.

    A whole URL is cut to its path. Nothing is unescaped: `%2F` and `/` are two paths.
    """
    target = re.sub(r"^[A-Za-z][A-Za-z0-9+.-]*://[^/?#]*", "", target).partition("#")[0]
    path, _, query = target.partition("?")
    pairs = [pair for pair in query.split("&") if pair]
    pairs.sort(key=lambda pair: unquote(pair.partition("=")[0]))
    return (path if path.startswith("/") else f"/{path}") + (f"?{'&'.join(pairs)}" if pairs else "")


def _with_fixed_boundary(body: bytes, content_type: str) -> bytes:
    """The body with its boundary replaced where one stands: at the beginning of a line, behind two hyphens."""
    found = _BOUNDARY.search(content_type)
    if found is None:
        return body
    boundary = re.escape((found[1] or found[2]).encode("latin-1", "replace"))
    return re.sub(rb"(?:(?<=\n)|\A)--%b(?=--|[ \t]*\r?\n|\Z)" % boundary, b"--" + BOUNDARY, body)
