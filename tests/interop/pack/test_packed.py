from __future__ import annotations

from pathlib import Path

import pytest

from replaylab.cassette.stored import open_cassette
from replaylab.engine.replay import replay_cassette
from replaylab.engine.verify import verify
from replaylab.errors import StoreError
from replaylab.interop.pack.packed import open_packed
from replaylab.store.library import Library


def test_a_pack_reads_like_the_library_it_was_made_from(file: Path, library: Library) -> None:
    packed, run_id, _ = open_packed(file)
    assert packed.run("study") == library.run("study")
    assert packed.run(None)[0] == run_id
    assert packed.refs() == library.refs()
    for suffix in ("cassette", "run"):
        names = list(library.objects(suffix))
        assert list(packed.objects(suffix)) == names
        for name in names:
            assert packed.get(name, suffix) == library.get(name, suffix)
    seen = verify(packed)
    assert (seen.findings, seen.cassettes, seen.runs, seen.refs) == ([], 2, 1, 1)
    for name in packed.objects("cassette"):
        assert replay_cassette(open_cassette(packed, name)).findings == ()


def test_nothing_is_written_into_it(file: Path) -> None:
    packed, run_id, _ = open_packed(file)
    before = file.read_bytes()
    for act in (
        lambda: packed.put(b"x", "cassette"),
        lambda: packed.restore(b"x", "run"),
        lambda: packed.set_ref("study", run_id),
    ):
        with pytest.raises(StoreError, match="not written into"):
            act()
    assert file.read_bytes() == before


def test_what_is_changed_after_it_was_read_is_not_believed(file: Path) -> None:
    packed, _, read = open_packed(file)
    name = next(iter(packed.objects("cassette")))
    member = read.members[f"objects/{name[:2]}/{name}.cassette"]
    data = file.read_bytes()
    file.write_bytes(data[: member.offset] + b"\0" + data[member.offset + 1 :])
    with pytest.raises(StoreError, match="changed while it was read"):
        packed.get(name, "cassette")
