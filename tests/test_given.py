"""Reading files that a user names."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from replaylab.given import open_given, read_given


def test_a_file_is_read_whole(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"abc\r\n")
    assert read_given(path) == b"abc\r\n"
    assert read_given(path, 5) == b"abc\r\n"
    with open_given(path) as file:
        assert file.readline() == b"abc\r\n"


def test_what_is_too_large_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"abc")
    with pytest.raises(OSError, match=r"^it is larger than 2 bytes$"):
        read_given(path, 2)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs pipes with names")
def test_what_is_no_regular_file_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "pipe", Path("/dev/zero")):
        with pytest.raises(OSError, match=r"^it is not a regular file$") as caught:
            read_given(path)
        assert caught.value.strerror == "it is not a regular file"


def test_what_is_not_there_is_said_as_ever(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        read_given(tmp_path / "a")
