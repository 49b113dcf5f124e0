from __future__ import annotations

import gzip
import zlib

import brotli
import pytest
import zstandard

from replaylab.wire import coding
from replaylab.wire.coding import NotDecoded, codings_of, decoded

DATA = b"hello " * 5000


def deflate_raw(data: bytes) -> bytes:
    return zlib.compress(data)[2:-4]


@pytest.mark.parametrize(
    ("name", "encode"),
    [
        ("gzip", gzip.compress),
        ("deflate", zlib.compress),
        ("deflate", deflate_raw),
        ("br", brotli.compress),
        ("zstd", zstandard.compress),
    ],
)
class TestEach:
    def test_is_taken_off(self, name: str, encode: object) -> None:
        assert decoded(encode(DATA), [name]) == DATA  # type: ignore[operator]

    def test_cut_short_is_not_decoded(self, name: str, encode: object) -> None:
        with pytest.raises(NotDecoded):
            decoded(encode(DATA)[:-6], [name])  # type: ignore[operator]

    def test_a_bomb_is_not_unpacked(self, name: str, encode: object, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(coding, "MAX_BODY", 10_000)
        with pytest.raises(NotDecoded):
            decoded(encode(DATA), [name])  # type: ignore[operator]

    def test_on_top_of_gzip(self, name: str, encode: object) -> None:
        assert decoded(encode(gzip.compress(DATA)), ["gzip", name]) == DATA  # type: ignore[operator]


def test_members_and_frames_follow_each_other() -> None:
    assert decoded(gzip.compress(b"a") + gzip.compress(b"b"), ["gzip"]) == b"ab"
    assert decoded(zstandard.compress(b"a") + zstandard.compress(b"b"), ["zstd"]) == b"ab"


def test_no_body_needs_no_decoding() -> None:
    assert decoded(b"", ["gzip"]) == b""
    assert decoded(b"x", []) == b"x"


@pytest.mark.parametrize("codings", [["rot13"], ["gzip"] * 6])
def test_what_is_unknown_or_too_much_is_not_decoded(codings: list[str]) -> None:
    with pytest.raises(NotDecoded):
        decoded(b"x", codings)


def test_the_codings_of_headers() -> None:
    assert codings_of(["GZIP, identity", "x-gzip , br"]) == ["gzip", "gzip", "br"]
