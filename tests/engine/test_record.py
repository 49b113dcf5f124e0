"""Recording in process: where a crash may come between any two steps, and what may change between two recordings."""

from __future__ import annotations

import itertools
import json
import shutil
import threading
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from httpx2 import ConnectError

from replaylab.builtin.responder import Response
from replaylab.canonical import digest
from replaylab.engine import record as recording
from replaylab.engine.journal import RunJournal, TrialJournal
from replaylab.engine.record import Recorded
from replaylab.engine.replay import replay_run
from replaylab.engine.verify import verify
from replaylab.errors import CallFailed, StoreError, UsageError
from replaylab.store.library import Library
from tests.e2e.far import leftovers, on_disk
from tests.playground import SHORT, record, responder

TWO = (SHORT, "oncall-database-handover")


class Killed(BaseException):
    """Stands for the process ending here."""


class Asked:
    """Answers like the built-in models and counts bodies."""

    def __init__(self, broken: Callable[[Any], bool] = lambda body: False) -> None:
        self.bodies: Counter[str] = Counter()
        self._lock, self.broken = threading.Lock(), broken

    def __call__(self, path: str, body: bytes) -> Response:
        asked = json.loads(body)
        with self._lock:
            self.bodies[digest(asked)] += 1
        if self.broken(asked):
            return 400, {"content-type": "application/json"}, [b'{"error": {"message": "out of order"}}']
        return responder().respond(path, body)


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> tuple[Library, Recorded]:
    return record(tmp_path_factory.mktemp("undisturbed"), tasks=TWO, votes=1)


def check_whole(library: Library, now: Recorded, undisturbed: tuple[Library, Recorded]) -> None:
    assert now.run.outcome == undisturbed[1].run.outcome
    assert library.run("run")[1] == now.run
    assert on_disk(library.root).bodies == on_disk(undisturbed[0].root).bodies
    assert verify(library).findings == []
    assert replay_run(library, now.run).outcome == now.run.outcome
    assert leftovers(library.root) == []


STEPS: list[tuple[Any, str]] = [
    (TrialJournal, "append"),
    (Library, "put"),
    (RunJournal, "note_sealed"),
    (RunJournal, "drop_trial"),
    (Library, "put_run"),
    (Library, "set_ref"),
    (RunJournal, "clear_sealed"),
    (recording, "sync_index"),
]


@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
@pytest.mark.parametrize(("owner", "step"), STEPS, ids=[step for _, step in STEPS])
@pytest.mark.parametrize("nth", [1, 2])
def test_a_crash_before_or_after_any_step_of_the_writing_loses_nothing(
    tmp_path: Path,
    undisturbed: tuple[Library, Recorded],
    owner: Any,
    step: str,
    nth: int,
    after: bool,
) -> None:
    asked, calls, real = Asked(), [0], getattr(owner, step)

    def crashing(*given: Any, **named: Any) -> Any:
        calls[0] += 1
        if calls[0] == nth and not after:
            raise Killed
        value = real(*given, **named)
        if calls[0] == nth:
            raise Killed
        return value

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(owner, step, crashing)
        try:
            record(tmp_path, tasks=TWO, votes=1, respond=asked)
        except Killed:
            killed = True
        else:
            killed = False
    assert killed == (nth == 1 or step not in {"put_run", "set_ref", "clear_sealed", "sync_index"})
    held = on_disk(tmp_path)
    lost = asked.bodies - held.bodies
    assert lost.total() == (step == "append" and not after)
    assert not held.bodies - asked.bodies
    again = Asked()
    library, now = record(tmp_path, tasks=TWO, votes=1, respond=again)
    assert asked.bodies + again.bodies == on_disk(undisturbed[0].root).bodies + lost
    check_whole(library, now, undisturbed)


@pytest.mark.parametrize(("owner", "step"), STEPS[:-1], ids=[step for _, step in STEPS[:-1]])
def test_a_write_that_fails_is_a_store_error_and_the_next_recording_goes_on(
    tmp_path: Path,
    undisturbed: tuple[Library, Recorded],
    monkeypatch: pytest.MonkeyPatch,
    owner: Any,
    step: str,
) -> None:
    def full(*given: Any, **named: Any) -> Any:
        raise StoreError("the disk is full")

    with monkeypatch.context() as patch:
        patch.setattr(owner, step, full)
        with pytest.raises(StoreError, match="the disk is full"):
            record(tmp_path, tasks=TWO, votes=1, jobs=2)
    library, now = record(tmp_path, tasks=TWO, votes=1)
    check_whole(library, now, undisturbed)


def test_recording_again_asks_nothing_and_makes_no_new_run_object(tmp_path: Path) -> None:
    library, first = record(tmp_path)
    asked = Asked()
    _, second = record(tmp_path, respond=asked)
    assert (second.run_id, second.new, asked.bodies) == (first.run_id, 0, Counter())
    assert len(list(library.objects("run"))) == 1


def test_max_calls_stops_exactly_and_any_number_of_times(
    tmp_path: Path, undisturbed: tuple[Library, Recorded]
) -> None:
    asked, calls = Asked(), list[int]()

    def some() -> tuple[Library, Recorded]:
        found = record(tmp_path, tasks=TWO, votes=1, jobs=2, max_calls=9, respond=asked)
        calls.append(found[1].totals.calls)
        return found

    library, now = some()
    while now.stopped:
        assert "--max-calls 9 is reached" in now.stopped
        library, now = some()
    assert set(calls[:-1]) == {9}
    assert asked.bodies == on_disk(undisturbed[0].root).bodies
    check_whole(library, now, undisturbed)


def test_a_limit_of_no_calls_leaves_no_litter(tmp_path: Path) -> None:
    library, now = record(tmp_path, tasks=TWO, jobs=4, max_calls=0)
    assert (now.new, now.in_progress, leftovers(library.root)) == (0, 0, [])


def test_a_recording_that_fails_at_once_leaves_no_run_in_the_way(tmp_path: Path) -> None:
    def broken(path: str, body: bytes) -> Response:
        raise UsageError("no key")

    with pytest.raises(UsageError, match="no key"):
        record(tmp_path, respond=broken)
    library = Library(tmp_path)
    assert library.refs() == {}
    assert record(tmp_path, votes=5)[1].stopped == ""


def test_a_defect_is_not_hidden_and_what_was_sealed_is_kept(tmp_path: Path) -> None:
    asked = Asked()

    def broken(path: str, body: bytes) -> Response:
        if asked.bodies.total() > 30:
            raise ZeroDivisionError
        return asked(path, body)

    with pytest.raises(ZeroDivisionError):
        record(tmp_path, tasks=TWO, votes=1, respond=broken)
    held = on_disk(tmp_path)
    assert held.bodies == asked.bodies
    record(tmp_path, tasks=TWO, votes=1, respond=asked)
    assert on_disk(tmp_path).bodies == asked.bodies


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"votes": 2}, "other settings"),
        ({"votes": 1, "settings": {"sampling": {"temperature": 0.5}}}, "other settings"),
        ({"votes": 1, "tasks": TWO[1:]}, "not planned now"),
    ],
)
@pytest.mark.parametrize("stopped", ["before the run object", "in a trial"])
def test_what_was_sealed_or_begun_under_other_settings_is_refused_and_kept(
    tmp_path: Path, changed: dict[str, Any], said: str, stopped: str
) -> None:
    if stopped == "in a trial":
        record(tmp_path, tasks=TWO[:1], votes=1, max_calls=5)
        changed = {"tasks": TWO[:1]} | changed
    else:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(Library, "put_run", lambda self, run: (_ for _ in ()).throw(Killed()))
            with pytest.raises(Killed):
                record(tmp_path, tasks=TWO, votes=1)
        changed = {"tasks": TWO} | changed
    before = {path: path.read_bytes() for path in tmp_path.rglob("*.frames")}
    with pytest.raises(UsageError, match="other options" if stopped == "in a trial" else said):
        record(tmp_path, **changed)
    assert before
    assert {path: path.read_bytes() for path in tmp_path.rglob("*.frames")} == before


def test_a_run_grows_by_trials_and_tasks_and_asks_only_for_those(tmp_path: Path) -> None:
    asked = Asked()
    library, small = record(tmp_path, votes=1, respond=asked)
    first = asked.bodies.total()
    _, grown = record(tmp_path, votes=1, trials=2, tasks=TWO, respond=asked)
    assert (grown.new, asked.bodies.total()) == (3, len(on_disk(tmp_path).answers))
    assert grown.totals.calls == asked.bodies.total() - first
    assert grown.run.follows == (small.run_id,)
    assert grown.run.outcome == record(tmp_path / "at once", votes=1, trials=2, tasks=TWO)[1].run.outcome
    assert verify(library).sound


def judge_is_broken(body: Any) -> bool:
    return bool(body["model"] == "rubric")


def test_an_error_is_tried_again_only_when_asked_to_and_every_try_is_kept(tmp_path: Path) -> None:
    library, first = record(tmp_path, votes=1, respond=Asked(judge_is_broken))
    (entry,) = first.run.ledger
    assert (entry.status, len(entry.tries)) == ("error", 1)
    assert record(tmp_path, votes=1)[1].run_id == first.run_id
    _, second = record(tmp_path, votes=1, retry_errors=True, respond=Asked(judge_is_broken))
    assert [one.verdict for one in second.run.ledger[0].tries] == ["error", "error"]
    _, third = record(tmp_path, votes=1, retry_errors=True)
    (entry,) = third.run.ledger
    assert (entry.status, [one.verdict for one in entry.tries]) == ("recorded", ["error", "error", "pass"])
    assert entry.counting == entry.tries[2]
    assert record(tmp_path, votes=1, retry_errors=True)[1].new == 0
    assert third.run.outcome == record(tmp_path / "clean", votes=1)[1].run.outcome
    assert verify(library).findings == []
    assert replay_run(library, third.run).findings == ()


def test_a_try_that_was_stopped_goes_on_as_that_try(tmp_path: Path) -> None:
    record(tmp_path, votes=1, respond=Asked(judge_is_broken))
    asked = Asked()
    record(tmp_path, votes=1, retry_errors=True, max_calls=5, respond=asked)
    _, now = record(tmp_path, votes=1, retry_errors=True, respond=asked)
    assert (now.resumed, len(now.run.ledger[0].tries)) == (1, 2)
    assert set(asked.bodies.values()) == {1}


@pytest.mark.parametrize("name", ["../out", "a/b", "", ".hidden", "x" * 101, "k.lock"])
def test_a_run_name_that_is_no_safe_file_name_is_refused_before_anything_is_written(
    tmp_path: Path, name: str
) -> None:
    with pytest.raises(UsageError, match="not a run name"):
        record(tmp_path / "library", name=name)
    assert list(tmp_path.iterdir()) == []


def test_no_more_answers_than_jobs_are_ever_on_their_way_to_the_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lock, waiting, most, real = threading.Lock(), [0], [0], TrialJournal.append

    def respond(path: str, body: bytes) -> Response:
        with lock:
            waiting[0] += 1
            most[0] = max(most[0], waiting[0])
        return responder().respond(path, body)

    def append(self: TrialJournal, payload: bytes) -> None:
        time.sleep(0.002)  # a slow disk
        real(self, payload)
        with lock:
            waiting[0] -= 1

    monkeypatch.setattr(TrialJournal, "append", append)
    record(tmp_path, votes=9, jobs=2, respond=respond)
    assert (waiting[0], most[0]) == (0, 2)


def test_a_library_copied_in_the_middle_of_a_recording_resumes_elsewhere(
    tmp_path: Path, undisturbed: tuple[Library, Recorded]
) -> None:
    record(tmp_path / "here", tasks=TWO, votes=1, max_calls=30)
    shutil.copytree(tmp_path / "here", tmp_path / "there")
    library, now = record(tmp_path / "there", tasks=TWO, votes=1)
    check_whole(library, now, undisturbed)


def test_three_trials_in_a_row_without_a_connection_stop_the_recording(tmp_path: Path) -> None:
    def nobody(path: str, body: bytes) -> Response:
        raise ConnectError("nobody listens")

    _, now = record(tmp_path, trials=5, respond=nobody)
    assert [entry.status for entry in now.run.ledger] == ["error"] * 3 + ["missing"] * 2
    assert "scripted:careful" in now.stopped
    assert "no connection could be made" in now.stopped
    again = record(tmp_path, trials=5, retry_errors=True)[1]
    assert {entry.status for entry in again.run.ledger} == {"recorded"}


def test_trials_without_a_connection_that_are_not_in_a_row_stop_nothing(tmp_path: Path) -> None:
    times = itertools.count()

    def flaky(path: str, body: bytes) -> Response:
        if json.loads(body)["model"] == "scripted:careful" and next(times) in (0, *range(11, 13)):
            raise ConnectError("nobody listens")
        return responder().respond(path, body)

    _, now = record(tmp_path, trials=4, respond=flaky, votes=1)
    assert now.stopped == ""


def test_a_call_that_fails_ends_its_trial_and_not_the_recording(tmp_path: Path) -> None:
    def broken(path: str, body: bytes) -> Response:
        return 400, {"content-type": "application/json"}, [b"{}"]

    _, now = record(tmp_path, trials=2, respond=broken)
    assert [entry.status for entry in now.run.ledger] == ["error", "error"]
    assert not issubclass(CallFailed, StoreError)
