"""Objects are written once, whole, and verified whenever they are read."""

from __future__ import annotations

import errno
import os
import shutil
import subprocess
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from replaylab.canonical import Digest, digest_bytes
from replaylab.errors import StoreError, UsageError
from replaylab.store import disk
from replaylab.store.library import Library

Child = Callable[..., subprocess.Popen[str]]


def temporaries(root: Path) -> list[Path]:
    return sorted(path for path in root.rglob("*") if disk.is_temporary(path.name))


def test_an_object_is_named_by_the_sha256_of_its_bytes(library: Library) -> None:
    name = library.put(b"some bytes", "cassette")
    assert name == digest_bytes(b"some bytes")
    path = library.root / "objects" / name[:2] / f"{name}.cassette"
    assert path == library.path(name, "cassette")
    assert path.read_bytes() == b"some bytes" == library.get(name, "cassette")
    assert temporaries(library.root) == []


def test_an_object_that_exists_is_not_written_again(library: Library) -> None:
    name = library.put(b"data", "cassette")
    before = library.path(name, "cassette").stat()
    assert library.put(b"data", "cassette") == name
    after = library.path(name, "cassette").stat()
    assert (before.st_ino, before.st_mtime_ns) == (after.st_ino, after.st_mtime_ns)


def test_putting_over_a_damaged_object_is_an_error(library: Library) -> None:
    path = library.path(library.put(b"data", "cassette"), "cassette")
    path.write_bytes(b"dat")
    with pytest.raises(StoreError, match="damaged"):
        library.put(b"data", "cassette")
    assert path.read_bytes() == b"dat"


def test_every_truncation_and_every_flipped_byte_is_an_error_that_names_the_file(library: Library) -> None:
    data = bytes(range(200))
    name = library.put(data, "run")
    path = library.path(name, "run")
    bad = [data[:n] for n in range(len(data))]
    bad += [data[:n] + bytes([data[n] ^ 255]) + data[n + 1 :] for n in range(len(data))]
    for content in [*bad, data + b"\0", data * 2]:
        path.write_bytes(content)
        with pytest.raises(StoreError) as caught:
            library.get(name, "run")
        assert caught.value.where == str(path)
        assert path.name in caught.value.what
        assert "replaylab merge" in caught.value.fix


def test_a_missing_object_is_an_error_that_names_the_file(library: Library) -> None:
    name = digest_bytes(b"never stored")
    with pytest.raises(StoreError, match="is missing") as caught:
        library.get(name, "cassette")
    assert caught.value.where == str(library.path(name, "cassette"))


def test_a_file_that_is_too_large_is_not_read_whole(
    library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = library.put(b"x" * 100, "cassette")
    path = library.path(name, "cassette")
    with pytest.raises(StoreError, match="larger than 99 bytes"):
        disk.read_file(path, limit=99)
    os.truncate(path, disk.MAX_FILE + 1)
    monkeypatch.setattr(disk, "MAX_FILE", 50)
    with pytest.raises(StoreError, match="can't be stored"):
        library.put(b"y" * 51, "cassette")


def test_an_empty_object_is_not_stored(library: Library) -> None:
    with pytest.raises(StoreError, match="0 bytes"):
        library.put(b"", "cassette")


def test_a_linked_object_is_not_followed(library: Library, tmp_path: Path) -> None:
    name = library.put(b"data", "cassette")
    path = library.path(name, "cassette")
    path.rename(tmp_path / "outside")
    path.symlink_to(tmp_path / "outside")
    for act in (lambda: library.get(name, "cassette"), lambda: library.put(b"data", "cassette")):
        with pytest.raises(StoreError, match="symbolic link"):
            act()


def test_a_link_that_leads_nowhere_is_not_written_over(library: Library, tmp_path: Path) -> None:
    name = digest_bytes(b"data")
    path = library.path(name, "cassette")
    path.parent.mkdir(parents=True)
    path.symlink_to(tmp_path / "nowhere")
    with pytest.raises(StoreError, match="symbolic link"):
        library.put(b"data", "cassette")
    assert path.is_symlink()


@pytest.mark.parametrize("level", ["shard", "objects"])
def test_a_linked_folder_is_not_followed(library: Library, tmp_path: Path, level: str) -> None:
    name = library.put(b"data", "cassette")
    shard = library.path(name, "cassette").parent
    folder = shard if level == "shard" else shard.parent
    folder.rename(tmp_path / "outside")
    folder.symlink_to(tmp_path / "outside")
    acts: list[Callable[[], object]] = [
        lambda: library.get(name, "cassette"),
        lambda: library.restore(b"data", "cassette"),
        lambda: list(library.objects("cassette")),
    ]
    for act in acts:
        with pytest.raises(StoreError, match="symbolic link"):
            act()


def test_the_library_folder_itself_may_be_a_link(library: Library, tmp_path: Path) -> None:
    name = library.put(b"data", "cassette")
    (tmp_path / "link").symlink_to(library.root)
    assert Library(tmp_path / "link").get(name, "cassette") == b"data"


@pytest.mark.parametrize("make", [Path.mkdir, os.mkfifo], ids=["folder", "fifo"])
def test_what_is_no_regular_file_is_refused_at_once(library: Library, make: Callable[[Path], None]) -> None:
    name = digest_bytes(b"data")
    path = library.path(name, "cassette")
    path.parent.mkdir(parents=True)
    make(path)
    for act in (lambda: library.get(name, "cassette"), lambda: library.put(b"data", "cassette")):
        with pytest.raises(StoreError, match="not a regular file"):
            act()


@pytest.mark.parametrize(
    "name", ["", "../../etc/passwd", "f" * 63, "F" * 64, "f" * 63 + "\0", "ü" * 64, "f" * 65]
)
def test_a_hostile_object_name_is_refused(library: Library, name: str) -> None:
    for act in (library.path, library.get, library.has):
        with pytest.raises(UsageError):
            act(name, "cassette")
    with pytest.raises(UsageError):
        library.path(digest_bytes(b""), "../x")  # type: ignore[arg-type]


def test_objects_are_listed_sorted_by_kind_without_strays_and_temporaries(library: Library) -> None:
    names = sorted(library.put(b"%d" % n, "cassette") for n in range(20))
    run = library.put(b"run", "run")
    shard = library.path(names[0], "cassette").parent
    strays = [shard / "notes.txt", shard / f"{'0' * 64}.cassette.bak", library.root / "objects" / "README"]
    other = next(name for name in names if name[:2] != names[0][:2])
    strays.append(shard / f"{other}.cassette")
    for stray in strays:
        stray.write_text("x", encoding="utf-8")
    (shard / f".{names[0]}.cassette.1-0.tmp").write_text("x", encoding="utf-8")
    assert list(library.objects("cassette")) == names
    assert list(library.objects("run")) == [run]
    assert sorted(library.strays()) == sorted(strays)


def test_a_prefix_finds_the_one_object_it_begins(library: Library) -> None:
    name = library.put(b"data", "cassette")
    assert library.find(name[:4], "cassette") == library.find(name.upper(), "cassette") == name
    for prefix in (name[:3], "", "zzzz", "../..", name + "0", "0" * 64):
        with pytest.raises(UsageError):
            library.find(prefix, "cassette")
    with pytest.raises(UsageError, match="no run begins"):
        library.find(name[:8], "run")


def test_an_ambiguous_prefix_names_the_candidates(library: Library) -> None:
    twins = [Digest("abcd" + digit * 60) for digit in "12"]
    for name in twins:
        path = library.path(name, "run")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"x")
    with pytest.raises(UsageError, match="2 run objects") as caught:
        library.find("abcd", "run")
    assert all(name in caught.value.closest for name in twins)


@pytest.mark.parametrize(
    ("code", "text"),
    [
        (errno.ENOSPC, "the disk is full"),
        (errno.EDQUOT, "quota"),
        (errno.EIO, "input/output"),
        (errno.EROFS, "read-only"),
        (errno.EACCES, "permission denied"),
    ],
)
@pytest.mark.parametrize("call", ["write", "fsync", "replace"])
def test_a_failing_disk_is_an_error_that_says_so_and_leaves_nothing_behind(
    library: Library, monkeypatch: pytest.MonkeyPatch, call: str, code: int, text: str
) -> None:
    kept = library.put(b"before", "cassette")

    def fail(*_: object) -> None:
        raise OSError(code, "injected")

    with monkeypatch.context() as patch:
        patch.setattr(Path if call == "replace" else os, call, fail)
        with pytest.raises(StoreError, match=text) as caught:
            library.put(b"data", "cassette")
    assert caught.value.where.endswith(".cassette")
    assert caught.value.fix
    assert temporaries(library.root) == []
    assert list(library.objects("cassette")) == [kept]
    library.put(b"data", "cassette")


def test_a_full_disk_loses_nothing_and_recording_goes_on_when_there_is_room(small_disk: Path) -> None:
    library = Library(small_disk / "lib")
    names = []
    with pytest.raises(StoreError, match="the disk is full"):  # noqa: PT012 - which put fails is the disk's affair
        for n in range(100):
            names.append(library.put(b"%d" % n * 9000, "cassette"))  # noqa: PERF401 - what came before counts
    assert len(names) > 3
    assert temporaries(small_disk) == []
    assert list(library.objects("cassette")) == sorted(names)
    assert all(digest_bytes(library.get(name, "cassette")) == name for name in names)
    library.path(names[0], "cassette").unlink()
    library.path(names[1], "cassette").unlink()
    library.put(b"%d" % len(names) * 4000, "cassette")


def test_a_read_only_library_is_read_and_refuses_writing(
    library: Library, freeze: Callable[[Path], None]
) -> None:
    name = library.put(b"data", "cassette")
    freeze(library.root)
    assert library.get(name, "cassette") == b"data"
    assert library.put(b"data", "cassette") == name
    for act in (lambda: library.put(b"more", "cassette"), lambda: library.lock("demo").__enter__()):
        with pytest.raises(StoreError, match="read-only"):
            act()


def test_without_permission_reading_and_writing_name_the_file(library: Library) -> None:
    if os.geteuid() == 0:
        pytest.skip("root may do everything: permissions don't bind. NOT TESTED as root.")
    name = library.put(b"data", "cassette")
    path = library.path(name, "cassette")
    path.chmod(0)
    with pytest.raises(StoreError, match="permission denied") as caught:
        library.get(name, "cassette")
    assert str(path) in str(caught.value)


def test_threads_that_write_the_same_objects_agree(library: Library) -> None:
    failures: list[BaseException] = []

    def work() -> None:
        try:
            for n in range(15):
                library.put(b"%d" % n * 500, "cassette")
        except BaseException as error:  # noqa: BLE001 - handed to the test
            failures.append(error)

    threads = [threading.Thread(target=work) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert len(list(library.objects("cassette"))) == 15
    assert temporaries(library.root) == []


PUTS = """
import sys
from pathlib import Path
from replaylab.store.library import Library
library = Library(Path(sys.argv[1]))
print("ready", flush=True)
sys.stdin.readline()
for n in range(int(sys.argv[2])):
    print(library.put(b"%d." % n * 3000, "cassette"), flush=True)
"""


def test_two_processes_that_write_the_same_objects_agree(library: Library, child: Child) -> None:
    pair = [child(PUTS, str(library.root), "60") for _ in range(2)]
    for process in pair:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
    outputs = [process.communicate("go\n") for process in pair]
    assert [process.returncode for process in pair] == [0, 0], outputs
    names = outputs[0][0].split()
    assert outputs[1][0].split() == names
    assert list(library.objects("cassette")) == sorted(names)
    assert temporaries(library.root) == []


def test_kill_in_the_middle_of_puts_leaves_whole_objects_and_the_next_writer_cleans_up(
    library: Library, child: Child
) -> None:
    for after in (1, 4, 11, 23):
        shutil.rmtree(library.root, ignore_errors=True)
        process = child(PUTS, str(library.root), "100000")
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write("go\n")
        process.stdin.flush()
        process.stdout.readline()
        told = [process.stdout.readline().strip() for _ in range(after)]
        process.kill()
        told += [line.strip() for line in process.stdout if len(line) == 65]
        stored = list(library.objects("cassette"))
        assert set(told) <= set(stored)
        assert len(stored) <= len(told) + 1
        for name in stored:
            library.get(name, "cassette")
        with library.lock("demo"):
            assert temporaries(library.root) == []


def test_a_temporary_file_that_a_writer_holds_is_left_alone(library: Library) -> None:
    path = library.path(library.put(b"data", "cassette"), "cassette")
    dead = path.with_name(".dead.cassette.1-0.tmp")
    dead.write_bytes(b"half")
    fd, live = disk._open_temporary(path)
    try:
        with library.lock("demo"):
            assert temporaries(library.root) == [live]
    finally:
        os.close(fd)
    with library.lock("demo"):
        assert temporaries(library.root) == []


def test_a_writer_starts_over_when_its_temporary_file_is_cleaned_away_before_it_is_locked(
    library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = disk.lock_file
    calls: list[int] = []

    def lock_file(fd: int, *, wait: bool) -> bool | None:
        if not calls:
            [created] = temporaries(library.root)
            created.unlink()
        calls.append(fd)
        return real(fd, wait=wait)

    monkeypatch.setattr(disk, "lock_file", lock_file)
    name = library.put(b"data", "cassette")
    assert len(calls) == 2
    assert library.get(name, "cassette") == b"data"


def test_a_folder_that_nobody_may_look_into_is_told_from_a_missing_object(
    library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = library.put(b"some bytes", "cassette")

    def refuse(path: Path, **_: object) -> os.stat_result:
        raise PermissionError(errno.EACCES, "Permission denied", str(path))

    with monkeypatch.context() as patched:
        patched.setattr(Path, "stat", refuse)
        with pytest.raises(StoreError, match="permission denied"):
            library.has(name, "cassette")
    assert library.has(name, "cassette")
