"""vcrpy with a cassette that asks the recording process: it says what to play, and takes what came, call by call.

A connection of its own for each call holds the call's place, so threads, tasks and forked processes need no lock, and a
call that breaks gives its place back by being forgotten. Whoever asks here is answered by what is recorded, in one look-up;
nothing is searched in this process.
"""

from __future__ import annotations

import _socket
import contextlib
import http
import http.client
import ipaddress
import json
import os
import struct
import sys
import types
from importlib.machinery import PathFinder
from typing import Any

SOCKET = "REPLAYLAB_PATCH_SOCKET"
OFFLINE = "REPLAYLAB_PATCH_OFFLINE"
FALLBACK = "REPLAYLAB_PATCH_PATH"
_HEAD = struct.Struct(">II")
# One that holds the cassette for the life of the process: leaving it would take the patches away.
_KEPT: list[Any] = []


class NotRecorded(ConnectionError):
    """The recording process refuses, or is gone: nothing may be asked unrecorded."""


class _Call:
    """One HTTP call: asked at once, answered from the recording or to be made live and then told."""

    def __init__(self, request: Any) -> None:
        # The class below the one that programs and test suites like to replace or to patch.
        self._socket = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
        try:
            self._socket.connect(os.environ[SOCKET])
            asked = {"method": request.method, "uri": request.uri, "headers": _headers(request.headers)}
            self._send(asked, _body(request))
            self.said, self.body = self._receive()
        except OSError as error:
            raise NotRecorded(f"the process that records is gone: {error}") from error
        if self.said["do"] == "refuse":
            raise NotRecorded(self.said["message"])

    @property
    def plays(self) -> bool:
        return bool(self.said["do"] == "play")

    def response(self) -> dict[str, Any]:
        """What is recorded, as vcrpy has it."""
        return {
            "status": {"code": self.said["status"], "message": self.said["reason"]},
            "headers": self.said["headers"],
            "body": {"string": self.body},
        }

    def came(self, response: dict[str, Any]) -> None:
        """Tell what the live call brought. It is on the disk when this returns."""
        status, body = response["status"], response["body"].get("string") or b""
        told = {
            "status": status["code"],
            "reason": status["message"],
            "headers": _headers(response["headers"]),
        }
        try:
            self._send(told, body.encode() if isinstance(body, str) else bytes(body))
            said, _ = self._receive()
        except OSError as error:
            raise NotRecorded(f"the process that records is gone: {error}") from error
        finally:
            self._socket.close()
        if said["do"] != "kept":
            raise NotRecorded(said["message"])

    def _send(self, said: dict[str, Any], body: bytes) -> None:
        head = json.dumps(said).encode()
        self._socket.sendall(_HEAD.pack(len(head), len(body)) + head + body)

    def _receive(self) -> tuple[dict[str, Any], bytes]:
        sizes = _HEAD.unpack(self._exactly(_HEAD.size))
        head, body = (self._exactly(size) for size in sizes)
        return json.loads(head), body

    def _exactly(self, size: int) -> bytes:
        pieces = []
        while size:
            piece = self._socket.recv(min(size, 1 << 20))
            if not piece:
                raise ConnectionResetError("it closed the connection")
            pieces.append(piece)
            size -= len(piece)
        return b"".join(pieces)


def _headers(headers: Any) -> list[list[str]]:
    """Name and value, one pair a value."""
    return [
        [_text(name), _text(one)]
        for name, value in headers.items()
        for one in (value if isinstance(value, list | tuple) else [value])
    ]


def _text(value: Any) -> str:
    return value.decode("latin-1") if isinstance(value, bytes) else str(value)


def _body(request: Any) -> bytes:
    """What is sent. aiohttp's stub gives the value that is sent as JSON or as a form, which is written here as JSON."""
    body = request.body_bytes if hasattr(request, "body_bytes") else request.body
    if body is None:
        return b""
    if isinstance(body, str):
        return body.encode()
    if isinstance(body, bytes | bytearray | memoryview):
        return bytes(body)
    if isinstance(body, list) and body and all(isinstance(part, bytes | str) for part in body):
        return b"".join(part.encode() if isinstance(part, str) else part for part in body)
    return json.dumps(body, ensure_ascii=False, separators=(",", ":"), default=_plain).encode()


def _plain(value: Any) -> Any:
    """A part of a form. The fields of aiohttp's form data have no other door."""
    fields = getattr(value, "_fields", None)
    if isinstance(fields, list):
        return [[dict(options), _plain(part)] for options, _, part in fields]
    if isinstance(value, bytes | bytearray):
        return value.decode("latin-1")
    if hasattr(value, "items"):
        return list(map(list, value.items()))
    return value if isinstance(value, str | int | float) else type(value).__name__


def _cassette_class(base: Any) -> Any:
    class Asking(base):  # type: ignore[misc]
        """A cassette that holds nothing and asks. Each request object is asked once, whatever stub asks how often."""

        write_protected = False

        def can_play_response_for(self, request: Any) -> bool:
            return _call(request).plays

        def play_response(self, request: Any) -> dict[str, Any]:
            response = _call(request).response()
            request._replaylab = None
            return response

        def append(self, request: Any, response: Any) -> None:
            call = _call(request)  # an implicit redirect comes here without having been asked for
            request._replaylab = None
            if not call.plays:
                call.came(response)

        def filter_request(self, request: Any) -> Any:
            return request

        def find_requests_with_most_matches(self, request: Any) -> list[Any]:
            return [(request, [], [])]

        def __contains__(self, request: Any) -> bool:
            return self.can_play_response_for(request)

        def _save(self, force: bool = False) -> None:
            """Everything is kept already."""

    return Asking


def _call(request: Any) -> _Call:
    call: _Call | None = getattr(request, "_replaylab", None)
    if call is None:
        call = request._replaylab = _Call(request)
    return call


class _OnlyVcr:
    """Finds vcrpy and what it needs in the environment of the recording process, and nothing else of that."""

    names = frozenset(("vcr", "wrapt", "yaml", "_yaml"))

    def __init__(self, paths: list[str]) -> None:
        self._paths = paths

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        if path is None and name in self.names:
            return PathFinder.find_spec(name, self._paths, target)
        return None


def _import_vcr() -> Any:
    """vcrpy, of the program's own environment where it is there, else of the one that records."""
    paths = [path for path in os.environ.get(FALLBACK, "").split(os.pathsep) if path]
    sys.meta_path.append(_OnlyVcr(paths))
    import vcr.cassette
    import vcr.patch

    return vcr


# The classes that vcrpy puts others in the place of, by the names under which it keeps them.
_ORIGINALS = (
    "_HTTPConnection",
    "_HTTPSConnection",
    "_VerifiedHTTPSConnection",
    "_connHTTPConnection",
    "_connHTTPSConnection",
    "_cpoolBoto3HTTPConnection",
    "_cpoolBoto3HTTPSConnection",
    "_HTTPConnectionWithTimeout",
    "_HTTPSConnectionWithTimeout",
)


def _keep_the_patches(patch: Any) -> None:
    """Stock vcrpy takes all its patches off while it makes a connection or a live call, and whatever another thread asks then
    goes out unrecorded, offline too. It does so because the original classes look each other up by names that are patched.
    So they get the names as they are now, and the patches stay on.
    """
    plain = types.SimpleNamespace(client=types.SimpleNamespace(**vars(http.client)))
    for original in {getattr(patch, name) for name in _ORIGINALS if hasattr(patch, name)}:
        module = sys.modules[original.__module__]
        names = dict(vars(module))
        if names.get("http") is http:
            names["http"] = plain
        for name, function in list(vars(original).items()):
            if isinstance(function, types.FunctionType) and function.__globals__ is vars(module):
                setattr(original, name, _with_names(function, names))
    patch.force_reset = contextlib.nullcontext


def _with_names(function: types.FunctionType, names: dict[str, Any]) -> types.FunctionType:
    copy = types.FunctionType(
        function.__code__, names, function.__name__, function.__defaults__, function.__closure__
    )
    copy.__kwdefaults__ = function.__kwdefaults__
    copy.__qualname__, copy.__doc__, copy.__module__ = (
        function.__qualname__,
        function.__doc__,
        function.__module__,
    )
    copy.__dict__.update(function.__dict__)
    return copy


# All of them ask a name server, which is somewhere else.
_LOOK_UPS = frozenset(
    ("socket.getaddrinfo", "socket.gethostbyname", "socket.gethostbyaddr", "socket.getnameinfo")
)


def _refuse_the_network() -> None:
    """No connection leaves this machine from here on, whichever library of Python's sockets asks for it."""

    def hook(event: str, args: tuple[Any, ...]) -> None:
        if event in ("socket.connect", "socket.sendto", "socket.sendmsg"):
            address = args[1] if len(args) > 1 else None
            if isinstance(address, tuple) and not _is_here(address[0]):
                raise NotRecorded(f"offline: a connection to {address[0]} was refused")
        elif event in _LOOK_UPS and not _is_here(args[0][0] if isinstance(args[0], tuple) else args[0]):
            raise NotRecorded(f"offline: the name {args[0]!r} was not looked up")

    sys.addaudithook(hook)


def _is_here(host: Any) -> bool:
    name = "" if host is None else _text(host).lower().partition("%")[0].removesuffix(".")
    if name in ("", "localhost"):
        return True
    try:
        address = ipaddress.ip_address(name)
    except ValueError:
        return False
    mapped = getattr(address, "ipv4_mapped", None) or address
    return bool(mapped.is_loopback or mapped.is_unspecified)


def install() -> None:
    """Patch every HTTP client that vcrpy knows, for the life of this process."""
    if os.environ.get(OFFLINE):
        _refuse_the_network()
    vcr = _import_vcr()
    _keep_the_patches(vcr.patch)
    cassette = _cassette_class(vcr.cassette.Cassette)(path="replaylab")
    context = vcr.cassette.CassetteContextDecorator(lambda **_: cassette, dict)
    _KEPT.append((context, context._patch_generator(cassette)))
    next(_KEPT[-1][1])
    _say_hello()


def _say_hello() -> None:
    hello = b"{}"
    line = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
    line.connect(os.environ[SOCKET])
    line.sendall(_HEAD.pack(len(hello), 0) + hello)
    line.close()
