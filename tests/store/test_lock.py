"""One writer a run, and no lock survives its process."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from replaylab.errors import StoreError, UsageError
from replaylab.store import disk
from replaylab.store.library import Library

Child = Callable[..., subprocess.Popen[str]]

HOLD = """
import sys
from pathlib import Path
from replaylab.store.library import Library
with Library(Path(sys.argv[1])).lock("demo"):
    print("locked", flush=True)
    sys.stdin.readline()
"""


def holder(child: Child, library: Library) -> subprocess.Popen[str]:
    process = child(HOLD, str(library.root))
    assert process.stdout is not None
    assert process.stdout.readline() == "locked\n"
    return process


def test_a_second_writer_is_told_which_process_is_writing(library: Library, child: Child) -> None:
    process = holder(child, library)
    with pytest.raises(UsageError) as caught, library.lock("demo"):
        pytest.fail("two writers at once")
    assert caught.value.what == f"another process is writing the run demo (process {process.pid})"
    with library.lock("another"):
        pass


def test_a_refused_writer_leaves_the_lock_as_it_is(library: Library, child: Child) -> None:
    process = holder(child, library)
    for _ in range(3):
        with pytest.raises(UsageError, match=f"process {process.pid}"), library.lock("demo"):
            pass


def test_a_killed_writer_leaves_no_lock(library: Library, child: Child) -> None:
    for _ in range(3):
        process = holder(child, library)
        process.kill()
        process.wait()
        with library.lock("demo"):
            pass


def test_the_same_process_is_refused_as_well_and_the_lock_ends_with_its_block(library: Library) -> None:
    with library.lock("demo"), pytest.raises(UsageError, match="is writing"), library.lock("demo"):
        pass
    with library.lock("demo"):
        pass
    assert (library.root / "journal" / "demo.lock").read_bytes() == b""


def test_an_error_in_the_block_goes_through_and_frees_the_lock(library: Library) -> None:
    with pytest.raises(KeyError), library.lock("demo"):
        raise KeyError
    with library.lock("demo"):
        pass


def test_where_there_are_no_file_locks_recording_says_so(
    library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(disk, "fcntl", None)
        with pytest.raises(StoreError, match="no file locks"), library.lock("demo"):
            pass
        name = library.put(b"data", "cassette")
    assert library.get(name, "cassette") == b"data"


@pytest.mark.parametrize("part", ["journal", "journal/demo.lock"])
def test_a_linked_lock_is_not_followed(library: Library, tmp_path: Path, part: str) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    path = library.root / part
    path.parent.mkdir(parents=True)
    path.symlink_to(outside if part == "journal" else outside / "file")
    with pytest.raises(StoreError, match="symbolic link"), library.lock("demo"):
        pass
    assert list(outside.iterdir()) == []


def test_a_journal_folder_is_named_but_not_made(library: Library) -> None:
    assert library.journal("demo") == library.root / "journal" / "demo"
    assert not library.root.exists()
