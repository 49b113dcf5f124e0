"""How a command explains itself: examples, exit codes, and the closest name to a misspelt one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import click

from replaylab import errors

INTERNAL_ERROR = 70
INTERRUPTED = 130
BROKEN_PIPE = 141

EXIT_CODES = {
    errors.EXIT_OK: "done, nothing found",
    errors.EXIT_FINDINGS: "findings: differences, violations, failed claims or gates, a limit that was hit",
    errors.EXIT_USAGE: "wrong usage or input",
    errors.EXIT_DIVERGED: "a replay diverged",
    errors.EXIT_STORE: "the library is damaged or too new",
    errors.EXIT_OFFLINE: "something wanted the network while offline",
    INTERNAL_ERROR: "an error inside replaylab",
    INTERRUPTED: "interrupted; what was recorded is kept",
    BROKEN_PIPE: "whoever read the output closed it, as `head` does",
}
_ALWAYS = (errors.EXIT_OK, errors.EXIT_USAGE)
_RARE = (INTERNAL_ERROR, INTERRUPTED, BROKEN_PIPE)


class _Explained:
    """What `Command` and `Group` share: help that ends with examples and exit codes.

    `examples` are (command line, what it does) pairs; `exits` are the codes besides 0, 2 and the three of every program.
    """

    def __init__(
        self,
        *args: Any,
        examples: Sequence[tuple[str, str]] = (),
        exits: Iterable[int] = (),
        **kwargs: Any,
    ) -> None:
        super().__init__(*args, **kwargs)
        self.examples, self.exits = tuple(examples), tuple(exits)

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        write_examples(formatter, self.examples)
        write_exit_codes(formatter, sorted({*_ALWAYS, *self.exits, *_RARE}))


class Command(_Explained, click.Command):
    """A command, as `@click.command(cls=Command, examples=…, exits=…)`."""


class Group(_Explained, click.Group):
    """A command with commands below it, as `import occubench`."""


def write_examples(formatter: click.HelpFormatter, examples: Sequence[tuple[str, str]]) -> None:
    """A section of command lines, each followed by what it does; a line is never wrapped, so it can be copied."""
    if not examples:
        return
    with formatter.section("Examples"):
        for line, does in examples:
            formatter.write(f"{'':>{formatter.current_indent}}{line}\n")
            formatter.indent()
            formatter.write_text(does)
            formatter.dedent()


def write_exit_codes(formatter: click.HelpFormatter, codes: Iterable[int]) -> None:
    """A section that says what each exit code means."""
    with formatter.section("Exit codes"):
        formatter.write_dl([(str(code), EXIT_CODES[code]) for code in codes])
