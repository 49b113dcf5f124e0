from __future__ import annotations

import click
from click.testing import CliRunner

from replaylab.cli.help import EXIT_CODES, Command, Group
from replaylab.errors import EXIT_DIVERGED


@click.command(cls=Command, exits=(EXIT_DIVERGED,), examples=(("replaylab do " + "x" * 150, "a long one"),))
def do() -> None:
    """Do it."""


def test_an_example_is_never_wrapped_so_that_it_can_be_copied() -> None:
    assert "\n  replaylab do " + "x" * 150 + "\n    a long one\n" in CliRunner().invoke(do, ["--help"]).output


def test_help_lists_the_exit_codes_that_a_command_has_and_no_other() -> None:
    text = CliRunner().invoke(do, ["--help"]).output.partition("Exit codes:\n")[2]
    assert [int(line.split()[0]) for line in text.splitlines()] == [0, 2, 3, 70, 130, 141]
    assert EXIT_CODES[3] in text


def test_a_group_explains_itself_like_a_command() -> None:
    @click.group(cls=Group, examples=(("replaylab all do", "does"),))
    def all_() -> None:
        """All."""

    assert "  replaylab all do\n" in CliRunner().invoke(all_, ["--help"]).output
