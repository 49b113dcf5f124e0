"""Byte ranges: joined, widened to whole characters, cut out of chunks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from replaylab.wire.views import ESCAPE

Span = tuple[int, int]


class Cut(NamedTuple):
    """Bytes `start` to `end` go. A mark takes the place of a head; a tail leaves nothing."""

    start: int
    end: int
    head: bool = True


def merge(spans: Iterable[Span]) -> list[Span]:
    """Sorted ranges; those that overlap or touch become one."""
    merged: list[Span] = []
    for start, end in sorted(spans):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged


def snap(data: bytes, spans: list[Span]) -> list[Span]:
    """The ranges widened so that none ends inside an escape sequence or a UTF-8 character: JSON stays JSON."""
    if b"\\" in data or b"%" in data:
        spans = list(_over_escapes(data, spans))
    return merge(_over_characters(data, start, end) for start, end in spans)


def _over_escapes(data: bytes, spans: list[Span]) -> Iterator[Span]:
    tokens = ESCAPE.finditer(data)
    token = next(tokens, None)
    for start, end in spans:
        low, high = start, end
        while token and token.end() <= start:
            token = next(tokens, None)
        if token and token.start() < start:
            low = token.start()
        while token and token.end() < end:
            token = next(tokens, None)
        if token and token.start() < end:
            high = max(end, token.end())
        yield low, high


def _over_characters(data: bytes, start: int, end: int) -> Span:
    for _ in range(3):
        start -= start > 0 and data[start] & 0xC0 == 0x80
        end += end < len(data) and data[end] & 0xC0 == 0x80
    return start, end


def apply(chunks: Sequence[bytes], cuts: Iterable[Cut], mark: bytes) -> list[bytes]:
    """The chunks without the bytes of `cuts`, whose positions count over all chunks; whole chunks stay the same."""
    out, base = [], 0
    joined = list(_joined(cuts))
    first = 0
    for chunk in chunks:
        stop = base + len(chunk)
        while first < len(joined) and joined[first].end <= base:
            first += 1
        parts, at, index = [], base, first
        while index < len(joined) and joined[index].start < stop:
            cut = joined[index]
            if cut.start >= base:
                parts += [chunk[at - base : cut.start - base], mark if cut.head else b""]
            at, index = min(cut.end, stop), index + 1
        out.append(b"".join((*parts, chunk[at - base :])) if index > first else chunk)
        base = stop
    return out


def _joined(cuts: Iterable[Cut]) -> Iterator[Cut]:
    """Cuts that touch become one, which is a head if any of them was."""
    last: Cut | None = None
    for cut in sorted(cuts):
        if last and cut.start <= last.end:
            last = Cut(last.start, max(last.end, cut.end), last.head or cut.head)
            continue
        if last:
            yield last
        last = cut
    if last:
        yield last
