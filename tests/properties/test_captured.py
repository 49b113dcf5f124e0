"""Whatever order questions and answers come in: what was recorded is played, each answer once, and a kill loses nothing
that was journaled.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from replaylab.cassette.stored import open_cassette
from replaylab.engine.captured.miss import MissError
from replaylab.engine.captured.session import Place, Session
from replaylab.engine.verify import verify
from replaylab.store.library import Library
from tests.conftest import REPO
from tests.engine.captured.asking import RUN, answer, asked, busy, opened, text_of

LANES = ("", "x", "y")
# What a client does next: (lane, question, how many attempts fail first, after how many other steps it is answered).
STEPS = st.lists(
    st.tuples(st.sampled_from(LANES), st.sampled_from("abc"), st.integers(0, 2), st.integers(0, 4)),
    max_size=14,
)


def carry_out(
    session: Session, steps: list[tuple[str, str, int, int]]
) -> dict[tuple[str, str], list[list[str]]]:
    """Record the steps, questions in flight at the same time; the attempts by lane and question, in order of the start."""
    expected: dict[tuple[str, str], list[list[str]]] = defaultdict(list)
    waiting: list[tuple[int, Place, Any, list[str]]] = []
    for at, (lane, question, failing, wait) in enumerate(steps):
        # Retries come one at a time for a question, as SDKs send them: in flight is the last attempt alone.
        place = session.begin(asked(question, lane=lane))
        said: list[str] = []
        expected[lane, question].append(said)
        for number in range(failing):
            place.commit(busy())
            said.append("429")
            place = session.begin(asked(question, lane=lane, retry=number + 1))
        waiting.append((at + wait, place, answer(str(at)), said))
        for due in [one for one in waiting if one[0] <= at]:
            waiting.remove(due)
            finish(*due[1:])
    for _, place, attempt, said in waiting:
        finish(place, attempt, said)
    return expected


def finish(place: Place, attempt: Any, said: list[str]) -> None:
    place.commit(attempt)
    said.append(text_of(attempt))


def all_of(folder: Path) -> dict[str, list[list[str]]]:
    """The attempts of everything that the run holds, by lane, in order."""
    library = Library(folder)
    found: dict[str, list[list[str]]] = defaultdict(list)
    for entry in library.run(RUN)[1].ledger:
        cassette = open_cassette(library, entry.tries[0].cassette)
        lane = cassette.header.subject.task.rpartition("@")[0]
        rows = cassette.lanes["client"]
        assert [row.path.rpartition("#")[2] for row in rows] == [str(at) for at in range(len(rows))]
        found[lane] += [[text_of(attempt) for attempt in row.attempts] for row in rows]
    return found


@given(STEPS, st.randoms(use_true_random=False))
@settings(max_examples=25)
def test_any_interleaving_is_played_each_answer_once_and_the_rest_is_named(
    steps: list[tuple[str, str, int, int]], random: Any
) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        session = opened(folder, "record")
        expected = carry_out(session, steps)
        run = session.seal()
        assert (run is None) == (not steps)
        if run is None:
            return
        assert verify(Library(folder)).findings == []
        again = opened(folder, "offline")
        # Of those without a lane any order will do; a lane is asked in its own.
        order = list(range(len(steps)))
        random.shuffle(order)
        lanes = {lane: iter([at for at in range(len(steps)) if steps[at][0] == lane]) for lane in LANES}
        left = {key: list(attempts) for key, attempts in expected.items()}
        skipped = set(order[: len(order) // 3])
        for drawn in order:
            at = next(lanes[steps[drawn][0]]) if steps[drawn][0] else drawn
            lane, question = steps[at][:2]
            if not lane and at in skipped:
                continue
            for number, text in enumerate(left[lane, question].pop(0)):
                place = again.begin(asked(question, lane=lane, retry=number))
                assert text_of(place.recorded) == text
        unplayed = sum(len(attempts) for attempts in left.values())
        assert len(again.unplayed()) == unplayed
        assert again.misses == ()
        for (lane, question), attempts in expected.items():
            for _ in left[lane, question]:
                again.begin(asked(question, lane=lane))
            with pytest.raises(MissError) as caught:
                again.begin(asked(question, lane=lane))
            recorded = sum(one[0] == lane for one in steps) if lane else len(attempts)
            assert caught.value.miss.recorded == recorded
        assert again.unplayed() == []


@given(STEPS.filter(bool), st.data())
@settings(max_examples=25)
def test_a_kill_at_any_byte_of_the_journal_loses_only_what_was_not_whole(
    steps: list[tuple[str, str, int, int]], data: Any
) -> None:
    with tempfile.TemporaryDirectory() as name:
        session = opened(Path(name) / "live", "record")
        carry_out(session, steps)
        folder = Path(name) / "killed"
        shutil.copytree(Path(name) / "live", folder)
        session.seal()
        before = all_of(Path(name) / "live")
        files = sorted((folder / "journal" / RUN).glob("*.frames"))
        path = data.draw(st.sampled_from(files))
        cut = data.draw(st.integers(0, path.stat().st_size))
        os.truncate(path, cut)
        again = opened(folder, "extend")  # seals what is left over
        again.close()
        kept = all_of(folder) if RUN in Library(folder).refs() else {}
        assert verify(Library(folder)).findings == []
        lost = [lane for lane in before if kept.get(lane) != before[lane]]
        assert len(lost) <= 1  # the other files are as they were
        for lane in lost:
            # Nothing is invented: what is left is each a beginning of what there was, in the order there was.
            rest = iter(before[lane])
            for attempts in kept.get(lane, []):
                assert any(attempts == one[: len(attempts)] for one in rest)
        assert not (folder / "journal" / RUN).exists()


CHILD = """
import sys
from pathlib import Path
from tests.engine.captured.asking import answer, asked, opened
session = opened(Path(sys.argv[1]), "record")
for number in range(10_000):
    place = session.begin(asked(f"q{number}"))
    place.commit(answer(str(number)))
    print(number, flush=True)
"""


def test_a_recorder_that_is_killed_keeps_every_answer_that_was_committed(tmp_path: Path) -> None:
    child = subprocess.Popen(
        [sys.executable, "-c", CHILD, str(tmp_path)],
        cwd=REPO,
        env={**os.environ, "PYTHONPATH": str(REPO)},
        stdout=subprocess.PIPE,
        text=True,
    )
    assert child.stdout is not None
    committed = [int(child.stdout.readline()) for _ in range(40)]
    child.send_signal(signal.SIGKILL)
    committed += [int(line) for line in child.stdout.read().split()]
    child.stdout.close()
    child.wait()
    session = opened(tmp_path, "offline")
    assert [text_of(session.begin(asked(f"q{number}")).recorded) for number in committed] == list(
        map(str, committed)
    )
    assert len(session.unplayed()) <= 1  # journaled, and killed before it said so
    assert "cut off" in session.warnings()[0]


@given(st.lists(st.sampled_from("abc"), min_size=1, max_size=12), st.integers(2, 6))
@settings(max_examples=15)
def test_threads_get_each_answer_once(questions: list[str], threads: int) -> None:
    with tempfile.TemporaryDirectory() as name:
        session = opened(Path(name), "record")
        for at, question in enumerate(questions):
            session.begin(asked(question)).commit(answer(f"{question}{at}"))
        session.seal()
        again = opened(Path(name), "offline")
        got: list[str] = []
        left = iter(questions)
        lock = threading.Lock()

        def work() -> None:
            while True:
                with lock:
                    question = next(left, None)
                if question is None:
                    return
                text = text_of(again.begin(asked(question)).recorded)
                assert text[0] == question
                got.append(text)

        workers = [threading.Thread(target=work) for _ in range(threads)]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
        assert sorted(got) == sorted(f"{question}{at}" for at, question in enumerate(questions))
        assert again.unplayed() == []
