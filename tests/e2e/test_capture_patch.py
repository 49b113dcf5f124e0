"""`capture --patch` as a user runs it: recorded, and played with the server stopped."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from tests.interop.vcr.made import Server, server

REPO = Path(__file__).resolve().parents[2]
PROGRAM = """
import sys, urllib.request
for word in sys.argv[2].split(","):
    print(urllib.request.urlopen(sys.argv[1], word.encode()).read().decode())
sys.exit(int(sys.argv[3]))
"""


def capture(
    folder: Path, live: Server, *options: str, words: str = "a,b", code: int = 0
) -> tuple[int, dict[str, Any], str]:
    """Exit code, document, and what the program and the command said on stderr."""
    (folder / "program.py").write_text(PROGRAM)
    program = [sys.executable, "program.py", live.url, words, str(code)]
    command = [
        sys.executable,
        "-m",
        "replaylab",
        "capture",
        "--patch",
        "--run",
        "x",
        "--json",
        *options,
        "--",
        *program,
    ]
    env = {**os.environ, "PYTHONPATH": str(REPO)}
    done = subprocess.run(
        command, cwd=folder, env=env, capture_output=True, text=True, check=False, timeout=120
    )
    return done.returncode, json.loads(done.stdout), done.stderr


def test_a_python_program_is_recorded_and_played_without_its_server(tmp_path: Path) -> None:
    with server() as live:
        code, document, said = capture(tmp_path, live, code=5)
        assert (code, document["requests"]["live"], document["program_exit_code"]) == (5, 2, 5), said
    code, document, said = capture(tmp_path, live, "--offline")
    assert (code, document["requests"]["played"], document["ok"]) == (0, 2, True), said
    assert '{"n":0' in said
    code, document, said = capture(tmp_path, live, "--offline", words="a")
    assert (code, document["unplayed"]) == (3, 1)
    code, document, said = capture(tmp_path, live, "--offline", words="a,b,c")
    assert (code, document["missed"]) == (3, 1)
    assert "HTTP Error 404" in said


def test_a_program_that_is_no_python_is_noticed(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "replaylab", "capture", "--patch", "--", "true"]
    env = {**os.environ, "PYTHONPATH": str(REPO)}
    done = subprocess.run(
        command, cwd=tmp_path, env=env, capture_output=True, text=True, check=False, timeout=120
    )
    assert done.returncode == 0
    assert "no Python came up patched" in done.stderr
