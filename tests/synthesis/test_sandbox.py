"""A proposed twin can compute and nothing else: whatever it tries, the process ends and nothing outside has changed."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from replaylab.catalogue import files
from replaylab.schema.scenario import Environment, PlannedCall
from replaylab.synthesis.sandbox import Limits, Ran, run_twin
from tests.playground import catalogue

REPO = Path(__file__).resolve().parents[2]
HEAD = "from replaylab.catalogue.twin import Refused, ToolTwin\n"
# What code that means harm finds: every module that is loaded, by way of a function's globals.
LOADED = "loaded = ToolTwin.__init__.__globals__['sys'].modules\n"
SHORT = Limits(cpu_s=2, wall_s=40)


def place() -> tuple[Environment, str, Sequence[PlannedCall]]:
    """A shipped environment, its twin's code, and the plan of one of its tasks."""
    found = catalogue().task("ed-sepsis-room")
    folder = catalogue().folder(found.scenario.id) / "environments" / found.environment.id
    assert found.task.plan is not None
    return found.environment, files.read_text(folder / files.TWIN_FILE), found.task.plan.calls


def run(body: str, limits: Limits = SHORT) -> Ran:
    """A twin whose every tool does this."""
    environment, _, calls = place()
    lines = "".join(f"        {line}\n" for line in (LOADED + body).splitlines())
    methods = "".join(f"    def {tool.name}(self, **given):\n{lines}" for tool in environment.tools)
    return run_twin(f"{HEAD}class Twin(ToolTwin):\n{methods}", environment, [calls], limits)


def test_a_good_twin_runs_and_gives_what_it_gives_in_this_process() -> None:
    environment, code, calls = place()
    ran = run_twin(code, environment, [calls, calls[:1]])
    assert (ran.why, len(ran.ways), [len(way) for way in ran.ways]) == ("", 2, [len(calls), 1])
    assert not any("error" in observation for observation in ran.ways[0])
    assert ran.ways[0][0] == ran.ways[1][0]


def test_a_twin_may_import_what_shipped_twins_do_and_read_and_write_dates() -> None:
    ran = run(
        "import collections.abc\nfrom collections.abc import Iterator\nfrom datetime import datetime\n"
        "return {'day': datetime.strptime('2025-03-04', '%Y-%m-%d').strftime('%d %m %y')}"
    )
    assert (ran.why, ran.ways[0][0]) == ("", {"day": "04 03 25"})


@pytest.mark.soak
def test_every_shipped_twin_carries_out_its_plans_in_the_sandbox() -> None:
    for environment in catalogue().environments:
        tasks = [task for task in catalogue().tasks if task.environment == environment.id]
        folder = catalogue().folder(tasks[0].scenario) / "environments" / environment.id
        plans = [task.plan.calls for task in tasks if task.plan]
        ran = run_twin(files.read_text(folder / files.TWIN_FILE), environment, plans)
        assert (ran.why, len(ran.ways)) == ("", len(plans)), environment.id


@pytest.mark.parametrize(
    ("body", "why"),
    [
        ("import socket\nreturn {}", "may not import socket"),
        ("import ctypes\nreturn {}", "may not import ctypes"),
        ("loaded['socket'].socket()", "PermissionError"),
        ("loaded['_socket'].socket()", "PermissionError"),
        ("open('{evil}', 'w')", "NameError"),
        ("loaded['io'].open('{evil}', 'w')", "PermissionError"),
        ("loaded['posix'].open('{evil}', 65)", "PermissionError"),
        ("open('/etc/passwd').read()", "NameError"),
        ("loaded['io'].open('/etc/passwd').read()", "PermissionError"),
        ("loaded['os'].system('touch {evil}')", "PermissionError"),
        ("return {'x': str(loaded['posix'].stat('/etc/passwd'))}", "PermissionError"),
        ("loaded['os'].fork()", "PermissionError"),
        ("loaded['ctypes'].CDLL(None).system(b'touch {evil}')", "PermissionError"),
        ("loaded['os'].kill(loaded['os'].getppid(), 9)", "PermissionError"),
        ("loaded['_thread'].start_new_thread(print, ())\nreturn {}", "start new thread"),
        ("x = [0] * (10 ** 9)\nreturn {}", "memory"),
        ("def deep(): return deep()\ndeep()", "RecursionError"),
        ("raise SystemExit(0)", "SystemExit"),
        ("return {1, 2}", "TypeError"),
    ],
)
def test_what_a_twin_may_not_do_fails_inside_and_changes_nothing_outside(
    body: str, why: str, tmp_path: Path
) -> None:
    evil = tmp_path / "evil"
    ran = run(body.replace("{evil}", str(evil)))
    assert why in ran.why
    assert ran.ways == ()
    assert not evil.exists()


@pytest.mark.parametrize(
    ("body", "why"),
    [
        ("while True: pass", ("processor time", "longer than")),
        ("loaded['posix']._exit(0)", ("without an answer",)),
        ("while True: loaded['posix'].write(1, b'x' * 65536)", ("more than can be read",)),
        ("loaded['posix'].write(1, b'no json')\nloaded['posix']._exit(0)", ("can't be read",)),
    ],
)
def test_a_twin_that_does_not_end_well_is_ended(body: str, why: tuple[str, ...]) -> None:
    assert any(part in run(body, Limits(cpu_s=1, wall_s=15)).why for part in why)


@pytest.mark.parametrize(
    ("code", "why"),
    [
        ("class Other: pass", "defines no class Twin"),
        ("this is no Python", "SyntaxError"),
        ("import os", "may not import os"),
        (HEAD + "class Twin(ToolTwin): pass", "AttributeError"),
    ],
)
def test_code_that_is_no_twin_says_why(code: str, why: str) -> None:
    environment, _, calls = place()
    assert why in run_twin(code, environment, [calls]).why


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the kernel's filter is Linux's")
@pytest.mark.parametrize(
    "tries",
    [
        "open('/etc/passwd')",
        "open('evil', 'w')",
        "import os; os.stat('/etc/passwd')",
        "import os; os.stat('/etc/passwd', follow_symlinks=False)",
        "import socket; socket.socket()",
        "import os; os.fork()",
        "import os; os.kill(os.getppid(), 0)",
        "import os; os.execv('/bin/true', ['true'])",
        "import os; os.mkdir('evil')",
        "import os; os.unlink('here')",
    ],
)
def test_the_kernel_refuses_it_too_without_any_hook_of_python(tries: str, tmp_path: Path) -> None:
    (tmp_path / "here").touch()
    code = (
        "import os, socket, sys\nfrom replaylab.synthesis import sandboxed\n"
        "if not sandboxed._filtered(): os._exit(77)\n"
        f"try:\n    {tries}\nexcept PermissionError: os._exit(0)\nos._exit(1)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        env={"PYTHONPATH": str(REPO)},
        capture_output=True,
        check=False,
    )
    if done.returncode == 77:
        pytest.skip("this machine has no such filter")
    assert done.returncode == 0, done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["here"]
