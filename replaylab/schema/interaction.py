"""Interaction: one question to a model and its final answer, with all attempts."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from replaylab.schema.base import Base64Field, DigestField, Frozen, Json

FailureKind = Literal[
    "refused",  # no connection could be made
    "timeout",
    "read_error",  # the connection broke before or inside the answer
    "truncated",  # the body or the stream ended before its end
    "empty_body",
    "not_json",  # HTML or other text where JSON was due
    "error_object",  # a 200 that holds an error
    "bad_shape",  # JSON, but not an answer
    "http_status",  # 4xx and 5xx other than the two below
    "rate_limited",
    "unauthorized",
]


class Failure(Frozen):
    """Why an attempt gave no answer. `message` is redacted and holds no time, address or path."""

    kind: FailureKind
    message: str = ""


class Chunk(Frozen):
    """A piece of a streamed body as it arrived. `ms` counts from the start of the attempt."""

    ms: float
    text: str | None = None
    b64: Base64Field | None = None


class Attempt(Frozen):
    """One HTTP exchange. Bodies are the bytes as received after redaction: `text` when UTF-8, else `b64`.

    `started_ms` counts from the start of the recording of the cassette. `complete` is false for a body that was cut.
    """

    started_ms: float = 0
    latency_ms: float = 0
    status: int | None = None
    headers: dict[str, str] = Field(default_factory=dict)
    text: str | None = None
    b64: Base64Field | None = None
    chunks: tuple[Chunk, ...] | None = None
    complete: bool = True
    failure: Failure | None = None


class RequestLine(Frozen):
    """A request as (the prefix it continues, the messages it adds).

    Its messages are the first `keep` messages of interaction `continues` of the same lane (none when it is null), then
    the blobs `adds`; they stand in the body as `turns`, "" where it has no such list. `params` is the blob of the body
    without them and without `tools`; `tools` is the blob of the tool list. A body that is no I-JSON object is the blob
    `raw` alone, under digest form `raw/1`.
    """

    form: Literal["request/1", "raw/1"] = "request/1"
    digest: DigestField
    alias: str
    method: str = "POST"
    path: str = "/chat/completions"
    params: DigestField | None = None
    tools: DigestField | None = None
    continues: int | None = Field(default=None, ge=0)
    keep: int = Field(default=0, ge=0)
    adds: tuple[DigestField, ...] = ()
    raw: DigestField | None = None
    turns: str = "messages"


class Usage(Frozen):
    """Tokens as the server counted them."""

    prompt_tokens: int = 0
    completion_tokens: int = 0
    cached_tokens: int = 0
    reasoning_tokens: int = 0


class Interaction(Frozen):
    """A line of a cassette. The last attempt decides; `answered_by` is the model that the server says answered."""

    type: Literal["interaction"] = "interaction"
    path: str
    request: RequestLine
    attempts: tuple[Attempt, ...] = Field(min_length=1)
    usage: Usage | None = None
    answered_by: str = ""
    request_id: str = ""
    fingerprint: str = ""
    outcome: DigestField
    extra: Json = None

    @property
    def final(self) -> Attempt:
        return self.attempts[-1]
