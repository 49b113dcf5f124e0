"""A far server that keeps count of what it is asked, and `record` as a process that can be killed."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.request import urlopen

from replaylab.builtin.responder import Responder, Response
from replaylab.builtin.server import ModelServer
from replaylab.canonical import digest
from replaylab.cassette.codec import Cassette
from replaylab.cassette.tape import expand
from replaylab.engine.journal import SEALED, TrialJournal
from replaylab.schema.cassette import Blob, Header
from replaylab.schema.interaction import Interaction
from replaylab.store.frames import FrameWriter, read_frames
from replaylab.store.library import Library
from tests.playground import catalogue, responder

REPO = Path(__file__).resolve().parents[2]
PATIENCE_S = 120  # how long to wait for what must come; nothing is concluded from how long it took
MODELS = """\
[models.far-agent]
base_url = "{url}"
model = "scripted:careful"
player = "program"
[models.far-sim]
base_url = "{url}"
model = "twin"
player = "program"
[models.far-judge]
base_url = "{url}"
model = "rubric"
player = "program"
[record]
agent = "far-agent"
sim = "far-sim"
verifier = "far-judge"
"""


class Counting(Responder):
    """Answers like the built-in models and keeps a digest of every body, in the order of arrival."""

    def __init__(self) -> None:
        super().__init__(catalogue())
        self.asked: list[str] = []
        self.busy = False

    def respond(self, path: str, body: bytes, method: str = "POST") -> Response:
        if method == "POST":
            asked = json.loads(body)
            self.asked.append(digest(asked))
            if self.busy:
                return 429, {"content-type": "application/json", "retry-after": str(PATIENCE_S - 1)}, [b"{}"]
        return responder().respond(path, body, method)


class FarServer(ModelServer):
    """Knows how many connections are open, so that a dead client's last requests are waited for."""

    def __init__(self, counting: Counting, delay_ms: float) -> None:
        self.counting = counting
        self._open, self._lock = 0, threading.Lock()
        super().__init__(counting, delay_ms=delay_ms)

    def process_request(self, request: Any, client_address: Any) -> None:
        with self._lock:
            self._open += 1
        super().process_request(request, client_address)

    def shutdown_request(self, request: Any) -> None:
        super().shutdown_request(request)
        with self._lock:
            self._open -= 1

    def settled(self) -> list[str]:
        """Every body asked so far, once no client is connected."""
        # Connections are accepted in order, so after this one has been, all that the dead client made have been too.
        with urlopen(f"{self.base_url}/models") as answer:
            answer.read()
        until(lambda: self._open == 0)
        return list(self.counting.asked)


@contextmanager
def far_server(delay_ms: float = 4) -> Iterator[FarServer]:
    with FarServer(Counting(), delay_ms) as server:
        yield server


def until(true: Callable[[], object], patience_s: int = PATIENCE_S) -> None:
    """Wait until it is true."""
    for _ in range(patience_s * 500):
        if true():
            return
        time.sleep(0.002)
    raise AssertionError(f"waited {patience_s} s in vain")


@dataclass
class Bench:
    """A folder with a configuration that names the server's models, and a library in it."""

    folder: Path
    server: FarServer
    options: Sequence[str]
    library: Path = field(init=False)

    def __post_init__(self) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        self.library = self.folder / "cassettes"
        text = MODELS.format(url=self.server.base_url)
        (self.folder / "replaylab.toml").write_text(text, encoding="utf-8")

    def start(self, *command: str, library: Path | None = None) -> subprocess.Popen[bytes]:
        """A command as a process of its own."""
        kept = ("PATH", "HOME", "LANG", "TMPDIR", "VIRTUAL_ENV")
        env = {name: os.environ[name] for name in kept if name in os.environ}
        return subprocess.Popen(
            [sys.executable, "-m", "replaylab", "--library", str(library or self.library), *command],
            cwd=self.folder,
            env={**env, "PYTHONPATH": str(REPO)},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )

    def record(self, *more: str, library: Path | None = None) -> subprocess.Popen[bytes]:
        return self.start("record", *self.options, *more, library=library)

    def run(self, *command: str, library: Path | None = None) -> Ended:
        return ended(self.start(*command, library=library))


@dataclass(frozen=True)
class Ended:
    code: int
    out: str
    err: str

    @property
    def document(self) -> Any:
        return json.loads(self.out)


def ended(process: subprocess.Popen[bytes]) -> Ended:
    """Wait for a command and give what it said."""
    out, err = process.communicate(timeout=PATIENCE_S)
    return Ended(process.returncode, out.decode("utf-8"), err.decode("utf-8"))


@dataclass(frozen=True)
class OnDisk:
    """What a library and its journal hold: the body digest of each answer by CallPath, and who was asked twice."""

    answers: Mapping[str, str]
    attempts: int

    @property
    def bodies(self) -> Counter[str]:
        return Counter(self.answers.values())


def on_disk(root: Path) -> OnDisk:
    """Read every answer. One that is in a journal and already in a cassette counts once."""
    library, answers, attempts = Library(root), dict[str, str](), dict[str, int]()
    for lanes, blob in [*_sealed(library), *_journaled(root / "journal")]:
        for rows in lanes.values():
            for ordinal, row in enumerate(rows):
                answers[row.path] = digest(expand(rows, ordinal, blob))
                attempts[row.path] = len(row.attempts)
    return OnDisk(answers, sum(attempts.values()))


Held = tuple[Mapping[str, list[Interaction]], Callable[[str], Blob]]


def _sealed(library: Library) -> Iterator[Held]:
    for name in library.objects("cassette"):
        cassette = Cassette(library.get(name, "cassette"), where=name, name=name)
        yield cassette.lanes, cassette.blob


def _journaled(folder: Path) -> Iterator[Held]:
    for path in sorted(folder.glob("*/*.frames")):
        payloads = read_frames(path)[0]
        if path.name == SEALED or not payloads:
            continue
        header = Header.model_validate_json(payloads[0])
        journal = TrialJournal(path, header, FrameWriter)
        for payload in payloads[1:]:
            journal.read_frame(payload)
        yield journal.lanes, journal.blob


def outcomes(root: Path, name: str) -> tuple[str, dict[str, str]]:
    """The outcome digest of a run and of each counting try."""
    _, run = Library(root).run(name)
    return run.outcome, {entry.key: entry.counting.outcome for entry in run.ledger if entry.counting}


def leftovers(root: Path) -> list[str]:
    """What lies in `journal/` besides lock files, and temporary files anywhere."""
    journal = [path for path in (root / "journal").rglob("*") if path.suffix != ".lock"]
    return sorted(str(path.relative_to(root)) for path in [*journal, *root.rglob("*.tmp")])
