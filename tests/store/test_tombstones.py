from __future__ import annotations

import json
from pathlib import Path

import pytest

from replaylab.canonical import canonical, digest
from replaylab.errors import CassetteGone, StoreError
from replaylab.schema.tombstone import TOMBSTONE_FORMAT, Tombstone
from replaylab.store.library import Library
from replaylab.store.tombstones import Tombstones, decode, encode

DATA = b"a cassette"


def stone(name: str, **changed: object) -> Tombstone:
    given = {"format": TOMBSTONE_FORMAT, "cassette": name, "why": "purged", "size": 10, "reason": "a key"}
    return Tombstone.model_validate(given | {"when": "2026-01-01T00:00:00Z"} | changed)


def test_what_is_written_is_read_again(library: Library) -> None:
    name = digest("x")
    path = library.tombstones.put(stone(name))
    assert path == library.root / "objects" / name[:2] / f"{name}.tombstone"
    assert library.tombstones.get(name) == stone(name)
    assert list(library.tombstones.names()) == [name]
    assert library.tombstones.get(digest("y")) is None
    assert list(library.strays()) == []


def test_a_purged_cassette_is_gone_even_while_its_file_is_there(library: Library) -> None:
    name = library.put(DATA, "cassette")
    library.tombstones.put(stone(name))
    assert not library.has(name, "cassette")
    assert library.still_has(name)
    assert list(library.objects("cassette")) == []
    for act in (
        lambda: library.get(name, "cassette"),
        lambda: library.put(DATA, "cassette"),
        lambda: library.restore(DATA, "cassette"),
    ):
        with pytest.raises(CassetteGone, match="was purged") as caught:
            act()
        assert (caught.value.why, caught.value.reason) == ("purged", "a key")


def test_a_run_object_of_that_name_is_not_touched(library: Library) -> None:
    name = library.put(DATA, "run")
    library.tombstones.put(stone(name))
    assert library.get(name, "run") == DATA
    assert list(library.objects("run")) == [name]


def test_only_a_cassette_with_a_tombstone_is_dropped(library: Library) -> None:
    name = library.put(DATA, "cassette")
    with pytest.raises(ValueError, match="without a tombstone"):
        library.drop(name)
    assert library.get(name, "cassette") == DATA
    library.tombstones.put(stone(name))
    library.drop(name)
    assert not library.still_has(name)


def broken(data: bytes) -> list[bytes]:
    value = json.loads(data)
    other = {**value, "reason": "another"}
    unchecked = {key: part for key, part in value.items() if key != "check"}
    rest = {key: part for key, part in other.items() if key != "check"}
    newer = {**rest, "format": "replaylab.tombstone/2"}
    extra = {**rest, "words": "kept"}
    return [
        b"",
        b"null\n",
        data[:-1],
        data + b"\n",
        data.replace(b":", b": ", 1),
        canonical(other) + b"\n",
        canonical(unchecked) + b"\n",
        canonical(newer | {"check": digest(newer)}) + b"\n",
        canonical(extra | {"check": digest(extra)}) + b"\n",
    ]


def test_a_file_that_is_no_sound_tombstone_is_an_error_and_never_read_as_nothing(library: Library) -> None:
    name = library.put(DATA, "cassette")
    path = library.tombstones.put(stone(name))
    for data in broken(encode(stone(name))):
        path.write_bytes(data)
        with pytest.raises(StoreError) as caught:
            library.tombstones.get(name)
        assert not isinstance(caught.value, CassetteGone)
        assert caught.value.where == str(path)
        with pytest.raises(StoreError):
            library.get(name, "cassette")


def test_a_tombstone_stands_for_the_cassette_of_its_name_alone(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="it stands for the cassette"):
        decode(encode(stone(digest("a"))), tmp_path, digest("b"))


def test_a_link_in_the_place_of_one_is_refused(library: Library, tmp_path: Path) -> None:
    name = digest("x")
    (tmp_path / "elsewhere").write_bytes(encode(stone(name)))
    path = Tombstones(library.root).path(name)
    path.parent.mkdir(parents=True)
    path.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(StoreError, match="symbolic link"):
        library.tombstones.get(name)
