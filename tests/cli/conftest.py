"""Runs command lines: in this process, and in a fresh one where the surroundings are what is tested."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from replaylab.cli.main import run
from tests.playground import SHORT, record

REPO = Path(__file__).resolve().parents[2]
KEY_VARIABLES = (
    "GEMINI_API_KEY",
    "OPENAI_API_KEY",
    "DASHSCOPE_API_KEY",
    "ANTHROPIC_API_KEY",
    "DEEPSEEK_API_KEY",
)


class Ended(NamedTuple):
    code: int
    out: str
    err: str

    @property
    def document(self) -> dict[str, Any]:
        """The one document that --json prints; anything else on stdout fails here."""
        document: dict[str, Any] = json.loads(self.out)
        return document


Call = Callable[..., Ended]


@pytest.fixture
def call(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsysbinary: pytest.CaptureFixture[bytes]) -> Call:
    """`call("models", "--json")` in an empty folder without keys."""
    monkeypatch.chdir(tmp_path)
    for name in (*KEY_VARIABLES, "REPLAYLAB_LIBRARY", "REPLAYLAB_CONFIG", "REPLAYLAB_DEBUG"):
        monkeypatch.delenv(name, raising=False)

    def ended(*argv: str) -> Ended:
        handlers = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
        code = run(argv)
        for number, handler in handlers.items():  # a command sets its own for a process that ends with it
            signal.signal(number, handler)
        out, err = capsysbinary.readouterr()
        return Ended(code, out.decode("utf-8"), err.decode("utf-8"))

    return ended


@pytest.fixture(scope="session")
def _study(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("study") / "cassettes"
    record(root, tasks=(SHORT,), agents=("scripted:careful", "scripted:greedy"), name="study")
    return root


@pytest.fixture
def study(_study: Path, tmp_path: Path) -> Path:
    """A library with the run `study`: one short task, two agents, one passes and one fails. A test may damage it."""
    return shutil.copytree(_study, tmp_path / "cassettes")


def process(
    *argv: str, cwd: Path, env: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[bytes]:
    """`python *argv` in a fresh process that can import this checkout."""
    return subprocess.run(
        [sys.executable, *argv],
        cwd=cwd,
        env={**os.environ, "PYTHONPATH": str(REPO), **(env or {})},
        capture_output=True,
        check=False,
        timeout=300,
    )
