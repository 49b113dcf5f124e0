from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import tracemalloc
from pathlib import Path

import pytest

from replaylab.cassette.stored import open_cassette
from replaylab.engine.verify import verify
from replaylab.errors import StoreError
from replaylab.interop.pack.packed import open_packed
from replaylab.interop.pack.readme import Told
from replaylab.interop.pack.unpack import unpack
from replaylab.interop.pack.write import pack
from replaylab.store.library import Library
from tests.conftest import REPO
from tests.interop.pack.forging import opened


def test_the_same_run_gives_the_same_bytes_from_any_place(
    file: Path, library: Library, tmp_path: Path
) -> None:
    run_id = library.run("study")[0]
    for path in library.root.rglob("*"):
        os.utime(path, (1, 1))
        path.chmod(0o700)
    (library.root / "index.db").unlink(missing_ok=True)
    again = pack(library, run_id, tmp_path / "again.tar")
    assert again.file.read_bytes() == file.read_bytes()
    there = unpack(file, tmp_path / "there").folder
    assert pack(Library(there), run_id, tmp_path / "third.tar").file.read_bytes() == file.read_bytes()


@pytest.mark.parametrize("zone", ["Asia/Kathmandu", "UTC"])
def test_time_zone_locale_and_hash_seed_take_no_part(
    zone: str, file: Path, library: Library, tmp_path: Path
) -> None:
    out = tmp_path / "out.tar"
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "replaylab",
            "--library",
            str(library.root),
            "pack",
            "study",
            "--out",
            str(out),
        ],
        cwd=tmp_path,
        env={
            **os.environ,
            "PYTHONPATH": os.pathsep.join([str(REPO), os.environ.get("PYTHONPATH", "")]),
            "TZ": zone,
            "LC_ALL": "C",
            "PYTHONHASHSEED": str(len(zone)),
        },
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert out.read_bytes() == file.read_bytes()


def test_what_it_says_of_the_file_is_so(library: Library, tmp_path: Path) -> None:
    packed = pack(library, library.run("study")[0], tmp_path / "a.tar")
    said = subprocess.run(["sha256sum", str(packed.file)], capture_output=True, text=True, check=True)
    top, members = opened(packed.file)
    assert said.stdout.split()[0] == packed.digest
    assert packed.file.stat().st_size == packed.size
    assert len(members) == packed.members == 6
    assert list(members) == sorted(members)
    assert top == f"study-{packed.contents.run_id[:12]}"


def test_a_damaged_cassette_is_not_packed(library: Library, tmp_path: Path) -> None:
    path = next(library.root.glob("objects/*/*.cassette"))
    path.chmod(0o644)
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(StoreError, match="damaged"):
        pack(library, library.run("study")[0], tmp_path / "a.tar")
    assert not list(tmp_path.glob("*.tar"))
    assert not list(tmp_path.glob(".*"))


def test_a_missing_cassette_is_not_left_out_in_silence(library: Library, tmp_path: Path) -> None:
    next(library.root.glob("objects/*/*.cassette")).unlink()
    with pytest.raises(StoreError, match="names a cassette that is not here"):
        pack(library, library.run("study")[0], tmp_path / "a.tar")


def test_an_old_file_stays_when_packing_fails(library: Library, tmp_path: Path) -> None:
    (tmp_path / "a.tar").write_bytes(b"old")
    path = next(library.root.glob("objects/*/*.cassette"))
    path.chmod(0o644)
    path.write_bytes(b"damage")
    with pytest.raises(StoreError):
        pack(library, library.run("study")[0], tmp_path / "a.tar")
    assert (tmp_path / "a.tar").read_bytes() == b"old"


def test_one_object_at_a_time_is_held(
    library: Library, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of a run with large cassettes, packing takes the memory of a few of them and not of all."""
    from replaylab.interop.pack import write

    class Large:
        header = seal = None

        def __init__(self, data: bytes, **_: object) -> None: ...

    size, number = 4 << 20, 16
    monkeypatch.setattr(write, "Cassette", Large)
    monkeypatch.setattr(Told, "cassette", lambda *_: None)
    run_id, run = library.run("study")
    tries = []
    for at in range(number):
        name = library.put(bytes([at]) * size, "cassette")
        tries.append(run.ledger[0].tries[0].model_copy(update={"cassette": name}))
    entry = run.ledger[0].model_copy(update={"tries": (*run.ledger[0].tries, *tries)})
    run_id = library.put_run(run.model_copy(update={"ledger": (entry, *run.ledger[1:])}))
    tracemalloc.start()
    try:
        packed = pack(library, run_id, tmp_path / "large.tar")
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert packed.size > size * number
    assert peak < size * 5


def test_killed_while_it_packs_the_old_file_stays_and_again_it_works(
    library: Library, file: Path, tmp_path: Path
) -> None:
    out = tmp_path / "a.tar"
    out.write_bytes(b"old")
    code = f"""
import os, signal
from pathlib import Path
from replaylab.interop.pack import write
from replaylab.store.library import Library
library = Library(Path({str(library.root)!r}))
written = write.disk.write_all
def dying(fd, data):
    written(fd, data[: len(data) // 2])
    os.kill(os.getpid(), signal.SIGKILL)
write.disk.write_all = dying
write.pack(library, library.run("study")[0], Path({str(out)!r}))
"""
    done = subprocess.run([sys.executable, "-c", code], cwd=REPO, capture_output=True, check=False)
    assert done.returncode == -signal.SIGKILL, done.stderr
    assert out.read_bytes() == b"old"
    assert list(tmp_path.glob(".*"))
    assert pack(library, library.run("study")[0], out).file.read_bytes() == file.read_bytes()
    assert not list(tmp_path.glob(".*"))


def test_a_redacted_pack_holds_no_word_of_what_was_said(library: Library, tmp_path: Path) -> None:
    run_id = library.run("study")[0]
    packed = pack(library, run_id, tmp_path / "r.tar", redact=True)
    data = packed.file.read_bytes()
    for name in library.objects("cassette"):
        cassette = open_cassette(library, name)
        for rows in cassette.lanes.values():
            for row in rows:
                answer = row.final.text or ""
                assert len(answer) > 40
                assert answer.encode()[10:60] not in data
    seen = verify(open_packed(packed.file)[0])
    assert (seen.findings, len(seen.gone), seen.cassettes) == ([], 2, 0)


def test_packing_a_redacted_library_gives_the_redacted_pack(library: Library, tmp_path: Path) -> None:
    run_id = library.run("study")[0]
    packed = pack(library, run_id, tmp_path / "r.tar", redact=True)
    there = Library(unpack(packed.file, tmp_path / "there").folder)
    for redact in (True, False):
        again = pack(there, run_id, tmp_path / "again.tar", redact=redact)
        assert again.file.read_bytes() == packed.file.read_bytes()


def test_a_redacted_library_becomes_whole_by_merging(library: Library, tmp_path: Path) -> None:
    from replaylab.engine.merge import merge

    run_id = library.run("study")[0]
    packed = pack(library, run_id, tmp_path / "r.tar", redact=True)
    there = Library(unpack(packed.file, tmp_path / "there").folder)
    merged = merge(there, [library], "2026-01-01T00:00:00Z")
    assert (merged.conflicts, there.all_gone(), list(there.tombstones.names())) == ((), {}, [])
    assert verify(there).findings == []
    shutil.rmtree(there.root / "journal", ignore_errors=True)
    assert list(there.objects("cassette")) == list(library.objects("cassette"))
