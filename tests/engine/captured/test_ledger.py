"""The run object of a capture, and what is made of a recording that was killed, wherever that happened."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import zstandard

from replaylab.engine.captured import live
from replaylab.engine.journal import DAMAGED, RunJournal
from replaylab.engine.verify import verify
from replaylab.errors import StoreError, UsageError
from replaylab.store.frames import MAGIC
from replaylab.store.library import Library
from tests.engine.captured.asking import RUN, answer, asked, opened, played, record, say
from tests.engine.captured.test_journal import WHEN
from tests.engine.playing import header as trial_header
from tests.playground import record as record_trials


class Killed(BaseException):
    """Stands for the end of the process."""


def killed_in(monkeypatch: pytest.MonkeyPatch, where: Any, name: str, *, after: bool) -> None:
    """Make a step of sealing the last one that is done, or the first one that is not."""
    original: Callable[..., Any] = getattr(where, name)

    def step(*args: Any, **named: Any) -> Any:
        if after:
            original(*args, **named)
        raise Killed

    monkeypatch.setattr(where, name, step)


@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
@pytest.mark.parametrize(
    ("where", "name"),
    [
        (live, "seal_part"),
        (live, "put_part"),
        (RunJournal, "note_sealed"),
        (Library, "put_run"),
        (Library, "set_ref"),
        (RunJournal, "clear_sealed"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_kill_at_any_step_of_sealing_loses_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, where: Any, name: str, after: bool
) -> None:
    record(tmp_path, (asked("before"), answer("0")))
    session = opened(tmp_path, "extend")
    say(session, asked("a"), answer("1"))
    say(session, asked("b", lane="l"), answer("2"))
    with monkeypatch.context() as broken:
        killed_in(broken, where, name, after=after)
        with pytest.raises(Killed):
            session.seal()
    again = opened(tmp_path, "offline")
    assert played(again, asked("before"), asked("a"), asked("b", lane="l")) == ["0", "1", "2"]
    assert again.unplayed() == []
    assert verify(Library(tmp_path)).findings == []
    assert not (tmp_path / "journal" / RUN).exists()


def test_a_kill_after_the_run_object_makes_no_second_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = opened(tmp_path, "record")
    say(session, asked("a"), answer("1"))
    with monkeypatch.context() as broken:
        killed_in(broken, RunJournal, "clear_sealed", after=False)
        with pytest.raises(Killed):
            session.seal()
    before = Library(tmp_path).refs()
    again = opened(tmp_path, "offline")
    assert (Library(tmp_path).refs(), again.warnings()) == (before, [])
    assert not (tmp_path / "journal" / RUN).exists()


def test_a_part_that_is_sealed_and_noted_is_not_sealed_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = opened(tmp_path, "record")
    say(session, asked("a"), answer("1"))
    with monkeypatch.context() as broken:
        killed_in(broken, RunJournal, "note_sealed", after=True)
        with pytest.raises(Killed):
            session.seal()
    assert played(opened(tmp_path, "offline"), asked("a")) == ["1"]
    assert len(list(Library(tmp_path).objects("cassette"))) == 1


def test_what_a_killed_recording_of_a_new_run_had_is_a_run_of_its_own(tmp_path: Path) -> None:
    record(tmp_path, (asked("old"), answer("0")))
    session = opened(tmp_path, "record")
    say(session, asked("a"), answer("1"))
    session.close()
    again = opened(tmp_path, "record")
    assert "cut off" in again.warnings()[0]
    say(again, asked("b"), answer("2"))
    run = again.seal()
    assert run is not None
    library = Library(tmp_path)
    killed = library.read_run(run.follows[0])
    assert [len(one.ledger) for one in (run, killed)] == [1, 1]
    assert library.read_run(killed.follows[0]).follows == ()
    assert played(opened(tmp_path, "offline"), asked("b")) == ["2"]
    library.set_ref(RUN, run.follows[0])
    assert played(opened(tmp_path, "offline"), asked("a")) == ["1"]


def test_going_on_with_a_killed_recording_plays_what_it_had(tmp_path: Path) -> None:
    session = opened(tmp_path, "record")
    say(session, asked("a"), answer("1"))
    session.close()
    again = opened(tmp_path, "extend")
    assert played(again, asked("a")) == ["1"]
    say(again, asked("b"), answer("2"))
    again.seal()
    assert played(opened(tmp_path, "offline"), asked("a"), asked("b")) == ["1", "2"]


def test_offline_where_nothing_can_be_written_the_journal_is_left_and_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    record(tmp_path, (asked("a"), answer("1")))
    session = opened(tmp_path, "extend")
    say(session, asked("b"), answer("2"))
    other = opened(tmp_path, "offline")  # while it is being recorded
    assert played(other, asked("a")) == ["1"]
    assert "is not played" in other.warnings()[0]
    session.seal()
    assert played(opened(tmp_path, "offline"), asked("b")) == ["2"]


def flipped(path: Path, at: int) -> None:
    data = bytearray(path.read_bytes())
    data[at] ^= 4
    path.write_bytes(data)


def killed(folder: Path, *texts: str) -> tuple[Path, list[int]]:
    """The file of a recording that was killed, and where its frames begin."""
    session = opened(folder, "record")
    for text in texts:
        say(session, asked(text), answer(text))
    session.close()
    (path,) = (folder / "journal" / RUN).glob("*.frames")
    return path, [match.start() for match in re.finditer(re.escape(MAGIC), path.read_bytes())]


@pytest.mark.parametrize(("frame", "lost"), [(2, "b"), (3, "c"), (4, "d")])
def test_of_a_damaged_journal_all_that_is_whole_is_kept_and_the_rest_is_named(
    tmp_path: Path, frame: int, lost: str
) -> None:
    path, starts = killed(tmp_path, "a", "b", "c", "d")
    flipped(path, starts[frame] + 100)
    damaged = path.read_bytes()
    again = opened(tmp_path, "offline")
    whole = [text for text in "abcd" if text != lost]
    assert played(again, *map(asked, whole)) == whole
    assert again.unplayed() == []
    assert f"from byte {starts[frame]:,} on, hold no whole answer; the file is kept" in again.warnings()[1]
    assert verify(Library(tmp_path)).findings == []
    assert path.with_suffix(DAMAGED).read_bytes() == damaged
    again.close()
    assert len(opened(tmp_path, "offline").warnings()) == 0  # told once


def test_what_leans_on_a_damaged_answer_is_lost_with_it_and_counted(tmp_path: Path) -> None:
    session = opened(tmp_path, "record")
    for texts in (("a",), ("a", "b"), ("a", "b", "c"), ("x",)):
        say(session, asked(*texts), answer(texts[-1]))
    session.close()
    (path,) = (tmp_path / "journal" / RUN).glob("*.frames")
    flipped(path, [match.start() for match in re.finditer(re.escape(MAGIC), path.read_bytes())][2] + 30)
    again = opened(tmp_path, "offline")
    assert "; 1 that went on from what was there are lost with it" in again.warnings()[1]
    assert played(again, asked("a"), asked("x")) == ["a", "x"]
    assert again.unplayed() == []
    assert verify(Library(tmp_path)).findings == []


def test_an_answer_that_was_cut_off_is_named_and_nothing_is_kept_of_it(tmp_path: Path) -> None:
    path, starts = killed(tmp_path, "a", "b")
    os.truncate(path, starts[2] + 10)
    again = opened(tmp_path, "offline")
    assert again.warnings()[1].startswith("main@0: 10 bytes of ")
    again.seal()
    assert not path.parent.exists()


def test_a_journal_that_can_t_be_read_is_named_offline_where_there_is_no_run(tmp_path: Path) -> None:
    path, starts = killed(tmp_path, "a", "b")
    flipped(path, starts[0] + 100)
    with pytest.raises(UsageError, match=f"there is no run.*{path.name} is damaged at byte 20"):
        opened(tmp_path, "offline")
    with pytest.raises(StoreError, match="is damaged at byte 20"):
        opened(tmp_path, "record")
    assert path.is_file()


def test_lanes_are_sealed_side_by_side_and_a_full_disk_loses_none_of_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = opened(tmp_path, "record")
    texts = [f"{number}" * 3 for number in range(10)]
    for text in texts:
        say(session, asked(text, lane=text), answer(text))
    say(session, asked("large"), answer("x" * (2 << 20)))
    put = live.put_part

    def full(library: Library, data: bytes) -> Any:
        if b"444@0" in zstandard.decompress(data):
            raise StoreError("the disk is full")
        return put(library, data)

    with monkeypatch.context() as broken:
        broken.setattr(live, "put_part", full)
        with pytest.raises(StoreError, match="full"):
            session.seal()
    again = opened(tmp_path, "offline")
    assert again.warnings() == ["a recording of this run was cut off: what it had is sealed now (11 parts)"]
    assert played(again, *(asked(text, lane=text) for text in texts)) == texts
    assert again.begin(asked("large")).recorded is not None
    assert again.unplayed() == []


def test_trials_in_progress_under_that_name_are_left_alone(tmp_path: Path) -> None:
    journal = RunJournal(Library(tmp_path).journal(RUN)).open_trial("k", trial_header(), lambda: WHEN)
    journal.append(b"{}\n")
    with pytest.raises(UsageError, match="trials in progress"):
        opened(tmp_path, "record")
    assert journal.path.is_file()


def test_sealed_trials_that_no_run_names_yet_are_left_alone(tmp_path: Path) -> None:
    library, recorded = record_trials(tmp_path)
    (entry,) = recorded.run.ledger
    journal = RunJournal(library.journal(RUN))
    journal.note_sealed(entry.key, entry.tries[0], "spec")
    journal.close()
    with pytest.raises(UsageError, match="trials in progress"):
        opened(tmp_path, "extend")
    assert len(RunJournal(library.journal(RUN)).sealed()) == 1


def test_the_same_answers_give_the_same_outcome_whatever_ran_at_the_same_time(tmp_path: Path) -> None:
    outcomes = set()
    for at, order in enumerate(((0, 1, 2), (2, 0, 1))):
        session = opened(tmp_path / str(at), "record")
        places = [session.begin(asked(f"q{n}", lane=lane)) for n, lane in enumerate(("", "x", "y"))]
        for n in order:
            places[n].commit(answer(str(n), latency_ms=float(at)))
        run = session.seal()
        assert run is not None
        outcomes.add(run.outcome)
        assert [one.task for one in run.spec.tasks] == ["main@0", "x@0", "y@0"]
    assert len(outcomes) == 1


def test_a_merged_or_copied_library_goes_on_where_it_was(tmp_path: Path) -> None:
    session = opened(tmp_path / "one", "record")
    say(session, asked("a"), answer("1"))
    shutil.copytree(tmp_path / "one", tmp_path / "two")
    session.seal()
    assert played(opened(tmp_path / "two", "offline"), asked("a")) == ["1"]


def test_the_run_that_is_extended_may_be_gone(tmp_path: Path) -> None:
    record(tmp_path, (asked("a"), answer("1")))
    session = opened(tmp_path, "extend")
    say(session, asked("b"), answer("2"))
    session.close()
    library = Library(tmp_path)
    library.path(library.refs()[RUN], "run").unlink()
    (tmp_path / "runs" / RUN).unlink()
    again = opened(tmp_path, "offline")
    assert played(again, asked("b")) == ["2"]
