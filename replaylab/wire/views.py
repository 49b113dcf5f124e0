"""Other readings of bytes: without their escapes, with base64 and hexadecimal decoded; and the way back.

A view is made of parts. Each part knows which bytes of the original a range of it comes from, so that something found
in a view is cut out of the original and nothing else of it changes.
"""

from __future__ import annotations

import base64
import json
import re
from bisect import bisect_right
from collections.abc import Callable, Iterator
from functools import lru_cache

Span = tuple[int, int]
Place = Callable[[int, int], Span]
Part = tuple[bytes, Place]
_Token = tuple[int, int, int, int]  # decoded start and end, raw start and end

JSON_ESCAPE = re.compile(
    rb"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|[bfnrt\"\\/])"
)
ESCAPE = re.compile(JSON_ESCAPE.pattern + rb"|\\x[0-9a-fA-F]{2}|\\'|%[0-9a-fA-F]{2}")
# However many backslashes stand before it: for text whose pieces were escaped unequally often.
_LOOSE_ESCAPE = re.compile(rb"\\+(?:u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|[bfnrt\"'/\\])|%[0-9a-fA-F]{2}")
_PERCENT = re.compile(rb"%[0-9a-fA-F]{2}")

# Characters of keys, base64 and hexadecimal become "1", all others " ".
_KINDS = bytes(
    49 if byte in b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/_.-" else 32
    for byte in range(256)
)
RUN = 16  # the shortest that `runs` gives; 8 bytes in hexadecimal

# What is decoded where nothing points to a known secret: only what can hold the shape of a key. Words, identifiers,
# digests and pictures don't get past it.
_LONG_RUN = 26  # an AWS key id in base64 has 27
_LONG_BASE64 = re.compile(rb"[A-Za-z0-9+/_-]{%d,}" % _LONG_RUN)
_PRINTABLE_HEX = re.compile(rb"(?:[2-7][0-9a-fA-F]){20,}")
_PRINTABLE = re.compile(rb"[\t\n\r -~]{20,}")

# What is decoded where something does: all that 8 bytes fit in.
_ANY_BASE64 = re.compile(rb"[A-Za-z0-9+/_-]{11,}")
_ANY_HEX = re.compile(rb"[0-9a-fA-F]{16,}")
_HEX_DIGITS = b"0123456789abcdefABCDEF"


class View:
    """Parts joined by `glue`."""

    def __init__(self, parts: list[Part], glue: bytes = b"\n") -> None:
        self.data = glue.join(data for data, _ in parts)
        self._parts = parts
        self._starts: list[int] = []
        at = 0
        for data, _ in parts:
            self._starts.append(at)
            at += len(data) + len(glue)

    def back(self, start: int, end: int) -> Iterator[Span]:
        """The ranges of the original that the range `start` to `end` of the view comes from, part by part."""
        first = max(0, bisect_right(self._starts, start) - 1)
        for index in range(first, len(self._parts)):
            data, place = self._parts[index]
            offset = self._starts[index]
            if offset >= end:
                return
            low, high = max(start - offset, 0), min(end - offset, len(data))
            if low < high and (span := place(low, high)) != (0, 0):
                yield span


def runs(data: bytes) -> list[Span]:
    """Where `data` has `RUN` or more letters, digits and `+/_.-` in a row."""
    kinds = data.translate(_KINDS)
    found, at = [], kinds.find(b"1" * RUN)
    while at >= 0:
        end = kinds.find(b" ", at + RUN)
        found.append((at, len(data) if end < 0 else end))
        at = kinds.find(b"1" * RUN, found[-1][1])
    return found


def views(data: bytes, long: list[Span], suspect: bool, escapable: bool) -> Iterator[View]:
    """The views of `data` that can hold a secret which `data` doesn't show.

    `long` is `runs(data)`. `suspect` decodes more, for the sake of a known secret; `escapable` says that a known secret
    holds what JSON escapes.
    """
    if _has_escapes(data, suspect or escapable):
        for escape in (ESCAPE, _LOOSE_ESCAPE) if b"\\\\" in data else (ESCAPE,):
            part = unescaped(data, escape)
            if len(part[0]) < len(data):
                yield View([part])
    parts = list(_all_decoded(data)) if suspect else list(_printable_decoded(data, long))
    if parts:
        yield View(parts)


def _all_decoded(data: bytes) -> Iterator[Part]:
    for match in _ANY_BASE64.finditer(data):
        yield from _base64_parts(match.group(), match.start())
    for match in _ANY_HEX.finditer(data):
        yield from _hex_parts(match.group(), match.start())


def _printable_decoded(data: bytes, long: list[Span]) -> Iterator[Part]:
    for low, high in long:
        if high - low < _LONG_RUN:
            continue
        for match in _LONG_BASE64.finditer(data, low, high):
            run, start = match.group(), match.start()
            if not run.strip(_HEX_DIGITS):
                for digits in _PRINTABLE_HEX.finditer(data, start, match.end()):
                    yield from _hex_parts(digits.group(), digits.start())
            elif len(run) != 36 or run.count(b"-") != 4:  # a UUID is no base64
                for decoded, place in _base64_parts(run, start):
                    for text in _PRINTABLE.finditer(decoded):
                        yield text.group(), _moved(place, text.start())


def _moved(place: Place, by: int) -> Place:
    return lambda start, end: place(start + by, end + by)


def _has_escapes(data: bytes, all_count: bool) -> bool:
    if b"\\" in data and (all_count or b"\\u00" in data or b"\\/" in data or b"\\x" in data):
        return True
    return b"%" in data and _PERCENT.search(data) is not None


def unescaped(data: bytes, escape: re.Pattern[bytes], base: int = 0) -> Part:
    """`data` with each match of `escape` decoded once, as a part of a view; `base` is where `data` begins.

    The way back is worked out when somebody asks for it: in almost every text there is nothing to cut out.
    """
    if b"\\" not in data and b"%" not in data:
        return data, lambda start, end: (base + start, base + end)
    tables: list[tuple[list[int], list[_Token]]] = []

    def place(start: int, end: int) -> Span:
        if not tables:
            tables.append(_table(data, escape))
        starts, tokens = tables[0]
        _, stop, raw_start, raw_stop = tokens[bisect_right(starts, start) - 1]
        low = raw_start if start < stop else raw_stop + start - stop
        _, stop, _, raw_stop = tokens[bisect_right(starts, end - 1) - 1]
        high = raw_stop if end <= stop else raw_stop + end - stop
        return base + low, base + high

    return escape.sub(_decoded, data), place


def _table(data: bytes, escape: re.Pattern[bytes]) -> tuple[list[int], list[_Token]]:
    """Where each decoded escape begins, and the escapes, behind one that stands for the beginning."""
    starts, tokens = [0], [(0, 0, 0, 0)]
    raw = size = 0
    for match in escape.finditer(data):
        size += match.start() - raw
        starts.append(size)
        stop = size + len(_decoded(match))
        tokens.append((size, stop, match.start(), match.end()))
        size, raw = stop, match.end()
    return starts, tokens


def _decoded(match: re.Match[bytes]) -> bytes:
    return _meaning(match.group())


@lru_cache(maxsize=8192)
def _meaning(token: bytes) -> bytes:
    if token[:1] == b"%":
        return bytes.fromhex(token[1:].decode())
    name = token.lstrip(b"\\") or b"\\"
    if name == b"'":
        return name
    if name[:1] == b"x":
        return bytes.fromhex(name[1:].decode())
    text: str = json.loads(b'"\\' + name + b'"')
    return text.encode("utf-8", "surrogatepass")


def _base64_parts(run: bytes, base: int) -> Iterator[Part]:
    """`run` decoded from each of the four places where its first group can begin."""
    plain = run.replace(b"-", b"+").replace(b"_", b"/")
    for phase in range(4):
        coded = plain[phase:]

        def place(start: int, end: int, at: int = base + phase, stop: int = base + len(run)) -> Span:
            return at + start * 8 // 6, min(at - (-end * 8 // 6), stop)

        yield base64.b64decode(coded + b"A" * (-len(coded) % 4)), place


def _hex_parts(run: bytes, base: int) -> Iterator[Part]:
    for phase in range(2):
        digits = run[phase : len(run) - (len(run) - phase) % 2]

        def place(start: int, end: int, at: int = base + phase) -> Span:
            return at + 2 * start, at + 2 * end

        yield bytes.fromhex(digits.decode()), place
