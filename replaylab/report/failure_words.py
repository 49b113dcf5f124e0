"""Why a model gave no answer, in words."""

from __future__ import annotations

import re

# By `schema.interaction.FailureKind`, and the reasons of the roles themselves.
WORDS = {
    "refused": "no connection could be made",
    "timeout": "no answer came in time",
    "read_error": "the connection broke before the answer was whole",
    "truncated": "the answer ended before its end",
    "empty_body": "the answer was empty",
    "not_json": "the answer was not JSON",
    "error_object": "the server answered with an error",
    "bad_shape": "the answer was no chat completion",
    "http_status": "the server answered with an error status",
    "rate_limited": "the server refused more requests for now (rate limit)",
    "unauthorized": "the server refused the key",
    "agent_crashed": "the agent failed",
    "agent_silent": "the agent did nothing for too long",
    "agent_left": "the agent went away without an answer",
    "agent_diverged": "after an interruption the agent did not repeat what it had done",
    "unparsable": "no answer had the form that was asked for",
    "lane_dry": "the recording ends before an answer",
}

_PLACE = re.compile(r"((?:turn|call) \d+): (\w+)")


def in_words(error: str) -> str:
    """`turn 0: refused` as `turn 0: no connection could be made`; what has another form stays as it is."""
    match = _PLACE.fullmatch(error)
    return f"{match[1]}: {WORDS.get(match[2], match[2])}" if match else WORDS.get(error, error)


def kind_of(error: str) -> str:
    """The kind of failure in `turn 0: refused` or `refused`."""
    match = _PLACE.fullmatch(error)
    return match[2] if match else error
