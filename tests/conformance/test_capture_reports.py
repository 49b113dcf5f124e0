"""Bugs that were reported of other recorders, each with the behaviour that is right. Each name is the rule.

Those about servers, clients and test plugins stand with the proxy and the plugin; here are those about recording and playing.
`recorder_bugs.md` lists all of them and the tests of each.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from replaylab.cassette.stored import open_cassette
from replaylab.engine.captured.exchange import Exchange
from replaylab.engine.captured.miss import MissError
from replaylab.errors import UsageError
from replaylab.schema.capture import NormaliseRule
from replaylab.schema.interaction import Attempt, Chunk, Failure, Interaction
from replaylab.store.library import Library
from replaylab.wire.redact import Redactor
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
)

SECRET = "sk-live-3f9Qz81LmPq72Wc0"


def rows(folder: Path) -> list[Interaction]:
    """Everything that the run holds, in order."""
    library = Library(folder)
    _, run = library.run(RUN)
    cassettes = [open_cassette(library, entry.tries[0].cassette) for entry in run.ledger]
    return [row for cassette in cassettes for row in cassette.lanes["client"]]


def at_once(count: int, ask: Callable[[int], Any]) -> list[Any]:
    """What `count` threads get that begin together."""
    together = threading.Barrier(count)

    def one(number: int) -> Any:
        together.wait()
        return ask(number)

    with ThreadPoolExecutor(count) as pool:
        return list(pool.map(one, range(count)))


def test_1_requests_of_several_threads_are_all_recorded(tmp_path: Path) -> None:
    session = opened(tmp_path, "record")
    at_once(8, lambda number: say(session, asked(f"q{number}", lane=f"l{number % 2}"), answer(str(number))))
    session.seal()
    assert sorted(text_of(row.final) for row in rows(tmp_path)) == list("01234567")


def test_2_opening_a_recording_filters_nothing_out_of_it(tmp_path: Path) -> None:
    record(tmp_path, (asked("a"), answer("1")))
    before = {path: path.read_bytes() for path in tmp_path.rglob("*.cassette")}
    session = opened(
        tmp_path, "extend", NormaliseRule(pattern="[a-z]+"), NormaliseRule(pointer="/messages/*")
    )
    say(session, asked("b", model="other", seed=3), answer("2"))
    session.seal()
    assert {path: path.read_bytes() for path in before} == before
    assert [text_of(row.final) for row in rows(tmp_path)] == ["1", "2"]


def test_3_extending_writes_no_secret_either(tmp_path: Path) -> None:
    redactor = Redactor([SECRET])

    def exchange(text: str) -> Exchange:
        data = f'{{"messages": [{{"role": "user", "content": "{text} {SECRET}"}}]}}'.encode()
        return Exchange.of("openai", "POST", f"/v1/x?api_key={SECRET}", data, redactor, lane=f"l-{SECRET}")

    record(tmp_path, (exchange("a"), answer("1")))
    session = opened(tmp_path, "extend")
    played(session, exchange("a"))
    say(session, exchange("b"), answer("2"))
    session.close()  # the journal stays
    missed(offline := opened(tmp_path, "offline"), exchange("c"))
    offline.seal()
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert [path.name for path in files if SECRET.encode() in path.read_bytes()] == []
    lines = b"".join(
        line
        for name in Library(tmp_path).objects("cassette")
        for line in open_cassette(Library(tmp_path), name).lines()
    )
    assert SECRET.encode() not in lines
    assert b"*REDACTED*" in lines


def test_4_each_identical_request_plays_its_own_answer_and_none_of_this_session(tmp_path: Path) -> None:
    record(tmp_path, (asked("a"), answer("1")), (asked("a"), answer("2")))
    session = opened(tmp_path, "extend")
    assert played(session, asked("a"), asked("a")) == ["1", "2"]
    assert session.begin(asked("a")).recorded is None
    session.begin(asked("a")).commit(answer("3"))
    assert session.begin(asked("a")).recorded is None


def test_5_a_retry_after_a_broken_stream_does_not_eat_the_next_answer(tmp_path: Path) -> None:
    record(tmp_path, (asked("a"), broken()), (asked("a", retry=1), answer("1")), (asked("a"), answer("2")))
    session = opened(tmp_path, "offline")
    first = session.begin(asked("a")).recorded
    assert first is not None
    assert (first.complete, first.failure) == (False, Failure(kind="read_error"))
    assert played(session, asked("a", retry=1), asked("a")) == ["1", "2"]


def test_6_and_8_identical_requests_at_once_get_each_answer_once(tmp_path: Path) -> None:
    session = opened(tmp_path, "record")
    paths = at_once(12, lambda number: say(session, asked("same"), answer(str(number))))
    assert sorted(paths) == sorted(f"capture,none,none,none/main@0/0/client#{number}" for number in range(12))
    session.seal()
    again = opened(tmp_path, "offline")
    found = at_once(12, lambda number: text_of(again.begin(asked("same")).recorded))
    assert sorted(found, key=int) == [str(number) for number in range(12)]
    assert missed(again, asked("same")).asked == 13


def test_7_each_session_begins_anew_and_a_miss_goes_nowhere(tmp_path: Path) -> None:
    record(tmp_path, (asked("a"), answer("1")))
    for _ in range(2):
        session = opened(tmp_path, "offline")
        assert played(session, asked("a")) == ["1"]
        with pytest.raises(MissError):  # there is no place that could be taken live
            session.begin(asked("a"))


def test_10_and_12_thirty_samples_of_one_prompt_are_thirty_answers(tmp_path: Path) -> None:
    record(tmp_path, *[(asked("a", temperature=1), answer(str(n), latency_ms=100.0 + n)) for n in range(30)])
    assert [row.final.latency_ms for row in rows(tmp_path)] == [100.0 + n for n in range(30)]
    session = opened(tmp_path, "offline")
    assert played(session, *[asked("a", temperature=1)] * 30) == [str(n) for n in range(30)]
    assert [row.final.latency_ms for row in rows(tmp_path)] == [100.0 + n for n in range(30)]


def test_13_the_whole_conversation_is_compared_and_drift_is_never_silent(tmp_path: Path) -> None:
    record(tmp_path, (asked("same last"), answer("0")), (asked("first", "same last"), answer("1")))
    session = opened(tmp_path, "offline")
    assert played(session, asked("first", "same last"), asked("same last")) == ["1", "0"]
    miss = missed(session, asked("other", "same last"))
    assert (miss.reason, miss.pointer) == ("no_such_request", "/messages/0/content")


def test_15_an_answer_that_was_cut_off_is_recorded_and_played_as_cut_off(tmp_path: Path) -> None:
    pieces = tuple(Chunk(ms=n, text=f"data: {n}\n\n") for n in range(3))
    cut = Attempt(status=200, chunks=pieces, complete=False, failure=Failure(kind="truncated"))
    record(tmp_path, (asked("a", stream=True), cut))
    served = opened(tmp_path, "offline").begin(asked("a", stream=True)).recorded
    assert served is not None
    assert (served.chunks, served.complete, served.failure) == (pieces, False, cut.failure)


def test_17_a_busy_server_is_recorded_and_nobody_waits_for_it_again(tmp_path: Path) -> None:
    record(tmp_path, (asked("a"), busy()), (asked("a", retry=1), answer("1")))
    (row,) = rows(tmp_path)
    assert row.attempts[0].headers["retry-after"] == "30"
    session = opened(tmp_path, "offline")
    served = session.begin(asked("a")).recorded
    assert served is not None
    assert (served.status, served.headers) == (429, {"retry-after-ms": "1"})
    assert played(session, asked("a", retry=1)) == ["1"]


@pytest.mark.parametrize("kind", ["refused", "timeout", "read_error"])
def test_18_a_connection_that_failed_is_an_outcome_of_its_own(tmp_path: Path, kind: Any) -> None:
    record(tmp_path, (asked("a"), Attempt(failure=Failure(kind=kind, message="no answer"))))
    served = opened(tmp_path, "offline").begin(asked("a")).recorded
    assert served is not None
    assert (served.status, served.failure) == (None, Failure(kind=kind, message="no answer"))


def upload(boundary: str, content: bytes = b"\x00\xff\xfeRIFF") -> Exchange:
    part = b'Content-Disposition: form-data; name="file"; filename="a.wav"\r\n\r\n'
    mark = b"--" + boundary.encode()
    data = mark + b"\r\n" + part + content + b"\r\n" + mark + b"--\r\n"
    kind = f"multipart/form-data; boundary={boundary}"
    return Exchange.of("openai", "POST", "/v1/audio/transcriptions", data, Redactor(), content_type=kind)


def test_19_and_20_the_same_upload_is_found_again_bytes_and_all(tmp_path: Path) -> None:
    record(tmp_path, (upload("f00d"), answer("1")))
    session = opened(tmp_path, "offline")
    assert missed(session, upload("f00d", b"\x00\xff\xfdRIFF")).reason == "no_such_request"
    assert played(session, upload("beef")) == ["1"]


def test_21_key_order_and_white_space_take_no_part_but_types_do(tmp_path: Path) -> None:
    value = {"messages": [{"role": "user", "content": "a"}], "n": 1, "x": {"b": 1, "a": 2}}
    record(tmp_path, (asked_body(value), answer("1")))
    session = opened(tmp_path, "offline")
    for other in ("1", True, 2):
        assert missed(session, asked_body({**value, "n": other})).pointer == "/n"
    spaced = b'{ "x" : {"a":2,  "b":1},\n "n": 1.0, "messages": [{"content":"a", "role":"user"}] }'
    assert played(session, Exchange("openai", "POST", asked("a").path, spaced)) == ["1"]


@pytest.mark.parametrize(
    "more",
    [
        {"logit_bias": {"50256": -100}},
        {"max_tokens": 5},
        {"seed": 2, "temperature": 0.5},
        {"previous_response_id": "resp_1"},
        {"system": "be brief"},
        {"a_field_of_next_year": None},
    ],
)
def test_22_every_field_of_the_body_takes_part(tmp_path: Path, more: dict[str, Any]) -> None:
    record(tmp_path, (asked("a"), answer("1")), (asked("a", **more), answer("2")))
    session = opened(tmp_path, "offline")
    assert played(session, asked("a", **more), asked("a")) == ["2", "1"]


def test_23_an_id_that_a_tool_made_is_matched_by_a_rule_and_counted(tmp_path: Path) -> None:
    def turns(ident: str) -> list[Exchange]:
        return [
            asked("start"),
            asked("start", f"ticket T-{ident}"),
            asked("start", f"ticket T-{ident}", "close it"),
        ]

    record(tmp_path, *[(exchange, answer(str(at))) for at, exchange in enumerate(turns("3f9c"))])
    rule = NormaliseRule(pattern="T-[0-9a-f]{4}", pointer="/messages/*/content")
    session = opened(tmp_path, "offline", rule)
    assert played(session, *turns("77aa")) == ["0", "1", "2"]
    assert session.relaxed == 2
    assert played(opened(tmp_path, "offline", rule), *turns("3f9c")) == ["0", "1", "2"]


def test_24_the_same_prompt_for_the_first_time_in_many_threads_is_recorded_for_each(tmp_path: Path) -> None:
    session = opened(tmp_path, "extend")
    paths = at_once(16, lambda number: say(session, asked("new"), answer(str(number))))
    session.seal()
    assert len(set(paths)) == len(rows(tmp_path)) == 16


def test_27_what_was_asked_too_often_is_counted(tmp_path: Path) -> None:
    record(tmp_path, *[(asked("a"), answer(str(n))) for n in range(3)])
    session = opened(tmp_path, "offline")
    assert played(session, *[asked("a")] * 3) == ["0", "1", "2"]
    miss = missed(session, asked("a"))
    assert (miss.reason, miss.recorded, miss.asked) == ("asked_more_often", 3, 4)
    assert miss.message.endswith("recorded 3, this is the 4th")
    assert ends([miss.nearest]) == ["main@0/0/client#2"]


def test_28_nothing_asked_leaves_no_recording_and_none_is_no_recording_to_play(tmp_path: Path) -> None:
    session = opened(tmp_path, "record")
    session.begin(asked("never answered"))
    assert session.seal() is None
    assert [path for path in tmp_path.rglob("*") if path.is_file() and path.suffix != ".lock"] == []
    with pytest.raises(UsageError, match="no run"):
        opened(tmp_path, "offline")


def test_29_what_is_said_again_and_again_is_stored_once(tmp_path: Path) -> None:
    long = "a long fixture text " * 500
    record(tmp_path, *[(asked(long, "x"), answer("1")) for _ in range(21)])
    library = Library(tmp_path)
    (name,) = library.objects("cassette")
    cassette = open_cassette(library, name)
    assert cassette.seal.counts["blob"] == 3  # two messages and the rest of the body
    assert sum(map(len, cassette.lines())) < 2 * len(long) + 21 * 1000
