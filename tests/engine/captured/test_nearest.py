"""What comes nearest to a miss, where the two part, and that looking for it stays cheap."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest

from replaylab.engine.captured.exchange import Exchange
from replaylab.schema.capture import NormaliseRule
from tests.engine.captured.asking import answer, asked, asked_body, ends, missed, opened, played, record


def nearest(folder: Path, exchange: Exchange, *rules: NormaliseRule) -> tuple[str, str, str, Any, Any]:
    miss = missed(opened(folder, "offline", *rules), exchange)
    return miss.reason, "".join(ends([miss.nearest])), miss.pointer, miss.expected, miss.observed


def test_the_one_with_most_leading_messages_in_common(tmp_path: Path) -> None:
    record(tmp_path, *[(asked(*said), answer("1")) for said in ("x", "ab", "abc", "abd", "yb")])
    assert nearest(tmp_path, asked(*"abe")) == (
        "no_such_request",
        "main@0/0/client#2",
        "/messages/2/content",
        "c",
        "e",
    )


def test_leading_messages_count_more_than_any_other(tmp_path: Path) -> None:
    record(tmp_path, (asked(*"zbc"), answer("1")), (asked(*"axy"), answer("1")))
    assert nearest(tmp_path, asked(*"abc"))[1] == "main@0/0/client#1"


def test_the_one_with_most_in_common_where_the_first_message_differs(tmp_path: Path) -> None:
    others = [(asked(f"day {day}", "other", f"{day}"), answer("1")) for day in range(8)]
    record(tmp_path, *others, (asked("today is Monday", "the task", "a step"), answer("2")), *others)
    found = nearest(tmp_path, asked("today is Friday", "the task", "a step"))
    assert found == (
        "no_such_request",
        "main@0/0/client#8",
        "/messages/0/content",
        "today is Monday",
        "today is Friday",
    )


def test_the_one_that_reads_most_alike_where_nothing_is_in_common(tmp_path: Path) -> None:
    record(
        tmp_path, *[(asked(text), answer("1")) for text in ("write a poem", "sum 2026-01-02 and 7", "stop")]
    )
    assert nearest(tmp_path, asked("sum 2027-03-04 and 7"))[1] == "main@0/0/client#1"


def test_a_difference_beside_the_messages_is_named_first(tmp_path: Path) -> None:
    record(tmp_path, (asked("a", temperature=0), answer("1")))
    assert nearest(tmp_path, asked("b", temperature=1))[2:] == ("/temperature", 0, 1)
    assert nearest(tmp_path, asked("a", temperature=0, seed=3))[2:] == ("/seed", None, 3)


def test_a_message_more_is_named_by_its_place(tmp_path: Path) -> None:
    record(tmp_path, (asked("a"), answer("1")))
    _, _, pointer, expected, observed = nearest(tmp_path, asked("a", "b"))
    assert (pointer, expected, observed) == ("/messages/1", None, {"role": "user", "content": "b"})


def test_what_a_rule_covers_is_not_what_differs(tmp_path: Path) -> None:
    record(tmp_path, (asked("day 2026-01-02", "a"), answer("1")))
    rule = NormaliseRule(pattern=r"\d{4}-\d\d-\d\d")
    assert nearest(tmp_path, asked("day 2027-03-04", "b"), rule)[2:] == ("/messages/1/content", "a", "b")
    assert nearest(tmp_path, asked("day 2027-03-04", "b"))[2] == "/messages/0/content"


def test_a_path_where_nothing_is_recorded_says_so_and_names_one_like_it(tmp_path: Path) -> None:
    record(tmp_path, (asked("a"), answer("1")))
    reason, near, *_ = nearest(tmp_path, asked_body({"input": "a"}, path="/v1/completions"))
    assert (reason, near) == ("nothing_recorded", "main@0/0/client#0")
    other = missed(opened(tmp_path, "offline"), Exchange("x", "GET", "/q", b""))
    assert (other.reason, other.nearest) == ("nothing_recorded", "")
    assert other.message == "nothing is recorded at all for GET /q at x"


def test_a_query_that_differs_is_named_though_no_body_does(tmp_path: Path) -> None:
    record(tmp_path, (Exchange("x", "GET", "/v1/models?limit=5", b""), answer("1")))
    miss = missed(opened(tmp_path, "offline"), Exchange("x", "GET", "/v1/models?limit=6", b""))
    assert (miss.pointer, miss.expected, miss.observed) == ("", "/v1/models?limit=5", "/v1/models?limit=6")
    assert miss.message.endswith("in nothing of its body: /v1/models?limit=5 is recorded")


def test_bodies_that_are_no_json_are_compared_as_text(tmp_path: Path) -> None:
    record(tmp_path, (Exchange("x", "POST", "/up", b"file one \xff"), answer("1")))
    _, _, pointer, expected, observed = nearest(tmp_path, Exchange("x", "POST", "/up", b"file two \xff"))
    assert (pointer, expected, observed) == ("/raw", "file one \\xff", "file two \\xff")


def test_a_recording_that_nobody_asked_for_yet_is_rather_taken(tmp_path: Path) -> None:
    record(tmp_path, *[(asked("same", f"{n}{n}{n}"), answer("1")) for n in range(3)])
    session = opened(tmp_path, "offline")
    played(session, asked("same", "000"))
    assert ends([missed(session, asked("same", "777")).nearest]) == ["main@0/0/client#1"]


def test_a_miss_as_json_is_whole(tmp_path: Path) -> None:
    record(tmp_path, (asked("a"), answer("1")))
    value = missed(opened(tmp_path, "offline"), asked("b")).to_json()
    assert (value["reason"], value["pointer"], value["lane"], value["method"]) == (
        "no_such_request",
        "/messages/0/content",
        "main",
        "POST",
    )
    assert "explain-miss suite" in value["fix"]


@pytest.mark.parametrize(
    "number", [(1, "1st"), (2, "2nd"), (3, "3rd"), (4, "4th"), (11, "11th"), (112, "112th"), (121, "121st")]
)
def test_numbers_are_spelled(number: tuple[int, str]) -> None:
    from replaylab.engine.captured.missing import ordinal

    assert ordinal(number[0]) == number[1]


def test_a_miss_costs_the_same_in_a_long_recording(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("replaylab.store.frames._sync_data", lambda fd: None)
    spent = []
    for size in (50, 1500):
        folder = tmp_path / str(size)
        record(folder, *[(asked("the system prompt", f"q{n}"), answer("1")) for n in range(size)])
        session = opened(folder, "offline")
        missed(session, asked("the system prompt", "first: it reads all once"))
        started = time.process_time()
        for n in range(20):
            missed(session, asked("the system prompt", f"other {n}"))
        spent.append(time.process_time() - started)
        session.close()
    assert spent[1] < 5 * spent[0]
