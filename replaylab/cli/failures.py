"""Why a model gave no answer, in words, and who a server's answers say that they come from."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence

from replaylab.schema.interaction import Interaction

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
    "unparsable": "no answer had the form that was asked for",
    "lane_dry": "the recording ends before an answer",
}
CONNECTION = frozenset({"refused", "timeout", "read_error"})
PROGRAM = "replaylab:"  # how the fingerprint of a built-in model begins, wherever it is served

_PLACE = re.compile(r"((?:turn|call) \d+): (\w+)")


def in_words(error: str) -> str:
    """`turn 0: refused` as `turn 0: no connection could be made`; what has another form stays as it is."""
    match = _PLACE.fullmatch(error)
    return f"{match[1]}: {WORDS.get(match[2], match[2])}" if match else WORDS.get(error, error)


def kind_of(error: str) -> str:
    """The kind of failure in `turn 0: refused` or `refused`."""
    match = _PLACE.fullmatch(error)
    return match[2] if match else error


def programs_behind(lanes: Mapping[str, Sequence[Interaction]]) -> dict[str, str]:
    """The built-in model that answered for an alias, as its fingerprint names it; only where one did."""
    return {row.request.alias: row.fingerprint for row in _programs(lanes.values())}


def _programs(lanes: Iterable[Sequence[Interaction]]) -> Iterable[Interaction]:
    return (row for rows in lanes for row in rows if row.fingerprint.startswith(PROGRAM))


def mistaken(alias: str, fingerprint: str) -> str:
    """What to do about a program that is configured as an LLM."""
    table = alias if re.fullmatch(r"[A-Za-z0-9_-]+", alias) else json.dumps(alias, ensure_ascii=False)
    return (
        f'{alias} answered as {fingerprint}, which is a program: set player = "program" in [models.{table}]'
    )
