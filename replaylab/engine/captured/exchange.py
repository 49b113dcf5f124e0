"""What a client asked, in the one form that is hashed and stored."""

from __future__ import annotations

from dataclasses import dataclass

from replaylab.wire.redact import Redactor


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
        raise NotImplementedError
