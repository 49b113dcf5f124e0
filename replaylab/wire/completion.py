"""Reads a model's answer out of the bytes of an attempt, and says why there is none. Pure: bytes in, values out.

The body decides what it is, whatever its content type says: JSON, or a stream of server-sent events. Failure
messages hold no time, address or words of the server, so that they are the same in every recording; the server's
own words are shown in the CallFailed.
"""

from __future__ import annotations

import base64
import json
import re
from typing import Any

from replaylab import canonical
from replaylab.errors import CallFailed
from replaylab.schema.completion import Completion
from replaylab.schema.interaction import Attempt, Failure, FailureKind
from replaylab.wire.assemble import Assembly, BadShape, event_data, read_message, read_usage, sound, text_of

EVENTS = re.compile(r"(data|event|id|retry)?:")
_WORD = re.compile(r"[A-Za-z0-9_.-]{1,64}")
_BY_STATUS: dict[int, FailureKind] = {401: "unauthorized", 403: "unauthorized", 429: "rate_limited"}


def read_answer(attempt: Attempt, where: str = "") -> Completion:
    """The answer. Raises CallFailed, whose kind is a FailureKind, when the attempt holds none."""
    found = judge(attempt)
    if isinstance(found, Failure):
        raise call_failed(attempt, found, where)
    return found


def classify(attempt: Attempt) -> Failure | None:
    """Why an attempt holds no usable answer; None when it holds one."""
    found = judge(attempt)
    return found if isinstance(found, Failure) else None


def judge(attempt: Attempt) -> Completion | Failure:
    """The answer, or why there is none."""
    if attempt.failure is not None:
        return attempt.failure
    if attempt.status is None:
        return Failure(kind="read_error", message="no status")
    text = body_text(attempt)
    if not 200 <= attempt.status < 300:
        code = " ".join(filter(None, (f"HTTP {attempt.status}", error_code(text or ""))))
        return Failure(kind=_BY_STATUS.get(attempt.status, "http_status"), message=code)
    if text is None:
        return Failure(kind="not_json", message="the body is not UTF-8")
    if not attempt.complete:
        return Failure(kind="truncated", message="the body was cut")
    text = text.removeprefix("\ufeff").lstrip()
    if not text:
        return Failure(kind="empty_body", message="the body is empty")
    try:
        # Nearly all are JSON objects, and asking the pattern about each takes as long as reading a small one's parts.
        return _from_events(text) if text[0] != "{" and EVENTS.match(text) else _from_json(text)
    except BadShape as bad:
        return Failure(kind=bad.kind, message=bad.message)


def call_failed(attempt: Attempt, failure: Failure, where: str = "") -> CallFailed:
    """The error for an attempt without a usable answer; it quotes the server, shortened."""
    quote = error_words(body_text(attempt) or "")
    said = f"; the server said: {quote[:300]}" if quote else ""
    return CallFailed(
        f"no usable answer ({failure.kind}): {failure.message}{said}", kind=failure.kind, where=where
    )


def body_text(attempt: Attempt) -> str | None:
    """The body as text, stream chunks joined; None when it is not UTF-8."""
    if attempt.chunks is None and attempt.b64 is None:
        return attempt.text or ""
    parts = [attempt] if attempt.chunks is None else attempt.chunks
    pieces = [(part.text, part.b64) for part in parts]
    if all(b64 is None for _, b64 in pieces):
        return "".join(text or "" for text, _ in pieces)
    data = b"".join(
        text.encode() if text is not None else base64.b64decode(b64 or "") for text, b64 in pieces
    )
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return None


def _load(text: str, *, last: bool = True) -> Any:
    """Parse JSON. What orjson refuses but Python reads (NaN, huge integers, lone surrogates) is let in."""
    try:
        return canonical.loads(text)
    except ValueError as error:
        at = getattr(error, "pos", 0)
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        cut = last and text[:1] in "{[" and at >= len(text)
        kind: FailureKind = "truncated" if cut else "not_json"
        raise BadShape("the JSON ends before its end" if cut else "the body is not JSON", kind) from None


def _from_json(text: str) -> Completion:
    value = _load(text)
    choice = _first_choice(_checked(value))
    if choice is None:
        raise BadShape("no choices")
    message = choice.get("message")
    if not isinstance(message, dict) or not message:
        raise BadShape("the choice holds no message")
    return read_message(
        message,
        finish_reason=text_of(choice.get("finish_reason")),
        usage=read_usage(value, choice),
        model=text_of(value.get("model")),
        id=text_of(value.get("id")),
        fingerprint=text_of(value.get("system_fingerprint")),
    )


def _from_events(text: str) -> Completion:
    assembly = Assembly()
    events = [data for data in event_data(text) if data.strip()]
    for number, data in enumerate(events):
        if data.strip() == "[DONE]":
            assembly.ended = True
            break
        value = _checked(_load(data, last=number == len(events) - 1))
        assembly.add(value, _first_choice(value))
    return assembly.completion()


def _checked(value: Any) -> dict[str, Any]:
    """The object, once it is sure that it is not an error in disguise."""
    if not isinstance(value, dict):
        raise BadShape("the JSON is not an object")
    if value.get("error") or value.get("object") == "error":
        code = _code(value)
        raise BadShape(" ".join(filter(None, ("an error in place of an answer", code))), "error_object")
    return value


def _first_choice(value: dict[str, Any]) -> dict[str, Any] | None:
    """The choice with index 0, or else the first; None when there is none."""
    choices = value.get("choices")
    if not choices:
        return None
    if not isinstance(choices, list):
        raise BadShape("choices is not a list of objects")
    first: dict[str, Any] | None = None
    for choice in choices:
        if not isinstance(choice, dict):
            raise BadShape("choices is not a list of objects")
        if first is None and choice.get("index") == 0:
            first = choice
    for choice in choices:
        if choice.get("error") or choice.get("finish_reason") == "error":
            raise BadShape("an error in place of an answer", "error_object")
    return first or choices[0]


def error_code(text: str) -> str:
    """The short code of an error body, such as `insufficient_quota`; "" when it has none."""
    value = _error_value(text)
    return _code(value) if value is not None else ""


def error_words(text: str) -> str:
    """What an error body says to its reader, on one line; "" when it says nothing."""
    value = _error_value(text)
    if value is None:
        return ""
    error = value.get("error", value)
    words = error.get("message") or error.get("detail") if isinstance(error, dict) else error
    return " ".join(sound(words).split()) if isinstance(words, str) else ""


def _error_value(text: str) -> dict[str, Any] | None:
    text = text.strip()
    if EVENTS.match(text):
        text = next((data for data in event_data(text) if '"error"' in data), "")
    try:
        value = canonical.loads(text)
    except ValueError:
        return None
    if isinstance(value, list) and len(value) == 1:
        value = value[0]  # Google's endpoint wraps its errors in a list
    return value if isinstance(value, dict) else None


def _code(value: dict[str, Any]) -> str:
    error = value.get("error")
    fields = error if isinstance(error, dict) else value
    for name in ("code", "type", "status"):
        code = str(fields.get(name) or "")
        if _WORD.fullmatch(code) and code != "error":
            return code
    return ""
