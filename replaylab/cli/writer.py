"""Writes facts and indented blocks to the terminal, wrapped and cut."""

from __future__ import annotations

import textwrap

from replaylab.cli.output import Output, visible
from replaylab.report.pretty import pretty
from replaylab.schema.base import Json

_LABEL = 12  # columns of a fact's name
_DEEP = 14  # columns that an observation is indented by, and some air


class Writer:
    """Lines and indented blocks, wrapped to the terminal; in a pipe nothing is wrapped."""

    def __init__(self, out: Output, *, cut: int | None) -> None:
        self.out, self.cut = out, cut

    def heading(self, text: str) -> None:
        """A heading after an empty line."""
        self.out.text()
        self.out.text(text.upper())

    def fact(self, name: str, value: object) -> None:
        """`name  value`, wrapped under itself."""
        self._wrapped(str(value), f"{name:<{_LABEL}}", " " * _LABEL)

    def block(self, text: str, indent: int, first: str = "") -> None:
        """A text, cut where it is long, each line indented; `first` stands before its first line."""
        shown, left = cut(text, self.cut)
        for number, line in enumerate(shown.split("\n")):
            lead = " " * indent
            self._wrapped(line, lead + first if number == 0 else lead, lead)
        if left:
            self.out.text(f"{' ' * indent}… {left:,} more characters; --full shows them")

    def json(self, value: Json) -> str:
        """A JSON value as text that fits the terminal below a call."""
        return pretty(value, max(self.out.width - _DEEP, 30)) if self.out.width else pretty(value)

    def _wrapped(self, line: str, first: str, rest: str) -> None:
        # Escaped before it is wrapped: wrapping would take some control characters for spaces.
        width, line = self.out.width, visible(line)
        if width is None or len(first) + len(line) <= width:
            self.out.text(first + line)
            return
        wrapped = textwrap.wrap(
            line,
            max(width, len(rest) + 20),
            initial_indent=first,
            subsequent_indent=rest,
            expand_tabs=False,
            replace_whitespace=False,
            break_on_hyphens=False,
        )
        for one in wrapped or [first]:
            self.out.text(one)


def cut(text: str, limit: int | None) -> tuple[str, int]:
    """The beginning of a text, and how many characters are left out; a few too many are let through."""
    if limit is None or len(text) <= limit * 1.2:
        return text, 0
    return text[:limit], len(text) - limit
