"""One exchange as vcrpy has it, whatever the variant of the file: what was asked and what came back."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from replaylab.schema.base import Json, JsonObject

Headers = Mapping[str, Sequence[str]]
CODING = "content-encoding"


@dataclass(frozen=True)
class Pair:
    """`body` is None where the file says null, which vcrpy tells apart from an empty one. `value` is the body as aiohttp's
    client was given it, a JSON object or the fields of a form, where the file has that in place of its bytes; `body` is then
    JSON.

    Header names are spelled as in the file; names that differ only in case stay apart. `content` is what a client
    received, with the content codings that `headers` name still on it.
    """

    method: str
    uri: str
    body: bytes | None
    asked: Headers
    status: int
    reason: str | None
    headers: Headers
    content: bytes
    value: Json = None

    def header(self, name: str) -> list[str]:
        """All values of a response header."""
        return values_of(self.headers, name)


class Note(NamedTuple):
    """What is odd at a place, by the names of `NOTES`."""

    kind: str
    where: str
    detail: str = ""


@dataclass(frozen=True)
class VcrFile:
    """The content of one file. `metadata` is what 9.x keeps beside the interactions."""

    pairs: tuple[Pair, ...]
    metadata: JsonObject = field(default_factory=dict)
    notes: tuple[Note, ...] = ()


# What an import says of a file. What is lost for good is said as lost.
NOTES = {
    "parsed_request": "requests whose body the file has only as a parsed value (`parsed_body`): the bytes that were sent are "
    "lost; they were written again as compact JSON",
    "parsed_response": "responses of which the file has only a parsed value (`parsed_body`): the bytes that came are lost; they "
    "were written again as compact JSON",
    "value_request": "requests whose body the file has as a value, as aiohttp records it: it was written as compact JSON",
    "old_list": "files of before vcrpy 1.0",
    "old_httpx": "responses in the form in which older versions recorded httpx (`status_code`, `content`)",
    "decoded_before": "bodies that were decoded before they were stored, while their content-encoding stayed: it is taken off",
    "not_kept": "bodies that nobody here can decode: what is in them can't be looked at, so they are left out",
    "unknown_field": "fields that vcrpy doesn't know: left out",
    "redacted": "exchanges that held a secret: the placeholder stands there",
    "redacted_uri": "addresses that held a secret: stock vcrpy won't match them unless it filters that parameter",
    "dropped_request_header": "request headers that are not on the list of those that are kept",
    "dropped_header": "response headers that are not on the list of those that are kept",
    "no_times": "interactions: vcrpy keeps neither when they were asked, nor how long they took, nor pieces of streams",
}


def values_of(headers: Headers, name: str) -> list[str]:
    """All values of a header, whatever its spelling."""
    return [value for key, values in headers.items() if key.lower() == name for value in values]


def pairs_of(headers: Headers) -> Iterator[tuple[str, str]]:
    """Name and value, one header a value."""
    return ((name, value) for name, values in headers.items() for value in values)


def without(headers: Headers, name: str) -> Headers:
    """The headers without those of that name."""
    return {key: values for key, values in headers.items() if key.lower() != name}
