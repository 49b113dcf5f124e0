"""Server-sent events: an incremental parser after the WHATWG HTML standard, section 9.2."""

from __future__ import annotations

import re
from dataclasses import dataclass

DONE = "[DONE]"

_LINE_END = re.compile(rb"\r\n|\r|\n")
_BOM = b"\xef\xbb\xbf"


@dataclass(frozen=True, slots=True)
class Event:
    """One dispatched event. `id` is the last event id so far; `retry` (milliseconds) is that of this event alone.

    `where` holds, for each data line, the range of bytes of its value in the stream, counted from the first byte fed.
    """

    data: str
    event: str = "message"
    id: str = ""
    retry: int | None = None
    where: tuple[tuple[int, int], ...] = ()

    @property
    def done(self) -> bool:
        """Whether this is the `[DONE]` that ends a stream of chat completions."""
        return self.data.strip() == DONE


class Parser:
    """Feed it bytes, split anywhere; it returns the events that they complete."""

    def __init__(self) -> None:
        self._rest = b""  # the line that isn't complete yet
        self._at = 0  # where `_rest` begins in the stream
        self._begun = False  # whether the place of a byte order mark is behind us
        self._after_cr = False  # the last line ended in CR: an LF that follows belongs to it
        self._id = ""
        self._clear()

    def _clear(self) -> None:
        self._data: list[bytes] = []
        self._where: list[tuple[int, int]] = []
        self._event = ""
        self._retry: int | None = None

    def feed(self, chunk: bytes) -> list[Event]:
        """The events that `chunk` completes, in order."""
        if not chunk:
            return []
        if self._after_cr:
            self._after_cr = False
            if chunk[:1] == b"\n":
                chunk, self._at = chunk[1:], self._at + 1
        data = self._rest + chunk
        if not self._begun:
            if len(data) < len(_BOM) and _BOM.startswith(data):
                self._rest = data
                return []
            self._begun = True
            if data.startswith(_BOM):
                data, self._at = data[len(_BOM) :], self._at + len(_BOM)
        events, start = [], 0
        for end in _LINE_END.finditer(data):
            event = self._line(data[start : end.start()], self._at + start)
            events += [event] if event else []
            start = end.end()
        self._after_cr = start == len(data) and data.endswith(b"\r")
        self._rest, self._at = data[start:], self._at + start
        return events

    def unfinished(self) -> Event | None:
        """What the stream held after its last complete event, if any of it was data: a sign that it was cut off.

        The standard throws it away. A last line without an end counts as a line.
        """
        rest, at, self._rest = self._rest, self._at, b""
        if rest:
            self._at += len(rest)
            self._line(rest, at)
        return self._dispatch()

    def _line(self, line: bytes, at: int) -> Event | None:
        if not line:
            return self._dispatch()
        name, colon, value = line.partition(b":")
        at += len(name) + len(colon)
        if value[:1] == b" ":
            value, at = value[1:], at + 1
        if name == b"data":
            self._data.append(value)
            self._where.append((at, at + len(value)))
        elif name == b"event":
            self._event = value.decode("utf-8", "replace")
        elif name == b"id" and b"\0" not in value:
            self._id = value.decode("utf-8", "replace")
        elif name == b"retry" and value.isdigit():
            self._retry = int(value)
        return None

    def _dispatch(self) -> Event | None:
        event = None
        if self._data:
            data = b"\n".join(self._data).decode("utf-8", "replace")
            event = Event(data, self._event or "message", self._id, self._retry, tuple(self._where))
        self._clear()
        return event


def parse(body: bytes) -> list[Event]:
    """The events of a whole body."""
    return Parser().feed(body)
