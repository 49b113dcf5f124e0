from __future__ import annotations

import hashlib
import os
import subprocess
import threading
from dataclasses import replace
from pathlib import Path

import pytest

from replaylab.errors import StoreError, UsageError
from replaylab.report.score_files import SUMS, files_of, write_report
from replaylab.report.score_parts import Scored
from replaylab.store.disk import write_file
from tests.report.scored import TINY, hostile, scored


def contents(folder: Path) -> dict[str, bytes]:
    return {
        str(one.relative_to(folder)): one.read_bytes() for one in sorted(folder.rglob("*")) if one.is_file()
    }


@pytest.fixture(scope="module")
def made() -> Scored:
    return scored(TINY)


def without_pairs(made: Scored) -> Scored:
    return replace(made, full=made.full[:-1], figures={})


def test_everything_is_written_and_listed(tmp_path: Path, made: Scored) -> None:
    written = write_report(tmp_path / "study", made)
    found = contents(tmp_path / "study")
    assert {str(one.relative_to(tmp_path / "study")) for one in written} == set(found)
    assert set(found) - {SUMS} == {
        *("index.html", "score.json", "trials.csv"),
        *(
            f"tables/{name}.{end}"
            for name in ("ledger", "overall", "industries", "pairwise")
            for end in ("csv", "md", "tex")
        ),
        *(f"tables/industries-paper.{end}" for end in ("csv", "md", "tex")),
        *(f"figures/{name}.{end}" for name in ("overall", "radar", "odd") for end in ("svg", "png", "pdf")),
    }
    sums = dict(line.split("  ")[::-1] for line in found.pop(SUMS).decode().splitlines())
    assert sums == {name: hashlib.sha256(data).hexdigest() for name, data in found.items()}


def test_the_list_can_be_checked_with_sha256sum(tmp_path: Path, made: Scored) -> None:
    write_report(tmp_path, made)
    subprocess.run(["sha256sum", "--quiet", "-c", SUMS], cwd=tmp_path, check=True)


def test_writing_again_gives_the_same_bytes(tmp_path: Path, made: Scored) -> None:
    write_report(tmp_path / "a", made)
    first = contents(tmp_path / "a")
    write_report(tmp_path / "a", made)
    write_report(tmp_path / "b", scored(TINY))
    assert contents(tmp_path / "a") == contents(tmp_path / "b") == first


def test_files_of_an_earlier_score_go_and_those_of_others_stay(tmp_path: Path, made: Scored) -> None:
    write_report(tmp_path, made)
    (tmp_path / "notes.txt").write_text("mine")
    (tmp_path / "tables" / "mine.csv").write_text("mine")
    write_report(tmp_path, without_pairs(made))
    found = contents(tmp_path)
    assert "tables/pairwise.md" not in found
    assert not (tmp_path / "figures").exists()
    assert (found["notes.txt"], found["tables/mine.csv"]) == (b"mine", b"mine")
    assert set(found) - {"notes.txt", "tables/mine.csv"} == {*files_of(without_pairs(made)), SUMS}


def test_a_stale_file_that_somebody_edited_stays(tmp_path: Path, made: Scored) -> None:
    write_report(tmp_path, made)
    (tmp_path / "tables" / "pairwise.md").write_text("my remarks")
    write_report(tmp_path, without_pairs(made))
    assert contents(tmp_path)["tables/pairwise.md"] == b"my remarks"
    assert "tables/pairwise.tex" not in contents(tmp_path)


@pytest.mark.parametrize(
    "name", ["../victim", "/etc/victim", "tables/../../victim", "notes.txt", "tables/.x.md"]
)
def test_a_forged_list_removes_nothing(tmp_path: Path, made: Scored, name: str) -> None:
    folder = tmp_path / "reports"
    victim = folder / name
    folder.mkdir()
    write_report(folder, made)
    if not name.startswith("/"):
        victim.write_text("precious")
    digest = hashlib.sha256(b"precious").hexdigest()
    with (folder / SUMS).open("a") as sums:
        sums.write(f"{digest}  {name}\n")
    write_report(folder, made)
    assert name.startswith("/") or victim.read_text() == "precious"


def test_a_file_of_somebody_else_is_not_replaced(tmp_path: Path, made: Scored) -> None:
    (tmp_path / "index.html").write_text("my home page")
    with pytest.raises(UsageError, match=r"index\.html is there already, and no score wrote it"):
        write_report(tmp_path, made)
    assert contents(tmp_path) == {"index.html": b"my home page"}


def test_a_list_of_somebody_else_is_not_replaced(tmp_path: Path, made: Scored) -> None:
    (tmp_path / SUMS).write_text("abc  x\n")
    with pytest.raises(UsageError, match="SHA256SUMS is there already"):
        write_report(tmp_path, made)


def test_a_score_that_was_cut_off_is_finished_by_the_next(
    tmp_path: Path, made: Scored, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_report(tmp_path, without_pairs(made))
    count = 0

    def dies(path: Path, data: bytes, **how: bool) -> None:
        nonlocal count
        count += 1
        if count == 20:
            raise KeyboardInterrupt
        write_file(path, data, **how)

    monkeypatch.setattr("replaylab.report.score_files.write_file", dies)
    with pytest.raises(KeyboardInterrupt):
        write_report(tmp_path, made)
    monkeypatch.undo()
    assert "tables/pairwise.csv" in contents(tmp_path)
    write_report(tmp_path, without_pairs(made))
    assert set(contents(tmp_path)) == {*files_of(without_pairs(made)), SUMS}


@pytest.mark.parametrize("evidence", ["authored", "imported"])
def test_what_nobody_recorded_lies_in_a_folder_of_its_own(
    tmp_path: Path, made: Scored, evidence: str
) -> None:
    write_report(tmp_path, made)
    recorded = contents(tmp_path)
    write_report(tmp_path, scored(TINY, evidence=evidence))  # type: ignore[arg-type]
    found = contents(tmp_path)
    apart = {name: data for name, data in found.items() if name.startswith(f"{evidence}/")}
    assert {name: data for name, data in found.items() if name not in apart} == recorded
    for name in ("index.html", "tables/overall.md", "tables/overall.tex", "score.json"):
        assert f"{evidence.capitalize()}, not recorded".encode() in apart[f"{evidence}/{name}"]


def test_a_folder_that_is_a_file_is_named(tmp_path: Path, made: Scored) -> None:
    (tmp_path / "report").write_text("x")
    with pytest.raises(StoreError, match="the report can't be written") as caught:
        write_report(tmp_path / "report", made)
    assert "name another folder" in str(caught.value)
    assert str(tmp_path / "report") in str(caught.value)


def test_nothing_is_written_through_a_link(tmp_path: Path, made: Scored) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (tmp_path / "report").mkdir()
    (tmp_path / "report" / "tables").symlink_to(outside)
    with pytest.raises(StoreError, match="tables is a symbolic link"):
        write_report(tmp_path / "report", made)
    assert contents(outside) == {}


@pytest.mark.parametrize("kind", ["link", "dangling", "fifo", "folder"])
@pytest.mark.parametrize("before", [False, True])
def test_what_is_no_file_stops_a_score_before_it_writes_anything(
    tmp_path: Path, made: Scored, kind: str, before: bool
) -> None:
    report, outside = tmp_path / "report", tmp_path / "outside"
    outside.write_text("precious")
    if before:
        write_report(report, without_pairs(made))
    at = report / "tables" / "overall.md"
    at.parent.mkdir(parents=True, exist_ok=True)
    at.unlink(missing_ok=True)
    if kind == "fifo":
        os.mkfifo(at)
    elif kind == "folder":
        at.mkdir()
    else:
        at.symlink_to(outside if kind == "link" else tmp_path / "nowhere")
    there = contents(report) if kind != "link" else None
    with pytest.raises(StoreError, match=r"overall\.md: it is (a symbolic link|not a regular file)"):
        write_report(report, made)
    assert outside.read_text() == "precious"
    assert there is None or contents(report) == there
    assert (report / "tables" / "pairwise.md").exists() is False


def test_a_folder_for_one_kind_of_evidence_is_no_link(tmp_path: Path) -> None:
    (tmp_path / "outside").mkdir()
    (tmp_path / "report").mkdir()
    (tmp_path / "report" / "authored").symlink_to(tmp_path / "outside")
    with pytest.raises(StoreError, match="authored is a symbolic link"):
        write_report(tmp_path / "report", scored(TINY, evidence="authored"))
    assert contents(tmp_path / "outside") == {}


def test_a_file_in_place_of_a_folder_is_named_before_anything_is_written(
    tmp_path: Path, made: Scored
) -> None:
    (tmp_path / "tables").write_text("mine")
    with pytest.raises(UsageError, match="tables is there already"):
        write_report(tmp_path, made)
    assert contents(tmp_path) == {"tables": b"mine"}


def test_what_a_killed_score_left_goes_and_what_looks_like_it_stays(tmp_path: Path, made: Scored) -> None:
    ours = ("tables/.overall.md.123-4.tmp", ".index.html.123-0.tmp", ".SHA256SUMS.1-0.tmp")
    others = (".mine.tmp", ".notes.txt.123-4.tmp", "tables/.README.md.1-0.tmp")
    (tmp_path / "tables").mkdir()
    for name in (*ours, *others):
        (tmp_path / name).write_text("x")
    write_report(tmp_path, made)
    left = {str(path.relative_to(tmp_path)) for path in tmp_path.rglob(".*")}
    assert left == set(others)


def test_a_second_score_waits_for_the_first(
    tmp_path: Path, made: Scored, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = threading.Thread(target=write_report, args=(tmp_path, without_pairs(made)))
    began: list[bool] = []

    def slowly(path: Path, data: bytes, **how: bool) -> None:
        if not began:
            began.append(True)
            other.start()
            other.join(0.5)
            assert other.is_alive()
        write_file(path, data, **how)

    monkeypatch.setattr("replaylab.report.score_files.write_file", slowly)
    write_report(tmp_path, made)
    other.join(60)
    assert set(contents(tmp_path)) == {*files_of(without_pairs(made)), SUMS}
    assert subprocess.run(["sha256sum", "-c", "--quiet", SUMS], cwd=tmp_path, check=False).returncode == 0


def test_an_id_that_is_no_file_name_is_refused(made: Scored) -> None:
    with pytest.raises(UsageError, match="no name for a file"):
        files_of(replace(made, figures={"../x": next(iter(made.figures.values()))}))


def test_a_hostile_study_is_written_under_harmless_names(tmp_path: Path) -> None:
    names = {one.name for one in write_report(tmp_path, hostile())}
    assert all(one.isascii() and one.replace("-", "").replace(".", "").isalnum() for one in names)
