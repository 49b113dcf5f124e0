from __future__ import annotations

from pathlib import Path

import pytest

from replaylab.engine.merge import merge
from replaylab.engine.verify import verify
from replaylab.errors import StoreError
from replaylab.interop.pack.contents import cassettes_of, contents_of
from replaylab.interop.pack.packed import open_packed
from replaylab.interop.pack.unpack import unpack
from replaylab.interop.pack.write import pack
from replaylab.store.library import Library
from tests.engine.test_swap import swap
from tests.playground import SHORT, record


def test_every_try_of_the_ledger_and_nothing_else(library: Library) -> None:
    run_id, run = library.run("study")
    record(library.root, name="another")
    found = contents_of(library, run_id)
    assert set(found.cassettes) == set(cassettes_of(run))
    assert list(found.runs) == [run_id]
    assert (found.gone, found.absent) == ({}, ())


def test_a_resumed_run_brings_the_run_objects_that_it_follows(tmp_path: Path) -> None:
    library = record(tmp_path / "library", max_calls=20)[0]
    first = library.ref("run")
    record(tmp_path / "library", trials=2)
    run_id, run = library.run("run")
    assert run.follows == (first,)
    packed = pack(library, run_id, tmp_path / "a.tar")
    assert set(packed.contents.runs) == {first, run_id}
    assert verify(open_packed(packed.file)[0]).findings == []


def test_a_merged_run_brings_all_that_it_unites(tmp_path: Path) -> None:
    tasks = (SHORT, "ed-chest-pain-monitor")
    parts = [record(tmp_path / f"part-{n}", tasks=tasks, shard=f"{n}/2")[0] for n in (1, 2)]
    target = Library(tmp_path / "all")
    merge(target, parts, "2026-01-02T00:00:00Z")
    run_id, run = target.run("run")
    packed = pack(target, run_id, tmp_path / "a.tar")
    assert set(packed.contents.runs) == {run_id, *run.follows}
    assert len(run.follows) == 2


def test_a_predecessor_that_is_not_here_is_named_and_the_pack_is_sound(tmp_path: Path) -> None:
    library = record(tmp_path / "library", max_calls=20)[0]
    first = library.ref("run")
    assert first is not None
    record(tmp_path / "library", trials=2)
    library.path(first, "run").unlink()
    packed = pack(library, library.run("run")[0], tmp_path / "a.tar")
    assert packed.contents.absent == (first,)
    there = unpack(packed.file, tmp_path / "there").folder
    assert first in (there / "README.md").read_text()
    assert verify(Library(there)).findings == []


def test_a_swapped_run_brings_the_run_that_its_lanes_come_from(tmp_path: Path) -> None:
    library = record(tmp_path / "library", votes=1)[0]
    source_id, source = library.run("run")
    swapped = swap(library, "verifier", "coin")
    packed = pack(library, library.run(swapped.run.name)[0], tmp_path / "a.tar")
    assert source_id in packed.contents.runs
    assert set(cassettes_of(source)) < set(packed.contents.cassettes)
    there = Library(unpack(packed.file, tmp_path / "there").folder)
    assert verify(there).findings == []
    assert list(there.refs()) == [swapped.run.name]


def test_a_missing_cassette_of_a_predecessor_alone_is_named(tmp_path: Path) -> None:
    library = record(tmp_path / "library", votes=1)[0]
    (source,) = library.objects("cassette")
    swapped = swap(library, "verifier", "coin")
    library.path(source, "cassette").unlink()
    found = contents_of(library, library.run(swapped.run.name)[0])
    assert found.absent == (source,)
    with pytest.raises(StoreError, match="not here"):
        contents_of(library, library.run("run")[0])
