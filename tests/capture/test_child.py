from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from replaylab.capture.child import run_child
from replaylab.errors import UsageError
from tests.cli.conftest import REPO


def python(code: str) -> list[str]:
    return [sys.executable, "-c", code]


@pytest.mark.parametrize("code", [0, 1, 7, 255])
def test_the_exit_code_is_the_programs(code: int) -> None:
    assert run_child(python(f"raise SystemExit({code})"), os.environ) == code


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGSEGV, signal.SIGTERM])
def test_a_program_that_a_signal_ended_gives_128_and_its_number(number: signal.Signals) -> None:
    assert run_child(python(f"import os; os.kill(os.getpid(), {int(number)})"), os.environ) == 128 + number


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_signals_go_on_to_the_program_and_it_decides(number: signal.Signals, tmp_path: Path) -> None:
    ready = tmp_path / "ready"
    code = (
        "import signal, sys, time, pathlib\n"
        f"signal.signal({int(number)}, lambda *_: sys.exit(42))\n"
        f"pathlib.Path({str(ready)!r}).touch()\n"
        "time.sleep(20)\n"
    )

    def send() -> None:
        while not ready.exists():
            time.sleep(0.01)
        os.kill(os.getpid(), number)

    before = signal.getsignal(number)
    thread = threading.Thread(target=send)
    thread.start()
    assert run_child(python(code), os.environ) == 42
    thread.join()
    assert signal.getsignal(number) == before


def test_a_program_that_is_not_there_is_a_usage_error() -> None:
    with pytest.raises(UsageError, match="no-such-program-here"):
        run_child(["no-such-program-here"], os.environ)


def test_a_file_that_is_no_program_is_a_usage_error(tmp_path: Path) -> None:
    (tmp_path / "text").write_text("hello")
    with pytest.raises(UsageError, match="can't run"):
        run_child([str(tmp_path / "text")], os.environ)


def test_its_environment_and_streams_are_what_it_is_given(tmp_path: Path) -> None:
    code = (
        "import sys; from replaylab.capture.child import run_child\n"
        "sys.exit(run_child([sys.executable, '-c', 'import os; print(os.environ[\"A\"] + input())'], {'A': 'x'}))"
    )
    ended = subprocess.run(
        python(code),
        input=b"in\n",
        capture_output=True,
        env={**os.environ, "PYTHONPATH": str(REPO)},
        check=False,
    )
    assert (ended.returncode, ended.stdout) == (0, b"xin\n")
