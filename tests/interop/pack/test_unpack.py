from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import tarfile
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from replaylab.engine.replay import replay_run
from replaylab.engine.verify import verify
from replaylab.errors import StoreError, UsageError
from replaylab.interop.pack import names, read
from replaylab.interop.pack.packed import open_packed
from replaylab.interop.pack.tarball import END, header
from replaylab.interop.pack.unpack import unpack
from replaylab.store.library import Library
from tests.conftest import REPO
from tests.interop.pack.forging import (
    Members,
    changed,
    checksummed,
    member,
    opened,
    special,
    summed,
    tar,
    written_by_tarfile,
)

Forge = Callable[[str, Members], bytes]


def tree(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def first(members: Members, suffix: str = ".cassette") -> str:
    return next(path for path in members if path.endswith(suffix))


def test_an_unpacked_pack_is_a_library_that_verifies_and_replays(file: Path, tmp_path: Path) -> None:
    done = unpack(file, tmp_path / "new")
    library = Library(tmp_path / "new")
    assert (done.fresh, library.refs()) == (True, {"study": done.run_id})
    assert verify(library).findings == []
    assert replay_run(library, library.run("study")[1]).outcome == library.run("study")[1].outcome
    done_by_sums = subprocess.run(
        ["sha256sum", "--check", "--strict", "--quiet", "SHA256SUMS"], cwd=done.folder, check=False
    )
    assert done_by_sums.returncode == 0


def test_what_tar_unpacks_is_the_same_folder(file: Path, tmp_path: Path) -> None:
    done = unpack(file, tmp_path / "ours")
    said = subprocess.run(["tar", "xf", str(file)], cwd=tmp_path, capture_output=True, check=True)
    assert said.stderr == b""
    assert tree(tmp_path / done.read.top) == tree(tmp_path / "ours")


def test_unpacking_again_changes_nothing_and_an_empty_folder_will_do(file: Path, tmp_path: Path) -> None:
    (tmp_path / "new").mkdir()
    assert unpack(file, tmp_path / "new").fresh
    before = tree(tmp_path / "new")
    assert not unpack(file, tmp_path / "new").fresh
    assert tree(tmp_path / "new") == before


@pytest.mark.parametrize("case", ["changed", "missing", "another file", "link inside", "a file", "a link"])
def test_a_target_that_holds_anything_else_is_left_alone(case: str, file: Path, tmp_path: Path) -> None:
    into = tmp_path / "new"
    if case == "a file":
        into.write_text("mine")
    elif case == "a link":
        (tmp_path / "elsewhere").mkdir()
        into.symlink_to(tmp_path / "elsewhere")
    elif case == "another file":
        into.mkdir()
        (into / "mine").write_text("mine")
    else:
        unpack(file, into)
        victim = next(into.glob("objects/*/*.cassette"))
        victim.unlink()
        if case == "changed":
            victim.write_bytes(b"else")
        elif case == "link inside":
            shutil.copy(next(Path(file.parent).iterdir()), tmp_path / "copy")
            victim.symlink_to(tmp_path / "copy")
    before = tree(tmp_path)
    with pytest.raises(UsageError):
        unpack(file, into)
    assert tree(tmp_path) == before
    assert not list(tmp_path.glob(".*"))


def rebuilt(change: Callable[[Members], object]) -> Forge:
    """A pack whose content was changed and whose SHA256SUMS fits."""

    def forge(top: str, members: Members) -> bytes:
        change(members)
        return tar(top, summed(members))

    return forge


def inserted(block: bytes) -> Forge:
    """A sound pack with a header of another kind in front of its first object."""

    def forge(top: str, members: Members) -> bytes:
        parts = [member(f"{top}/{path}", data) for path, data in members.items()]
        return b"".join([*parts[:2], block, *parts[2:]]) + END

    return forge


def in_place(change: Callable[[bytes], bytes]) -> Forge:
    """A sound pack whose first object has another header."""

    def forge(top: str, members: Members) -> bytes:
        parts = [member(f"{top}/{path}", data) for path, data in members.items()]
        parts[2] = change(parts[2][:512]) + parts[2][512:]
        return b"".join(parts) + END

    return forge


def swapped_content(top: str, members: Members) -> bytes:
    path = first(members)
    members[path] = members[path][:-1] + bytes([members[path][-1] ^ 1])
    return tar(top, members)


def twice(path_of: Callable[[Members], str]) -> Forge:
    def forge(top: str, members: Members) -> bytes:
        path = path_of(members)
        at = list(members).index(path)
        pairs = list(members.items())
        return tar(top, [*pairs[: at + 1], pairs[at], *pairs[at + 1 :]])

    return forge


def other_case(top: str, members: Members) -> bytes:
    """Two names that are one file where the file system does not tell cases apart."""
    path = first(members)
    upper = path.rpartition("/")[0] + "/" + path.rpartition("/")[2].upper().replace(".CASSETTE", ".cassette")
    return tar(top, summed(members | {upper: members[path]}))


def unsorted(top: str, members: Members) -> bytes:
    return tar(top, dict(reversed(summed(members).items())))


def dropped(members: Members) -> None:
    del members[first(members)]


def unlisted(top: str, members: Members) -> bytes:
    data = b"a stranger"
    digest = "00" + "1" * 62
    return tar(top, dict(sorted((members | {f"objects/00/{digest}.cassette": data}).items())))


def missing(top: str, members: Members) -> bytes:
    del members[first(members)]
    return tar(top, members)


def stranger(members: Members) -> None:
    """Sound in itself, and of no run in the pack."""
    import hashlib

    data = b"a stranger"
    digest = hashlib.sha256(data).hexdigest()
    members[f"objects/{digest[:2]}/{digest}.cassette"] = data


def second_ref(members: Members) -> None:
    members["runs/zz"] = next(data for path, data in members.items() if path.startswith("runs/"))


def dangling_ref(members: Members) -> None:
    members["runs/study"] = b"0" * 64 + b"\n"


def bad_ref(members: Members) -> None:
    members["runs/study"] = b"nothing"


def other_name(top: str, members: Members) -> bytes:
    members["runs/other"] = members.pop("runs/study")
    return tar("other" + top.removeprefix("study"), summed(members))


def bad_run(members: Members) -> None:
    """A run object that is no run, under the name that its bytes have."""
    import hashlib

    del members[first(members, ".run")]
    digest = hashlib.sha256(b"{}\n").hexdigest()
    members[f"objects/{digest[:2]}/{digest}.run"] = b"{}\n"
    members["runs/study"] = digest.encode() + b"\n"


def renamed(path: str) -> Forge:
    def forge(top: str, members: Members) -> bytes:
        return tar(top, sorted([*summed(members).items(), (path, b"x")]))

    return forge


def path_of(name: str) -> Callable[[bytes], bytes]:
    def change(block: bytes) -> bytes:
        folder, _, last = name.encode().rpartition(b"/")
        return checksummed(last.ljust(100, b"\0") + block[100:345] + folder.ljust(155, b"\0") + block[500:])

    return change


HOSTILE: dict[str, tuple[Forge, str]] = {
    "absolute path": (in_place(path_of("/etc/cron.d/evil")), "absolute"),
    "dot dot": (in_place(path_of("study/../../evil")), r"leads out of the folder"),
    "dot dot in one field": (
        in_place(lambda block: changed(block, 0, b"study/../../../evil".ljust(100, b"\0"))),
        "not written as packs",
    ),
    "dot dot in the top": (in_place(path_of("../evil")), r"leads out of the folder"),
    "dot": (in_place(path_of("./x")), "not all stand in one folder"),
    "backslash": (renamed("objects\\00\\x"), "name that no pack holds"),
    "a drive": (renamed("C:evil"), "name that no pack holds"),
    "a device name": (renamed("runs/nul"), "name that no pack holds"),
    "a hidden file": (renamed("runs/.bashrc"), "name that no pack holds"),
    "a git folder": (renamed(".git/hooks/pre-commit"), "name that no pack holds|not in order"),
    "a newline in a name": (renamed("runs/a\nb"), "name that no pack holds"),
    "an index": (renamed("index.db"), "name that no pack holds"),
    "a journal": (renamed("journal/study/x.frames"), "name that no pack holds"),
    "two folders": (lambda top, m: tar(top, m, b"") + tar("zz", m), "not all stand in one folder"),
    "symbolic link": (inserted(special("study/x", tarfile.SYMTYPE, "/etc/passwd")), "symbolic link"),
    "hard link": (inserted(special("study/x", tarfile.LNKTYPE, "/etc/passwd")), "hard link"),
    "character device": (inserted(special("study/x", tarfile.CHRTYPE)), "device"),
    "block device": (inserted(special("study/x", tarfile.BLKTYPE)), "device"),
    "pipe": (inserted(special("study/x", tarfile.FIFOTYPE)), "pipe"),
    "folder": (inserted(special("study/x", tarfile.DIRTYPE)), "folder"),
    "sparse": (inserted(special("study/x", tarfile.GNUTYPE_SPARSE)), "sparse|no ustar"),
    "PAX name": (inserted(special("study/x", tarfile.XHDTYPE)), "PAX"),
    "global PAX": (inserted(special("study/x", tarfile.XGLTYPE)), "PAX"),
    "GNU long name": (inserted(special("study/x", tarfile.GNUTYPE_LONGNAME)), "GNU"),
    "GNU long link": (inserted(special("study/x", tarfile.GNUTYPE_LONGLINK)), "GNU"),
    "contiguous": (inserted(special("study/x", tarfile.CONTTYPE)), "kind of file"),
    "old regular": (in_place(lambda block: changed(block, 156, b"\0")), "unknown kind"),
    "setuid": (in_place(lambda block: changed(block, 100, b"0004755\0")), "not written as packs"),
    "owner": (in_place(lambda block: changed(block, 108, b"0001750\0")), "not written as packs"),
    "time": (in_place(lambda block: changed(block, 136, b"17777777777\0")), "not written as packs"),
    "link name": (in_place(lambda block: changed(block, 157, b"/etc/passwd")), "not written as packs"),
    "bytes after a name": (in_place(lambda block: changed(block, 95, b"x")), "not written as packs"),
    "base-256 size": (in_place(lambda block: changed(block, 124, b"\x80" + b"\0" * 11)), "size is not"),
    "negative size": (in_place(lambda block: changed(block, 124, b"\xff" * 12)), "size is not"),
    "10 GB": (in_place(lambda block: changed(block, 124, b"77777777777\0")), "declares 8589934591 bytes"),
    "checksum": (in_place(lambda block: block[:148] + b"000001\0 " + block[156:]), "checksum"),
    "bytes changed": (swapped_content, "SHA-256"),
    "listed, with a wrong name": (
        rebuilt(lambda m: m.update({first(m): b"else"})),
        "its name says another",
    ),
    "twice": (twice(first), "twice"),
    "README twice": (twice(lambda m: "README.md"), "twice"),
    "sums twice": (twice(lambda m: "SHA256SUMS"), "twice"),
    "other case": (other_case, "no pack holds"),
    "unsorted": (unsorted, "not in order|not listed"),
    "unlisted": (unlisted, "not listed"),
    "listed and missing": (missing, "is missing"),
    "README missing": (lambda top, m: tar(top, {k: v for k, v in m.items() if k != "README.md"}), "missing"),
    "sums missing": (lambda top, m: tar(top, {k: v for k, v in m.items() if k != "SHA256SUMS"}), "listed"),
    "sums with dot dot": (
        lambda top, m: tar(top, m | {"SHA256SUMS": b"0" * 64 + b"  ../evil\n"}),
        "lists '../evil'",
    ),
    "sums in binary mode": (
        lambda top, m: tar(top, m | {"SHA256SUMS": m["SHA256SUMS"].replace(b"  ", b" *")}),
        "has the line",
    ),
    "README changed": (lambda top, m: tar(top, m | {"README.md": b"trust me"}), "SHA-256"),
    "a cassette of the run left out": (rebuilt(dropped), "not here"),
    "a cassette of no run": (rebuilt(stranger), "does not name"),
    "two references": (rebuilt(second_ref), "2 references"),
    "no reference": (rebuilt(lambda m: m.pop("runs/study")), "0 references"),
    "a reference to nothing": (rebuilt(dangling_ref), "no run object"),
    "a reference that is none": (rebuilt(bad_ref), "1 to 65|one run id"),
    "another name": (other_name, "its reference is called"),
    "another folder": (lambda top, m: tar("elsewhere", m), "its folder"),
    "no run": (rebuilt(bad_run), "format"),
    "an empty member": (rebuilt(lambda m: m.update({"README.md": b""})), "has 0 bytes"),
    "a large README": (rebuilt(lambda m: m.update({"README.md": b"x" * (1 << 21)})), "1 to 1048576"),
    "cut in a header": (lambda top, m: tar(top, m)[:100], "cut short"),
    "cut in a member": (lambda top, m: tar(top, m)[: len(tar(top, m)) // 2], "cut short|declares"),
    "without an end": (lambda top, m: tar(top, m, b""), "cut short"),
    "half an end": (lambda top, m: tar(top, m, END[:512]), "cut short"),
    "bytes behind the end": (lambda top, m: tar(top, m) + b"x", "follows its end"),
    "a second archive": (lambda top, m: tar(top, m) + tar(top, m), "follows its end"),
    "zeros behind the end": (lambda top, m: tar(top, m) + END, "follows its end"),
    "hidden in the padding": (
        lambda top, m: tar(top, m).replace(m["README.md"] + b"\0", m["README.md"] + b"x", 1),
        "hidden",
    ),
    "empty": (lambda top, m: b"", "cut short"),
    "no members": (lambda top, m: END, "missing"),
    "compressed": (lambda top, m: b"\x28\xb5\x2f\xfd" + b"\0" * 2000, "no ustar"),
    "by tarfile, PAX": (lambda top, m: written_by_tarfile(top, m, tarfile.PAX_FORMAT, mtime=1.5), "PAX"),
    "by tarfile, GNU": (lambda top, m: written_by_tarfile(top, m, tarfile.GNU_FORMAT), "no ustar"),
}


@pytest.mark.parametrize("case", HOSTILE)
def test_a_hostile_pack_is_refused_and_leaves_nothing(case: str, file: Path, tmp_path: Path) -> None:
    forge, said = HOSTILE[case]
    top, members = opened(file)
    file.write_bytes(forge(top, members))
    before = tree(tmp_path)
    with pytest.raises(StoreError, match=said) as caught:
        unpack(file, tmp_path / "deep" / "new")
    assert caught.value.where
    with pytest.raises(StoreError, match=said):
        open_packed(file)
    assert tree(tmp_path) == before
    assert not list(tmp_path.rglob(".*"))
    assert not (tmp_path / "deep" / "new").exists()


def test_forging_without_a_change_gives_the_same_bytes(file: Path) -> None:
    """Else the cases above could be refused for what the forger does to all of them."""
    top, members = opened(file)
    assert tar(top, summed(members)) == file.read_bytes()


def test_a_bomb_is_refused_before_it_is_read(file: Path, tmp_path: Path) -> None:
    """10 GB of zeros that the disk does not hold, declared rightly."""
    top, members = opened(file)
    path = first(members)
    with file.open("wb") as out:
        out.write(tar(top, {name: members[name] for name in ("README.md", "SHA256SUMS")}, b""))
        out.write(changed(header(f"{top}/{path}", 1), 124, b"%011o\0" % ((1 << 33) - 1)))
        out.truncate(10 << 30)
    begun = time.monotonic()
    with pytest.raises(StoreError, match="a member has 8589934591 bytes; 1 to"):
        unpack(file, tmp_path / "new")
    assert time.monotonic() - begun < 2


def test_too_many_members_are_refused_by_the_list_alone(
    file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    top, members = opened(file)
    lines = "".join(f"{'0' * 64}  objects/00/{number:064x}.cassette\n" for number in range(1_000_000))
    file.write_bytes(tar(top, {"README.md": b"x", "SHA256SUMS": lines.encode()}))
    with pytest.raises(StoreError, match="1 to 67108864"):
        unpack(file, tmp_path / "new")
    short = lines[: 200 * (names.MAX_MEMBERS + 2)].rpartition("\n")[0][: 1 << 26].rpartition("\n")[0] + "\n"
    file.write_bytes(tar(top, {"README.md": b"x", "SHA256SUMS": short.encode()}))
    with pytest.raises(StoreError, match="more than 250000"):
        unpack(file, tmp_path / "new")
    monkeypatch.setattr(read, "MAX_MEMBERS", 3)
    file.write_bytes(tar(top, members))
    with pytest.raises(StoreError, match="more than 3 members"):
        unpack(file, tmp_path / "new")


def test_a_file_that_is_no_pack_or_not_there_is_wrong_usage(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for name in ("nothing.tar", "pipe", "."):
        with pytest.raises((UsageError, StoreError)):
            unpack(tmp_path / name, tmp_path / "new")
    assert not (tmp_path / "new").exists()


@pytest.mark.parametrize("wait", [0.0, 0.02, 0.05, 0.1, 0.2])
def test_killed_while_it_unpacks_the_target_is_not_there_and_again_it_works(
    wait: float, file: Path, tmp_path: Path
) -> None:
    into = tmp_path / "new"
    code = f"""
import sys, time
from pathlib import Path
from replaylab.interop.pack import unpack as module
print("go", flush=True)
module.unpack(Path({str(file)!r}), Path({str(into)!r}), lambda done, all_: time.sleep(0.05))
"""
    child = subprocess.Popen([sys.executable, "-c", code], cwd=REPO, stdout=subprocess.PIPE)
    assert child.stdout is not None
    child.stdout.readline()
    time.sleep(wait)
    child.send_signal(signal.SIGKILL)
    child.wait()
    child.stdout.close()
    assert not into.exists()
    assert unpack(file, into).fresh
    assert verify(Library(into)).findings == []
    assert not list(tmp_path.glob(".new.*")), "what the killed one left is removed"


def test_the_folder_of_a_living_unpack_is_left_alone(file: Path, tmp_path: Path) -> None:
    import fcntl

    living = tmp_path / ".new.1-0.unpacking"
    living.mkdir()
    fd = os.open(living, os.O_RDONLY)
    fcntl.flock(fd, fcntl.LOCK_EX)
    try:
        unpack(file, tmp_path / "new")
        assert living.is_dir()
    finally:
        os.close(fd)
