from __future__ import annotations

from pathlib import Path

import pytest

from replaylab.canonical import digest
from replaylab.cassette.codec import Cassette, line, request_parts
from replaylab.engine.gate import Stopped
from replaylab.engine.journal import SEALED, RunJournal, TrialJournal
from replaylab.errors import ReplaylabError, StoreError, UsageError
from replaylab.schema.interaction import Interaction
from replaylab.schema.run import Try
from replaylab.store.frames import FrameWriter, read_frames
from tests.playground import only_cassette, record

KEY = "a x b x c x E0/task/0"
SPEC = digest("spec")


@pytest.fixture(scope="module")
def cassette(tmp_path_factory: pytest.TempPathFactory) -> Cassette:
    library, _ = record(tmp_path_factory.mktemp("library"), votes=1)
    path = only_cassette(library)
    return Cassette(path.read_bytes(), where=str(path))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "journal" / "k"


def now() -> str:
    return "2026-01-02T03:04:05.006Z"


def begin(journal: RunJournal, cassette: Cassette, attempt: int = 0, **changed: object) -> TrialJournal:
    subject = cassette.header.subject.model_copy(update={"attempt": attempt})
    header = cassette.header.model_copy(update={"created": "", "subject": subject, **changed})
    return journal.open_trial(KEY, header, now)


def answer(trial: TrialJournal, cassette: Cassette, *rows: Interaction) -> None:
    for row in rows:
        blobs = b"".join(line(cassette.blob(name)) for name in request_parts(row.request))
        trial.append(blobs + line(row))


def one_try(word: str = "x", verdict: str = "pass") -> Try:
    return Try.model_validate(
        {"cassette": digest(word), "outcome": digest([word]), "verdict": verdict, "termination": "answered"}
    )


def the_file(folder: Path) -> Path:
    (path,) = (path for path in folder.glob("*.frames") if path.name != SEALED)
    return path


def test_a_trial_that_asked_nothing_leaves_no_file(folder: Path, cassette: Cassette) -> None:
    journal = RunJournal(folder)
    trial = begin(journal, cassette)
    assert trial.header.created == now()
    journal.release(trial)
    assert (journal.in_progress(), folder.exists()) == (0, False)


def test_what_was_answered_is_there_again(folder: Path, cassette: Cassette) -> None:
    rows = cassette.lanes["agent"][:3]
    first = RunJournal(folder)
    trial = begin(first, cassette)
    answer(trial, cassette, *rows)
    answer(trial, cassette, cassette.lanes["simulator"][0])
    first.close()
    again = begin(RunJournal(folder), cassette)
    assert again.lanes == {"agent": rows, "simulator": [cassette.lanes["simulator"][0]]}
    assert again.header == trial.header
    for name in request_parts(rows[0].request):
        assert again.blob(name).value == cassette.blob(name).value
    ends = [a.started_ms + a.latency_ms for r in [*rows, cassette.lanes["simulator"][0]] for a in r.attempts]
    assert again.elapsed_ms == max(ends)


def test_an_answer_is_on_the_disk_when_append_returns(folder: Path, cassette: Cassette) -> None:
    trial = begin(RunJournal(folder), cassette)
    answer(trial, cassette, cassette.lanes["agent"][0])
    assert len(read_frames(the_file(folder))[0]) == 2


def test_the_journal_of_a_trial_cut_at_any_byte_gives_the_answers_wholly_before_it(
    folder: Path, cassette: Cassette
) -> None:
    trial, ends = begin(RunJournal(folder), cassette), list[int]()
    for row in cassette.lanes["agent"][:3]:
        answer(trial, cassette, row)
        ends.append(the_file(folder).stat().st_size)
    whole = the_file(folder).read_bytes()
    # Every byte of the header's frame would take long; the frames' own tests try each.
    for size in [*range(90), *range(90, len(whole), 97), *ends, *(end - 1 for end in ends)]:
        the_file(folder).write_bytes(whole[:size])
        journal = RunJournal(folder)
        again = begin(journal, cassette)
        kept = sum(end <= size for end in ends)
        assert sum(map(len, again.lanes.values())) == kept
        answer(again, cassette, *cassette.lanes["agent"][kept : kept + 1])
        journal.close()
        assert len(read_frames(the_file(folder))[0]) == 1 + kept + (kept < len(cassette.lanes["agent"]))


def test_each_try_has_a_journal_of_its_own(folder: Path, cassette: Cassette) -> None:
    journal = RunJournal(folder)
    answer(begin(journal, cassette), cassette, cassette.lanes["agent"][0])
    assert begin(journal, cassette, attempt=1).lanes == {}


def test_a_trial_that_was_begun_with_other_settings_is_refused_and_kept(
    folder: Path, cassette: Cassette
) -> None:
    journal = RunJournal(folder)
    answer(begin(journal, cassette), cassette, cassette.lanes["agent"][0])
    before = the_file(folder).read_bytes()
    with pytest.raises(UsageError, match="begun with other settings") as caught:
        begin(RunJournal(folder), cassette, inputs=digest("other"))
    assert caught.value.where == str(the_file(folder))
    assert the_file(folder).read_bytes() == before


@pytest.mark.parametrize(
    "payloads", [[b"{}"], [b"not JSON"], [None, b"{}"], [None, b'{"type":"interaction"}']]
)
def test_what_cannot_be_read_is_an_error_that_names_the_file(
    folder: Path, cassette: Cassette, payloads: list[bytes | None]
) -> None:
    answer(begin(RunJournal(folder), cassette), cassette, cassette.lanes["agent"][0])
    path = the_file(folder)
    path.unlink()
    with FrameWriter(path) as writer:
        for payload in payloads:
            writer.append(payload or line(cassette.header))
    with pytest.raises(StoreError, match="can't read") as caught:
        begin(RunJournal(folder), cassette)
    assert caught.value.where == str(path)


def test_a_missing_blob_is_damage(folder: Path, cassette: Cassette) -> None:
    with pytest.raises(StoreError, match="no blob"):
        begin(RunJournal(folder), cassette).blob(digest("gone"))


def test_sealed_trials_are_read_in_the_order_in_which_they_were_sealed(folder: Path) -> None:
    journal = RunJournal(folder)
    assert journal.sealed() == []
    for word in ("one", "two", "three"):
        journal.note_sealed(word, one_try(word), SPEC)
    rows = [(one.key, one.sealed, one.spec) for one in RunJournal(folder).sealed()]
    assert rows == [(word, one_try(word), SPEC) for word in ("one", "two", "three")]


def test_a_torn_note_of_a_sealed_trial_is_dropped_and_the_next_follows(folder: Path) -> None:
    journal = RunJournal(folder)
    for word in ("one", "two"):
        journal.note_sealed(word, one_try(word), SPEC)
    journal.close()
    path = folder / SEALED
    path.write_bytes(path.read_bytes()[:-1])
    again = RunJournal(folder)
    assert [one.key for one in again.sealed()] == ["one"]
    again.note_sealed("three", one_try("three"), SPEC)
    assert [one.key for one in again.sealed()] == ["one", "three"]


def test_clearing_forgets_what_was_sealed_and_keeps_what_is_in_progress(
    folder: Path, cassette: Cassette
) -> None:
    journal = RunJournal(folder)
    journal.note_sealed("one", one_try(), SPEC)
    answer(begin(journal, cassette), cassette, cassette.lanes["agent"][0])
    journal.clear_sealed()
    assert (journal.sealed(), journal.in_progress()) == ([], 1)
    journal.note_sealed("two", one_try(), SPEC)
    assert [one.key for one in journal.sealed()] == ["two"]


def test_an_empty_journal_folder_goes_away(folder: Path, cassette: Cassette) -> None:
    journal = RunJournal(folder)
    trial = begin(journal, cassette)
    answer(trial, cassette, cassette.lanes["agent"][0])
    journal.note_sealed(KEY, one_try(), SPEC)
    journal.drop_trial(trial)
    journal.clear_sealed()
    assert not folder.exists()


def test_files_of_sealed_tries_that_a_crash_left_are_dropped_and_no_others(
    folder: Path, cassette: Cassette
) -> None:
    journal = RunJournal(folder)
    for attempt in (0, 1):
        answer(begin(journal, cassette, attempt), cassette, cassette.lanes["agent"][0])
    again = RunJournal(folder)
    again.drop_done([(KEY, 0), ("another", 1)])
    assert again.in_progress() == 1
    assert begin(again, cassette, 1).lanes
    assert not begin(again, cassette, 0).lanes


def test_a_closed_journal_takes_nothing_more(folder: Path, cassette: Cassette) -> None:
    journal = RunJournal(folder)
    begun, asked = begin(journal, cassette), begin(journal, cassette, 1)
    answer(asked, cassette, cassette.lanes["agent"][0])
    before = the_file(folder).read_bytes()
    journal.close()
    with pytest.raises(ReplaylabError):
        answer(asked, cassette, cassette.lanes["agent"][1])
    with pytest.raises(Stopped):
        answer(begun, cassette, cassette.lanes["agent"][0])
    with pytest.raises(Stopped):
        journal.note_sealed(KEY, one_try(), SPEC)
    assert the_file(folder).read_bytes() == before
    assert list(folder.iterdir()) == [the_file(folder)]


@pytest.mark.parametrize("payload", [b"[]", b"5", b'{"type": "blob"}', b'"type"', b"[" * 3000])
def test_a_whole_frame_that_holds_something_else_is_damage(
    folder: Path, cassette: Cassette, payload: bytes
) -> None:
    answer(begin(RunJournal(folder), cassette), cassette, cassette.lanes["agent"][0])
    path = the_file(folder)
    with FrameWriter(path) as writer:
        writer.append(payload)
    with pytest.raises(StoreError, match="can't read"):
        begin(RunJournal(folder), cassette)


@pytest.mark.parametrize("payload", [b"[]", b"{}", b'{"key": 1, "try": 2, "spec": 3}', b"[" * 3000])
def test_a_ledger_that_holds_something_else_is_damage(folder: Path, payload: bytes) -> None:
    with FrameWriter(folder / SEALED) as writer:
        writer.append(payload)
    with pytest.raises(StoreError, match="can't read"):
        RunJournal(folder).sealed()
