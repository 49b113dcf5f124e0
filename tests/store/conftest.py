"""What the store's tests share: a library, a run, file systems that are full or read-only, child processes."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from replaylab.canonical import digest
from replaylab.schema.run import RUN_FORMAT, Run, RunSpec
from replaylab.store.library import Library

REPO = Path(__file__).resolve().parents[2]
Child = Callable[..., subprocess.Popen[str]]


@pytest.fixture
def library(tmp_path: Path) -> Library:
    return Library(tmp_path / "a library")


@pytest.fixture
def make_run() -> Callable[..., Run]:
    def make(name: str = "demo", created: str = "2026-01-01T00:00:00Z", **parts: object) -> Run:
        spec = RunSpec(agents=(), simulators=(), verifiers=(), faults=(), tasks=())
        fields = {
            "format": RUN_FORMAT,
            "name": name,
            "created": created,
            "spec": spec,
            "ledger": (),
            "outcome": digest(name),
        }
        return Run.model_validate(fields | parts)

    return make


@pytest.fixture
def child() -> Iterator[Child]:
    """Start a Python process that runs some code with this project on its path; killed at the end of the test."""
    started: list[subprocess.Popen[str]] = []

    def start(code: str, *arguments: str) -> subprocess.Popen[str]:
        command = [sys.executable, "-c", code, *arguments]
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        process: subprocess.Popen[str] = subprocess.Popen(command, cwd=REPO, text=True, **pipes)  # type: ignore[call-overload]
        started.append(process)
        return process

    yield start
    for process in started:
        process.kill()
        process.communicate()


def _mount(*arguments: str) -> None:
    done = subprocess.run(["mount", *arguments], capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.skip(f"mounting is not permitted here: {done.stderr.strip()}. NOT TESTED.")


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 256 KiB."""
    folder = tmp_path / "small"
    folder.mkdir()
    _mount("-t", "tmpfs", "-o", "size=256k", "tmpfs", str(folder))
    try:
        yield folder
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=True)


@pytest.fixture
def freeze(tmp_path: Path) -> Iterator[Callable[[Path], None]]:
    """Make a folder read-only, for root as well: mounted onto itself without write access."""
    frozen: list[Path] = []

    def make(folder: Path) -> None:
        _mount("--bind", str(folder), str(folder))
        frozen.append(folder)
        _mount("-o", "remount,bind,ro", str(folder))

    yield make
    for folder in frozen:
        subprocess.run(["umount", "--lazy", str(folder)], check=True)
