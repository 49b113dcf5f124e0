"""The side of the recording process: it answers the calls of patched programs over a socket that only this user can open."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import socket
import struct
import tempfile
import threading
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from http import HTTPStatus
from importlib.util import find_spec
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from replaylab.canonical import dumps
from replaylab.capture.asked import Asked, Redactors, secrets_of
from replaylab.capture.patch.injected import child
from replaylab.capture.received import TOO_LARGE
from replaylab.capture.served import CALLPATH, MISS_STATUS, REDACTED, miss_document
from replaylab.engine.captured.exchange import MAX_BODY
from replaylab.engine.captured.miss import MissError
from replaylab.engine.captured.session import Place, Session
from replaylab.errors import ReplaylabError, UsageError
from replaylab.schema.interaction import Attempt, Failure, FailureKind
from replaylab.schema.outcome import body_bytes
from replaylab.wire.answer_headers import KeptHeaders
from replaylab.wire.coding import NotDecoded, codings_of, decoded
from replaylab.wire.origins import address_of
from replaylab.wire.redact import PLACEHOLDER, Redactor
from replaylab.wire.transport import packed

_HEAD = struct.Struct(">II")
_MOST = 1 << 30  # of a message: a program of the same user that says more is no program of ours
_FRAMING = frozenset(("connection", "content-length", "keep-alive", "transfer-encoding", "content-encoding"))
_FAILURES: dict[int, FailureKind] = {401: "unauthorized", 403: "unauthorized", 429: "rate_limited"}
_MARK = PLACEHOLDER.encode()


@dataclass
class Patch:
    """Answers the calls of programs that were started with `environment`, in a `with` block.

    A call is recorded under the name that its address has by itself, whatever is configured: offline a program asks the same
    address. `defects` are errors that no program can be blamed for; `programs` counts the Pythons that came up patched.
    """

    session: Session
    redactors: Redactors
    offline: bool
    keep_headers: Sequence[str] = ()
    counts: Counter[str] = field(default_factory=Counter)
    defects: list[Exception] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._headers = KeptHeaders(self.keep_headers)
        self._folder = Path(tempfile.mkdtemp(prefix="replaylab-"))
        self._path = self._folder / "s"
        self._bound = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._lock = threading.Lock()

    def __enter__(self) -> Self:
        try:
            self._bound.bind(str(self._path))
            self._bound.listen(512)
        except OSError as error:
            self._remove()
            raise UsageError(
                f"can't open a socket for the patched program: {error}",
                where=str(self._path),
                fix="set TMPDIR to a folder with a short path",
            ) from error
        threading.Thread(target=self._accept, name="replaylab-patch", daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with contextlib.suppress(OSError):
            self._bound.shutdown(socket.SHUT_RDWR)  # wakes whoever accepts
        self._remove()

    def _remove(self) -> None:
        self._bound.close()
        shutil.rmtree(self._folder, ignore_errors=True)

    @property
    def programs(self) -> int:
        return self.counts["programs"]

    def environment(self, env: Mapping[str, str]) -> dict[str, str]:
        """The environment for a program that is to be recorded, made from the one that it would have had."""
        injected = str(Path(child.__file__).parent)
        paths = [injected, *(path for path in (env.get("PYTHONPATH"),) if path)]
        changed = {
            "PYTHONPATH": os.pathsep.join(paths),
            child.SOCKET: str(self._path),
            child.FALLBACK: os.pathsep.join(_folders_of_vcr()),
        }
        if self.offline:
            changed[child.OFFLINE] = "1"
        return {**env, **changed}

    def _accept(self) -> None:
        while True:
            try:
                connection, _ = self._bound.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection: socket.socket) -> None:
        with connection:
            try:
                self._answer(_Line(connection))
            except (OSError, EOFError):
                pass  # the program is gone; what it was about to tell was never known
            except Exception as error:  # noqa: BLE001 - kept for the command; the program is told first
                self.defects.append(error)
                with contextlib.suppress(OSError):
                    _Line(connection).send(
                        {"do": "refuse", "message": f"replaylab could not record: {error}"}
                    )

    def _count(self, what: str) -> None:
        with self._lock:
            self.counts[what] += 1

    def _answer(self, line: _Line) -> None:
        said, body = line.receive()
        if "method" not in said:
            self._count("programs")
            return
        try:
            asked, alias, redactor = self._asked(said, body)
            place = self.session.begin(asked.exchange(alias, redactor))
        except MissError as error:
            self._count("missed")
            head = {"content-type": ["application/json"], "x-should-retry": ["false"]}
            line.play(MISS_STATUS, head, dumps(miss_document(error.miss)))
            return
        except ReplaylabError as error:
            line.send({"do": "refuse", "message": str(error)})
            return
        if place.recorded is not None:
            self._count("played")
            _play(line, place, place.recorded)
            return
        if lost := next(iter(self.defects), None):
            why = lost.what if isinstance(lost, ReplaylabError) else f"{type(lost).__name__}: {lost}"
            line.send({"do": "refuse", "message": f"nothing more can be recorded: {why}"})
            return
        line.send({"do": "live"})
        said, body = line.receive()
        try:
            place.commit(self._attempt(said, body, redactor, place.elapsed_ms()))
        except Exception as error:  # noqa: BLE001 - kept for the command; the program gets its answer, which is paid for
            self.defects.append(error)
        else:
            self._count("live")
        line.send({"do": "kept"})

    def _asked(self, said: dict[str, Any], body: bytes) -> tuple[Asked, str, Redactor]:
        headers = [
            (name.lower().encode("latin-1", "replace"), value.encode("latin-1", "replace"))
            for name, value in said["headers"]
        ]
        query = said["uri"].partition("#")[0].partition("?")[2]
        redactor = self.redactors.knowing(secrets_of(headers, query, body))
        address = address_of(said["uri"])
        return Asked(said["method"].upper(), address.target, headers, body), address.alias, redactor

    def _attempt(self, said: dict[str, Any], body: bytes, redactor: Redactor, latency_ms: float) -> Attempt:
        """What a live call brought. A body that its client decoded already is taken as it is."""
        status = int(said["status"])
        fields: dict[str, Any] = {
            "status": status,
            "latency_ms": round(latency_ms, 3),
            "headers": self._headers.answer(redactor, said["headers"]),
        }
        try:
            codings = [value for name, value in said["headers"] if name.lower() == "content-encoding"]
            body = decoded(body, codings_of(codings))
        except NotDecoded:
            pass
        if len(body) > MAX_BODY:
            return Attempt(**fields, failure=TOO_LARGE, complete=False)
        clean = b"".join(redactor.stream([body]))
        if status >= 400:
            fields["failure"] = Failure(kind=_FAILURES.get(status, "http_status"), message=f"HTTP {status}")
        return Attempt(**fields, **(packed(clean) if clean else {}))


class _Line:
    """One connection: messages of JSON and bytes, each with both lengths in front."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection

    def send(self, said: dict[str, Any], body: bytes = b"") -> None:
        head = json.dumps(said).encode()
        self._connection.sendall(_HEAD.pack(len(head), len(body)) + head + body)

    def play(self, status: int, headers: Mapping[str, Sequence[str]], body: bytes) -> None:
        try:
            reason = HTTPStatus(status).phrase
        except ValueError:
            reason = ""
        self.send({"do": "play", "status": status, "reason": reason, "headers": headers}, body)

    def receive(self) -> tuple[dict[str, Any], bytes]:
        sizes = _HEAD.unpack(self._exactly(_HEAD.size))
        if sum(sizes) > _MOST:
            raise EOFError("no message")
        head, body = (self._exactly(size) for size in sizes)
        said: dict[str, Any] = json.loads(head)
        return said, body

    def _exactly(self, size: int) -> bytes:
        pieces = []
        while size:
            piece = self._connection.recv(min(size, 1 << 20))
            if not piece:
                raise EOFError("the program closed the connection")
            pieces.append(piece)
            size -= len(piece)
        return b"".join(pieces)


def _play(line: _Line, place: Place, attempt: Attempt) -> None:
    if attempt.status is None or not attempt.complete:
        why = attempt.failure.message if attempt.failure else "it broke off"
        line.send({"do": "refuse", "message": f"recorded: the upstream gave no whole answer ({why})"})
        return
    body = body_bytes(attempt)
    headers = {name: [value] for name, value in attempt.headers.items() if name not in _FRAMING}
    headers[CALLPATH.decode()] = [place.path]
    if marks := body.count(_MARK):
        headers[REDACTED.decode()] = [str(marks)]
    line.play(attempt.status, headers, body)


def _folders_of_vcr() -> list[str]:
    """Where this environment has vcrpy and what it needs. Raises UsageError where it has none."""
    found = find_spec("vcr")
    if found is None or found.origin is None:
        raise UsageError("--patch needs vcrpy, which is not installed here")
    home = Path(found.origin).parents[1]
    rest = [
        Path(spec.origin).parents[1]
        for name in ("wrapt", "yaml")
        if (spec := find_spec(name)) and spec.origin
    ]
    return [str(path) for path in dict.fromkeys([home, *rest])]
