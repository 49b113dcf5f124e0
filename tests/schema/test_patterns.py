from __future__ import annotations

import time

import pytest

from replaylab.errors import UsageError
from replaylab.schema.patterns import MAX_PATTERN, MAX_TEXT, TextTooLong, compile_pattern, search


@pytest.mark.parametrize(
    "pattern",
    [
        "(a+)+$",
        "(a*)*",
        "(a|a)*b",
        "(a|ab)+c",
        r"(\w+\s?)*:",
        "((ab?)+)+",
        ".*a.*b.*c",
        r"(a)\1",
        "(?:a{1,9}){2,}x",
        "a{1,2000}",
        "a{0,900}a{0,900}",
        "a.{0,80}b.{0,80}c.{0,80}d",
        "x" * (MAX_PATTERN + 1),
        "(",
        "(?=(a+)+)b",
        "(a{0,50}){0,50}",
    ],
)
def test_a_pattern_that_could_run_away_is_refused(pattern: str) -> None:
    with pytest.raises(UsageError) as caught:
        compile_pattern(pattern)
    assert caught.value.what


@pytest.mark.parametrize(
    "pattern",
    [
        r"\d+\.\d+",
        "recall(ed)?",
        "^(pass|fail)$",
        "no .{0,80}risk",
        "a.{0,60}b.{0,60}c.{0,60}d",
        r"\bNOI\b.{0,40}\$250",
        "(?:ab){2,3}",
    ],
)
def test_an_ordinary_pattern_is_taken(pattern: str) -> None:
    compile_pattern(pattern)


@pytest.mark.parametrize("pattern", ["a+a+b", ".*x.*y", "a{0,100}a{0,100}b", r"\w+\s+!"])
def test_the_worst_that_is_taken_ends_soon(pattern: str) -> None:
    start = time.process_time()
    assert not search(compile_pattern(pattern), "a" * 400)
    assert time.process_time() - start < 5


def test_a_match_stays_within_a_paragraph_where_line_breaks_are_spaces() -> None:
    pattern = compile_pattern("net income.{0,20}250")
    assert search(pattern, "Net\nincome:\n250")
    assert not search(pattern, "Net income\n\n250")


def test_a_match_is_found_anywhere_in_a_long_paragraph() -> None:
    pattern = compile_pattern("needle in .{0,50}hay")
    for place in (0, 490, 795, 800, 1_299, 5_555):
        assert search(pattern, "x" * place + "needle in the hay" + "y" * 3_000)


def test_a_start_is_only_where_the_paragraph_starts() -> None:
    assert not search(compile_pattern("^b"), "a" + "b" * 5_000)


def test_a_text_that_is_too_long_is_not_searched() -> None:
    with pytest.raises(TextTooLong):
        search(compile_pattern("a"), "a" * (MAX_TEXT + 1))
