from __future__ import annotations

import io
import tarfile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from replaylab.errors import StoreError
from replaylab.interop.pack.tarball import END, Entry, TarReader, header, padding

NAMES = st.from_regex(r"[A-Za-z0-9._-]{1,60}/[A-Za-z0-9._-]{1,100}", fullmatch=True)


def read(data: bytes) -> list[tuple[str, bytes]]:
    reader = TarReader(io.BytesIO(data), len(data), "here")
    found = []
    while (entry := reader.next()) is not None:
        content = bytearray()
        reader.content(entry, content.extend)
        found.append((entry.path, bytes(content)))
    return found


def written(members: list[tuple[str, bytes]]) -> bytes:
    return b"".join(header(path, len(data)) + data + padding(len(data)) for path, data in members) + END


@given(st.lists(st.tuples(NAMES, st.binary(max_size=2000)), max_size=5))
def test_what_is_written_is_read_again_here_and_by_the_standard_library(
    members: list[tuple[str, bytes]],
) -> None:
    data = written(members)
    assert read(data) == members
    with tarfile.open(fileobj=io.BytesIO(data), mode="r:") as tar:
        infos = tar.getmembers()
        assert [one.name for one in infos] == [path for path, _ in members]
        contents = [tar.extractfile(one) for one in infos]
        assert [one.read() for one in contents if one] == [content for _, content in members]
        assert {(one.uid, one.gid, one.uname, one.gname, one.mode, one.mtime) for one in infos} <= {
            (0, 0, "", "", 0o644, 315532800)
        }


@given(st.binary(max_size=3000))
def test_any_bytes_are_read_or_refused(data: bytes) -> None:
    try:
        members = read(data)
    except StoreError:
        return
    assert written(members) == data


@given(st.integers(0, 511), st.integers(0, 255))
def test_any_other_byte_of_a_header_is_refused_or_another_name(at: int, byte: int) -> None:
    """Two headers never mean one member: what is read is written back to the very bytes."""
    block = bytearray(header("folder/name", 5))
    block[at] = byte
    data = bytes(block) + b"hello" + padding(5) + END
    try:
        members = read(data)
    except StoreError:
        return
    assert written(members) == data


def test_a_name_that_does_not_fit_is_not_cut() -> None:
    for path, size in (("a" * 101, 1), ("a" * 156 + "/b", 1), ("a/b", 1 << 33)):
        with pytest.raises(ValueError, match="does not fit"):
            header(path, size)
    assert len(header("a" * 155 + "/" + "b" * 100, (1 << 33) - 1)) == 512


def test_content_is_handed_on_in_pieces() -> None:
    size = (3 << 20) + 5
    data = header("a/b", size) + b"x" * size + padding(size) + END
    reader = TarReader(io.BytesIO(data), len(data), "here")
    entry = reader.next()
    assert entry == Entry("a/b", size, 512)
    pieces: list[int] = []
    reader.content(entry, lambda piece: pieces.append(len(piece)))
    assert max(pieces) == 1 << 20
    assert sum(pieces) == size
