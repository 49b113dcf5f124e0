"""A recording with an own agent is killed in the middle, and goes on."""

from __future__ import annotations

import json
import os
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from replaylab.builtin.server import serve
from replaylab.cassette.stored import open_cassette
from replaylab.engine.verify import verify
from replaylab.store.library import Library
from tests.cli.own_agent import write
from tests.playground import SHORT, responder

REPO = Path(__file__).resolve().parents[2]
LIBRARY = "cassettes"


def started(folder: Path, base_url: str, agent: str) -> subprocess.Popen[bytes]:
    given = ["record", "--agent", agent, "--task", SHORT, "--run", "own", "--json"]
    return subprocess.Popen(
        [sys.executable, "-m", "replaylab", *given],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(REPO), "OPENAI_BASE_URL": base_url},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


@contextmanager
def slow_models(calls: list[bytes]) -> Iterator[str]:
    """The built-in models over HTTP, slow enough to be interrupted; what was asked goes into `calls`."""

    class Counting:
        models = responder().models

        def respond(self, path: str, body: bytes, method: str = "POST") -> Any:
            calls.append(body)
            time.sleep(0.05)
            return responder().respond(path, body, method)

    with serve(Counting(), "127.0.0.1", 0) as server:  # type: ignore[arg-type]
        yield server.base_url


def killed_and_resumed(
    folder: Path, agent: str, changes: str = ""
) -> tuple[dict[str, Any], list[bytes], int]:
    """What the second recording says, what was asked in all, and how much of it before the kill."""
    write(folder)
    calls: list[bytes] = []
    with slow_models(calls) as base_url:
        first = started(folder, base_url, agent)
        while len(calls) < 6:
            assert first.poll() is None, first.communicate()
            time.sleep(0.005)
        first.send_signal(signal.SIGKILL)
        first.communicate()
        before = len(calls)
        if changes:
            (folder / "changes").write_text(changes)
        second = started(folder, base_url, agent)
        out, err = second.communicate(timeout=60)
    assert second.returncode in (0, 1), err
    return json.loads(out), calls, before


@pytest.mark.parametrize(
    "agent", ["python:own_agent_in_test:act", f"command:{shlex.join([sys.executable, 'own_program.py'])}"]
)
def test_an_agent_is_brought_back_to_where_it_was_and_nothing_is_asked_twice(
    tmp_path: Path, agent: str
) -> None:
    told, calls, before = killed_and_resumed(tmp_path, agent)
    assert (told["counts"]["pass"], told["resumed"]) == (1, 1)
    assert "begun_anew" not in told
    library = Library(tmp_path / LIBRARY)
    (name,) = library.objects("cassette")
    own = open_cassette(library, name).lanes["llm.0"]
    # At most the call that was in flight at the kill is asked again.
    assert len(own) <= len(calls) <= len(own) + 1
    assert before < len(own)
    assert verify(library).sound


def test_an_agent_that_can_not_be_brought_back_begins_anew_and_all_that_was_paid_is_kept(
    tmp_path: Path,
) -> None:
    (tmp_path / "own_moody.py").write_text(
        "import os\n"
        "from own_agent_in_test import act as careful\n\n"
        "def act(task, tools, call):\n"
        "    if os.path.exists('changes'):\n"
        "        task.system += open('changes').read()\n"
        "    return careful(task, tools, call)\n"
    )
    told, calls, before = killed_and_resumed(tmp_path, "python:own_moody:act", " Be quick.")
    assert told["begun_anew"] == 1
    library = Library(tmp_path / LIBRARY)
    (entry,) = library.run("own")[1].ledger
    tries = [open_cassette(library, one.cassette) for one in entry.tries]
    assert tries[0].seal.verdict == "error"
    assert tries[0].lanes["agent"][-1].final.failure is not None
    assert tries[0].lanes["agent"][-1].final.failure.kind == "agent_diverged"
    assert before - 1 <= len(tries[0].lanes["llm.0"]) <= before
    assert sum(len(one.lanes["llm.0"]) for one in tries) >= len(calls) - 1
    assert len(entry.tries) == 2
    assert verify(library).sound
