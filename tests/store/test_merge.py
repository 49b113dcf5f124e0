"""The union of libraries is a set union; what can't be united is named."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from replaylab.canonical import digest_bytes
from replaylab.errors import StoreError, UsageError
from replaylab.schema.run import Run
from replaylab.store.library import Library
from replaylab.store.merge import union

MakeRun = Callable[..., Run]


def filled(root: Path, run: Run, *contents: bytes) -> Library:
    library = Library(root)
    for content in contents:
        library.put(content, "cassette")
    library.set_ref(run.name, library.put_run(run))
    return library


def test_a_union_holds_what_any_of_them_held(tmp_path: Path, library: Library, make_run: MakeRun) -> None:
    one = filled(tmp_path / "1", make_run("one"), b"a", b"b")
    two = filled(tmp_path / "2", make_run("two"), b"b", b"c")
    done = union(library, [one, two])
    assert done.added == {"cassette": 3, "run": 2}
    assert (done.restored, done.conflicts) == ((), ())
    assert set(library.objects("cassette")) == {digest_bytes(content) for content in (b"a", b"b", b"c")}
    assert library.refs() == done.refs == {"one": one.ref("one"), "two": two.ref("two")}
    again = union(library, [two, one, library])
    assert again.added == {"cassette": 0, "run": 0}
    assert (again.refs, again.conflicts) == ({}, ())


def test_a_name_that_stands_for_different_runs_is_reported_and_left(
    tmp_path: Path, library: Library, make_run: MakeRun
) -> None:
    mine, theirs = make_run("same", "2026-01-01T00:00:00Z"), make_run("same", "2026-02-01T00:00:00Z")
    own = library.put_run(mine)
    library.set_ref("same", own)
    other = filled(tmp_path / "2", theirs)
    [conflict] = union(library, [other]).conflicts
    assert conflict.name == "same"
    assert conflict.runs == ((library.root, own), (other.root, other.ref("same")))
    assert library.ref("same") == own
    assert library.has(conflict.runs[1][1], "run")


def test_sources_that_disagree_are_a_conflict_and_no_reference_is_made(
    tmp_path: Path, library: Library, make_run: MakeRun
) -> None:
    one = filled(tmp_path / "1", make_run("same", "2026-01-01T00:00:00Z"))
    two = filled(tmp_path / "2", make_run("same", "2026-02-01T00:00:00Z"))
    done = union(library, [one, two])
    assert [conflict.name for conflict in done.conflicts] == ["same"]
    assert library.refs() == done.refs == {}


def test_a_damaged_object_is_restored_from_a_sound_source(
    tmp_path: Path, library: Library, make_run: MakeRun
) -> None:
    name = library.put(b"a", "cassette")
    path = library.path(name, "cassette")
    path.write_bytes(b"broken")
    assert union(library, [filled(tmp_path / "1", make_run(), b"a")]).restored == (path,)
    assert library.get(name, "cassette") == b"a"


def test_a_damaged_source_is_passed_over_when_another_has_the_object(
    tmp_path: Path, library: Library, make_run: MakeRun
) -> None:
    bad, good = filled(tmp_path / "1", make_run(), b"a"), filled(tmp_path / "2", make_run(), b"a")
    name = digest_bytes(b"a")
    bad.path(name, "cassette").write_bytes(b"broken")
    union(library, [bad, good])
    assert library.get(name, "cassette") == b"a"


def test_an_object_that_is_sound_nowhere_is_an_error_and_no_reference_is_taken(
    tmp_path: Path, library: Library, make_run: MakeRun
) -> None:
    bad = filled(tmp_path / "1", make_run(), b"a")
    path = bad.path(digest_bytes(b"a"), "cassette")
    path.write_bytes(b"broken")
    with pytest.raises(StoreError, match="is damaged") as caught:
        union(library, [bad])
    assert caught.value.where == str(path)
    assert library.refs() == {}


def test_a_folder_that_is_no_library_is_refused(tmp_path: Path, library: Library) -> None:
    with pytest.raises(UsageError, match="no library at"):
        union(library, [Library(tmp_path / "nothing")])
    assert not library.exists()
