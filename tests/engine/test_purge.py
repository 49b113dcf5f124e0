from __future__ import annotations

import shutil
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from replaylab.cassette.codec import line
from replaylab.cassette.indexing import sync_index
from replaylab.cassette.stored import open_cassette
from replaylab.cli.read_back import trial_errors
from replaylab.engine.journal import DAMAGED, RunJournal
from replaylab.engine.ledger import status_counts
from replaylab.engine.merge import merge
from replaylab.engine.purge import plan_purge, purge
from replaylab.engine.redact import redacted
from replaylab.engine.replay import replay_run
from replaylab.engine.verify import verify
from replaylab.errors import CassetteGone, UsageError
from replaylab.interop.sft import Passed, Wanted, examples
from replaylab.schema.cassette import key_of
from replaylab.store.frames import MAGIC, FrameWriter
from replaylab.store.library import Library
from tests.conftest import REPO
from tests.engine.playing import failure
from tests.engine.test_swap import swap
from tests.playground import record

WHEN = "2026-02-03T04:05:06Z"
WHY = "a key was in an answer"


@pytest.fixture(scope="module")
def _recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("purge") / "library"
    record(root, agents=("scripted:careful", "scripted:greedy"))
    return root


@pytest.fixture
def library(_recorded: Path, tmp_path: Path) -> Library:
    return Library(shutil.copytree(_recorded, tmp_path / "library"))


def name_in(library: Library, at: int = 0) -> str:
    return sorted(library.objects("cassette"))[at]


def test_the_content_goes_and_the_ledger_stays_whole(library: Library) -> None:
    name, run_before = name_in(library), library.run("run")
    data = library.get(name, "cassette")
    planned = plan_purge(library, name[:6])
    assert (planned.runs, planned.done, planned.size) == (("run",), False, len(data))
    purge(library, planned, WHY, WHEN)
    assert not library.still_has(name)
    assert all(data not in path.read_bytes() for path in library.root.rglob("*") if path.is_file())
    assert library.run("run") == run_before
    seen = verify(library)
    assert seen.findings == []
    assert [(one.why, one.reason, one.when) for one in seen.gone.values()] == [("purged", WHY, WHEN)]
    assert plan_purge(library, name).done


def test_a_replay_repeats_what_is_left_and_says_what_it_can_not(library: Library) -> None:
    run = library.run("run")[1]
    name = name_in(library)
    purge(library, plan_purge(library, name), WHY, WHEN)
    replayed = replay_run(library, run)
    assert (len(replayed.trials), replayed.findings, replayed.outcome) == (1, (), "")
    assert list(replayed.gone) == [name]


def test_the_index_keeps_no_row_and_no_byte_of_it(library: Library) -> None:
    name = name_in(library)
    sync_index(library)
    assert name.encode() in (library.root / "index.db").read_bytes()
    purge(library, plan_purge(library, name), WHY, WHEN)
    sync_index(library)
    with sqlite3.connect(library.root / "index.db") as db:
        assert db.execute("SELECT count(*) FROM cassettes WHERE cassette = ?", (name,)).fetchone() == (0,)
    db.close()


def journal_of(library: Library, name: str, run: str, created: str = "") -> Path:
    """A journal file as a crash leaves it: the header and more of that recording."""
    header = open_cassette(library, name).header
    if created:
        header = header.model_copy(update={"created": created})
    journal = RunJournal(library.journal(run))
    path = journal.path_of(str(key_of(header)), header.subject.attempt)
    with FrameWriter(path) as writer:
        writer.append(line(header))
    return path


def test_the_journal_of_that_recording_goes_and_that_of_another_stays(library: Library) -> None:
    name = name_in(library)
    own = journal_of(library, name, "run")
    copied = journal_of(library, name, "other")
    another = journal_of(library, name, "third", created="2020-01-01T00:00:00Z")
    planned = plan_purge(library, name)
    assert planned.journals == (copied, own)
    purge(library, planned, WHY, WHEN)
    assert (own.exists(), copied.exists(), another.exists()) == (False, False, True)


def test_a_damaged_journal_of_that_recording_that_was_kept_goes_too(library: Library) -> None:
    (name, *_) = library.objects("cassette")
    path = journal_of(library, name, "run")
    kept = path.replace(path.with_suffix(DAMAGED))
    with kept.open("ab") as file:
        file.write(MAGIC + bytes(40))  # a frame that is none
    purge(library, plan_purge(library, name), WHY, WHEN)
    assert not kept.exists()


def test_a_run_that_is_being_recorded_is_not_disturbed(library: Library) -> None:
    name = name_in(library)
    journal_of(library, name, "run")
    planned = plan_purge(library, name)
    with library.lock("run"), pytest.raises(UsageError, match="is writing"):
        purge(library, planned, WHY, WHEN)
    assert library.gone(name) is None


def test_temporary_files_of_killed_writers_go_too(library: Library) -> None:
    name = name_in(library)
    path = library.path(name, "cassette")
    left = path.with_name(f".{path.name}.1-0.tmp")
    other = path.with_name(f".{'0' * 64}.cassette.1-0.tmp")
    for one in (left, other):
        one.write_bytes(b"a secret")
    purge(library, plan_purge(library, name), WHY, WHEN)
    assert (left.exists(), other.exists()) == (False, True)


@pytest.mark.parametrize("reason", ["", "  ", "a\nb", "\x1b[31m", "x" * 2001])
def test_a_reason_is_one_line_of_text(reason: str, library: Library) -> None:
    with pytest.raises(UsageError, match="a purge has a reason"):
        purge(library, plan_purge(library, name_in(library)), reason, WHEN)
    assert len(list(library.objects("cassette"))) == 2


def test_an_unknown_short_or_ambiguous_name_is_wrong_usage(library: Library) -> None:
    for prefix in ("", "abc", "zzzz", "0" * 64, "../../x"):
        with pytest.raises(UsageError):
            plan_purge(library, prefix)


def test_a_damaged_cassette_can_be_purged(library: Library) -> None:
    name = name_in(library)
    path = library.path(name, "cassette")
    path.chmod(0o644)
    path.write_bytes(path.read_bytes() + b"damage")
    planned = plan_purge(library, name)
    assert planned.key == ""
    purge(library, planned, WHY, WHEN)
    assert verify(library).findings == []


def test_a_redacted_stand_in_gives_up_its_digests(library: Library) -> None:
    name = name_in(library)
    library.tombstones.put(redacted(open_cassette(library, name)))
    purge(library, plan_purge(library, name), WHY, WHEN)
    stone = library.tombstones.get(name)
    assert stone is not None
    assert (stone.why, stone.kept) == ("purged", None)


def test_copies_of_its_lanes_are_named(tmp_path: Path) -> None:
    library = record(tmp_path / "library", votes=1)[0]
    (source,) = library.objects("cassette")
    swap(library, "verifier", "coin")
    (copy,) = set(library.objects("cassette")) - {source}
    assert plan_purge(library, source).copies == (copy,)
    assert plan_purge(library, copy).copies == ()


@pytest.mark.parametrize("step", ["tombstones.put", "drop_index", "drop", "tombstones.put after"])
def test_killed_at_any_step_it_is_whole_or_named_and_again_it_is_done(step: str, library: Library) -> None:
    name = name_in(library)
    journal = journal_of(library, name, "run")
    target, _, after = step.partition(" ")
    code = f"""
import os, signal
from pathlib import Path
from replaylab.engine.purge import plan_purge, purge
from replaylab.store.library import Library
library = Library(Path({str(library.root)!r}))
owner = library.tombstones if {target!r}.startswith("tombstones") else library
method = {target!r}.rpartition(".")[2]
real = getattr(owner, method)
def dying(*given):
    if {after!r}:
        real(*given)
    os.kill(os.getpid(), signal.SIGKILL)
setattr(owner, method, dying)
purge(library, plan_purge(library, {name!r}), {WHY!r}, {WHEN!r})
"""
    done = subprocess.run([sys.executable, "-c", code], cwd=REPO, capture_output=True, check=False)
    assert done.returncode == -signal.SIGKILL, done.stderr
    kinds = [one.kind for one in verify(library).findings]
    if step == "tombstones.put":
        assert (kinds, library.has(name, "cassette")) == ([], True)
    else:
        assert kinds == ["purge-unfinished"]
        with pytest.raises(CassetteGone):
            library.get(name, "cassette")
    planned = plan_purge(library, name)
    assert not planned.done
    purge(library, planned, "said again", WHEN)
    assert (verify(library).findings, library.still_has(name), journal.exists()) == ([], False, False)
    stone = library.tombstones.get(name)
    assert stone is not None
    assert stone.reason == ("said again" if step == "tombstones.put" else WHY)


def test_merging_brings_nothing_back_in_silence(library: Library, tmp_path: Path) -> None:
    name, copy = name_in(library), Library(shutil.copytree(library.root, tmp_path / "copy"))
    purge(library, plan_purge(library, name), WHY, WHEN)
    merged = merge(library, [copy], WHEN)
    assert [(one.kind, one.where) for one in merged.conflicts] == [("merge-purged", name)]
    assert not library.still_has(name)
    assert verify(library).findings == []


def test_merging_into_a_library_that_still_has_it_says_so_and_removes_nothing(
    library: Library, tmp_path: Path
) -> None:
    name, copy = name_in(library), Library(shutil.copytree(library.root, tmp_path / "copy"))
    purge(copy, plan_purge(copy, name), WHY, WHEN)
    merged = merge(library, [copy], WHEN)
    assert [(one.kind, one.where) for one in merged.conflicts] == [("merge-purged-elsewhere", name)]
    assert library.get(name, "cassette")
    assert list(library.tombstones.names()) == []


def test_a_third_library_takes_the_tombstone_whoever_comes_first(library: Library, tmp_path: Path) -> None:
    name, copy = name_in(library), Library(shutil.copytree(library.root, tmp_path / "copy"))
    purge(copy, plan_purge(copy, name), WHY, WHEN)
    for number, sources in enumerate(([library, copy], [copy, library])):
        new = Library(tmp_path / f"new-{number}")
        merged = merge(new, sources, WHEN)
        assert [one.kind for one in merged.conflicts] == ["merge-purged"]
        assert (new.still_has(name), list(new.all_gone())) == (False, [name])
        assert verify(new).findings == []


def test_a_purge_replaces_a_redacted_stand_in_when_merging(library: Library, tmp_path: Path) -> None:
    name, copy = name_in(library), Library(shutil.copytree(library.root, tmp_path / "copy"))
    stand_in = redacted(open_cassette(library, name))
    library.tombstones.put(stand_in)
    library.drop(name)
    purge(copy, plan_purge(copy, name), WHY, WHEN)
    merge(library, [copy], WHEN)
    assert library.all_gone()[name].why == "purged"
    merge(copy, [library], WHEN)
    assert copy.all_gone()[name].why == "purged"


def test_recording_goes_on_and_does_not_ask_a_purged_trial_again(library: Library) -> None:
    name = name_in(library)
    purge(library, plan_purge(library, name), WHY, WHEN)
    agents = ("scripted:careful", "scripted:greedy")
    again = record(library.root, agents=agents)[1]
    assert (again.new, again.run_id) == (0, library.ref("run"))
    grown = record(library.root, agents=agents, trials=2)[1]
    assert grown.new == 2
    assert name in {one.cassette for entry in grown.run.ledger for one in entry.tries}
    assert verify(library).findings == []
    assert status_counts(grown.run, library.all_gone()) == {
        "planned": 4,
        "recorded": 3,
        "error": 0,
        "missing": 0,
        "pass": 2 - (verdict_of(library, name) == "pass"),
        "fail": 2 - (verdict_of(library, name) == "fail"),
        "gone": 1,
    }


def verdict_of(library: Library, name: str) -> str:
    run = library.run("run")[1]
    return next(one.verdict for entry in run.ledger for one in entry.tries if one.cassette == name)


def test_a_swap_leaves_a_purged_trial_missing(library: Library) -> None:
    name = name_in(library)
    purge(library, plan_purge(library, name), WHY, WHEN)
    swapped = swap(library, "verifier", "coin").run
    assert sorted(entry.status for entry in swapped.ledger) == ["missing", "recorded"]
    assert verify(library).findings == []


def test_an_export_passes_a_purged_trial_and_says_why(library: Library) -> None:
    name, run = name_in(library), library.run("run")[1]
    purge(library, plan_purge(library, name), WHY, WHEN)
    key = next(entry.key for entry in run.ledger for one in entry.tries if one.cassette == name)
    assert Passed(key, "purged") in list(examples(library, run, Wanted()))


def test_an_error_that_was_purged_is_not_called_damaged(tmp_path: Path) -> None:
    library, recorded = record(tmp_path / "library", respond=lambda path, body: failure(500))
    (entry,) = recorded.run.ledger
    assert entry.status == "error"
    purge(library, plan_purge(library, entry.tries[0].cassette), WHY, WHEN)
    (found,) = trial_errors(library, recorded.run)
    assert "its cassette was purged" in found.finding.message
    assert "damaged" not in found.finding.message
