from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from pathlib import Path

import pytest

from replaylab.canonical import digest_bytes
from replaylab.errors import StoreError
from replaylab.interop.pack.read import Take, bytes_of, listed, read_pack
from tests.interop.pack.forging import opened


def test_every_member_is_handed_on_whole_and_found_again(file: Path) -> None:
    got: dict[str, bytearray] = {}

    def each(path: str, size: int) -> AbstractContextManager[Take]:
        got[path] = bytearray()
        return nullcontext(got[path].extend)

    read = read_pack(file, each)
    members = opened(file)[1]
    assert {path: bytes(data) for path, data in got.items()} == members
    assert read.size == sum(map(len, members.values()))
    for path, member in read.members.items():
        data = bytes_of(file, member)
        assert (data, digest_bytes(data)) == (members[path], member.digest)


def test_the_list_is_read_without_the_rest(file: Path) -> None:
    whole = listed(file)
    assert set(whole) == set(opened(file)[1]) - {"SHA256SUMS"}
    file.write_bytes(file.read_bytes()[:8192])
    assert listed(file) == whole


@pytest.mark.parametrize("part", range(8))
def test_any_flipped_bit_is_refused(part: int, file: Path) -> None:
    """One in each eighth of the file, and the same in reading backwards: no byte is left unlooked at."""
    data = file.read_bytes()
    for at in (len(data) * part // 8, len(data) - 1 - len(data) * part // 8):
        file.write_bytes(data[:at] + bytes([data[at] ^ 4]) + data[at + 1 :])
        with pytest.raises(StoreError):
            read_pack(file)


def test_progress_ends_at_the_number_of_members(file: Path) -> None:
    seen: list[tuple[int, int]] = []
    read = read_pack(file, progress=lambda done, all_: seen.append((done, all_)))
    assert seen[-1] == (len(read.members), len(read.members))
