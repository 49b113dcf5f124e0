"""Stock vcrpy, with its record mode none and no way to the network: what a client of its cassettes gets."""

from __future__ import annotations

import gzip
import http.client
import socket
import ssl
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import brotli
import httpx2
import vcr
import zstandard

from replaylab.interop.vcr.pair import Pair

MATCH = ("method", "scheme", "host", "port", "path", "query", "body")


# What a client takes off a body; not every HTTP library knows all of them.
DECODERS: dict[str, Callable[[bytes], bytes]] = {
    "": bytes,
    "gzip": gzip.decompress,
    "deflate": zlib.decompress,
    "br": brotli.decompress,
    "zstd": zstandard.decompress,
}


_NOBODY = ssl.SSLContext(
    ssl.PROTOCOL_TLS_CLIENT
)  # reading the certificates of all authorities takes a tenth of a second


@dataclass(frozen=True)
class Got:
    """What came back for one request."""

    status: int
    reason: str
    headers: dict[str, list[str]]
    body: bytes


class WentLiveError(AssertionError):
    """Somebody opened a connection."""


@contextmanager
def no_network() -> Iterator[list[object]]:
    """Every connection is refused and noted."""
    seen: list[object] = []

    def refuse(self: socket.socket, address: object) -> None:
        seen.append(address)
        raise WentLiveError(str(address))

    originals = socket.socket.connect, socket.socket.connect_ex
    socket.socket.connect = socket.socket.connect_ex = refuse  # type: ignore[assignment,method-assign]
    try:
        yield seen
    finally:
        socket.socket.connect, socket.socket.connect_ex = originals  # type: ignore[method-assign]


def play(path: Path, pairs: list[Pair], match_on: tuple[str, ...] = MATCH, **options: Any) -> list[Got]:
    """Ask for each pair in turn, through httpx2's client and the cassette at `path`, and see that all of it was played."""
    recorder = vcr.VCR(record_mode="none", match_on=match_on, **options)
    serializer = "json" if path.suffix == ".json" else "yaml"
    with no_network() as seen, recorder.use_cassette(str(path), serializer=serializer) as cassette:
        with httpx2.HTTPTransport(verify=_NOBODY) as transport:
            got = [_asked(transport, pair) for pair in pairs]
        assert cassette.all_played, f"{cassette.play_count} of {len(cassette)} played"
    assert seen == []
    return got


def _asked(transport: httpx2.HTTPTransport, pair: Pair) -> Got:
    headers = [(name, value) for name, values in pair.asked.items() for value in values]
    if pair.body is None:
        return _asked_without_body(pair, dict(headers))
    request = httpx2.Request(pair.method, pair.uri, headers=headers, content=pair.body)
    response = transport.handle_request(request)
    response.request = request
    body = b"".join(response.iter_raw())
    return _got(response.status_code, response.reason_phrase, response.headers.multi_items(), body)


def _asked_without_body(pair: Pair, headers: dict[str, str]) -> Got:
    """The standard library's client sends no body, where httpx sends an empty one; vcrpy tells them apart."""
    url = urlsplit(pair.uri)
    connection = (
        http.client.HTTPSConnection(url.netloc, context=_NOBODY)
        if url.scheme == "https"
        else http.client.HTTPConnection(url.netloc)
    )
    connection.request(pair.method, pair.uri.partition(url.netloc)[2] or "/", headers=headers)
    response = connection.getresponse()
    return _got(response.status, response.reason or "", response.getheaders(), response.read())


def _got(status: int, reason: str, headers: Sequence[tuple[str, str]], body: bytes) -> Got:
    found: dict[str, list[str]] = {}
    for name, value in headers:
        found.setdefault(name.lower(), []).append(value)
    for coding in reversed(
        [one.strip() for one in ", ".join(found.get("content-encoding", [""])).split(",")]
    ):
        body = DECODERS[coding](body) if body else body
    return Got(status, reason, found, body)
