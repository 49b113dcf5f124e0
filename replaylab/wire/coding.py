"""Takes content codings off a body: gzip, deflate, brotli, zstd, and several on top of each other."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Sequence
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import zstandard

MAX_BODY = 1 << 30
_BEGINNINGS = (b"\x1f\x8b", b"\x78\x01", b"\x78\x5e", b"\x78\x9c", b"\x78\xda", b"\x28\xb5\x2f\xfd")
_MOST = 5  # codings on top of each other
_PIECE = 4096  # of compressed bytes at a time: a bomb unpacks to some megabytes of it before it is noticed


class NotDecoded(ValueError):
    """A body is not what its content-encoding says, is larger than `MAX_BODY`, or nobody here can decode it."""


class Unreadable(NotDecoded):
    """Nobody here can say what is in the body: its coding is unknown, or the package for it is not installed."""


def looks_coded(body: bytes) -> bool:
    """Whether a body begins as gzip, zlib and zstd do. Brotli begins with nothing of its own."""
    return body.startswith(_BEGINNINGS)


def codings_of(values: Sequence[str]) -> list[str]:
    """The codings that content-encoding headers name, in the order in which they were applied; identity is none."""
    names = [name.strip().lower() for value in values for name in value.split(",")]
    return [name.removeprefix("x-") for name in names if name not in ("", "identity")]


def decoded(body: bytes, codings: Sequence[str]) -> bytes:
    """`body` without its codings. An empty body stays empty, as after HEAD or 304. Raises NotDecoded."""
    if not body or not codings:
        return body
    if len(codings) > _MOST:
        raise Unreadable(f"{len(codings)} codings on top of each other")
    for name in reversed(codings):
        decode = _DECODERS.get(name)
        if decode is None:
            raise Unreadable(f"the coding {name[:40]!r} is unknown")
        body = decode(body)
    return body


def _inflated(body: bytes, wbits: int) -> bytes:
    """Zlib data, all members of it; what follows the last member is not looked at, as clients don't either."""
    parts: list[bytes] = []
    left = MAX_BODY
    try:
        while body:
            engine = zlib.decompressobj(wbits)
            parts.append(engine.decompress(body, left))
            left -= len(parts[-1])
            if engine.unconsumed_tail or left <= 0:
                raise NotDecoded(f"more than {MAX_BODY:,} bytes")
            if not engine.eof:
                raise NotDecoded("it ends before its end")
            body = (
                engine.unused_data
                if wbits > zlib.MAX_WBITS and engine.unused_data[:2] == b"\x1f\x8b"
                else b""
            )
    except zlib.error as error:
        raise NotDecoded(str(error)) from error
    return b"".join(parts)


def _gzip(body: bytes) -> bytes:
    return _inflated(body, zlib.MAX_WBITS | 16)


def _deflate(body: bytes) -> bytes:
    """With the zlib wrapper that the standard asks for, or without it, as some servers send it."""
    try:
        return _inflated(body, zlib.MAX_WBITS)
    except NotDecoded:
        return _inflated(body, -zlib.MAX_WBITS)


def _zstd(body: bytes) -> bytes:
    parts: list[bytes] = []
    left = MAX_BODY
    engine = zstandard.ZstdDecompressor().decompressobj()
    try:
        for at in range(0, len(body), _PIECE):
            piece = body[at : at + _PIECE]
            while piece:
                if engine.eof:  # another frame follows
                    engine = zstandard.ZstdDecompressor().decompressobj()
                parts.append(engine.decompress(piece))
                piece = engine.unused_data if engine.eof else b""
                left -= len(parts[-1])
                if left <= 0:
                    raise NotDecoded(f"more than {MAX_BODY:,} bytes")
    except zstandard.ZstdError as error:
        raise NotDecoded(str(error)) from error
    if not engine.eof:
        raise NotDecoded("it ends before its end")
    return b"".join(parts)


def _brotli(body: bytes) -> bytes:
    if find_spec("brotli") is None:
        raise Unreadable("the package brotli is not installed here")
    brotli: Any = import_module("brotli")
    engine = brotli.Decompressor()
    parts: list[bytes] = []
    left = MAX_BODY
    try:
        piece = engine.process(body, output_buffer_limit=min(left, 1 << 20))
        while piece or not engine.can_accept_more_data():
            parts.append(piece)
            left -= len(piece)
            if left <= 0:
                raise NotDecoded(f"more than {MAX_BODY:,} bytes")
            piece = engine.process(b"", output_buffer_limit=min(left, 1 << 20))
    except brotli.error as error:
        raise NotDecoded(str(error)) from error
    if not engine.is_finished():
        raise NotDecoded("it ends before its end")
    return b"".join(parts)


_DECODERS: dict[str, Callable[[bytes], bytes]] = {
    "gzip": _gzip,
    "deflate": _deflate,
    "br": _brotli,
    "zstd": _zstd,
}
