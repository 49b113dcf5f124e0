"""Whether an observation refuses its call, and with which words."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from replaylab.diff.calls.undone import is_undone, verdicts
from replaylab.diff.calls.worded import worded_refusal
from replaylab.diff.contract.tools import is_write
from replaylab.diff.words.identity import stems, words
from replaylab.diff.words.lexicon import (
    ERROR_KEYS,
    OUTCOME_KEYS,
    PLACEHOLDER_ERRORS,
    REASON_KEYS,
    REFUSED,
    REMARKS,
    SUCCEEDED,
)
from replaylab.diff.words.observed import escape, texts
from replaylab.schema.base import Json, JsonObject
from replaylab.schema.scenario import Tool

_PROSE = re.compile(
    r"^\W*(?:error|failed|failure|denied|rejected|invalid|unable|cannot|can't)\b"
    r"|\b(?:cannot|can't|can not|could not|not (?:allowed|permitted|found|authorized)|denied|rejected|refused|prohibited)\b",
    re.IGNORECASE,
)
_TRANSPORT = re.compile(
    r"\b(?:http|status|error|code)\W{0,3}5\d\d\b(?![,.]?\d)|\b5\d\d (?:internal|bad|service|gateway)|internal server error"
    r"|\btime(?:d)?[ -]?out\b|timeouterror|\bgateway\b|connection\W?(?:was )?(?:refused|reset|error|aborted)|ECONNREFUSED"
    r"|service\W?(?:is )?(?:currently |temporarily )?(?:unavailable|down|under maintenance)|temporarily unavailable"
    r"|too many requests|rate limit exceeded|\b429\b",
    re.IGNORECASE,
)

_LONGEST = 4_000  # characters of a refusal


class Refusal(NamedTuple):
    """A refused call. `reasons` are the texts that say why, with their pointers; empty where nothing says it."""

    reasons: tuple[tuple[str, str], ...]

    @property
    def text(self) -> str:
        return ". ".join(text for _, text in self.reasons)

    @property
    def pointer(self) -> str:
        return self.reasons[0][0] if self.reasons else ""

    @property
    def is_transport(self) -> bool:
        """Whether it is a failure of the line and not of the environment: a timeout, an HTTP 500."""
        return _TRANSPORT.search(self.text) is not None


def read_refusal(tool: Tool, observation: Json, arguments: JsonObject | None = None) -> Refusal | None:
    """The refusal that an observation is, or None. What only repeats an argument refuses nothing: the cause of a delay."""
    if isinstance(observation, str):
        said = shortened((("", observation),))
        plain = _PROSE.search(observation) or worded_refusal(tool, observation, arguments or {})
        return Refusal(said) if plain else None
    if not isinstance(observation, dict):
        return None
    found = verdicts(tool, observation)
    told = {
        name: value
        for name, value in observation.items()
        if name not in found and not _repeats(tool, name, value, arguments or {})
    }
    refused = (_says_no(told, is_write(tool)) and not _is_done(tool, observation)) or (
        not _says_yes(observation) and is_undone(tool, told, arguments or {})
    )
    if not refused:
        inner = [part for part in observation.values() if isinstance(part, dict)]
        if len(inner) == 1 and len(observation) <= 3:
            below = read_refusal(tool, inner[0], arguments)
            if below is not None:
                return below
        worded = () if _says_yes(observation) else worded_refusal(tool, observation, arguments or {})
        return Refusal(shortened(worded)) if worded else None
    return Refusal(shortened(_reasons(observation)))


def shortened(reasons: Iterable[tuple[str, str]]) -> tuple[tuple[str, str], ...]:
    """Reasons as far as anyone reads them. A model that repeats itself to its limit of tokens says nothing more, and each
    number of a text is held against all the others. No word and no number is cut in two.
    """
    found, left = [], _LONGEST
    for pointer, text in reasons:
        if left <= 0:
            break
        part = text if len(text) <= left else (text[:left].rsplit(maxsplit=1) or [""])[0]
        found.append((pointer, part))
        left -= len(text)
    return tuple(found)


def _repeats(tool: Tool, field: str, value: Json, arguments: JsonObject) -> bool:
    """Whether a field gives back what an argument gave, and is no word on how the call went. Who chooses that something has
    failed, out of what may be chosen, is told so.
    """
    name = field.casefold()
    if not isinstance(value, str) or name in ERROR_KEYS or value not in arguments.values():
        return False
    return name not in OUTCOME_KEYS or _is_chosen(tool, value, arguments)


def _is_chosen(tool: Tool, value: str, arguments: JsonObject) -> bool:
    """Whether a value is that of an argument which is one of a list of choices."""
    schemas = tool.parameters.get("properties", {})
    return any(
        given == value and value in (schemas.get(name) or {}).get("enum", ())
        for name, given in arguments.items()
    )


def _is_done(tool: Tool, observation: JsonObject) -> bool:
    """Whether to refuse is what the call does: its tool says so, and the answer has all that the tool's example fills, with no
    word of a reason.
    """
    example = tool.example_output if isinstance(tool.example_output, dict) else {}
    filled = [name for name, value in example.items() if value is not None]
    said = [
        value
        for key, value in observation.items()
        if key.casefold() in OUTCOME_KEYS and isinstance(value, str)
    ]
    told = stems(tool.description)
    return (
        len(filled) > 1
        and all(observation.get(name) is not None for name in filled)
        and bool(said)
        and all(stems(value) & REFUSED <= told for value in said)
        and not any(_is_reason(key) for key in observation if key not in example)
    )


def _says_yes(observation: JsonObject) -> bool:
    """Whether an outcome says that the call went well, whatever else is false."""
    return any(
        key.casefold() in OUTCOME_KEYS
        and (
            value is True
            or (isinstance(value, str) and len(words(value)) == 1 and bool(stems(value) & SUCCEEDED))
        )
        for key, value in observation.items()
    )


def _says_no(observation: JsonObject, write: bool) -> bool:
    if _says_yes(observation) and not ERROR_KEYS & {key.casefold() for key in observation}:
        return False
    for key, value in observation.items():
        name = key.casefold()
        if name in ERROR_KEYS and (value is True or (isinstance(value, (str, dict, list)) and value)):
            return True
        if value is False and (name in OUTCOME_KEYS or (write and _has_reason(observation))):
            return True
        if (
            isinstance(value, str)
            and name in OUTCOME_KEYS
            and stems(value) & REFUSED
            and (len(words(value)) <= 3 or stems(value.partition(":")[0]) <= REFUSED)
        ):
            return write or (name in ("status", "result") and _has_reason(observation))
        if (
            write
            and isinstance(value, str)
            and len(words(value)) <= 3
            and stems(value) & REFUSED
            and _has_reason(observation)
        ):
            return True
    return False


def _has_reason(observation: JsonObject) -> bool:
    return any(
        _is_reason(key) and not stems(key) & REMARKS and isinstance(value, (str, list, dict)) and value
        for key, value in observation.items()
    )


def _is_reason(key: str) -> bool:
    return key.casefold() in ERROR_KEYS or bool(stems(key) & REASON_KEYS)


def _reasons(observation: JsonObject) -> Iterator[tuple[str, str]]:
    """The texts under names that give reasons; those of two words or more come before codes. Where there are none, a reason
    stands under any other name: "tip", "display".
    """
    found = [
        (key, f"/{escape(key)}{pointer}", text)
        for key, value in observation.items()
        for pointer, text in texts(value)
        if not stems(text) <= PLACEHOLDER_ERRORS
    ]
    telling = [one for one in found if len(words(one[2])) > 2]
    of_reasons = [one for one in telling if _is_reason(one[0])]
    if of_reasons:
        chosen = [one for one in telling if one in of_reasons or one[0].casefold() in OUTCOME_KEYS]
    else:
        chosen = telling or [one for one in found if _is_reason(one[0])]
    yield from ((pointer, text) for _, pointer, text in chosen)
