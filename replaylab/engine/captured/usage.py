"""What an answer says of itself: tokens, the model that answered, its request id. Best effort, for every interface.

Chat completions, Responses, Anthropic messages and Gemini's generateContent, whole or streamed. What can't be read is left
out; nothing here ever fails.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from replaylab.canonical import MAX_SAFE_INTEGER, loads
from replaylab.schema.interaction import Attempt, Usage
from replaylab.wire.assemble import event_data
from replaylab.wire.completion import EVENTS, body_text

_MAX_WORD = 200


class Said(NamedTuple):
    """`usage` is None where the server counted nothing."""

    usage: Usage | None = None
    model: str = ""
    request_id: str = ""
    fingerprint: str = ""


def read_said(attempt: Attempt) -> Said:
    """What the answer in an attempt says of itself."""
    request_id = attempt.headers.get("x-request-id") or attempt.headers.get("request-id", "")
    counts: dict[str, int] = {}
    model = fingerprint = ""
    for value in _objects(body_text(attempt) or ""):
        # The events of Responses and Anthropic carry the answer so far under a name.
        for one in (value, value.get("response"), value.get("message")):
            if not isinstance(one, dict):
                continue
            model = _word(one.get("model")) or _word(one.get("modelVersion")) or model
            fingerprint = _word(one.get("system_fingerprint")) or fingerprint
            for place in ("usage", "usageMetadata"):
                usage = one.get(place)
                if isinstance(usage, dict):
                    counts |= _counts(usage, gemini=place == "usageMetadata")
    return Said(Usage(**counts) if counts else None, model, request_id, fingerprint)


def _objects(text: str) -> Iterator[dict[str, Any]]:
    """The JSON objects of a body: the whole of it, the items of a list (Gemini streams one), or its events."""
    text = text.removeprefix("\ufeff").lstrip()
    for part in event_data(text) if EVENTS.match(text) else [text]:
        if part[:1] not in ("{", "["):
            continue
        try:
            value = loads(part)
        except ValueError:
            continue
        yield from (one for one in (value if isinstance(value, list) else [value]) if isinstance(one, dict))


def _counts(usage: dict[str, Any], *, gemini: bool) -> dict[str, int]:
    """The counts that stand there, under our names. A stream's later ones replace earlier ones."""
    if gemini:
        found = _first(usage, prompt_tokens=("promptTokenCount",), cached_tokens=("cachedContentTokenCount",))
        thought = _number(usage.get("thoughtsTokenCount"))
        said = _number(usage.get("candidatesTokenCount"))
        if said is not None or thought is not None:
            found["completion_tokens"] = (said or 0) + (thought or 0)
        if thought:
            found["reasoning_tokens"] = thought
        return found
    found = _first(
        usage,
        prompt_tokens=("prompt_tokens", "input_tokens"),
        completion_tokens=("completion_tokens", "output_tokens"),
        cached_tokens=("cache_read_input_tokens", "prompt_cache_hit_tokens"),
    )
    # Anthropic counts what it read from its cache, and wrote to it, beside the input.
    beside = [_number(usage.get(f"cache_{how}_input_tokens")) or 0 for how in ("read", "creation")]
    if "prompt_tokens" in found:
        found["prompt_tokens"] += sum(beside)
    for outer in ("prompt_tokens_details", "input_tokens_details"):
        found |= _first(usage.get(outer), cached_tokens=("cached_tokens",))
    for outer in ("completion_tokens_details", "output_tokens_details"):
        found |= _first(usage.get(outer), reasoning_tokens=("reasoning_tokens",))
    return found


def _first(usage: Any, **names: tuple[str, ...]) -> dict[str, int]:
    if not isinstance(usage, dict):
        return {}
    found: dict[str, int] = {}
    for ours, theirs in names.items():
        numbers = [number for name in theirs if (number := _number(usage.get(name))) is not None]
        if numbers:
            found[ours] = numbers[0]
    return found


def _number(value: Any) -> int | None:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= MAX_SAFE_INTEGER:
        return None
    return int(value)


def _word(value: Any) -> str:
    return value[:_MAX_WORD] if isinstance(value, str) else ""
