"""Takes content codings off a body, whole or piece by piece: gzip, deflate, brotli, zstd, several on top of each other.

There is one decoder for each, which is fed pieces and gives out what they come to, so that a compressed stream is handed on
as it arrives; a whole body is a stream of one piece. What follows the end of gzip or deflate is not looked at, as clients
don't either; gzip members and zstd frames may follow each other.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator, Sequence
from importlib import import_module
from importlib.util import find_spec
from typing import Any, Protocol

import zstandard

MAX_BODY = 1 << 30
_BEGINNINGS = (b"\x1f\x8b", b"\x78\x01", b"\x78\x5e", b"\x78\x9c", b"\x78\xda", b"\x28\xb5\x2f\xfd")
_GZIP = b"\x1f\x8b"
_MOST = 5  # codings on top of each other
_STEP = 1 << 20  # what comes out at once at most, so that a small piece can't fill the memory
_PIECE = 1024  # zstd has no such bound of its own: so much of it unpacks to some megabytes at most


class NotDecoded(ValueError):
    """A body is not what its content-encoding says, ends early, grows past its limit, or nobody here can decode it."""


class Unreadable(NotDecoded):
    """Nobody here can say what is in the body: its coding is unknown, or the package for it is not installed."""


class Decoder(Protocol):
    """Feed it the pieces in order. `finished` says whether what came so far is a whole; nothing at all is one."""

    def feed(self, data: bytes) -> Iterator[bytes]: ...
    def finished(self) -> bool: ...


def looks_coded(body: bytes) -> bool:
    """Whether a body begins as gzip, zlib and zstd do. Brotli begins with nothing of its own."""
    return body.startswith(_BEGINNINGS)


def codings_of(values: Sequence[str]) -> list[str]:
    """The codings that content-encoding headers name, in the order in which they were applied; identity is none."""
    names = [name.strip().lower() for value in values for name in value.split(",")]
    return [name.removeprefix("x-") for name in names if name not in ("", "identity")]


def decoder_of(codings: Sequence[str], limit: int | None = None) -> Decoder | None:
    """What decodes a body with these codings; None when there is nothing to do. Raises Unreadable.

    No coding may grow past `limit` bytes (`MAX_BODY`); its `feed` raises NotDecoded then, and for what can't be decoded.
    """
    if not codings:
        return None
    if len(codings) > _MOST:
        raise Unreadable(f"{len(codings)} codings on top of each other")
    if unknown := [name for name in codings if name not in _DECODERS]:
        raise Unreadable(f"the coding {unknown[0][:40]!r} is unknown")
    return _Stacked([_DECODERS[name]() for name in codings], MAX_BODY if limit is None else limit)


def decoded(body: bytes, codings: Sequence[str], limit: int | None = None) -> bytes:
    """`body` without its codings. An empty body stays empty, as after HEAD or 304. Raises NotDecoded."""
    if not body:
        return body
    decoder = decoder_of(codings, limit)
    if decoder is None:
        return body
    whole = b"".join(decoder.feed(body))
    if not decoder.finished():
        raise NotDecoded("it ends before its end")
    return whole


class _Zlib:
    """One stream of zlib's, with the head that `wbits` asks for. `rest` is what follows its end."""

    def __init__(self, wbits: int) -> None:
        self._inner = zlib.decompressobj(wbits)
        self.rest = b""

    def feed(self, data: bytes) -> Iterator[bytes]:
        while not self._inner.eof:
            try:
                out = self._inner.decompress(data, _STEP)
            except zlib.error as error:
                raise NotDecoded(str(error)) from error
            if out:
                yield out
            data = self._inner.unconsumed_tail
            # A full step may leave something behind though all that was fed is consumed.
            if not data and len(out) < _STEP:
                break
        self.rest = self._inner.unused_data

    def finished(self) -> bool:
        return self._inner.eof


class _Gzip:
    """Members that follow each other."""

    def __init__(self) -> None:
        self._member: _Zlib | None = None
        self._begun = self._over = False
        self._head = b""

    def feed(self, data: bytes) -> Iterator[bytes]:
        while data and not self._over:
            if self._member is None:
                data = self._head + data
                if self._begun and not data.startswith(_GZIP):
                    self._over = not _GZIP.startswith(data)
                    self._head = data[:1]
                    return
                self._member, self._begun, self._head = _Zlib(zlib.MAX_WBITS | 16), True, b""
            yield from self._member.feed(data)
            if not self._member.finished():
                return
            data, self._member = self._member.rest, None

    def finished(self) -> bool:
        return self._member is None


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


class _Zstd:
    """Frames that follow each other."""

    def __init__(self) -> None:
        self._inner: zstandard.ZstdDecompressionObj | None = None

    def feed(self, data: bytes) -> Iterator[bytes]:
        for start in range(0, len(data), _PIECE):
            yield from self._feed(data[start : start + _PIECE])

    def _feed(self, data: bytes) -> Iterator[bytes]:
        while data:
            if self._inner is None:
                self._inner = zstandard.ZstdDecompressor().decompressobj()
            try:
                out = self._inner.decompress(data)
            except zstandard.ZstdError as error:
                raise NotDecoded(str(error)) from error
            if out:
                yield out
            if not self._inner.eof:
                return
            data, self._inner = self._inner.unused_data, None

    def finished(self) -> bool:
        return self._inner is None


class _Brotli:
    def __init__(self) -> None:
        if find_spec("brotli") is None:
            raise Unreadable("the package brotli is not installed here")
        brotli: Any = import_module("brotli")
        self._inner, self._error = brotli.Decompressor(), brotli.error
        self._begun = False

    def feed(self, data: bytes) -> Iterator[bytes]:
        self._begun = self._begun or bool(data)
        try:
            out = self._inner.process(data, output_buffer_limit=_STEP)
            while out or not self._inner.can_accept_more_data():
                yield out
                out = self._inner.process(b"", output_buffer_limit=_STEP)
        except self._error as error:
            raise NotDecoded(str(error)) from error

    def finished(self) -> bool:
        return not self._begun or bool(self._inner.is_finished())


class _Stacked:
    """Codings in the order in which they were applied; the last is taken off first, and each is bounded."""

    def __init__(self, decoders: Sequence[Decoder], limit: int) -> None:
        self._decoders = list(reversed(decoders))
        self._limit = limit
        self._left = [limit] * len(decoders)

    def feed(self, data: bytes) -> Iterator[bytes]:
        pieces: Iterator[bytes] = iter((data,))
        for at in range(len(self._decoders)):
            pieces = self._through(at, pieces)
        yield from pieces

    def _through(self, at: int, pieces: Iterator[bytes]) -> Iterator[bytes]:
        for piece in pieces:
            for part in self._decoders[at].feed(piece):
                self._left[at] -= len(part)
                if self._left[at] < 0:
                    raise NotDecoded(f"it grows past {self._limit:,} bytes")
                yield part

    def finished(self) -> bool:
        return all(decoder.finished() for decoder in self._decoders)


_DECODERS: dict[str, Callable[[], Decoder]] = {
    "gzip": _Gzip,
    "deflate": _Deflate,
    "br": _Brotli,
    "zstd": _Zstd,
}
