"""A program as the agent."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from replaylab.engine.replay import replay_cassette
from replaylab.errors import UsageError
from replaylab.foreign import command
from replaylab.foreign.chat import Assigned
from replaylab.foreign.command import CommandAgent
from replaylab.foreign.own import OwnCalls
from replaylab.foreign.session import Session
from tests.foreign.playing import Stage, answered, sealed


class Doors:
    """Doors that tell one variable, and whether they were closed."""

    def __init__(self) -> None:
        self.open = 0

    @contextmanager
    def __call__(self, assigned: Assigned, session: Session, calls: OwnCalls) -> Iterator[Mapping[str, str]]:
        self.open += 1
        try:
            yield {"TOLD": "by the doors", "FROM_BOTH": "doors"}
        finally:
            self.open -= 1


def stage(tmp_path: Path, code: str, doors: Doors | None = None, **more: Any) -> Stage:
    """A Python program of a test; it gets the environment of this process and one variable more."""
    (tmp_path / "agent.py").write_text(code)
    made = Stage(lambda: None, **more)
    words = [sys.executable, "agent.py"]
    env = {**os.environ, "FROM_PARENT": "yes", "FROM_BOTH": "parent"}
    made.start = CommandAgent(words, tmp_path, env, doors or Doors(), made.told.append)
    return made


def moves(made: Stage) -> list[Any]:
    return answered(sealed(made).lanes["agent"])


def test_what_it_prints_is_its_answer(tmp_path: Path) -> None:
    doors = Doors()
    assert moves(stage(tmp_path, "print('  It is\\nso. ')", doors)) == ["It is\nso."]
    assert doors.open == 0


def test_it_is_told_what_to_do_on_stdin_and_where_things_are_by_variables(tmp_path: Path) -> None:
    code = "import os, sys; print(os.environ['FROM_PARENT'], os.environ['TOLD'], os.environ['FROM_BOTH'], sys.stdin.read())"
    cassette = sealed(stage(tmp_path, code))
    (said,) = answered(cassette.lanes["agent"])
    assert said.startswith("yes by the doors doors ")
    assert cassette.header.task.instruction in said


def test_one_that_does_not_read_stdin_is_fine(tmp_path: Path) -> None:
    assert moves(stage(tmp_path, "import sys; sys.stdin.close(); print('x')")) == ["x"]


def test_an_exit_code_is_an_error_and_what_it_said_is_shown(tmp_path: Path) -> None:
    made = stage(tmp_path, "import sys; print('half'); sys.stderr.write('because'); sys.exit(3)")
    cassette = sealed(made)
    assert answered(cassette.lanes["agent"]) == ["agent_crashed"]
    assert "exit code 3" in (cassette.lanes["agent"][0].final.text or "")
    assert "because" in made.told[0]


def test_a_signal_is_an_error(tmp_path: Path) -> None:
    made = stage(tmp_path, "import os, signal; os.kill(os.getpid(), signal.SIGKILL)")
    cassette = sealed(made)
    assert "signal 9" in (cassette.lanes["agent"][0].final.text or "")


def test_an_endless_answer_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(command, "MAX_ANSWER", 1000)
    assert moves(stage(tmp_path, "print('x' * 100000)")) == ["agent_crashed"]


def test_one_that_never_ends_is_ended_with_all_that_it_started(tmp_path: Path) -> None:
    code = (
        "import subprocess, sys, time\n"
        "child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)'])\n"
        "open('pid', 'w').write(str(child.pid))\n"
        "time.sleep(60)\n"
    )
    begun = time.monotonic()
    assert moves(stage(tmp_path, code, silence_s=2.0)) == ["agent_silent"]
    assert time.monotonic() - begun < 20
    assert _ended(int((tmp_path / "pid").read_text()))


def test_one_that_ignores_being_asked_to_end_is_killed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(command, "GRACE_S", 0.5)
    code = (
        "import os, signal, time\n"
        "signal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
        "open('pid', 'w').write(str(os.getpid()))\n"
        "time.sleep(60)\n"
    )
    assert moves(stage(tmp_path, code, silence_s=2.0)) == ["agent_silent"]
    assert _ended(int((tmp_path / "pid").read_text()))


def test_children_that_hold_its_stdout_do_not_hold_up_the_trial(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(command, "GRACE_S", 0.5)
    code = (
        "import subprocess, sys\n"
        "subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)'])\n"
        "print('done')\n"
    )
    begun = time.monotonic()
    assert moves(stage(tmp_path, code)) == ["done"]
    assert time.monotonic() - begun < 20


def _ended(pid: int) -> bool:
    for _ in range(50):
        state = subprocess.run(["ps", "-o", "stat=", "-p", str(pid)], capture_output=True, check=False).stdout
        if not state.strip() or state.strip().startswith(b"Z"):
            return True
        time.sleep(0.1)
    return False


def test_a_program_that_is_not_there_is_wrong_usage_and_closes_the_doors(tmp_path: Path) -> None:
    doors, made = Doors(), Stage(lambda: None)
    made.start = CommandAgent(["no-such-program-here"], tmp_path, {}, doors, made.told.append)
    with pytest.raises(UsageError, match="no-such-program-here"):
        sealed(made)
    assert doors.open == 0


def test_a_program_runs_again_and_is_held_to_its_answer(tmp_path: Path) -> None:
    cassette = sealed(stage(tmp_path, "print('x')"))
    assert replay_cassette(cassette, stage(tmp_path, "print('x')").open_chat()).findings == ()
    found = replay_cassette(cassette, stage(tmp_path, "print('y')").open_chat()).findings
    assert [(one.kind, one.pointer, one.expected, one.observed) for one in found] == [
        ("action", "/answer", "x", "y")
    ]
