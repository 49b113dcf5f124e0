from __future__ import annotations

import gzip
import zlib
from collections.abc import Callable

import brotli
import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from replaylab.capture.decode import CannotDecode, decoded, decoder_of

LIMIT = 1 << 26


def raw_deflate(data: bytes) -> bytes:
    packer = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    return packer.compress(data) + packer.flush()


ENCODERS: dict[str, Callable[[bytes], bytes]] = {
    "gzip": gzip.compress,
    "deflate": zlib.compress,
    "br": brotli.compress,
    "zstd": zstandard.ZstdCompressor().compress,
}


@given(
    data=st.binary(max_size=3000),
    names=st.lists(st.sampled_from(sorted(ENCODERS)), max_size=3),
    cut=st.integers(1, 50),
)
def test_any_stack_of_encodings_is_taken_off_however_it_is_cut(
    data: bytes, names: list[str], cut: int
) -> None:
    packed = data
    for name in names:
        packed = ENCODERS[name](packed)
    header = " , ".join(name.upper() for name in names)
    assert decoded(packed, header, LIMIT) == data
    decoder = decoder_of(header)
    if decoder is not None:
        pieces = [piece for at in range(0, len(packed), cut) for piece in decoder.feed(packed[at : at + cut])]
        assert b"".join(pieces) == data
        assert decoder.finished()


@given(data=st.binary(max_size=500))
def test_deflate_without_its_head_is_read_too(data: bytes) -> None:
    assert decoded(raw_deflate(data), "deflate", LIMIT) == data


def test_joined_gzip_members_and_zstd_frames_are_all_read() -> None:
    assert decoded(gzip.compress(b"one ") + gzip.compress(b"two"), "gzip", LIMIT) == b"one two"
    pack = zstandard.ZstdCompressor().compress
    assert decoded(pack(b"one ") + pack(b"two"), "zstd", LIMIT) == b"one two"


@pytest.mark.parametrize("name", sorted(ENCODERS))
def test_a_body_that_ends_early_is_no_whole_body(name: str) -> None:
    with pytest.raises(CannotDecode):
        decoded(ENCODERS[name](bytes(range(256)) * 9)[:-5], name, LIMIT)


@pytest.mark.parametrize("name", sorted(ENCODERS))
def test_what_is_not_encoded_so_is_refused(name: str) -> None:
    with pytest.raises(CannotDecode):
        decoded(b'{"plain": "text, and long enough to be looked at"}', name, LIMIT)


def test_an_unknown_encoding_is_named() -> None:
    with pytest.raises(CannotDecode, match="'snappy'"):
        decoder_of("gzip, snappy")


def test_identity_needs_no_decoder() -> None:
    assert decoder_of("") is decoder_of("identity") is None


@pytest.mark.parametrize("name", sorted(ENCODERS))
def test_a_small_body_that_grows_without_end_is_stopped(name: str) -> None:
    with pytest.raises(CannotDecode, match="grows past 1 MiB"):
        decoded(ENCODERS[name](bytes(40 << 20)), name, 1 << 20)


@pytest.mark.parametrize("name", sorted(ENCODERS))
def test_the_first_words_come_out_before_the_last_went_in(name: str) -> None:
    """A compressed stream is flushed by its server at each event; nothing of it may wait for the next one."""
    if name == "br":
        packer = brotli.Compressor()
        head, tail = packer.process(b"first") + packer.flush(), packer.process(b"last") + packer.finish()
    elif name == "zstd":
        squeeze = zstandard.ZstdCompressor().compressobj()
        head = squeeze.compress(b"first") + squeeze.flush(zstandard.COMPRESSOBJ_FLUSH_BLOCK)
        tail = squeeze.compress(b"last") + squeeze.flush()
    else:
        press = zlib.compressobj(wbits=zlib.MAX_WBITS | (16 if name == "gzip" else 0))
        head = press.compress(b"first") + press.flush(zlib.Z_SYNC_FLUSH)
        tail = press.compress(b"last") + press.flush()
    decoder = decoder_of(name)
    assert decoder is not None
    assert b"".join(decoder.feed(head)) == b"first"
    assert not decoder.finished()
    assert b"".join(decoder.feed(tail)) == b"last"
    assert decoder.finished()
