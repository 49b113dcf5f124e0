from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from replaylab.cassette import derived, taking
from replaylab.cassette.codec import Cassette
from replaylab.cassette.stored import open_cassette
from replaylab.diff import reading
from replaylab.diff.reading import check_cassette, checked, checked_cassettes, counting
from replaylab.diff.version import detector_version
from replaylab.errors import StoreError
from replaylab.store.library import Library
from tests.diff.stage import lockstep, recorded, without
from tests.interop.transcript.made import imported, line
from tests.playground import SHORT


@pytest.fixture
def library(stage: Library, tmp_path: Path) -> Library:
    return Library(shutil.copytree(stage.root, tmp_path / "library"))


def test_the_trials_of_a_run_are_checked_in_the_order_of_its_ledger(library: Library) -> None:
    run = library.run("run.simulator-omits")[1]
    (one,) = checked(library, run)
    assert (one.simulator, one.task, one.mode, one.evidence) == (
        "omits",
        SHORT,
        "lockstep/recorded",
        "recorded",
    )
    assert str(one.key) == run.ledger[0].key
    assert (one.player, one.verdict, one.termination, one.calls) == ("program", "none", "lockstep", 9)
    assert [v.entity for v in one.report.findings] == ["ER-1", "ER-1"]
    assert one.report.findings[0].path.endswith("/simulator#0")


def test_a_second_look_reads_no_cassette(library: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    run = library.run("run.simulator-omits")[1]
    first = checked(library, run)
    monkeypatch.setattr(taking, "open_cassette", lambda library, name: pytest.fail(f"read {name}"))
    assert checked(Library(library.root), run) == first


def test_another_detector_checks_again(library: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    run = library.run("run.simulator-omits")[1]
    checked(library, run)
    read: list[str] = []

    def opened(library: Library, name: str) -> Cassette:
        read.append(name)
        return open_cassette(library, name)

    monkeypatch.setattr(reading, "detector_version", lambda: "another")
    monkeypatch.setattr(taking, "open_cassette", opened)
    checked(library, run)
    assert read == counting(run)


def test_a_kept_value_that_is_of_no_use_is_derived_again(library: Library) -> None:
    from replaylab.store.index import Index

    run = library.run("run.simulator-omits")[1]
    first = checked(library, run)
    index = Index.open(library)
    index.keep([(counting(run)[0], detector_version(), reading.KIND, {"cassette": "other"})])
    index.close()
    assert checked(library, run) == first


def test_the_number_of_processes_changes_nothing(library: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    run = library.run("run")[1]
    alone = checked(library, run)
    (library.root / "index.db").unlink()
    monkeypatch.setattr(derived, "FEW", 1)
    assert checked(library, run, jobs=2) == alone


def test_it_works_where_nothing_can_be_written(library: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    run = library.run("run.simulator-omits")[1]
    before = checked(library, run)
    (library.root / "index.db").write_bytes(b"not an index")

    def refuse(path: Path, data: bytes) -> None:
        raise StoreError("read-only", where=str(path))

    monkeypatch.setattr("replaylab.store.index.disk.write_file", refuse)
    assert checked(library, run) == before


def test_a_damaged_cassette_is_named_and_not_skipped(library: Library) -> None:
    run = library.run("run.simulator-omits")[1]
    path = library.path(counting(run)[0], "cassette")
    path.write_bytes(path.read_bytes()[:-9])
    with pytest.raises(StoreError) as error:
        checked(library, run)
    assert error.value.where == str(path)


def test_a_damaged_cassette_of_another_run_is_no_hindrance(library: Library) -> None:
    other = library.run("run.simulator-same")[1]
    library.path(counting(other)[0], "cassette").write_bytes(b"nothing")
    assert len(checked(library, library.run("run.simulator-omits")[1])) == 1


def test_a_missing_trial_has_no_check_and_a_broken_one_is_checked_as_far_as_it_went(tmp_path: Path) -> None:
    library = recorded(tmp_path / "library", {}, simulators=("twin",))
    lockstep(library, "stops", lambda tool, arguments, said, asked: "?" if tool == "get_patient" else said)
    (one,) = checked(library, library.run("run.simulator-stops")[1])
    assert (one.verdict, one.termination, one.calls) == ("error", "simulator_error", 1)
    empty = recorded(tmp_path / "empty", {}, simulators=("twin",), max_calls=0)
    assert checked(empty, empty.run("run")[1]) == []


def test_what_holds_no_trial_is_refused(library: Library) -> None:
    cassette = open_cassette(library, counting(library.run("run")[1])[0])
    subject = cassette.header.subject.model_copy(update={"kind": "capture"})
    cassette.__dict__["header"] = cassette.header.model_copy(update={"subject": subject})
    with pytest.raises(StoreError, match="no trial"):
        check_cassette(cassette)


def test_the_answer_that_a_violation_names_is_the_one_that_was_used(tmp_path: Path) -> None:
    """An answer that was no JSON was asked for again, so ordinals and calls part."""
    leaves_out = without("ER-1")
    library = recorded(tmp_path / "library", {}, simulators=("twin",))

    def stammers(tool: str, arguments: dict[str, object], said: object, asked: int) -> object:
        return leaves_out(tool, arguments, said, asked) if tool != "get_patient" or stammers.said else "?"  # type: ignore[attr-defined]

    stammers.said = False  # type: ignore[attr-defined]

    def once(tool: str, arguments: dict[str, object], said: object, asked: int) -> object:
        answer = stammers(tool, arguments, said, asked)
        stammers.said = stammers.said or tool == "get_patient"  # type: ignore[attr-defined]
        return answer

    lockstep(library, "b", once)
    (one,) = checked(library, library.run("run.simulator-b")[1])
    assert [v.path.rpartition("#")[2] for v in one.report.findings] == ["0", "8"]
    assert [v.call for v in one.report.findings] == [0, 7]


def test_progress_counts_the_trials_that_were_asked_for_and_not_those_that_are_new(tmp_path: Path) -> None:
    imported(tmp_path, line(trial=0), line(trial=1), line(trial=2))
    library = Library(tmp_path / "library")
    names = counting(library.run("theirs")[1])
    checked_cassettes(library, names[:1])
    seen: list[tuple[int, int]] = []
    checked_cassettes(library, names, progress=lambda done, planned: seen.append((done, planned)))
    assert seen == [(2, 3), (3, 3)]
