"""The order in which a file reaches the disk."""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from replaylab.errors import StoreError
from replaylab.store import disk


def test_bytes_are_synced_before_the_rename_and_the_folder_after_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    events: list[str] = []

    def spy(name: str, owner: Any) -> None:
        real: Callable[..., Any] = getattr(owner, name)

        def call(*arguments: Any) -> Any:
            folder = f" {arguments[0].name}" if name == "sync_folder" else ""
            result = real(*arguments)
            events.append(name + folder)
            return result

        monkeypatch.setattr(owner, name, call)

    for name, owner in (("write", os), ("fsync", os), ("replace", Path), ("sync_folder", disk)):
        spy(name, owner)
    disk.write_file(tmp_path / "new" / "deep" / "file", b"data")
    made = ["fsync", f"sync_folder {tmp_path.name}", "fsync", "sync_folder new"]
    assert events == [*made, "write", "fsync", "replace", "fsync", "sync_folder deep"]


def test_a_file_is_replaced_in_one_step(tmp_path: Path) -> None:
    path = tmp_path / "file"
    disk.write_file(path, b"old")
    with path.open("rb") as reader:
        disk.write_file(path, b"new and longer")
        assert reader.read() == b"old"
    assert path.read_bytes() == b"new and longer"
    assert [one.name for one in tmp_path.iterdir()] == ["file"]


def test_a_temporary_name_that_is_taken_is_left_to_its_owner(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    taken = tmp_path / f".file.{os.getpid()}-0.tmp"
    taken.write_bytes(b"another's")
    monkeypatch.setattr(disk, "_count", itertools.count())
    disk.write_file(tmp_path / "file", b"data")
    assert taken.read_bytes() == b"another's"
    assert (tmp_path / "file").read_bytes() == b"data"


def test_an_unknown_failure_still_names_the_file_and_the_reason(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"")
    with pytest.raises(StoreError) as caught:
        disk.write_file(path / "below", b"x")
    assert "below" in str(caught.value)
    assert "ENO" not in caught.value.what
    assert any(
        why in caught.value.what for why in ("is a file and not a folder", "something else has that name")
    )


def test_a_folder_that_is_missing_has_no_names_and_one_that_cannot_be_listed_is_an_error(
    tmp_path: Path,
) -> None:
    assert disk.list_names(tmp_path / "none") == []
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(StoreError, match="could not list file"):
        disk.list_names(tmp_path / "file")
