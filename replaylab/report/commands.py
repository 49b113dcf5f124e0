"""Words of command lines that are printed to be copied: a POSIX shell reads them back, and a terminal shows them safely."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Callable, Sequence

# What a terminal must not get as it is: controls, line separators, marks of direction, bytes that are no UTF-8.
_UNSAFE = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")


# A command line of ours in a text: at its beginning, in backquotes, or behind a colon. One that has its options, or that
# asks for help alone, stays as it is.
_PROPOSED = re.compile(r"(?:(?<=`)|^|(?<=: ))replaylab (?=[a-z])(?!\S+ --help)")

# What a page says of its command lines. The library's own path is not in them: the same recording gives the same bytes
# wherever it lies, and a page is read on other machines.
ELSEWHERE = (
    "Where the library is not the folder `cassettes` here, begin a command with `replaylab --library DIR`."
)

Again = Callable[[str], str]  # a command line to copy, with the options that this one was called with


def plainly(rest: str) -> str:
    """The command line where no options were given."""
    return f"replaylab {rest}"


def proposing(text: str, again: Again) -> str:
    """A text of ours with the options of this call in every command line that it proposes."""
    return _PROPOSED.sub(lambda _: again(""), text)


def word(text: str) -> str:
    r"""The text as one word of a shell: quoted where it has to be, with what is unsafe as `$'\x1b'`."""
    if not _UNSAFE.search(text):
        return shlex.quote(text)
    return "$'" + "".join(map(_spelt, text)) + "'"


def _spelt(char: str) -> str:
    if char in "\\'":
        return f"\\{char}"
    if not _UNSAFE.fullmatch(char):
        return char
    # Three octal digits at most belong to an escape, so that a digit that follows is never taken for one of it.
    return "".join(f"\\{byte:03o}" for byte in os.fsencode(char))


def command_line(command: str, operands: Sequence[str], options: Sequence[str] = ()) -> str:
    """A command with its operands and options. What begins with a dash is an operand only behind `--`."""
    named = [word(one) for one in options]
    given = [word(one) for one in operands]
    if any(one.startswith("-") for one in operands):
        return " ".join([command, *named, "--", *given])
    return " ".join([command, *given, *named])
