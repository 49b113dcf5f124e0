from __future__ import annotations

import gzip
import zlib
from collections.abc import Callable

import brotli
import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from replaylab.wire import coding
from replaylab.wire.coding import NotDecoded, Unreadable, codings_of, decoded, decoder_of, looks_coded

DATA = b"hello " * 5000


def deflate_raw(data: bytes) -> bytes:
    return zlib.compress(data)[2:-4]


ENCODERS: dict[str, Callable[[bytes], bytes]] = {
    "gzip": gzip.compress,
    "deflate": zlib.compress,
    "br": brotli.compress,
    "zstd": zstandard.compress,
}


@pytest.mark.parametrize(("name", "encode"), [*ENCODERS.items(), ("deflate", deflate_raw)])
class TestEach:
    def test_is_taken_off(self, name: str, encode: Callable[[bytes], bytes]) -> None:
        assert decoded(encode(DATA), [name]) == DATA

    def test_cut_short_is_not_decoded(self, name: str, encode: Callable[[bytes], bytes]) -> None:
        with pytest.raises(NotDecoded, match="ends before its end"):
            decoded(encode(DATA)[:-6], [name])

    def test_a_bomb_is_not_unpacked(
        self, name: str, encode: Callable[[bytes], bytes], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(coding, "MAX_BODY", 10_000)
        with pytest.raises(NotDecoded, match="grows past 10,000 bytes"):
            decoded(encode(DATA), [name])

    def test_on_top_of_gzip(self, name: str, encode: Callable[[bytes], bytes]) -> None:
        assert decoded(encode(gzip.compress(DATA)), ["gzip", name]) == DATA

    def test_a_small_body_that_grows_without_end_is_stopped(
        self, name: str, encode: Callable[[bytes], bytes]
    ) -> None:
        with pytest.raises(NotDecoded, match="grows past 1,048,576 bytes"):
            decoded(encode(bytes(40 << 20)), [name], 1 << 20)

    @pytest.mark.parametrize("beyond", [-1, 0, 1, 100, 258])
    def test_nothing_stays_behind_where_a_step_is_full(
        self, name: str, encode: Callable[[bytes], bytes], beyond: int, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(coding, "_STEP", 4096)
        data = bytes(3 * 4096 + beyond)
        assert decoded(encode(data), [name]) == data
        # The same where the last piece that is fed holds the checksum alone.
        decoder = decoder_of([name])
        assert decoder is not None
        packed = encode(data)
        fed = [part for at in range(len(packed)) for part in decoder.feed(packed[at : at + 1])]
        assert b"".join(fed) == data
        assert decoder.finished()


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
    codings = codings_of([" , ".join(name.upper() for name in names)])
    assert decoded(packed, codings) == data
    decoder = decoder_of(codings)
    if decoder is not None:
        pieces = [piece for at in range(0, len(packed), cut) for piece in decoder.feed(packed[at : at + cut])]
        assert b"".join(pieces) == data
        assert decoder.finished()


@given(data=st.binary(max_size=500))
def test_deflate_without_its_head_is_read_too(data: bytes) -> None:
    assert decoded(deflate_raw(data), ["deflate"]) == data


def test_members_and_frames_follow_each_other() -> None:
    assert decoded(gzip.compress(b"a") + gzip.compress(b"b"), ["gzip"]) == b"ab"
    assert decoded(zstandard.compress(b"a") + zstandard.compress(b"b"), ["zstd"]) == b"ab"


@pytest.mark.parametrize("name", ["gzip", "deflate"])
@pytest.mark.parametrize("cut", [1, 2, 7, 1000])
@pytest.mark.parametrize("tail", [b"\0\0\0\0", b"junk", b"\x1f", b"\x1fx", b"\n"])
def test_what_follows_the_end_is_not_looked_at_whole_or_in_pieces(name: str, cut: int, tail: bytes) -> None:
    packed = ENCODERS[name](b"the answer") + tail
    decoder = decoder_of([name])
    assert decoder is not None
    fed = [part for at in range(0, len(packed), cut) for part in decoder.feed(packed[at : at + cut])]
    assert b"".join(fed) == b"the answer" == decoded(packed, [name])
    assert decoder.finished()


def test_a_second_member_that_is_cut_short_is_not_a_whole_body() -> None:
    with pytest.raises(NotDecoded):
        decoded(gzip.compress(b"a") + gzip.compress(b"b")[:12], ["gzip"])


def test_a_coding_in_the_middle_may_not_grow_without_end_either() -> None:
    """Empty blocks of deflate come to nothing, however many there are."""
    empty = b"\x00\x00\x00\xff\xff" * 1_000_000 + b"\x03\x00"
    with pytest.raises(NotDecoded, match="grows past"):
        decoded(gzip.compress(empty), ["deflate", "gzip"], 1 << 20)


@pytest.mark.parametrize("name", sorted(ENCODERS))
def test_what_is_not_encoded_so_is_refused(name: str) -> None:
    with pytest.raises(NotDecoded):
        decoded(b'{"plain": "text, and long enough to be looked at"}', [name])


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
    decoder = decoder_of([name])
    assert decoder is not None
    assert b"".join(decoder.feed(head)) == b"first"
    assert not decoder.finished()
    assert b"".join(decoder.feed(tail)) == b"last"
    assert decoder.finished()


def test_no_body_needs_no_decoding() -> None:
    assert decoded(b"", ["gzip"]) == b""
    assert decoded(b"x", []) == b"x"
    assert decoder_of([]) is None


@pytest.mark.parametrize(
    ("codings", "said"), [(["gzip", "snappy"], "'snappy' is unknown"), (["gzip"] * 6, "6 codings")]
)
def test_what_is_unknown_or_too_much_is_not_decoded(codings: list[str], said: str) -> None:
    with pytest.raises(Unreadable, match=said):
        decoded(b"x", codings)


def test_brotli_without_its_package_is_not_decoded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(coding, "find_spec", lambda name: None)
    with pytest.raises(Unreadable, match="brotli is not installed"):
        decoded(b"x", ["br"])


def test_the_codings_of_headers() -> None:
    assert codings_of(["GZIP, identity", "x-gzip , br"]) == ["gzip", "gzip", "br"]


def test_what_begins_as_a_coding_does() -> None:
    assert all(looks_coded(ENCODERS[name](DATA)) for name in ("gzip", "deflate", "zstd"))
    assert not looks_coded(DATA)
