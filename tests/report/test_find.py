from __future__ import annotations

from pathlib import Path

import pytest

from replaylab.errors import UsageError
from replaylab.report.find import (
    FoundInteraction,
    FoundLane,
    FoundRun,
    FoundTrial,
    Question,
    find,
    newest_first,
)
from replaylab.store.library import Library
from tests.playground import record
from tests.report.recordings import JUDGED


def refused(library: Library, question: Question) -> UsageError:
    with pytest.raises(UsageError) as caught:
        find(library, question)
    return caught.value


def test_nothing_named_is_the_newest_run(study: Library) -> None:
    found = find(study, Question())
    assert isinstance(found, FoundRun)
    assert found.run.name == "study"


def test_a_run_is_found_by_name_id_and_prefix(study: Library) -> None:
    run_id = study.refs()["study"]
    for what in ("study", run_id, run_id[:8], run_id[:8].upper()):
        found = find(study, Question(what))
        assert isinstance(found, FoundRun)
        assert found.run_id == run_id


def test_a_key_a_lane_and_an_interaction_are_told_apart(study: Library) -> None:
    one, lane, asked = (find(study, Question(f"{JUDGED}{tail}")) for tail in ("", "/verifier.1", "/agent#2"))
    assert isinstance(one, FoundTrial)
    assert one.trial.key == JUDGED
    assert isinstance(lane, FoundLane)
    assert lane.lane == "verifier.1"
    assert isinstance(asked, FoundInteraction)
    assert asked.asked.row.path == f"{JUDGED}/agent#2"


def test_a_cassette_is_found_by_its_first_digits(study: Library) -> None:
    name = next(iter(study.objects("cassette")))
    found = find(study, Question(name[:12]))
    assert isinstance(found, FoundTrial)
    assert found.trial.cassette.name == name
    assert found.trial.run_id is None


def test_a_prefix_of_several_objects_lists_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    library, _ = record(tmp_path)
    names = {"cassette": ["abcd" + "1" * 60, "abcd" + "2" * 60], "run": ["abcd" + "3" * 60]}
    monkeypatch.setattr(library, "objects", lambda suffix: iter(names[suffix]))
    error = refused(library, Question("abcd"))
    assert "3 objects begin with abcd" in error.what
    assert "abcd111111111111 (cassette)" in error.closest
    assert "abcd333333333333 (run)" in error.closest


def test_an_unknown_name_is_answered_with_the_closest(study: Library) -> None:
    assert "study" in refused(study, Question("studdy")).closest
    assert JUDGED in refused(study, Question(JUDGED.replace("sepsis", "sepsi"))).closest
    assert JUDGED in refused(study, Question("E2/ed-sepsis")).closest


def test_an_unknown_lane_or_ordinal_says_which_there_are(study: Library) -> None:
    assert "verifier.2" in refused(study, Question(f"{JUDGED}/verifier.3")).closest
    assert f"{JUDGED}/agent#0 to " in refused(study, Question(f"{JUDGED}/agent#99")).closest


def test_a_repeat_that_was_not_recorded_is_not_taken_for_the_first(study: Library) -> None:
    assert "no lane 'agent~1'" in refused(study, Question(f"{JUDGED}/agent#0~1")).what


def test_a_missing_trial_is_said_to_be_missing_and_not_unknown(broken: Library) -> None:
    _, run = broken.run("broken")
    key = next(entry.key for entry in run.ledger if entry.status == "missing")
    error = refused(broken, Question(key))
    assert "not recorded" in error.what
    assert "record" in error.fix


def test_a_key_is_looked_up_in_the_newest_run_that_holds_it_unless_one_is_named(tmp_path: Path) -> None:
    library, _ = record(tmp_path, name="old")
    _, run = library.run("old")
    newer = run.model_copy(update={"name": "newer", "created": "2027-01-01T00:00:00.000Z"})
    newest = newer.model_copy(
        update={"name": "other", "created": "2028-01-01T00:00:00.000Z", "ledger": run.ledger[:0]}
    )
    for one in (newer, newest):
        library.set_ref(one.name, library.put_run(one))
    assert [found.run.name for found in newest_first(library)] == ["other", "newer", "old"]
    for named, expected in ((None, "newer"), ("old", "old"), ("newer", "newer")):
        found = find(library, Question(run.ledger[0].key, named))
        assert isinstance(found, FoundTrial)
        assert found.trial.run_name == expected


@pytest.mark.parametrize(
    "question",
    [
        Question(number=0),
        Question("study", number=0),
        Question("study", run="study"),
        Question(JUDGED, number=1),
    ],
)
def test_options_that_do_not_fit_are_refused(study: Library, question: Question) -> None:
    refused(study, question)
