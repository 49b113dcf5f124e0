"""Files of users: whole or as they were."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from replaylab.cli.written import write_whole
from replaylab.errors import StoreError


def test_a_disk_that_is_full_leaves_the_old_file_and_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "page.html"
    path.write_bytes(b"old")

    def full(fd: int, data: object) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "write", full)
    with pytest.raises(StoreError, match="the disk is full") as caught:
        write_whole(path, b"new")
    assert caught.value.where == str(path)
    assert path.read_bytes() == b"old"
    assert [one.name for one in tmp_path.iterdir()] == ["page.html"]


def test_a_link_is_followed_and_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("file")
    write_whole(tmp_path / "link", b"new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "file").read_bytes() == b"new"


def test_a_device_is_written_to_and_not_replaced() -> None:
    write_whole(Path(os.devnull), b"new")
    assert Path(os.devnull).is_char_device()


def test_a_folder_is_an_error_that_names_it(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="it is a folder"):
        write_whole(tmp_path, b"new")
