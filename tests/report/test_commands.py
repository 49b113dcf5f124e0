"""A printed command line, read back by a shell."""

from __future__ import annotations

import os
import subprocess

import pytest

from replaylab.report.commands import command_line, word

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
