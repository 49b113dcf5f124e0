"""ZIP files that nobody vouches for: damage and tricks are refused before anything grows."""

from __future__ import annotations

import zipfile
import zlib
from pathlib import Path

import pytest
import zstandard

from replaylab.interop.inspect import archive as archives
from replaylab.interop.inspect.archive import Archive
from replaylab.interop.transcript.lines import Wrong
from tests.interop.inspect.made import packed, packed_by_hand


def opened(path: Path) -> Archive:
    return Archive(path)


def refused(path: Path, name: str | None = None) -> str:
    with pytest.raises(Wrong) as caught:
        read(path, name)
    return caught.value.problems[0][1]


def read(path: Path, name: str | None) -> bytes:
    archive = opened(path)
    try:
        return archive.read(name or archive.names()[0])
    finally:
        archive.close()


@pytest.mark.parametrize("method", [0, 8, 93])
def test_a_member_comes_back_as_it_was(tmp_path: Path, method: int) -> None:
    pack = packed_by_hand if method == 93 else packed
    archive = opened(pack(tmp_path / "a.zip", {"x": b"words " * 9999, "y": b""}, method))
    assert (archive.read("x"), archive.read("y")) == (b"words " * 9999, b"")
    archive.close()


@pytest.mark.parametrize("method", [0, 93])
def test_a_member_that_says_it_is_smaller_never_grows_past_that(tmp_path: Path, method: int) -> None:
    path = packed_by_hand(tmp_path / "a.zip", {"x": b"0" * 10_000_000}, method, claimed=1000)
    assert "length or checksum" in refused(path)


@pytest.mark.parametrize("method", [8, 93])
def test_no_more_is_unpacked_than_was_declared(tmp_path: Path, method: int) -> None:
    one = zipfile.ZipInfo("x")
    one.compress_type, one.file_size = method, 1000
    data = b"0" * 10_000_000
    packed = zstandard.compress(data) if method == 93 else zlib.compress(data)[2:-4]
    assert sum(map(len, archives._unpacked(packed, one))) == 1001


def test_a_member_that_would_be_huge_is_refused_unread(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(archives, "MAX_MEMBER", 1000)
    assert "too many" in refused(packed(tmp_path / "a.zip", {"x": b"0" * 1001}))


def test_a_bomb_is_refused_by_its_ratio(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archives, "MAX_RATIO", 500)
    assert "too many" in refused(packed(tmp_path / "a.zip", {"x": b"0" * 10_000_000}))


def test_members_that_share_bytes_are_refused(tmp_path: Path) -> None:
    path = packed(tmp_path / "a.zip", {"x": b"1" * 50, "y": b"2" * 50}, zipfile.ZIP_STORED)
    data = bytearray(path.read_bytes())
    second = data.rindex(b"PK\x01\x02")
    data[second + 42 : second + 46] = bytes(4)  # where the second member begins: on top of the first
    path.write_bytes(data)
    assert "overlaps" in refused(path)


def test_two_members_of_one_name_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("x", "1")
        with pytest.warns(UserWarning, match="Duplicate name"):
            archive.writestr("x", "2")
    assert "twice" in refused(path)


def test_a_file_that_is_cut_off_anywhere_is_refused(tmp_path: Path) -> None:
    whole = packed(tmp_path / "a.zip", {"x": b"words " * 100}).read_bytes()
    for end in range(0, len(whole), 7):
        path = tmp_path / "cut.zip"
        path.write_bytes(whole[:end])
        assert refused(path)


def test_a_byte_that_changed_is_noticed(tmp_path: Path) -> None:
    path = packed(tmp_path / "a.zip", {"x": b"words " * 100}, zipfile.ZIP_STORED)
    data = bytearray(path.read_bytes())
    data[60] ^= 1
    path.write_bytes(data)
    assert "damaged" in refused(path)


def test_a_compression_that_nobody_knows_is_named(tmp_path: Path) -> None:
    assert "method 12" in refused(packed(tmp_path / "a.zip", {"x": b"words"}, zipfile.ZIP_BZIP2))


def test_names_are_keys_and_no_paths(tmp_path: Path) -> None:
    archive = opened(packed(tmp_path / "a.zip", {"../../x": b"1", "/y": b"2"}))
    assert archive.names() == ["../../x", "/y"]
    assert archive.read("../../x") == b"1"
    archive.close()
    assert not (tmp_path.parent / "x").exists()
