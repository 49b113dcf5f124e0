"""A session records, plays and extends: places, lanes, attempts, misses, what is left unplayed."""

from __future__ import annotations

import threading
import time
from pathlib import Path

import pytest

from replaylab.cassette.stored import open_cassette
from replaylab.engine.captured.header import PART
from replaylab.engine.captured.session import Session
from replaylab.engine.gate import Stopped
from replaylab.engine.purge import plan_purge, purge
from replaylab.engine.verify import verify
from replaylab.errors import ReplaylabError, UsageError
from replaylab.schema.capture import NormaliseRule
from replaylab.schema.cassette import evidence_of
from replaylab.store.library import Library
from replaylab.wire.redact import REDACTION_VERSION
from tests.engine.captured.asking import (
    RUN,
    answer,
    asked,
    asked_body,
    broken,
    busy,
    ends,
    missed,
    opened,
    played,
    record,
    say,
    text_of,
    ticking,
)
from tests.playground import record as record_trials


def test_what_is_recorded_is_played_and_the_library_verifies(tmp_path: Path) -> None:
    run = record(tmp_path, (asked("a"), answer("1")), (asked("b"), answer("2")))
    assert run is not None
    assert (run.spec.mode, run.holds_trials, [entry.status for entry in run.ledger]) == (
        "capture",
        False,
        ["recorded"],
    )
    session = opened(tmp_path, "offline")
    assert played(session, asked("b"), asked("a")) == ["2", "1"]
    assert session.seal() is None
    found = verify(Library(tmp_path))
    assert (found.findings, found.cassettes, found.runs, found.interactions) == ([], 1, 1, 2)


def test_a_place_has_its_callpath_when_the_request_starts(tmp_path: Path) -> None:
    session = opened(tmp_path, "record")
    first, second = session.begin(asked("a")), session.begin(asked("b", lane="case 7/x"))
    assert ends([first.path, second.path]) == ["main@0/0/client#0", "case%207%2Fx@0/0/client#0"]
    second.commit(answer("2"))
    first.commit(answer("1"))
    session.seal()
    assert ends([session.begin(asked("a")).path for session in [opened(tmp_path, "offline")]]) == [
        "main@0/0/client#0"
    ]


def test_without_a_lane_the_kth_time_gets_the_kth_answer(tmp_path: Path) -> None:
    record(tmp_path, (asked("a"), answer("1")), (asked("b"), answer("x")), (asked("a"), answer("2")))
    assert played(opened(tmp_path, "offline"), asked("a"), asked("a"), asked("b")) == ["1", "2", "x"]


def test_a_named_lane_is_held_to_its_order(tmp_path: Path) -> None:
    record(tmp_path, (asked("a", lane="l"), answer("1")), (asked("b", lane="l"), answer("2")))
    session = opened(tmp_path, "offline")
    miss = missed(session, asked("b", lane="l"))
    assert (miss.reason, ends([miss.nearest]), miss.pointer) == (
        "out_of_order",
        ["l@0/0/client#0"],
        "/messages/0/content",
    )
    assert (miss.expected, miss.observed) == ("a", "b")
    assert played(session, asked("b", lane="l")) == ["2"]
    dry = missed(session, asked("c", lane="l"))
    assert (dry.reason, dry.message) == (
        "asked_more_often",
        "the lane 'l' ran dry: recorded 2, this is the 3rd",
    )


def test_a_lane_never_answers_for_another_one(tmp_path: Path) -> None:
    record(tmp_path, (asked("a", lane="one"), answer("1")), (asked("a", lane="two"), answer("2")))
    session = opened(tmp_path, "offline")
    assert played(session, asked("a", lane="two"), asked("a", lane="one")) == ["2", "1"]
    assert missed(session, asked("a")).reason == "no_such_request"


def test_the_lane_main_is_that_of_those_who_name_none(tmp_path: Path) -> None:
    record(tmp_path, (asked("a"), answer("1")), (asked("b", lane="main"), answer("2")))
    assert played(opened(tmp_path, "offline"), asked("b"), asked("a", lane="main")) == ["2", "1"]


def test_a_retry_is_the_next_attempt_and_no_new_ordinal(tmp_path: Path) -> None:
    session = opened(tmp_path, "record")
    paths = [say(session, asked("a"), busy()), say(session, asked("a", retry=1), broken())]
    paths += [say(session, asked("a", retry=2), answer("1")), say(session, asked("a"), answer("2"))]
    assert ends(paths) == ["main@0/0/client#0"] * 3 + ["main@0/0/client#1"]
    run = session.seal()
    assert run is not None
    rows = open_cassette(Library(tmp_path), run.ledger[0].tries[0].cassette).lanes["client"]
    assert [[attempt.status for attempt in row.attempts] for row in rows] == [[429, 200, 200], [200]]
    assert rows[0].usage is not None
    assert rows[0].answered_by == "m-1"
    assert rows[0].request_id == "req-1"
    again = opened(tmp_path, "offline")
    served = [again.begin(asked("a", retry=retry)).recorded for retry in range(3)]
    assert [text_of(one) for one in served] == ["429", "200", "1"]
    assert played(again, asked("a")) == ["2"]
    assert again.unplayed() == []


def test_a_retry_that_was_never_recorded_gets_the_final_attempt(tmp_path: Path) -> None:
    record(tmp_path, (asked("a"), answer("1")), (asked("a"), answer("2")))
    session = opened(tmp_path, "offline")
    assert played(session, asked("a"), asked("a", retry=1), asked("a", retry=2), asked("a")) == [
        "1",
        "1",
        "1",
        "2",
    ]


def test_a_retry_goes_to_the_one_of_several_that_failed(tmp_path: Path) -> None:
    session = opened(tmp_path, "record")
    places = [session.begin(asked("vote")) for _ in range(3)]
    places[1].commit(busy())
    retried = session.begin(asked("vote", retry=1))  # the other two are still in flight
    assert retried.path == places[1].path
    places[0].commit(answer("1"))
    places[2].commit(answer("3"))
    retried.commit(answer("2"))
    session.seal()
    again = opened(tmp_path, "offline")
    assert played(again, *[asked("vote")] * 3, asked("vote", retry=1)) == ["1", "429", "3", "2"]


def test_a_client_that_gave_up_before_the_end_retries_what_is_still_in_flight(tmp_path: Path) -> None:
    session = opened(tmp_path, "record")
    slow = session.begin(asked("a"))
    again = session.begin(asked("a", retry=1))
    assert again.path == slow.path
    again.commit(answer("2"))
    slow.commit(broken())
    run = session.seal()
    assert run is not None
    (row,) = open_cassette(Library(tmp_path), run.ledger[0].tries[0].cassette).lanes["client"]
    assert [text_of(attempt) for attempt in row.attempts] == ["200", "2"]


def test_a_retry_goes_on_with_the_one_that_was_served_as_often(tmp_path: Path) -> None:
    session = opened(tmp_path, "record")
    for name in ("x", "y"):
        for retry in range(2):
            say(session, asked("a", retry=retry), busy(text=f"{name}{retry}"))
        say(session, asked("a", retry=2), answer(name))
    session.seal()
    again = opened(tmp_path, "offline")
    served = [again.begin(asked("a", retry=retry)).recorded for retry in (0, 1, 0, 1, 2, 2)]
    assert [one and one.text for one in served][:4] == ["x0", "x1", "y0", "y1"]
    assert [text_of(one) for one in served][4:] == ["x", "y"]


def test_a_part_waits_for_an_attempt_that_is_still_in_flight(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("replaylab.engine.captured.live.PART", 1)
    session = opened(tmp_path, "record")
    slow = session.begin(asked("a"))
    session.begin(asked("a", retry=1)).commit(answer("2"))
    say(session, asked("b"), answer("3"))
    time.sleep(0.05)  # a part that is sealed too early is sealed by now
    slow.commit(broken())
    session.seal()
    assert played(opened(tmp_path, "offline"), asked("a"), asked("a", retry=1), asked("b")) == [
        "200",
        "2",
        "3",
    ]


def test_recording_anew_plays_nothing_and_leaves_nothing_unplayed(tmp_path: Path) -> None:
    record(tmp_path, (asked("a"), answer("1")))
    session = opened(tmp_path, "record")
    assert session.begin(asked("a")).recorded is None
    assert (session.unplayed(), session.warnings(), session.misses) == ([], [], ())


def test_a_place_is_committed_once_and_a_played_one_never(tmp_path: Path) -> None:
    session = opened(tmp_path, "record")
    place = session.begin(asked("a"))
    place.commit(answer("1"))
    with pytest.raises(ValueError, match="committed already"):
        place.commit(answer("2"))
    session.seal()
    with pytest.raises(ValueError, match="played"):
        opened(tmp_path, "offline").begin(asked("a")).commit(answer("2"))


def test_after_its_end_a_session_takes_nothing_more(tmp_path: Path) -> None:
    session = opened(tmp_path, "record")
    late = session.begin(asked("late"))
    say(session, asked("a"), answer("1"))
    run = session.seal()
    with pytest.raises(Stopped):
        session.begin(asked("b"))
    with pytest.raises(Stopped):
        late.commit(answer("2"))
    assert session.seal() == run
    assert opened(tmp_path, "offline").unplayed() == ["capture,none,none,none/main@0/0/client#0"]


def test_recording_again_makes_a_run_that_follows_and_holds_only_what_is_new(tmp_path: Path) -> None:
    record(tmp_path, (asked("a"), answer("1")))
    first = Library(tmp_path).refs()[RUN]
    run = record(tmp_path, (asked("b"), answer("2")))
    assert run is not None
    assert run.follows == (first,)
    session = opened(tmp_path, "offline")
    assert played(session, asked("b")) == ["2"]
    assert missed(session, asked("a")).reason == "no_such_request"


def test_extending_plays_first_and_adds_what_is_new(tmp_path: Path) -> None:
    record(tmp_path, (asked("a"), answer("1")), (asked("l", lane="l"), answer("5")))
    session = opened(tmp_path, "extend")
    assert played(session, asked("a")) == ["1"]
    assert ends([say(session, asked("a"), answer("2"))]) == ["main@1/0/client#0"]
    assert say(session, asked("a"), answer("3"))  # what it recorded itself is not played to it
    assert played(session, asked("l", lane="l")) == ["5"]
    assert ends([say(session, asked("m", lane="l"), answer("6"))]) == ["l@1/0/client#0"]
    run = session.seal()
    assert run is not None
    assert [one.task for one in run.spec.tasks] == ["main@0", "main@1", "l@0", "l@1"]
    offline = opened(tmp_path, "offline")
    assert played(offline, *[asked("a")] * 3, asked("l", lane="l"), asked("m", lane="l")) == [
        "1",
        "2",
        "3",
        "5",
        "6",
    ]
    assert (offline.unplayed(), verify(Library(tmp_path)).findings) == ([], [])


@pytest.mark.parametrize("lane", ["", "l"])
def test_a_retry_that_came_after_its_question_was_sealed_is_added_to_it(tmp_path: Path, lane: str) -> None:
    session = opened(tmp_path, "record")
    say(session, asked("a", lane=lane), busy())
    session.close()  # killed before the retry
    session = opened(tmp_path, "extend")
    assert played(session, asked("a", lane=lane)) == ["429"]
    say(session, asked("a", lane=lane, retry=1), busy())
    session.close()  # and again
    session = opened(tmp_path, "extend")
    assert played(session, asked("a", lane=lane), asked("a", lane=lane, retry=1)) == ["429", "429"]
    say(session, asked("a", lane=lane, retry=2), answer("1"))
    say(session, asked("a", lane=lane), answer("2"))
    session.seal()
    again = opened(tmp_path, "offline")
    retried = [asked("a", lane=lane, retry=retry) for retry in range(3)]
    assert played(again, *retried, asked("a", lane=lane)) == ["429", "429", "1", "2"]
    assert (again.unplayed(), verify(Library(tmp_path)).findings) == ([], [])


def test_extending_refuses_a_lane_that_took_another_way(tmp_path: Path) -> None:
    record(tmp_path, (asked("a", lane="l"), answer("1")))
    session = opened(tmp_path, "extend")
    assert missed(session, asked("b", lane="l")).reason == "out_of_order"
    assert session.seal() is None


def test_extending_where_nothing_is_new_makes_no_run(tmp_path: Path) -> None:
    record(tmp_path, (asked("a"), answer("1")))
    before = Library(tmp_path).refs()
    session = opened(tmp_path, "extend")
    assert played(session, asked("a")) == ["1"]
    assert session.seal() is None
    assert Library(tmp_path).refs() == before


def test_a_part_is_sealed_every_thousand_interactions(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("replaylab.store.frames._sync_data", lambda fd: None)
    session = opened(tmp_path, "record")
    for number in range(PART + 2):
        say(session, asked(f"q{number}"), answer(str(number)))
    run = session.seal()
    assert run is not None
    assert [one.task for one in run.spec.tasks] == ["main@0", "main@1"]
    again = opened(tmp_path, "offline")
    assert played(again, asked(f"q{PART + 1}"), asked("q0")) == [str(PART + 1), "0"]
    assert len(again.unplayed()) == PART


def test_a_part_of_large_bodies_is_sealed_earlier(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("replaylab.engine.captured.live.PART_BYTES", 10_000)
    session = opened(tmp_path, "record")
    for number in range(4):
        say(session, asked(f"q{number}"), answer("x" * 6_000))  # two answers are a part
    for number in range(2):
        say(session, asked(f"{number}" + "y" * 11_000), answer("x"))  # and so is one question
    run = session.seal()
    assert run is not None
    assert [one.task for one in run.spec.tasks] == [f"main@{part}" for part in range(4)]
    assert opened(tmp_path, "offline").unplayed()[-1].endswith("main@3/0/client#0")
    assert len(opened(tmp_path, "offline").unplayed()) == 6


def test_unplayed_are_those_that_nobody_asked_for_and_no_other(tmp_path: Path) -> None:
    record(tmp_path, *[(asked(text), answer(text)) for text in "abcb"], (asked("z", lane="l"), answer("z")))
    session = opened(tmp_path, "offline")
    played(session, asked("b"), asked("c"))
    assert ends(session.unplayed()) == ["main@0/0/client#0", "main@0/0/client#3", "l@0/0/client#0"]


def test_misses_that_can_t_be_kept_are_not_promised_to_explain_miss(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    record(tmp_path, (asked("a"), answer("1")))
    session = opened(tmp_path, "offline")
    missed(session, asked("b"))
    monkeypatch.setattr("replaylab.engine.captured.session.write_misses", lambda path, kept: False)
    session.seal()
    assert not session.misses_kept
    assert "explain-miss will know nothing" in session.warnings()[0]


def test_a_miss_says_that_what_was_recorded_is_purged(tmp_path: Path) -> None:
    run = record(tmp_path, (asked("a"), answer("1")))
    assert run is not None
    library = Library(tmp_path)
    (name,) = library.objects("cassette")
    purge(library, plan_purge(library, name), "a reason", "2026-01-02T03:04:05Z")
    miss = missed(opened(tmp_path, "offline"), asked("a"))
    assert miss.message.endswith("at openai; of this run main@0 was purged")
    assert miss.fix == "record again without --offline"


def test_answers_that_overlapped_are_warned_of_when_they_differ(tmp_path: Path) -> None:
    session = opened(tmp_path, "record")
    for same in ("vote", "sure"):
        places = [session.begin(asked(same)) for _ in range(2)]
        for number, place in enumerate(places):
            place.commit(answer(str(number) if same == "vote" else "yes", latency_ms=50.0))
    for number in range(2):  # one after the other: these can't be mixed up
        say(session, asked("twice"), answer(str(number), latency_ms=0.0))
    session.seal()
    again = opened(tmp_path, "offline")
    assert again.warnings() == []
    played(again, *[asked("vote"), asked("sure"), asked("twice")] * 2)
    (warning,) = again.warnings()
    assert "2 identical requests were asked at the same time" in warning
    assert "main@0/0/client#0, capture,none,none,none/main@0/0/client#1" in warning


def test_a_rule_that_is_added_later_makes_the_same_recording_match(tmp_path: Path) -> None:
    record(tmp_path, (asked("today is 2026-01-02"), answer("1")))
    assert missed(opened(tmp_path, "offline"), asked("today is 2027-05-06")).reason == "no_such_request"
    rule = NormaliseRule(pattern=r"\d{4}-\d\d-\d\d")
    session = opened(tmp_path, "offline", rule)
    assert played(session, asked("today is 2027-05-06")) == ["1"]
    assert session.relaxed == 1
    assert session.warnings() == ["1 request matches what is recorded by the normaliser rules alone"]
    other = NormaliseRule(pattern="never there")
    assert played(opened(tmp_path, "offline", other), asked("today is 2026-01-02")) == ["1"]


def test_a_rule_that_makes_two_recordings_equal_mixes_up_nothing_that_is_asked_just_so(
    tmp_path: Path,
) -> None:
    record(tmp_path, *[(asked(f"city {number}"), answer(str(number))) for number in (1, 2, 1, 3)])
    rule = NormaliseRule(pattern=r"\d")
    session = opened(tmp_path, "offline", rule)
    questions = [asked(f"city {number}") for number in (3, 1, 2, 1)]
    assert played(session, *questions) == ["3", "1", "2", "1"]
    assert (session.relaxed, session.warnings()) == (0, [])
    assert missed(session, asked("city 1")).reason == "asked_more_often"

    other = opened(tmp_path, "offline", rule)
    assert played(other, asked("city 2"), asked("city 9"), asked("city 1")) == ["2", "1", "1"]
    assert other.relaxed == 1
    matched, blurred = other.warnings()
    assert "1 request matches" in matched
    assert "make 4 recorded requests equal that are not" in blurred
    assert "main@0/0/client#0" in blurred


def test_the_facts_of_a_capture_stand_in_its_header(tmp_path: Path) -> None:
    rule = NormaliseRule(pattern="x+")
    session = opened(tmp_path, "record", rule)
    say(session, asked("a"), answer("1"))
    run = session.seal()
    assert run is not None
    facts = open_cassette(Library(tmp_path), run.ledger[0].tries[0].cassette).header.capture
    assert facts is not None
    assert facts.command == ("python", "suite.py")
    assert (facts.client, facts.rules, facts.extends) == ("test", (rule,), None)
    assert facts.redaction == REDACTION_VERSION
    more = opened(tmp_path, "extend")
    say(more, asked("b"), answer("2"))
    extended = more.seal()
    assert extended is not None
    header = open_cassette(Library(tmp_path), extended.ledger[1].tries[0].cassette).header
    assert header.capture is not None
    assert header.capture.extends == extended.follows[0]


def test_what_comes_from_another_tool_is_imported_evidence(tmp_path: Path) -> None:
    session = Session(Library(tmp_path), RUN, "record", ticking(), evidence="imported")
    say(session, asked("a"), answer("1"))
    run = session.seal()
    assert run is not None
    assert run.evidence == "imported"
    header = open_cassette(Library(tmp_path), run.ledger[0].tries[0].cassette).header
    assert evidence_of(header) == "imported"
    more = opened(tmp_path, "extend")
    say(more, asked("b"), answer("2"))
    extended = more.seal()
    assert extended is not None
    assert extended.evidence == "imported"
    assert verify(Library(tmp_path)).findings == []


def test_a_run_that_holds_trials_is_not_captured(tmp_path: Path) -> None:
    library, recorded = record_trials(tmp_path)
    library.set_ref(RUN, recorded.run_id)
    for mode in ("record", "extend", "offline"):
        with pytest.raises(UsageError, match="holds trials"):
            opened(tmp_path, mode)


def test_a_run_is_recorded_by_one_session_at_a_time(tmp_path: Path) -> None:
    session = opened(tmp_path, "record")
    with pytest.raises(ReplaylabError, match="another"):
        opened(tmp_path, "extend")
    session.close()
    opened(tmp_path, "extend").close()


@pytest.mark.parametrize("lane", ["x" * 201, "\ud800"])
def test_a_lane_has_a_name_that_an_address_can_hold(tmp_path: Path, lane: str) -> None:
    session = opened(tmp_path, "record")
    with pytest.raises(UsageError):
        session.begin(asked("a", lane=lane))
    session.close()


def test_other_interfaces_are_recorded_whole(tmp_path: Path) -> None:
    bodies = [
        {"contents": [{"role": "user", "parts": [{"text": "a"}]}], "tools": [{"functionDeclarations": []}]},
        {"model": "m", "input": [{"role": "user", "content": "a"}]},
        {"model": "m", "input": "one text"},
        {"model": "e", "input": ["a", "b"]},
        {},
    ]
    record(tmp_path, *[(asked_body(one, path="/x"), answer(str(at))) for at, one in enumerate(bodies)])
    session = opened(tmp_path, "offline")
    assert played(session, *[asked_body(one, path="/x") for one in bodies]) == list("01234")
    assert verify(Library(tmp_path)).findings == []


def test_a_conversation_is_stored_once_though_others_stand_between(tmp_path: Path) -> None:
    turns = [[f"{who}{number}" for number in range(30)] for who in "ab"]
    pairs = [(asked(*turn[: at + 1]), answer(str(at))) for at in range(30) for turn in turns]
    run = record(tmp_path, *pairs)
    assert run is not None
    rows = open_cassette(Library(tmp_path), run.ledger[0].tries[0].cassette).lanes["client"]
    assert all(len(row.request.adds) == 1 for row in rows)
    assert [row.request.continues for row in rows[2:6]] == [0, 1, 2, 3]
    assert played(opened(tmp_path, "offline"), pairs[-1][0]) == ["29"]


@pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="open files are counted on Linux: NOT TESTED")
def test_hundreds_of_lanes_need_few_open_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("replaylab.engine.captured.live.OPEN_FILES", 5)
    session = opened(tmp_path, "record")
    before = len(list(Path("/proc/self/fd").iterdir()))
    for turn in range(2):
        for lane in range(30):
            say(session, asked("a", *"b" * turn, lane=f"l{lane}"), answer(f"{turn}"))
    assert len(list(Path("/proc/self/fd").iterdir())) <= before + 6
    session.seal()
    again = opened(tmp_path, "offline")
    for lane in range(30):
        assert played(again, asked("a", lane=f"l{lane}"), asked("a", "b", lane=f"l{lane}")) == ["0", "1"]
    assert verify(Library(tmp_path)).findings == []


def test_many_threads_get_places_without_gaps(tmp_path: Path) -> None:
    session = opened(tmp_path, "record")
    paths: list[str] = []

    def ask(number: int) -> None:
        place = session.begin(asked("same"))
        place.commit(answer(str(number)))
        paths.append(place.path)

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(24)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    session.seal()
    assert sorted(ends(paths)) == sorted(f"main@0/0/client#{number}" for number in range(24))
    again = opened(tmp_path, "offline")
    assert sorted(played(again, *[asked("same")] * 24), key=int) == [str(number) for number in range(24)]


def test_a_place_costs_the_same_in_a_long_recording(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("replaylab.store.frames._sync_data", lambda fd: None)
    session = opened(tmp_path, "record")
    spent = []
    for block in range(12):
        started = time.process_time()
        for number in range(block * 150, block * 150 + 150):
            say(session, asked("the system prompt", f"q{number}"), answer(str(number)))
        spent.append(time.process_time() - started)
    session.seal()
    assert min(spent[-4:]) < 3 * min(spent[:4])
    again = opened(tmp_path, "offline")
    took = []
    for start in (0, 1500):
        started = time.process_time()
        played(again, *[asked("the system prompt", f"q{number}") for number in range(start, start + 300)])
        took.append(time.process_time() - started)
    assert took[1] < 3 * took[0]
