from __future__ import annotations

import hashlib
import json
import random
import re
import tracemalloc
from pathlib import Path

import pytest
import zstandard

from replaylab.canonical import digest_bytes
from replaylab.cassette import codec
from replaylab.cassette.codec import Cassette, lane_order, line, pack
from replaylab.errors import StoreError
from replaylab.schema.cassette import Blob
from tests.playground import only_cassette, record


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    library, _ = record(tmp_path_factory.mktemp("library"), votes=1)
    return only_cassette(library)


@pytest.fixture(scope="module")
def data(path: Path) -> bytes:
    return path.read_bytes()


def opened(data: bytes, name: str | None = None) -> Cassette:
    cassette = Cassette(data, where="x.cassette", name=name)
    assert cassette.header.format
    assert len(cassette.lanes) > 0
    return cassette


def test_the_name_is_the_sha_256_of_the_file(path: Path, data: bytes) -> None:
    assert path.stem == hashlib.sha256(data).hexdigest() == opened(data).name


def test_a_cassette_is_zstd_over_json_lines_with_the_header_first_and_the_seal_last(data: bytes) -> None:
    rows = [json.loads(row) for row in zstandard.ZstdDecompressor().decompress(data).splitlines()]
    assert (rows[0]["type"], rows[-1]["type"]) == ("header", "seal")
    assert {row["type"] for row in rows[1:-1]} <= {"blob", "interaction", "label"}


def test_every_blob_stands_before_its_use_and_is_written_once(data: bytes) -> None:
    seen: set[str] = set()
    for row in map(json.loads, zstandard.ZstdDecompressor().decompress(data).splitlines()):
        if row["type"] == "blob":
            assert row["digest"] not in seen
            seen.add(row["digest"])
        if row["type"] == "interaction":
            asked = row["request"]
            assert {asked["params"], *asked["adds"]} <= seen


def test_every_flipped_byte_is_noticed_by_the_name(data: bytes) -> None:
    name = digest_bytes(data)
    for at in range(len(data)):
        with pytest.raises(StoreError, match=r"x\.cassette"):
            Cassette(data[:at] + bytes([data[at] ^ 0xFF]) + data[at + 1 :], where="x.cassette", name=name)


def test_every_truncation_is_noticed_even_without_a_name(data: bytes) -> None:
    for size in range(len(data)):
        with pytest.raises(StoreError, match=r"x\.cassette"):
            Cassette(data[:size], where="x.cassette")


def test_flipped_bytes_are_noticed_even_without_a_name(data: bytes) -> None:
    # The seal's checksum covers all other lines, and zstd's covers the seal.
    chance = random.Random(7)
    for at in chance.sample(range(len(data)), 300):
        with pytest.raises(StoreError):
            opened(data[:at] + bytes([data[at] ^ (1 << chance.randrange(8))]) + data[at + 1 :])


def test_a_changed_line_is_noticed_after_compressing_again(data: bytes) -> None:
    text = zstandard.ZstdDecompressor().decompress(data)
    forged = text.replace(b'"status":200', b'"status":201', 1)
    assert forged != text
    with pytest.raises(StoreError, match="do not match its seal"):
        opened(zstandard.ZstdCompressor().compress(forged))


@pytest.mark.parametrize("rest", [b"\n", b"x", b'{"type":"blob"}\n', b"\0" * 10])
def test_something_behind_the_end_is_noticed(data: bytes, rest: bytes) -> None:
    with pytest.raises(StoreError, match="follows its end"):
        opened(data + rest)


@pytest.mark.parametrize(
    "junk", [b"", b"{}", b"not zstd", b"\x28\xb5\x2f\xfd", zstandard.compress(b"hello\n")]
)
def test_other_files_are_no_cassettes(junk: bytes) -> None:
    with pytest.raises(StoreError, match="damaged cassette"):
        opened(junk)


def test_what_is_sealed_is_never_taken_for_a_bomb(
    path: Path, data: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A server that gives one long answer over and over makes a file that shrinks as a bomb does."""
    monkeypatch.setattr(codec, "AT_ONCE", 1 << 20)
    text = zstandard.decompress(data)
    lines = text.splitlines(keepends=True)
    seal = json.loads(lines[-1])
    answer = b'{"type":"label","kind":"k","path":"p","value":"%s"}\n' % (b"a" * (30 << 20))
    kept = {name: seal[name] for name in seal if name not in ("type", "lines")}
    packed = pack(
        [*lines[:-1], answer], {**kept, "counts": {**seal["counts"], "label": seal["counts"]["label"] + 1}}
    )
    assert len(packed) > (30 << 20) / codec.MAX_RATIO
    assert Cassette(packed, where="x").header.format
    assert zstandard.get_frame_parameters(packed).has_checksum


def test_a_bomb_is_refused_before_it_unpacks() -> None:
    bomb = zstandard.ZstdCompressor().compress(b"\0" * 1000)
    with pytest.raises(StoreError):
        opened(bomb)
    huge = zstandard.ZstdCompressor(level=1).compress(b"\0" * (300 << 20))
    assert len(huge) < 100_000
    tracemalloc.start()
    try:
        with pytest.raises(StoreError, match="declare an unpacked size of 314572800"):
            opened(huge)
        assert tracemalloc.get_traced_memory()[1] < 1 << 20
    finally:
        tracemalloc.stop()


def test_a_newer_format_says_so(data: bytes) -> None:
    rows = zstandard.ZstdDecompressor().decompress(data).splitlines(keepends=True)
    rows[0] = rows[0].replace(b"replaylab.cassette/1", b"replaylab.cassette/9")
    seal = json.loads(rows[-1])
    fields = {key: value for key, value in seal.items() if key not in ("type", "lines")}
    with pytest.raises(StoreError, match=r"replaylab\.cassette/9.*reads.*replaylab\.cassette/1"):
        opened(pack(rows[:-1], fields))


def test_a_seal_that_counts_other_lines_is_noticed(data: bytes) -> None:
    rows = zstandard.ZstdDecompressor().decompress(data).splitlines(keepends=True)
    fields = {key: value for key, value in json.loads(rows[-1]).items() if key not in ("type", "lines")}
    with pytest.raises(StoreError, match="seal counts"):
        opened(pack([row for row in rows[:-1] if b'"verifier.0#0"' not in row][:-1], fields))


def test_packing_the_same_lines_gives_the_same_bytes(data: bytes) -> None:
    rows = zstandard.ZstdDecompressor().decompress(data).splitlines(keepends=True)
    fields = {key: value for key, value in json.loads(rows[-1]).items() if key not in ("type", "lines")}
    assert pack(rows[:-1], fields) == data


def test_lanes_are_ordered_by_role_and_vote_number() -> None:
    lanes = ["x", "verifier.10", "simulator", "verifier.2", "agent", "a"]
    assert sorted(lanes, key=lane_order) == ["agent", "simulator", "verifier.2", "verifier.10", "a", "x"]


def test_a_blob_that_is_missing_is_damage(data: bytes) -> None:
    with pytest.raises(StoreError, match="no blob"):
        opened(data).blob("0" * 64)


def test_a_null_blob_keeps_its_value() -> None:
    assert json.loads(line(Blob(digest="0" * 64, value=None)))["value"] is None


def resealed(rows: list[bytes], **changed: object) -> bytes:
    """A file of these lines whose seal is right again, as a forger would write it."""
    seal = json.loads(rows[-1]) | {"lines": hashlib.sha256(b"".join(rows[:-1])).hexdigest()} | changed
    return zstandard.ZstdCompressor().compress(
        b"".join(rows[:-1]) + json.dumps(seal, separators=(",", ":")).encode() + b"\n"
    )


def rows_of(data: bytes) -> list[bytes]:
    return zstandard.ZstdDecompressor().decompress(data).splitlines(keepends=True)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (
            rb'"outcome":"[0-9a-f]{64}"',
            b'"outcome":"xyz"',
            r"interaction line does not fit: /outcome: .*not a digest",
        ),
        (rb'"params":"[0-9a-f]{64}"', b'"params":"' + b"A" * 64 + b'"', r"/request/params: .*not a digest"),
        (rb'"inputs":"[0-9a-f]{64}"', b'"inputs":""', r"header line does not fit: /inputs: .*not a digest"),
        (rb'"attempts":\[', b'"surprise":1,"attempts":[', r"/surprise: "),
        (rb'"type":"interaction",', b'"type":"interaction",,', r"interaction line does not fit"),
        (rb'"type":"header",', b'"type":"header",,', r"a line is not JSON"),
        (
            rb'"type":"blob","digest":"[0-9a-f]{64}"',
            b'"type":"blob","digest":"xyz"',
            r"blob line without its digest",
        ),
        (rb'"type":"label"', b'"type":"lable"', r"unknown line"),
        (rb"/agent#1\"", b'/agent#2"', r"/agent#2 stands in place 1 of its lane"),
    ],
)
def test_a_forged_line_is_damage_that_names_the_field(
    tmp_path: Path, old: bytes, new: bytes, said: str
) -> None:
    library, _ = record(tmp_path, votes=1, faults=("E3",))
    text = b"".join(rows_of(only_cassette(library).read_bytes()))
    forged, count = re.subn(old, lambda match: new, text, count=1)
    assert count == 1
    with pytest.raises(StoreError, match=said):
        assert list(opened(resealed(forged.splitlines(keepends=True))).blobs)


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"outcome": "xyz"}, "seal line does not fit: /outcome"),
        ({"x": 1}, "/x: "),
        ({"lines": None}, "match its seal"),
    ],
)
def test_a_forged_seal_is_damage_that_names_the_field(
    data: bytes, changed: dict[str, object], said: str
) -> None:
    with pytest.raises(StoreError, match=said):
        opened(resealed(rows_of(data), **changed))


@pytest.mark.parametrize("seal", [b"[]\n", b"1\n", b"{\n"])
def test_a_last_line_that_is_no_object_is_damage(data: bytes, seal: bytes) -> None:
    rows = rows_of(data)
    with pytest.raises(StoreError, match="damaged cassette"):
        opened(zstandard.ZstdCompressor().compress(b"".join(rows[:-1]) + seal))


def test_a_second_header_is_damage(data: bytes) -> None:
    rows = rows_of(data)
    with pytest.raises(StoreError, match="more than one header"):
        opened(resealed([rows[0], *rows], counts={}))


def test_a_newer_format_is_told_from_damage_even_when_its_seal_has_new_fields(data: bytes) -> None:
    rows = rows_of(data)
    rows[0] = rows[0].replace(b"replaylab.cassette/1", b"replaylab.cassette/2")
    with pytest.raises(StoreError, match=r"has format 'replaylab\.cassette/2'"):
        opened(resealed(rows, surprise=1))


@pytest.mark.parametrize(
    "counts", [{}, {"header": 1}, {"header": 1, "blob": 0}, {"header": 1, "x": 0, "label": 1}]
)
def test_a_seal_counts_every_kind_of_line(data: bytes, counts: dict[str, int]) -> None:
    with pytest.raises(StoreError, match="the seal counts"):
        opened(resealed(rows_of(data), counts=counts))


def counting(rows: list[bytes]) -> dict[str, int]:
    kinds = [json.loads(row)["type"] for row in rows[:-1]]
    return {kind: kinds.count(kind) for kind in ("header", "blob", "interaction", "label")}


@pytest.mark.parametrize(
    "more", ['"b64":"e30=",', '"b64":null,', '"digest":"' + "0" * 64 + '",', '"x":1,'], ids=str
)
def test_a_blob_that_is_more_than_one_digest_and_one_value_is_damage(data: bytes, more: str) -> None:
    rows = rows_of(data)
    at = next(n for n, row in enumerate(rows) if row.startswith(b'{"type":"blob"'))
    rows[at] = rows[at].replace(b'"value":', more.encode() + b'"value":', 1)
    with pytest.raises(StoreError, match="not one digest and one value"):
        list(opened(resealed(rows)).blobs)


def test_a_blob_that_is_no_base64_is_damage(data: bytes) -> None:
    rows = rows_of(data)
    at = next(n for n, row in enumerate(rows) if row.startswith(b'{"type":"blob"'))
    rows[at] = rows[at].partition(b',"value":')[0] + b',"b64":"!!!"}\n'
    with pytest.raises(StoreError, match="does not fit"):
        list(opened(resealed(rows)).blobs)


def test_a_blob_that_stands_twice_is_damage(data: bytes) -> None:
    rows = rows_of(data)
    at = next(n for n, row in enumerate(rows) if row.startswith(b'{"type":"blob"'))
    rows.insert(at, rows[at])
    with pytest.raises(StoreError, match="stands in it twice"):
        opened(resealed(rows, counts=counting(rows))).has_blob("0")


@pytest.mark.parametrize(
    ("old", "new"),
    [(rb'"attempts":\[.*?\],"', b'"attempts":[],"'), (rb'"keep":\d+', b'"keep":-1')],
)
def test_an_interaction_without_an_attempt_or_with_a_negative_prefix_is_damage(
    data: bytes, old: bytes, new: bytes
) -> None:
    text, count = re.subn(old, new, b"".join(rows_of(data)), count=1)
    assert count == 1
    with pytest.raises(StoreError, match="a interaction line does not fit"):
        opened(resealed(text.splitlines(keepends=True)))
