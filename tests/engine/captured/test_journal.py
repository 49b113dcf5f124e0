"""The frame file of a part: what it holds, what continues what, and the cassette that it becomes."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest

from replaylab.cassette.codec import Cassette
from replaylab.cassette.tape import expand
from replaylab.engine.captured.header import capture_header, key_at
from replaylab.engine.captured.journal import PartJournal, Prefixes, holds_answers, read_part, seal_part
from replaylab.engine.captured.live import LivePart, Question
from replaylab.engine.captured.rules import parts_of
from replaylab.engine.gate import Stopped
from replaylab.engine.verify import deep_check
from replaylab.errors import StoreError
from replaylab.schema.capture import CaptureFacts
from replaylab.schema.interaction import Attempt
from replaylab.store.frames import FrameWriter, read_frames
from tests.engine.captured.asking import answer, asked, busy, text_of

WHEN = "2026-01-02T03:04:05.000Z"


class Part:
    """A part in a folder, to which questions are put and answered in any order."""

    def __init__(self, folder: Path) -> None:
        key = key_at("main", 0)
        header = capture_header(key, CaptureFacts(), WHEN, "recorded")
        self.path = folder / "part.frames"
        self.journal = PartJournal(self.path, header, FrameWriter)
        self._part = LivePart(key, self.journal)

    def ask(self, ordinal: int, *said: str) -> Question:
        request = asked(*said).request()
        digested, parts = parts_of(request)
        row, chain = self.journal.row(request, digested)
        return Question(self._part, ordinal, row, chain, parts.blobs)

    def answer(self, question: Question, *attempts: Attempt) -> None:
        question.attempts = dict(enumerate(attempts))
        self.journal.append(question.ordinal, question.interaction(), question.blobs, question.chain)

    def sealed(self) -> Cassette:
        self.journal.close(FrameWriter.close)
        cassette = Cassette(seal_part(self.path, WHEN), where="part")
        assert list(deep_check(cassette)) == []
        return cassette


def texts(cassette: Cassette) -> list[str]:
    return [text_of(row.final) for row in cassette.lanes["client"]]


def test_answers_come_in_any_order_and_stand_in_that_of_the_questions(tmp_path: Path) -> None:
    part = Part(tmp_path)
    questions = [part.ask(at, f"q{at}") for at in range(4)]
    for at in (2, 0, 3, 1):
        part.answer(questions[at], answer(str(at)))
    assert texts(part.sealed()) == list("0123")


def test_what_never_came_to_an_end_is_left_out_and_the_rest_moves_up(tmp_path: Path) -> None:
    part = Part(tmp_path)
    first = part.ask(0, "a")
    part.answer(first, answer("0"))
    part.ask(1, "lost")
    second = part.ask(2, "a", "b")
    part.answer(second, answer("2"))
    third = part.ask(3, "a", "b", "c")
    part.answer(third, answer("3"))
    cassette = part.sealed()
    rows = cassette.lanes["client"]
    assert texts(cassette) == list("023")
    assert [row.request.continues for row in rows] == [None, 0, 1]
    assert [one["content"] for one in expand(rows, 2, cassette.blob)["messages"]] == list("abc")


def test_a_question_with_another_attempt_is_written_again_and_the_last_one_counts(tmp_path: Path) -> None:
    part = Part(tmp_path)
    question = part.ask(0, "a")
    part.answer(question, busy())
    part.answer(question, busy(), answer("0"))
    header, rows, blobs = read_part(part.path)
    assert (len(read_frames(part.path)[0]), len(rows), len(blobs)) == (3, 1, 2)
    assert len(rows[0].attempts) == 2
    assert texts(part.sealed()) == ["0"]
    assert header.subject.task == "main@0"


def test_nothing_leans_on_what_is_not_journaled(tmp_path: Path) -> None:
    part = Part(tmp_path)
    waiting = part.ask(0, "a", "b")
    second = part.ask(1, "a", "b", "c")
    assert second.row.continues is None
    part.answer(second, answer("1"))
    part.answer(waiting, answer("0"))
    third = part.ask(2, "a", "b", "c", "d")
    assert (third.row.continues, third.row.keep) == (1, 3)
    part.answer(third, answer("2"))
    part.sealed()


def test_the_longest_beginning_is_found_among_many_conversations() -> None:
    known = Prefixes()
    for ordinal in range(100):
        known.add(ordinal, known.find([f"{ordinal % 10}", "b", f"{ordinal}"])[2])
    assert known.find(["3", "b", "93"])[:2] == (93, 3)
    assert known.find(["3", "b", "94"])[:2] == (3, 2)
    assert known.find(["x", "b", "93"])[:2] == (None, 0)
    assert known.find([]) == (None, 0, [])


def test_threads_that_append_at_once_lose_nothing(tmp_path: Path) -> None:
    part = Part(tmp_path)
    questions = [part.ask(at, "same system", f"q{at}") for at in range(32)]
    together = threading.Barrier(8)

    def work(start: int) -> None:
        together.wait()
        for question in questions[start::8]:
            part.answer(question, answer(str(question.ordinal)))

    threads = [threading.Thread(target=work, args=(start,)) for start in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert texts(part.sealed()) == [str(at) for at in range(32)]


def test_an_answer_is_on_the_disk_when_its_commit_returns(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    part, synced, rested = Part(tmp_path), [0], []

    def sync(fd: int) -> None:
        rested.append(part.journal.rest(FrameWriter.close))  # nobody may close what is being synced
        synced.append(os.fstat(fd).st_size)

    monkeypatch.setattr("replaylab.store.frames._sync_data", sync)
    for at in range(3):
        part.answer(part.ask(at, f"q{at}"), answer(str(at)))
        assert synced[-1] == part.path.stat().st_size
    assert rested == [False] * 3
    assert part.journal.rest(FrameWriter.close)
    part.answer(part.ask(3, "q3"), answer("3"))
    assert texts(part.sealed()) == list("0123")


def test_a_sealed_part_takes_nothing_more(tmp_path: Path) -> None:
    part = Part(tmp_path)
    question = part.ask(0, "a")
    part.answer(question, answer("0"))
    late = part.ask(1, "b")
    part.sealed()
    with pytest.raises(Stopped):
        part.answer(late, answer("1"))


def test_an_answer_that_can_t_be_written_is_not_half_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    part = Part(tmp_path)
    first = part.ask(0, "a")
    part.answer(first, answer("0"))
    second = part.ask(1, "a", "b")

    def full(fd: int, data: bytes) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as broken:
        broken.setattr("replaylab.store.disk.write_all", full)
        with pytest.raises(StoreError, match="the disk is full"):
            part.answer(second, answer("1"))
    part.answer(second, answer("1"))  # its blobs are written now, too
    assert texts(part.sealed()) == ["0", "1"]


def test_a_file_with_a_header_alone_holds_no_answers(tmp_path: Path) -> None:
    part = Part(tmp_path)
    part.answer(part.ask(0, "a"), answer("0"))
    part.journal.close(FrameWriter.close)
    assert holds_answers(part.path)
    payload = read_frames(part.path)[0][0]
    with FrameWriter(tmp_path / "other.frames") as writer:
        writer.append(payload)
    assert not holds_answers(tmp_path / "other.frames")


@pytest.mark.parametrize("payload", [b"{}", b"nothing", b'{"type":"interaction"}', b"[]"])
def test_frames_that_hold_something_else_are_named(tmp_path: Path, payload: bytes) -> None:
    part = Part(tmp_path)
    part.answer(part.ask(0, "a"), answer("0"))
    part.journal.close(FrameWriter.close)
    with FrameWriter(part.path) as writer:
        writer.append(payload)
    with pytest.raises(StoreError, match=r"part\.frames holds what this replaylab can't read"):
        read_part(part.path)
