from __future__ import annotations

from pathlib import Path

from replaylab.engine.purge import plan_purge, purge
from replaylab.interop.pack.packed import open_packed
from replaylab.interop.pack.purged import pack_without, packs_with
from replaylab.interop.pack.write import pack
from replaylab.store.library import Library


def test_packs_that_hold_a_cassette_are_found(file: Path, library: Library, tmp_path: Path) -> None:
    name = next(iter(library.objects("cassette")))
    (tmp_path / "in" / "other.tar").write_bytes(b"no pack")
    (tmp_path / "in" / "folder.tar").mkdir()
    assert list(packs_with([tmp_path / "in", tmp_path / "in", tmp_path / "nothing"], name)) == [file]
    run_id = library.run("study")[0]
    pack(library, run_id, tmp_path / "in" / "redacted.tar", redact=True)
    assert list(packs_with([tmp_path / "in"], name)) == [file]


def test_a_pack_made_again_is_the_pack_of_the_purged_run(
    file: Path, library: Library, tmp_path: Path
) -> None:
    name = next(iter(library.objects("cassette")))
    secret = library.get(name, "cassette")
    purge(library, plan_purge(library, name), "a key", "2026-01-01T00:00:00Z")
    stone = library.tombstones.get(name)
    assert stone is not None
    assert pack_without(file, stone) is not None
    assert secret not in file.read_bytes()
    packed, run_id, _ = open_packed(file)
    assert list(packed.all_gone()) == [name]
    assert pack(library, run_id, tmp_path / "a.tar").file.read_bytes() == file.read_bytes()
    assert pack_without(file, stone) is None
