"""The examples do what AGENTS.md says, and are what it shows."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

from replaylab.builtin.server import serve
from tests.cli.conftest import process
from tests.playground import SHORT, responder

REPO = Path(__file__).resolve().parents[2]
EXAMPLES = REPO / "examples"


def out(*argv: str, library: Path, **env: str) -> str:
    ended = process("-m", "replaylab", "--library", str(library), *argv, cwd=EXAMPLES, env=env)
    assert ended.returncode == 0, ended.stderr
    return ended.stdout.decode()


def test_the_page_shows_the_example_as_it_is() -> None:
    page = (REPO / "AGENTS.md").read_text(encoding="utf-8")
    assert (EXAMPLES / "minimal_agent.py").read_text(encoding="utf-8") in page


def test_the_minimal_agent_is_recorded_and_runs_again(tmp_path: Path) -> None:
    given = ("--agent", "python:minimal_agent:act", "--task", SHORT, "--run", "mine")
    assert "1 recorded (1 pass" in out("record", *given, library=tmp_path)
    assert "identical" in out("replay", "mine", "--rerun-agent", library=tmp_path)


def test_the_program_is_recorded_and_runs_again(tmp_path: Path) -> None:
    name = f"command:{shlex.join([sys.executable, 'program_agent.py'])}"
    with serve(responder(), "127.0.0.1", 0) as server:
        given = ("--agent", name, "--task", SHORT, "--run", "prog")
        assert "1 recorded" in out("record", *given, library=tmp_path, OPENAI_BASE_URL=server.base_url)
    assert "identical" in out("replay", "prog", "--rerun-agent", library=tmp_path)
