"""Content encodings taken off piece by piece, so that a compressed stream is handed on as it arrives.

gzip (of any number of members), deflate (with and without its zlib head), br and zstd, stacked in any order.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator, Sequence
from typing import Protocol

import brotli
import zstandard

# What one piece may grow to at most before its decoder is asked again: so a small piece can't fill the memory at once.
_STEP = 1 << 20
_PIECE = 1 << 16


class CannotDecode(Exception):
    """The bytes are not what their content-encoding says, or they end too early."""


class Decoder(Protocol):
    """Feed it the pieces in order. `finished` says whether what came so far is a whole."""

    def feed(self, data: bytes) -> Iterator[bytes]: ...
    def finished(self) -> bool: ...


class _Zlib:
    """`wbits` as zlib counts them; members follow each other, as gzip files may be joined."""

    def __init__(self, wbits: int) -> None:
        self._wbits = wbits
        self._inner: zlib._Decompress | None = None

    def feed(self, data: bytes) -> Iterator[bytes]:
        while data:
            if self._inner is None:
                self._inner = zlib.decompressobj(self._wbits)
            try:
                out = self._inner.decompress(data, _STEP)
            except zlib.error as error:
                raise CannotDecode(str(error)) from error
            if out:
                yield out
            if self._inner.eof:
                data, self._inner = self._inner.unused_data, None
            else:
                data = self._inner.unconsumed_tail

    def finished(self) -> bool:
        return self._inner is None


class _Deflate:
    """What is called deflate has a zlib head by the book and none with some servers: the first bytes decide."""

    def __init__(self) -> None:
        self._head = b""
        self._inner: _Zlib | None = None

    def feed(self, data: bytes) -> Iterator[bytes]:
        if self._inner is None:
            self._head += data
            if len(self._head) < 2:
                return
            has_head = self._head[0] & 0x0F == 8 and int.from_bytes(self._head[:2], "big") % 31 == 0
            self._inner = _Zlib(zlib.MAX_WBITS if has_head else -zlib.MAX_WBITS)
            data = self._head
        yield from self._inner.feed(data)

    def finished(self) -> bool:
        return self._inner.finished() if self._inner else not self._head


class _Brotli:
    def __init__(self) -> None:
        self._inner = brotli.Decompressor()
        self._begun = False

    def feed(self, data: bytes) -> Iterator[bytes]:
        self._begun = self._begun or bool(data)
        try:
            out = self._inner.process(data, output_buffer_limit=_STEP)
            while out or not self._inner.can_accept_more_data():
                yield out
                out = self._inner.process(b"", output_buffer_limit=_STEP)
        except brotli.error as error:
            raise CannotDecode(str(error)) from error

    def finished(self) -> bool:
        return not self._begun or bool(self._inner.is_finished())


class _Zstd:
    """Frames may follow each other."""

    def __init__(self) -> None:
        self._inner: zstandard.ZstdDecompressionObj | None = None

    def feed(self, data: bytes) -> Iterator[bytes]:
        # In small pieces: this decoder has no bound of its own for what it returns at once.
        for start in range(0, len(data), _PIECE):
            yield from self._feed(data[start : start + _PIECE])

    def _feed(self, data: bytes) -> Iterator[bytes]:
        while data:
            if self._inner is None:
                self._inner = zstandard.ZstdDecompressor().decompressobj()
            try:
                out = self._inner.decompress(data)
            except zstandard.ZstdError as error:
                raise CannotDecode(str(error)) from error
            if out:
                yield out
            if not self._inner.eof:
                return
            data, self._inner = self._inner.unused_data, None

    def finished(self) -> bool:
        return self._inner is None


class _Stacked:
    """Encodings in the order in which they were applied; the last is taken off first."""

    def __init__(self, decoders: Sequence[Decoder]) -> None:
        self._decoders = list(reversed(decoders))

    def feed(self, data: bytes) -> Iterator[bytes]:
        pieces: Iterator[bytes] = iter((data,))
        for decoder in self._decoders:
            pieces = _through(decoder, pieces)
        yield from pieces

    def finished(self) -> bool:
        return all(decoder.finished() for decoder in self._decoders)


def _through(decoder: Decoder, pieces: Iterator[bytes]) -> Iterator[bytes]:
    for piece in pieces:
        yield from decoder.feed(piece)


_MAKE: dict[str, Callable[[], Decoder]] = {
    "gzip": lambda: _Zlib(zlib.MAX_WBITS | 16),
    "x-gzip": lambda: _Zlib(zlib.MAX_WBITS | 16),
    "deflate": _Deflate,
    "br": _Brotli,
    "zstd": _Zstd,
}


def decoder_of(content_encoding: str) -> Decoder | None:
    """The decoder for a content-encoding; None when nothing is to be decoded. Raises CannotDecode for an unknown one."""
    names = [name for part in content_encoding.lower().split(",") if (name := part.strip()) != ""]
    names = [name for name in names if name != "identity"]
    if unknown := [name for name in names if name not in _MAKE]:
        raise CannotDecode(f"the content-encoding {unknown[0]!r} is not known")
    decoders: list[Decoder] = [_MAKE[name]() for name in names]
    return _Stacked(decoders) if decoders else None


def decoded(data: bytes, content_encoding: str, limit: int) -> bytes:
    """A whole body decoded. Raises CannotDecode when it is broken, ends early, or grows past `limit`."""
    decoder = decoder_of(content_encoding)
    if decoder is None:
        return data
    pieces, size = [], 0
    for piece in decoder.feed(data):
        pieces.append(piece)
        size += len(piece)
        if size > limit:
            raise CannotDecode(f"it grows past {limit >> 20} MiB")
    if not decoder.finished():
        raise CannotDecode("it ends early")
    return b"".join(pieces)
