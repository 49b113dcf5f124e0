"""FORMAT.md taken apart: its field tables, and its examples with the output that stands below each."""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

REPO = Path(__file__).resolve().parents[2]
V1 = Path(__file__).resolve().parent / "v1"
TEXT = (REPO / "FORMAT.md").read_text(encoding="utf-8")

_TABLE = re.compile(r"^#### `(\w+)`\n\n(?:[^|#\n].*\n|\n)*((?:\|.*\n)+)", re.MULTILINE)
_FENCE = re.compile(r"```(\w+)\n(.*?)```", re.DOTALL)


class Row(NamedTuple):
    """One field as documented. `left` is `required` or the default as JSON."""

    name: str
    type: str
    unit: str
    left: str
    meaning: str


class Example(NamedTuple):
    """Shell commands and what they print."""

    title: str
    command: str
    printed: str


def tables() -> dict[str, list[Row]]:
    """The field tables by the name of what they describe."""
    return {match[1]: [_row(line) for line in match[2].splitlines()[2:]] for match in _TABLE.finditer(TEXT)}


def _row(line: str) -> Row:
    name, kind, unit, left, meaning = (cell.strip() for cell in line.strip("|").split("|"))
    return Row(name.strip("`"), kind, unit, left.strip("`"), meaning)


def section(number: int) -> str:
    """The text of a numbered section."""
    return re.split(r"^## \d+\. ", TEXT, flags=re.MULTILINE)[number]


def program() -> str:
    """The Node program."""
    return _first(13, "js")


def setup() -> str:
    """The shell lines that all examples begin with."""
    return _first(12, "sh")


def _first(number: int, kind: str) -> str:
    return next(match[2] for match in _FENCE.finditer(section(number)) if match[1] == kind)


def examples() -> list[Example]:
    """Every example that prints something, in order."""
    blocks = _FENCE.findall(section(12)) + _FENCE.findall(section(13))
    titles = [*re.findall(r"^\*\*(.+?)\*\*", section(12), re.MULTILINE), "The Node program"]
    pairs = [(a, b) for (kind, a), (other, b) in pairwise(blocks) if (kind, other) == ("sh", "text")]
    return [Example(title, *pair) for title, pair in zip(titles, pairs, strict=True)]


def example(title: str) -> Example:
    """The example whose title begins like that."""
    return next(one for one in examples() if one.title.startswith(title))
