"""Which run a name means."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from replaylab.errors import StoreError, UsageError
from replaylab.schema.run import Run
from replaylab.store.library import Library

MakeRun = Callable[..., Run]


def test_a_run_is_found_by_reference_run_id_and_prefix(library: Library, make_run: MakeRun) -> None:
    run = make_run()
    run_id = library.put_run(run)
    library.set_ref("demo", run_id)
    for name in ("demo", run_id, run_id[:4], run_id[:20].upper()):
        assert library.run(name) == (run_id, run)


def test_a_reference_goes_before_a_prefix(library: Library, make_run: MakeRun) -> None:
    first = library.put_run(make_run())
    second = library.put_run(make_run(name="other"))
    library.set_ref(first[:6], second)
    assert library.run(first[:6])[0] == second


@pytest.mark.parametrize("name", ["demoo", "../demo", "0" * 64, "abc", "ffff", "", "a" * 9000, "\0"])
def test_an_unknown_run_is_a_usage_error_that_names_a_near_one(
    library: Library, make_run: MakeRun, name: str
) -> None:
    library.set_ref("demo", library.put_run(make_run()))
    with pytest.raises(UsageError, match="no run") as caught:
        library.run(name)
    assert caught.value.closest == ("demo" if "demo" in name else "")
    assert len(str(caught.value)) < 1000


def test_the_newest_run_is_meant_when_none_is_named(library: Library, make_run: MakeRun) -> None:
    times = {
        "first": "2026-01-02T00:00:00Z",
        "zoned": "2026-01-02T03:00:00+02:00",
        "last_by_text": "2026-01-02T02:30:00+05:00",
    }
    for name, created in times.items():
        library.set_ref(name, library.put_run(make_run(name=name, created=created)))
    library.put_run(make_run(name="unreferenced", created="2027-01-01T00:00:00Z"))
    assert library.run()[1].name == "zoned"


def test_what_nobody_recorded_is_not_the_newest_recorded_run(library: Library, make_run: MakeRun) -> None:
    recorded = make_run(name="recorded", created="2025-01-01T00:00:00Z")
    for run in (
        recorded,
        make_run(name="authored", created="2027-01-01T00:00:00Z").model_copy(update={"evidence": "authored"}),
        make_run(name="imported", created="2027-01-01T00:00:00Z").model_copy(update={"evidence": "imported"}),
    ):
        library.set_ref(run.name, library.put_run(run))
    assert library.run()[1] == recorded


def test_runs_of_one_instant_are_told_apart_by_name(library: Library, make_run: MakeRun) -> None:
    for name in ("b", "c", "a"):
        library.set_ref(name, library.put_run(make_run(name=name)))
    assert library.run()[1].name == "c"


def test_the_newest_run_of_an_empty_library_is_a_usage_error(library: Library) -> None:
    with pytest.raises(UsageError, match="no run is recorded"):
        library.run()
    assert not library.exists()


def test_a_reference_to_a_missing_run_object_is_a_damaged_library(
    library: Library, make_run: MakeRun
) -> None:
    run_id = library.put_run(make_run())
    library.set_ref("demo", run_id)
    library.path(run_id, "run").unlink()
    for name in (None, "demo"):
        with pytest.raises(StoreError, match="not in the library"):
            library.run(name)


def test_a_link_that_leads_nowhere_is_named_by_readers_and_by_writers(tmp_path: Path) -> None:
    (tmp_path / "library").symlink_to(tmp_path / "gone")
    library = Library(tmp_path / "library")
    for act in (library.exists, lambda: library.put(b"x", "cassette")):
        with pytest.raises(StoreError, match=r"is a link to .*gone, which is not there"):
            act()


@pytest.mark.parametrize("folder", ["objects", "runs"])
def test_a_file_in_the_place_of_a_folder_is_no_empty_library(tmp_path: Path, folder: str) -> None:
    (tmp_path / folder).write_bytes(b"")
    assert Library(tmp_path).exists()


def test_a_path_that_is_too_long_is_an_error_of_the_library(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="the path is too long"):
        Library(tmp_path / ("x" * 300)).exists()


def test_a_name_that_no_reference_could_get_is_refused_before_anything_is_written(
    library: Library, make_run: MakeRun
) -> None:
    library.set_ref("demo", library.put_run(make_run()))
    with pytest.raises(UsageError, match="differ only in case"), library.lock("Demo"):
        raise AssertionError("the body must not run")
