from __future__ import annotations

import contextlib
import gc
import os
import signal
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from subprocess import Popen

import pytest

from replaylab.errors import StoreError
from replaylab.store.processes import Beside, in_processes, uncollected

Child = Callable[..., "Popen[str]"]


def doubled(number: int) -> tuple[int, int]:
    return 2 * number, os.getpid()


def failing(at: int, number: int) -> int:
    if number == at:
        raise StoreError("damaged", where=str(number), fix="restore it")
    return number


def test_results_come_in_the_order_of_the_items_from_other_processes() -> None:
    found = list(in_processes(doubled, range(20), 2, at_once=3))
    assert [value for value, _ in found] == [2 * number for number in range(20)]
    assert os.getpid() not in {pid for _, pid in found}


def test_what_the_work_raises_is_raised_whole_after_the_results_before_it() -> None:
    seen: list[int] = []
    with pytest.raises(StoreError) as caught:
        seen.extend(in_processes(partial(failing, 5), range(40), 2, at_once=2))
    assert (caught.value.what, caught.value.where, caught.value.fix) == ("damaged", "5", "restore it")
    assert seen == [0, 1, 2, 3]


def ended(code: int) -> None:
    os._exit(code)


def test_a_process_beside_works_meanwhile_and_is_one() -> None:
    with Beside() as beside:
        waits = [beside.ask(doubled, number) for number in range(3)]
        found = [wait() for wait in waits]
    assert [value for value, _ in found] == [0, 2, 4]
    assert len({pid for _, pid in found} | {os.getpid()}) == 2


def test_what_the_work_beside_raises_is_raised_where_it_is_waited_for() -> None:
    with Beside() as beside:
        wait = beside.ask(failing, 1, 1)
        with pytest.raises(StoreError, match="damaged"):
            wait()


def test_a_process_beside_that_is_killed_is_told() -> None:
    with Beside() as beside, pytest.raises(StoreError, match="killed"):
        beside.ask(ended, 9)()


def test_garbage_is_looked_for_again_afterwards_whatever_happens() -> None:
    assert gc.isenabled()
    with contextlib.suppress(StoreError), uncollected():
        assert not gc.isenabled()
        with uncollected():
            pass
        assert not gc.isenabled()
        failing(1, 1)
    assert gc.isenabled()


WORKING = """
import sys, time
from pathlib import Path
from replaylab.store.processes import in_processes, uncollected
sys.path.insert(0, ".")
from tests.store.test_processes import slow
if __name__ == "__main__":
    try:
        for one in in_processes(slow, range(1000), 2):
            print(one, flush=True)
    except KeyboardInterrupt:
        sys.exit(130)
"""


def slow(number: int) -> int:
    time.sleep(0.05)
    return number


@pytest.mark.skipif(sys.platform == "win32", reason="no process groups to signal there")
def test_ctrl_c_ends_all_of_it_at_once_and_quietly(tmp_path: Path) -> None:
    # A terminal signals the whole group, so the group is signalled here, in the middle of the work.
    script = tmp_path / "working.py"
    script.write_text(WORKING, encoding="utf-8")
    repo = Path(__file__).resolve().parents[2]
    process = Popen(
        [sys.executable, str(script)],
        cwd=repo,
        env={**os.environ, "PYTHONPATH": str(repo)},
        text=True,
        stdout=-1,
        stderr=-1,
        start_new_session=True,
    )
    try:
        assert process.stdout is not None
        for _ in range(3):
            process.stdout.readline()
        os.killpg(process.pid, signal.SIGINT)
        out, err = process.communicate(timeout=60)
    finally:
        process.kill()
    assert (process.returncode, err) == (130, "")
    assert len(out.splitlines()) < 900
    assert gone(process.pid)


@pytest.mark.skipif(sys.platform == "win32", reason="no process groups to look at there")
def test_a_kill_of_the_one_leaves_no_others_behind(tmp_path: Path) -> None:
    script = tmp_path / "working.py"
    script.write_text(WORKING, encoding="utf-8")
    repo = Path(__file__).resolve().parents[2]
    process = Popen(
        [sys.executable, str(script)],
        cwd=repo,
        env={**os.environ, "PYTHONPATH": str(repo)},
        stdout=-1,
        stderr=-3,
        start_new_session=True,
    )
    try:
        assert process.stdout is not None
        process.stdout.readline()
    finally:
        process.kill()
    process.wait(60)
    left = not gone(process.pid)
    if left:
        os.killpg(process.pid, signal.SIGKILL)
    process.stdout.close()
    assert not left


def killed(number: int) -> int:
    os.kill(os.getpid(), signal.SIGKILL)
    return number


@pytest.mark.skipif(sys.platform == "win32", reason="no SIGKILL there")
def test_a_kill_of_another_is_told_with_what_to_do() -> None:
    with pytest.raises(StoreError, match="was killed") as caught:
        list(in_processes(killed, range(4), 2))
    assert "--jobs 1" in caught.value.fix


def gone(group: int) -> bool:
    """Whether nobody of a process group is left, within some seconds: multiprocessing's own tracker ends last."""
    for _ in range(200):
        try:
            os.killpg(group, 0)
        except ProcessLookupError:
            return True
        time.sleep(0.05)
    return False
