"""The journal's framing: what a crash leaves is dropped, what damage leaves is an error, nothing else is read."""

from __future__ import annotations

import errno
import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from replaylab.errors import StoreError
from replaylab.store import frames
from replaylab.store.frames import MAGIC, PREAMBLE, FrameWriter, read_frames, rescue_frames

PAYLOADS = st.lists(st.one_of(st.binary(min_size=1, max_size=20), st.just(MAGIC * 3)), min_size=1, max_size=5)


def written(path: Path, payloads: list[bytes]) -> list[int]:
    """Write a journal; the file's length after each frame."""
    path.unlink(missing_ok=True)
    ends = []
    with FrameWriter(path) as writer:
        for payload in payloads:
            writer.append(payload, sync=False)
            ends.append(path.stat().st_size)
    return ends


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file that the examples of the property tests write over."""
    return tmp_path_factory.mktemp("journal") / "t.frames"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "t.frames"


@settings(max_examples=25)
@given(payloads=PAYLOADS)
def test_every_truncation_gives_the_frames_wholly_before_it(shared: Path, payloads: list[bytes]) -> None:
    ends = written(shared, payloads)
    whole = shared.read_bytes()
    for length in range(len(whole) + 1):
        shared.write_bytes(whole[:length])
        kept = [payload for payload, end in zip(payloads, ends, strict=True) if end <= length]
        clean = length in {0, len(PREAMBLE), *ends}
        assert read_frames(shared) == (tuple(kept), not clean)


@settings(max_examples=15)
@given(payloads=PAYLOADS, mask=st.integers(1, 255))
def test_every_flipped_byte_is_an_error_or_in_the_last_frame_the_prefix(
    shared: Path, payloads: list[bytes], mask: int
) -> None:
    ends = written(shared, payloads)
    whole = shared.read_bytes()
    last = ends[-2] if len(ends) > 1 else len(PREAMBLE)
    for at in range(len(whole)):
        shared.write_bytes(whole[:at] + bytes([whole[at] ^ mask]) + whole[at + 1 :])
        if at < last:
            with pytest.raises(StoreError, match=r"damaged at byte|newer than 1") as caught:
                read_frames(shared)
            assert str(shared) in caught.value.where
        else:
            assert read_frames(shared) == (tuple(payloads[:-1]), True)


@given(
    payloads=st.lists(st.binary(min_size=1, max_size=9), min_size=1, max_size=4),
    mask=st.integers(1, 255),
    where=st.floats(0, 1, exclude_max=True),
)
def test_every_whole_frame_is_rescued_and_the_rest_is_named(
    shared: Path, payloads: list[bytes], mask: int, where: float
) -> None:
    ends = written(shared, payloads)
    whole = shared.read_bytes()
    at = len(PREAMBLE) + int(where * (len(whole) - len(PREAMBLE)))
    shared.write_bytes(whole[:at] + bytes([whole[at] ^ mask]) + whole[at + 1 :])
    bad = next(number for number, end in enumerate(ends) if at < end)
    rescued = rescue_frames(shared)
    assert rescued.payloads == tuple(payloads[:bad] + payloads[bad + 1 :])
    assert rescued.lost == (([len(PREAMBLE), *ends][bad], ends[bad]),)
    shared.write_bytes(whole)
    assert rescue_frames(shared) == (tuple(payloads), (), False)
    shared.write_bytes(whole[:at])
    torn = at not in (len(PREAMBLE), *ends)
    assert rescue_frames(shared) == (
        tuple(payloads[:bad]),
        (([len(PREAMBLE), *ends][bad], at),) if torn else (),
        torn,
    )


def test_damage_names_the_file_and_the_offset_of_the_bad_frame(path: Path) -> None:
    ends = written(path, [b"one", b"two", b"three"])
    data = bytearray(path.read_bytes())
    data[ends[0] + 18] ^= 1
    path.write_bytes(data)
    with pytest.raises(StoreError) as caught:
        read_frames(path)
    assert caught.value.where == f"{path}, byte {ends[0]}"
    assert "good frames follow" in caught.value.what
    with pytest.raises(StoreError):
        FrameWriter(path)
    assert path.read_bytes() == data


@given(payloads=st.lists(st.binary(min_size=1, max_size=9), min_size=2, max_size=4))
def test_a_frame_repeated_or_moved_is_never_read(shared: Path, payloads: list[bytes]) -> None:
    ends = written(shared, payloads)
    whole = shared.read_bytes()
    shared.write_bytes(whole + whole[len(PREAMBLE) : ends[0]])
    assert read_frames(shared) == (tuple(payloads), True)
    shared.write_bytes(PREAMBLE + whole[ends[0] :])
    assert read_frames(shared) == ((), True)


def test_a_torn_frame_that_holds_a_whole_journal_is_a_torn_tail(path: Path) -> None:
    written(path, [b"x"])
    inner = path.read_bytes()
    ends = written(path, [b"first", inner * 2 + b"tail"])
    with path.open("r+b") as file:
        file.truncate(ends[1] - 1)
    assert read_frames(path) == ((b"first",), True)


def test_a_tail_of_zeros_is_torn(path: Path) -> None:
    written(path, [b"first"])
    with path.open("ab") as file:
        file.write(bytes(500))
    assert read_frames(path) == ((b"first",), True)


def test_opening_cuts_the_torn_tail_and_appending_goes_on(path: Path) -> None:
    ends = written(path, [b"one", b"two"])
    with path.open("r+b") as file:
        file.truncate(ends[1] - 1)
    with FrameWriter(path) as writer:
        assert writer.torn
        assert writer.count == 1
        assert path.stat().st_size == ends[0]
        writer.append(b"again")
    assert read_frames(path) == ((b"one", b"again"), False)


@pytest.mark.parametrize("data", [b"something else", b"\0" * 64, PREAMBLE[:-1] + b"x", b"{}\n"])
def test_a_file_that_is_no_journal_is_refused_and_left_alone(path: Path, data: bytes) -> None:
    path.write_bytes(data)
    for read in (read_frames, rescue_frames, FrameWriter):
        with pytest.raises(StoreError, match="not a journal"):
            read(path)
    assert path.read_bytes() == data


def test_a_journal_of_a_newer_format_is_refused_as_too_new(path: Path) -> None:
    path.write_bytes(b"replaylab.journal/2\nwhatever")
    with pytest.raises(StoreError, match="newer than 1"):
        read_frames(path)


def test_a_missing_journal_is_an_error_that_names_it(tmp_path: Path) -> None:
    with pytest.raises(StoreError) as caught:
        read_frames(tmp_path / "gone.frames")
    assert "gone.frames" in str(caught.value)


def test_a_link_is_not_followed(tmp_path: Path) -> None:
    written(tmp_path / "real", [b"x"])
    (tmp_path / "link").symlink_to(tmp_path / "real")
    for read in (read_frames, FrameWriter):
        with pytest.raises(StoreError, match="symbolic link"):
            read(tmp_path / "link")


def test_an_empty_payload_is_refused(path: Path) -> None:
    with FrameWriter(path) as writer, pytest.raises(StoreError, match="0 bytes"):
        writer.append(b"")


def test_a_closed_writer_refuses(path: Path) -> None:
    writer = FrameWriter(path)
    writer.close()
    with pytest.raises(StoreError, match="any more"):
        writer.append(b"x")


def test_a_full_disk_cuts_back_to_the_last_good_frame_and_appending_can_go_on(small_disk: Path) -> None:
    path, ballast = small_disk / "t.frames", small_disk / "ballast"
    ballast.write_bytes(b"b" * 150_000)
    block = b"p" * 30_000
    with FrameWriter(path) as writer:
        writer.append(block)
        writer.append(block)
        with pytest.raises(StoreError, match="disk is full"):  # noqa: PT012 - which one fails is the disk's affair
            for _ in range(100):
                writer.append(block)
        kept = writer.count
        assert read_frames(path) == ((block,) * kept, False)
        ballast.unlink()
        writer.append(b"after")
    assert read_frames(path) == ((*(block,) * kept, b"after"), False)


def test_after_a_failed_sync_the_writer_refuses_until_it_is_opened_again(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written(path, [b"one"])

    def fail(fd: int) -> None:
        raise OSError(errno.EIO, "broken")

    with FrameWriter(path) as writer:
        with monkeypatch.context() as patch:
            patch.setattr(frames, "_sync_data", fail)
            with pytest.raises(StoreError, match="input/output"):
                writer.append(b"two")
        with pytest.raises(StoreError, match="any more"):
            writer.append(b"two")
    assert read_frames(path) == ((b"one",), False)


def test_a_partial_write_is_completed(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = os.write
    monkeypatch.setattr(os, "write", lambda fd, data: real(fd, bytes(data)[:7]))
    written(path, [b"a long enough payload"])
    assert read_frames(path) == ((b"a long enough payload",), False)


def test_an_interrupt_between_write_and_sync_leaves_no_half_frame(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written(path, [b"one"])

    def interrupt(fd: int) -> None:
        raise KeyboardInterrupt

    with FrameWriter(path) as writer:
        with monkeypatch.context() as patch:
            patch.setattr(frames, "_sync_data", interrupt)
            with pytest.raises(KeyboardInterrupt):
                writer.append(b"a longer payload")
        writer.append(b"2")
    assert read_frames(path) == ((b"one", b"2"), False)


def test_kill_at_any_moment_loses_no_synced_frame(
    tmp_path: Path, child: Callable[..., subprocess.Popen[str]]
) -> None:
    code = (
        "import sys; from pathlib import Path; from replaylab.store.frames import FrameWriter\n"
        "w = FrameWriter(Path(sys.argv[1])); n = w.count\n"
        "while True: w.append(b'%d.' % n * 500); n += 1; print(n, flush=True)"
    )
    path, told = tmp_path / "t.frames", 0
    for after in (1, 7, 20):
        process = child(code, str(path))
        assert process.stdout is not None
        for _ in range(after):
            told = int(process.stdout.readline())
        process.kill()
        told = max([told, *map(int, process.stdout.read().split())])
        payloads, _ = read_frames(path)
        assert told <= len(payloads) <= told + 1
        assert payloads == tuple(b"%d." % n * 500 for n in range(len(payloads)))
