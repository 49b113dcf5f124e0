"""Rules that are proposed from a miss: for what changes from run to run, and for nothing else."""

from __future__ import annotations

from typing import Any

import pytest

from replaylab.engine.captured.propose import SHAPES, propose
from replaylab.engine.captured.rules import Rules, ready
from replaylab.schema.capture import NormaliseRule


def chat(*said: str, **fields: Any) -> dict[str, Any]:
    return {"model": "m", "messages": [{"role": "user", "content": text} for text in said], **fields}


def why(was: Any, now: Any) -> list[str]:
    found = propose(was, now, endpoint="openai", path="/v1/x")
    assert found.solved == (found.left == "")
    if found.solved:
        rules = Rules([one.rule for one in found.rules])
        assert rules.body("openai", "/v1/x", was) == rules.body("openai", "/v1/x", now)
    return [one.why.removesuffix(" differs") for one in found.rules] if found.solved else ["not solved"]


@pytest.mark.parametrize(
    ("was", "now", "shape"),
    [
        ("Today is 2026-01-02.", "Today is 2027-11-30.", "a date"),
        ("Today is 02/01/2026.", "Today is 30/11/2027.", "a date"),
        ("Current date: January 2, 2026", "Current date: December 30, 2027", "a date in words"),
        ("It is Friday, 2 Jan 2026", "It is Monday, 30 Nov 2027", "a date in words"),
        ("at 2026-01-02T03:04:05.678Z", "at 2027-01-02T13:04:05Z", "a date and time"),
        ("at 2026-01-02 03:04:05", "at 2026-01-02 03:04:06", "a date and time"),
        ("now 03:04", "now 13:59", "a time of day"),
        ("id 550e8400-e29b-41d4-a716-446655440000", "id 550e8400-e29b-41d4-a716-446655440001", "a uuid"),
        ("in /tmp/tmpab12/work", "in /tmp/tmpzz9_q/work", "a path of a temporary folder"),
        (r"in C:\Users\me\Temp\a1", r"in C:\Users\me\Temp\b2", "a path of a temporary folder"),
        ("call_AbC123", "call_XyZ9", "an id that the client made"),
        ("toolu_01AbC123", "toolu_02XyZ9", "an id that the client made"),
        ("ticket 3f9c", "ticket 77aa", "a hexadecimal id"),
        ("object at 0x7f00aa10", "object at 0x7f00bb20", "a hexadecimal id"),
        ("epoch 1767322800", "epoch 1798858800.25", "a long number"),
        ("seed 17", "seed 9", "a number"),
        ("http://127.0.0.1:4711/x", "http://127.0.0.1:9/x".replace(":9", ":99"), "a port on this machine"),
    ],
)
def test_a_shape_that_changes_is_found(was: str, now: str, shape: str) -> None:
    assert why(chat(was), chat(now)) == [shape]


def test_several_in_one_text_are_explained_one_after_the_other() -> None:
    was = "On 2026-01-02 at 03:04 in /tmp/a1/x: 550e8400-e29b-41d4-a716-446655440000"
    now = "On 2027-03-04 at 13:04 in /tmp/b2/x: 550e8400-e29b-41d4-a716-446655440001"
    expected = ["a date", "a time of day", "a path of a temporary folder", "a uuid"]
    assert why(chat(was), chat(now)) == expected


@pytest.mark.parametrize(
    ("was", "now"),
    [
        (chat("write a poem"), chat("write a song")),
        (chat("a"), chat("a", "b")),
        (chat("a", temperature=0), chat("a", temperature=1)),
        (chat("on 2026-01-02: buy"), chat("on 2027-01-02: sell")),
        ([1], {"a": 1}),
    ],
)
def test_what_no_shape_explains_is_not_covered_up(was: Any, now: Any) -> None:
    found = propose(was, now, endpoint="openai", path="/v1/x")
    assert not found.solved
    assert found.left or not isinstance(was, dict)


def test_two_bodies_that_are_the_same_need_no_rule() -> None:
    found = propose(chat("a"), chat("a"), endpoint="openai", path="/v1/x")
    assert (found.rules, found.solved, found.left) == ((), True, "")


def test_what_known_rules_cover_is_left_out() -> None:
    was, now = chat("2026-01-02", "T-3f9c"), chat("2027-01-02", "T-77aa")
    known = NormaliseRule(pattern=r"\d{4}-\d\d-\d\d", replace="*DAY*")
    found = propose(was, now, endpoint="openai", path="/v1/x", known=[known])
    assert [one.why for one in found.rules] == ["a hexadecimal id differs"]
    assert found.solved


def test_a_rule_is_for_its_place_and_for_every_later_message() -> None:
    was, now = chat("2026-01-02", "x", "T-3f9c"), chat("2027-01-02", "x", "T-77aa")
    found = propose(was, now, endpoint="openai", path="/v1/x")
    assert [one.rule.pointer for one in found.rules] == ["/messages/0/content", "/messages/*/content"]


def test_every_shape_is_a_rule_that_is_allowed() -> None:
    for shape in SHAPES:
        ready(NormaliseRule(pattern=shape.pattern))
