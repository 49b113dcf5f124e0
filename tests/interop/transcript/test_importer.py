"""The import as a whole: all or nothing, the same bytes each time, and a library that is sound."""

from __future__ import annotations

from pathlib import Path

import pytest

from replaylab.cassette.stored import open_cassette
from replaylab.engine.replay import replay_run
from replaylab.engine.verify import verify
from replaylab.errors import UsageError
from replaylab.interop.transcript import TranscriptsRefused
from replaylab.score.read import read_study
from replaylab.store.library import Library
from tests.interop.transcript.made import imported, line, step
from tests.playground import SHORT, record

LINES = (line(), line(simulator="b", final_answer=None), line(simulator="b", steps=[step(tool="fly")]))


def files(root: Path) -> dict[str, bytes]:
    """All that a library keeps, apart from the index and the lock, which are no evidence."""
    return {
        str(path.relative_to(root)): path.read_bytes()
        for folder in ("objects", "runs")
        for path in sorted((root / folder).rglob("*"))
        if path.is_file()
    }


def test_what_was_imported_is_sound_and_replays(tmp_path: Path) -> None:
    made = imported(tmp_path, *LINES)
    library = Library(tmp_path / "library")
    assert not verify(library).findings
    replayed = replay_run(library, made.run, offline=False)
    assert not replayed.findings
    assert replayed.outcome == made.run.outcome


def test_importing_again_changes_nothing(tmp_path: Path) -> None:
    first = imported(tmp_path, *LINES)
    before = files(tmp_path / "library")
    second = imported(tmp_path, *LINES)
    assert (first.changed, second.changed, second.run_id) == (True, False, first.run_id)
    assert files(tmp_path / "library") == before


def test_the_same_lines_give_the_same_bytes_elsewhere(tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        imported(tmp_path / name, b"" if name == "two" else line(), line() if name == "two" else b"", *LINES)
    assert files(tmp_path / "one/library") == files(tmp_path / "two/library")


def test_one_bad_line_stops_all(tmp_path: Path) -> None:
    with pytest.raises(TranscriptsRefused) as caught:
        imported(tmp_path, line(), b"{", line(steps=7), line(environment="x" * 3, task=7, trial="y"))
    assert caught.value.what.startswith("3 lines can't be imported; nothing was written")
    assert {problem.where for problem in caught.value.problems} == {f"theirs.jsonl:{n}" for n in (2, 3, 4)}
    assert not Library(tmp_path / "library").exists()


def test_bad_lines_can_be_skipped_and_are_counted(tmp_path: Path) -> None:
    made = imported(tmp_path, line(), b"{", line(steps=7), skip_bad=True)
    assert (made.transcripts, made.skipped_lines) == (1, 2)
    assert [problem.where for problem in made.skipped] == ["theirs.jsonl:2", "theirs.jsonl:3"]


@pytest.mark.parametrize("lines", [(), (b"{",)])
def test_nothing_to_import_is_an_error(tmp_path: Path, lines: tuple[bytes, ...]) -> None:
    with pytest.raises(TranscriptsRefused, match="no transcript to import"):
        imported(tmp_path, *lines, skip_bad=True)


@pytest.mark.parametrize(
    ("changed", "why"),
    [
        (line(final_answer="other"), "another trial unknown,a,none,E0"),
        (line(simulator="c"), "the trial unknown,a,none,E0"),
        (line(provenance="x"), "other times or notes"),
    ],
)
def test_another_content_under_the_same_name_is_a_conflict(
    tmp_path: Path, changed: dict[str, object], why: str
) -> None:
    imported(tmp_path, line())
    before = files(tmp_path / "library")
    with pytest.raises(TranscriptsRefused, match="holds something else") as caught:
        imported(tmp_path, changed)
    assert why in caught.value.what
    assert files(tmp_path / "library") == before


def test_a_recorded_run_of_the_name_is_left_alone(tmp_path: Path) -> None:
    record(tmp_path / "library", tasks=(SHORT,), agents=("scripted:careful",), name="study")
    with pytest.raises(TranscriptsRefused, match="it is recorded"):
        imported(tmp_path, line(), name="study")


def test_an_imported_run_is_never_the_newest_recorded_one(tmp_path: Path) -> None:
    record(tmp_path / "library", tasks=(SHORT,), agents=("scripted:careful",), name="study")
    imported(tmp_path, line(created="2999-01-01"))
    assert Library(tmp_path / "library").run(None)[1].name == "study"


def test_where_nothing_was_recorded_the_imported_run_is_taken(tmp_path: Path) -> None:
    imported(tmp_path, line())
    assert Library(tmp_path / "library").run(None)[1].name == "theirs"


def test_a_score_never_pools_it_with_recorded_trials(tmp_path: Path) -> None:
    record(tmp_path / "library", tasks=(SHORT,), agents=("scripted:careful",), name="study")
    imported(tmp_path, *LINES)
    studies = read_study(Library(tmp_path / "library"), ["study", "theirs"])
    assert [(one.evidence, len(one.trials)) for one in studies] == [("recorded", 1), ("imported", 4)]
    assert {trial.outcome for trial in studies[1].trials} == {"unjudged", "missing"}


def test_a_secret_reaches_no_file(tmp_path: Path) -> None:
    secret = "a-very-secret-value"
    given = line(steps=[step(arguments=f'{{"k": "{secret}"}}', observation=f"x {secret}")], provenance=secret)
    imported(tmp_path, given)
    library = Library(tmp_path / "library")
    for name in library.objects("cassette"):
        one = open_cassette(library, name)
        whole = str([one.header, one.lanes, one.labels, list(one.blobs)])
        assert secret not in whole
        assert "*REDACTED*" in whole


def test_a_name_that_differs_in_case_alone_is_refused_before_anything_is_written(tmp_path: Path) -> None:
    imported(tmp_path, line())
    before = files(tmp_path / "library")
    with pytest.raises(UsageError, match="differ only in case"):
        imported(tmp_path, line(final_answer="other"), name="Theirs")
    assert files(tmp_path / "library") == before


def test_each_note_is_told_with_the_place_of_what_it_is_about(tmp_path: Path) -> None:
    odd = [step(tool="list_gate"), step(observation="plain words"), step(arguments='"{}"')]
    done = imported(tmp_path, line(steps=odd))
    assert {kind: [one[1:] for one in places] for kind, places in done.noted.items()} == {
        "engine_answered": [("steps.0.tool", "there is no tool 'list_gate'; closest: list_gates")],
        "wrapped_observation": [("steps.1.observation", "")],
        "double_encoded": [("steps.2.arguments", "")],
    }


def test_a_tool_that_none_is_like_is_told_with_those_that_there_are(tmp_path: Path) -> None:
    done = imported(tmp_path, line(steps=[step(tool="zzz")]))
    assert done.noted["engine_answered"][0].why == "there is no tool 'zzz'; it has list_gates, open_gate"
