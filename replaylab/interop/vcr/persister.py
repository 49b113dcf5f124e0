"""A persister: an existing vcrpy or pytest-recording suite keeps its code, and its recordings live in a library of ours.

    recorder = vcr.VCR()
    use_library(recorder, "recordings")                # redacts, and compares redacted with redacted

    def pytest_recording_configure(config, vcr):       # conftest.py, with pytest-recording
        use_library(vcr, "recordings", config=config)

Each cassette is a run, named after its path. A file at that path, which the suite wrote before, is played as long as there
is no such run; nothing is written to it. Saving again makes a new run object that names the one before, so what a run
loses by a filter or by `drop_unused_requests` is still there. The path `replaylab:RUN` opens a capture by its name, and
`replaylab:RUN/LANE` one lane of it.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

from vcr.persisters.filesystem import CassetteNotFoundError
from vcr.request import Request
from vcr.serializers.compat import convert_to_bytes

from replaylab.cassette.stored import open_cassette
from replaylab.engine.captured.header import CLIENT, MAIN, lane_and_part
from replaylab.engine.captured.ledger import captured_run
from replaylab.engine.seams import real_seams
from replaylab.errors import UsageError
from replaylab.interop.vcr.convert import Converter
from replaylab.interop.vcr.importer import find_files
from replaylab.interop.vcr.pair import Pair
from replaylab.interop.vcr.played import Ordered, Player, metadata_of
from replaylab.interop.vcr.read import read_file
from replaylab.interop.vcr.shapes import file_of
from replaylab.interop.vcr.stored import UNKNOWN_TIME, LaneOf, Taped, latest_date, store
from replaylab.near import closest, listed
from replaylab.schema.base import JsonObject
from replaylab.schema.callpath import TrialKey
from replaylab.schema.run import Run
from replaylab.store.library import Library
from replaylab.wire.answer_headers import KeptHeaders

SCHEME = "replaylab:"
_SUFFIX = re.compile(r"\.(?:ya?ml|json)$", re.IGNORECASE)
_ODD = re.compile(r"[^A-Za-z0-9_]+")
_LONGEST = 80


class Persister:
    """Loads and saves vcrpy's cassettes in a library. `base` is the folder below which paths are told apart.

    `secrets` are values that must never be stored, beside those that are known by their shape; `keep_headers` are names of
    headers that are kept beyond the list of those that always are. `now` gives the time of a recording that says none.
    """

    def __init__(
        self,
        library: str | os.PathLike[str],
        *,
        base: str | os.PathLike[str] | None = None,
        secrets: Sequence[str] = (),
        keep_headers: Iterable[str] = (),
        now: Callable[[], str] | None = None,
    ) -> None:
        self.library = Library(Path(library).absolute())
        self.base = Path(base).absolute() if base is not None else self.library.root.parent
        self.converter = Converter(secrets, KeptHeaders(keep_headers))
        self.extra_paths: list[str] = []
        self._now = now or real_seams().now

    def run_name(self, cassette_path: str | os.PathLike[str]) -> str:
        """The run of a cassette: its path, made fit for a name, and 10 hex digits that tell apart what looks alike."""
        path = os.fspath(cassette_path)
        named = path.rpartition(SCHEME)
        if named[1]:
            return _SUFFIX.sub("", named[2]).partition("/")[0]
        relative = os.path.relpath(Path(path).absolute(), self.base).replace(os.sep, "/")
        plain = _ODD.sub("-", _SUFFIX.sub("", relative)).strip("-")[-_LONGEST:].lstrip("-")
        return (
            f"vcr.{plain or 'cassette'}.{sha256(relative.encode('utf-8', 'surrogatepass')).hexdigest()[:10]}"
        )

    def load_cassette(self, cassette_path: str | os.PathLike[str], serializer: Any) -> tuple[Any, ...]:
        """Requests and responses, and third the metadata where there are any. Raises CassetteNotFoundError."""
        rows, metadata = self._load(cassette_path)
        for extra in self.extra_paths:
            if os.fspath(extra) != os.fspath(cassette_path):
                try:
                    rows = [*rows, *self._load(extra)[0]]
                except CassetteNotFoundError:
                    continue
        if not rows:
            raise CassetteNotFoundError
        requests = [_request(row.pair) for row in rows]
        responses = [_response(row.pair) for row in rows]
        return (requests, responses, metadata) if metadata else (requests, responses)

    def _load(self, cassette_path: str | os.PathLike[str]) -> tuple[list[Ordered], JsonObject]:
        path = os.fspath(cassette_path)
        found = captured_run(self.library, self.run_name(path))
        if found is None:
            if SCHEME in path:
                self.library.run(self.run_name(path))  # says what comes closest
            return self._of_before(Path(path))
        lane = _SUFFIX.sub("", path.rpartition(SCHEME)[2]).partition("/")[2] if SCHEME in path else ""
        return self._rows(found[1], lane)

    def _of_before(self, path: Path) -> tuple[list[Ordered], JsonObject]:
        """What the suite recorded before its cassettes moved here. vcrpy's filters, ours too, see each request of it."""
        if not path.is_file():
            raise CassetteNotFoundError(f"no run {self.run_name(path)} in {self.library.root}, and no {path}")
        file = read_file(path, str(path))
        return [Ordered(("", at, at, 0), pair) for at, pair in enumerate(file.pairs)], dict(file.metadata)

    def _rows(self, run: Run, lane: str) -> tuple[list[Ordered], JsonObject]:
        """The exchanges of a run, or of a lane of it, in the order in which they were asked."""
        player, rows, metadata = Player({}), list[Ordered](), JsonObject()
        lanes: dict[str, int] = {}
        for key, entry in sorted((TrialKey.parse(entry.key), entry) for entry in run.ledger):
            name = lane_and_part(key.task)[0]
            lanes.setdefault(name, 0)
            if entry.counting is None or (lane and name != lane):
                continue
            cassette = open_cassette(self.library, entry.counting.cassette)
            facts = cassette.header.capture
            player.bases = facts.endpoints if facts else {}
            before = len(rows)
            rows += player.exchanges(cassette, CLIENT, lanes[name])
            lanes[name] += len(rows) - before
            metadata |= metadata_of(cassette)
        if lane and lane not in lanes:
            raise UsageError(
                f"the run {run.name} has no lane {lane!r}",
                closest=closest(lane, lanes),
                fix=f"it has {listed(sorted(lanes))}",
            )
        return sorted(rows, key=lambda row: row.at), metadata

    def save_cassette(
        self, cassette_path: str | os.PathLike[str], cassette_dict: JsonObject, serializer: Any
    ) -> None:
        """Store what vcrpy has, redacted. The serializer takes no part: bytes stay bytes."""
        path = os.fspath(cassette_path)
        if SCHEME in path:
            raise UsageError(
                f"{path} is a recording by its name, which is played and never written",
                fix="record under a path of its own",
            )
        pairs = [
            pair_of(request, response)
            for request, response in zip(cassette_dict["requests"], cassette_dict["responses"], strict=True)
        ]
        self._store(self.run_name(path), pairs, dict(cassette_dict.get("metadata") or {}), self._now)

    def adopt(self, folder: str | os.PathLike[str]) -> list[str]:
        """Store every cassette file below a folder as the run that it has here; the names of those runs. Files stay as
        they are, and a file whose run is there already is passed over.
        """
        names = []
        for path in find_files([Path(folder)]).values():
            name = self.run_name(path)
            if captured_run(self.library, name) is None:
                file = read_file(path, str(path))
                self._store(name, file.pairs, dict(file.metadata), lambda: UNKNOWN_TIME)
                names.append(name)
        return sorted(names)

    def _store(self, name: str, pairs: Sequence[Pair], metadata: JsonObject, now: Callable[[], str]) -> None:
        if not pairs:
            return  # no empty recording: the next run of the test records
        content = LaneOf(metadata=self.converter.redactor.value(metadata))
        for at, pair in enumerate(pairs):
            content.taped.append(Taped(at, self.converter.convert(pair, f"{name}, interaction {at}")))
        store(self.library, name, {MAIN: content}, latest_date(pairs) or now())

    def redact_request(self, request: Any) -> Any:
        """The request as it is stored. Both sides of a comparison go through it, so that a secret can't part them."""
        body = request.body
        redactor = self.converter.knowing(
            _header_pairs(request.headers), request.uri, body if isinstance(body, bytes) else None
        )
        uri = redactor.url(request.uri)
        if uri != request.uri:
            request.uri = uri
        if isinstance(body, bytes) and (clean := redactor.body(body)) is not body:
            request.body = clean
        elif isinstance(body, dict | list):
            request.body = redactor.value(body)
        return request


def use_library(
    recorder: Any, library: str | os.PathLike[str], *, config: Any = None, **options: Any
) -> Persister:
    """Make a `vcr.VCR` keep its cassettes in a library. `options` are those of `Persister`.

    With pytest-recording, hand on its `config`: its mode `rewrite` and its extra cassettes work as before. It is called
    before the cassette is opened, so its filter comes after those that the suite gives to `use_cassette`.
    """
    if config is not None:
        options.setdefault("base", config.rootpath)
    persister = Persister(library, **options)
    persister.extra_paths = list(getattr(recorder.persister, "extra_paths", ()))
    if config is not None and config.getoption("--record-mode", None) == "rewrite":
        persister = _Rewriting(persister)
    before = recorder.before_record_request
    hooks = [] if before is None else list(before) if isinstance(before, Iterable) else [before]
    recorder.before_record_request = [*hooks, persister.redact_request]
    recorder.register_persister(persister)
    return persister


class _Rewriting(Persister):
    """Begins each cassette anew."""

    def __init__(self, like: Persister) -> None:
        self.__dict__.update(like.__dict__)

    def _load(self, cassette_path: str | os.PathLike[str]) -> tuple[list[Ordered], JsonObject]:
        raise CassetteNotFoundError("it is recorded anew")


def pair_of(request: Any, response: JsonObject) -> Pair:
    """An exchange as vcrpy has it in memory."""
    body = request.body
    if hasattr(body, "read"):
        body = body.read()
    elif body is not None and not isinstance(body, bytes | str | list | dict):
        body = list(body)
    asked = {"method": request.method, "uri": request.uri, "body": body, "headers": dict(request.headers)}
    row = {"request": asked, "response": response}
    return file_of({"interactions": [row]}, "the cassette").pairs[0]


def _header_pairs(headers: Any) -> Iterator[tuple[str, str]]:
    for name, value in headers.items():
        yield str(name), value.decode("latin-1") if isinstance(value, bytes) else str(value)


def _request(pair: Pair) -> Request:
    body = pair.body if pair.value is None else pair.value
    return Request(pair.method, pair.uri, body, {name: list(values) for name, values in pair.asked.items()})


def _response(pair: Pair) -> JsonObject:
    response: JsonObject = convert_to_bytes(
        {
            "status": {"code": pair.status, "message": pair.reason},
            "headers": {name: list(values) for name, values in pair.headers.items()},
            "body": {"string": pair.content},
        }
    )
    return response
