from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest
import zstandard

from replaylab.cassette import upgrade as upgrading
from replaylab.cassette.codec import Cassette
from replaylab.cassette.upgrade import STEPS, Step, upgrade
from replaylab.errors import StoreError
from replaylab.schema.base import JsonObject
from replaylab.schema.cassette import FORMAT
from tests.playground import only_cassette, record

OLD = "replaylab.cassette/0"


def rename(line: JsonObject) -> JsonObject:
    """A made step: in the made old format a header's `scenario` was `setting`, an interaction's `outcome` `result`."""
    new = {"setting": "scenario", "result": "outcome"} if line["type"] in ("header", "interaction") else {}
    row = {new.get(key, key): value for key, value in line.items()}
    return row | ({"format": FORMAT} if line["type"] == "header" else {})


def test_the_newest_format_needs_no_step() -> None:
    assert upgrade(FORMAT, "x") is None
    assert STEPS == {}


def test_steps_are_taken_one_after_the_other() -> None:
    steps = {
        "f/1": Step(lambda line: line | {"a": line["a"] + "2"}, "f/2"),
        "f/2": Step(lambda line: line | {"a": line["a"] + "3"}, "f/3"),
    }
    step = upgrade("f/1", "x", steps, "f/3")
    assert step is not None
    assert step({"a": "1"}) == {"a": "123"}


@pytest.mark.parametrize(
    "said", ["replaylab.cassette/2", "replaylab.cassette/0", "other/1", "", None, 1, ["x"]]
)
def test_a_newer_or_unknown_format_is_an_error_that_names_file_and_format(said: object) -> None:
    with pytest.raises(StoreError, match="this cassette has format") as caught:
        upgrade(said, "some.cassette")
    assert caught.value.where == "some.cassette"
    assert ascii(said) in caught.value.what
    assert "newer" in caught.value.fix


def test_an_old_file_reads_like_a_new_one_and_stays_as_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    library, _ = record(tmp_path, votes=1)
    data = only_cassette(library).read_bytes()
    new = Cassette(data, where="new")
    old_data = _as_old(data)
    with pytest.raises(StoreError, match=OLD):
        Cassette(old_data, where="old")
    monkeypatch.setitem(upgrading.STEPS, OLD, Step(rename, FORMAT))
    old = Cassette(old_data, where="old")
    assert old.header == new.header
    assert old.lanes == new.lanes
    assert old.labels == new.labels
    assert list(old.blobs) == list(new.blobs)
    assert b'"setting":' in next(old.lines())
    assert old.name != new.name


def _as_old(data: bytes) -> bytes:
    rows = [json.loads(row) for row in zstandard.ZstdDecompressor().decompress(data).splitlines()]
    for row in rows:
        if row["type"] == "interaction":
            row["result"] = row.pop("outcome")
    rows[0]["setting"] = rows[0].pop("scenario")
    rows[0]["format"] = OLD
    lines = [json.dumps(row, separators=(",", ":"), ensure_ascii=False).encode() + b"\n" for row in rows[:-1]]
    seal = rows[-1] | {"lines": hashlib.sha256(b"".join(lines)).hexdigest()}
    lines.append(json.dumps(seal, separators=(",", ":")).encode() + b"\n")
    return zstandard.ZstdCompressor().compress(b"".join(lines))
