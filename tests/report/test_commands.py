"""A printed command line, read back by a shell."""

from __future__ import annotations

import os
import subprocess

import pytest

from replaylab.report.commands import command_line, proposing, word

HOSTILE = [
    "plain",
    "a b",
    "it's",
    "a\x1b[31mb",
    "a\u202eb1",
    "a\x019",
    "b\\c\n'",
    "über",
    os.fsdecode(b"a\xff7"),
]


@pytest.mark.parametrize("text", HOSTILE, ids=ascii)
def test_a_shell_reads_back_the_very_word(text: str) -> None:
    ended = subprocess.run(["bash", "-c", f"printf %s {word(text)}"], capture_output=True, check=True)
    assert ended.stdout == os.fsencode(text)


@pytest.mark.parametrize("text", HOSTILE, ids=ascii)
def test_nothing_of_it_moves_a_terminal(text: str) -> None:
    assert word(text).isprintable()


def test_an_ordinary_word_stays_as_it_is() -> None:
    assert [word(one) for one in ("study", "a b", "über")] == ["study", "'a b'", "'über'"]


def test_what_begins_with_a_dash_stands_behind_two_dashes() -> None:
    assert command_line("show", ["-k/0"], ["--run", "a"]) == "show --run a -- -k/0"
    assert command_line("show", ["k/0"], ["--run", "a"]) == "show k/0 --run a"


@pytest.mark.parametrize(
    ("text", "proposed"),
    [
        ("replaylab record", "replaylab --library x record"),
        ("`replaylab runs` lists them", "`replaylab --library x runs` lists them"),
        ("replay one first: replaylab capture -- A", "replay one first: replaylab --library x capture -- A"),
        ("replaylab --library y verify", "replaylab --library y verify"),
        ("replaylab sign --help", "replaylab sign --help"),
        ("go on with the replaylab that began it", "go on with the replaylab that began it"),
    ],
)
def test_a_command_line_in_a_text_gets_the_options_of_this_call(text: str, proposed: str) -> None:
    assert proposing(text, lambda rest: f"replaylab --library x {rest}") == proposed
