"""A disk that fills up in the middle of a recording."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.e2e.far import Bench, ended, far_server
from tests.e2e.killing import JOBS, Accounts, check_sound, undisturbed

OPTIONS = (
    "--run",
    "k",
    "--jobs",
    str(JOBS),
    "--task",
    "ed-sepsis-room,oncall-database-handover",
    "--votes",
    "2",
)
Resize = Callable[[str], None]


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[tuple[Path, Resize]]:
    """A file system of 64 KiB, and how to give it another size."""
    folder = tmp_path / "disk"
    folder.mkdir()

    def mount(options: str) -> str:
        done = subprocess.run(
            ["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(folder)],
            capture_output=True,
            text=True,
            check=False,
        )
        return done.stderr.strip() if done.returncode else ""

    def resize(size: str) -> None:
        assert mount(f"remount,size={size}") == ""

    refused = mount("size=64k")
    if refused:
        pytest.skip(f"mounting is not permitted here: {refused}. NOT TESTED.")
    try:
        yield folder, resize
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=True)


def test_a_full_disk_ends_with_4_and_what_was_answered_is_kept(
    tmp_path: Path, disk: tuple[Path, Resize]
) -> None:
    folder, resize = disk
    with far_server() as server:
        needed, expected = undisturbed(Bench(tmp_path / "undisturbed", server, OPTIONS))
        bench = Bench(tmp_path / "full", server, OPTIONS)
        bench.library = folder / "library"
        accounts, codes = Accounts(bench, needed), []
        for size in (72, 88, 104, 120):  # KiB; each is full at another step
            resize(f"{size}k")
            done = ended(bench.record())
            codes.append(done.code)
            if done.code == 4:
                assert "the disk is full" in done.err
                assert str(folder) in done.err
                assert "free some space and run the command again" in done.err
            accounts.close_session()
        assert codes[:2] == [4, 4]
        resize("64m")
        assert ended(bench.record()).code == 0
        accounts.close_session()
        assert accounts.lost[-1] == 0
        check_sound(bench, expected)
