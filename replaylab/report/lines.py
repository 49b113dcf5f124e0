"""Lines of a terminal view: plain text, each with what it is, so that colour can be added and never has to be."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from textwrap import wrap
from typing import Literal, NamedTuple

from replaylab.report.markup import seen
from replaylab.report.score_text import columns_of

Style = Literal["", "head", "bad", "dim"]
WIDTH = 100  # of a pipe or a file, where nobody says
LEAST = 32  # a column narrower than this is read worse than one under another
BETWEEN = " | "


class Line(NamedTuple):
    """A line of a view."""

    text: str
    style: Style = ""


def folded(text: str, width: int, *, indent: int = 0, most: int = 0, style: Style = "") -> list[Line]:
    """A text on as many lines as it takes, at most `most` where that is not 0. What goes on is indented."""
    indent = min(indent, width // 4)
    parts = [part for paragraph in text.split("\n") for part in _wrapped(seen(paragraph), width, indent)]
    if most and len(parts) > most:
        parts = [*parts[: most - 1], cut(f"{parts[most - 1]}…", width)]
    return [Line(part, style) for part in parts]


def _wrapped(text: str, width: int, indent: int) -> list[str]:
    lead = " " * (len(text) - len(text.lstrip(" ")))
    after = lead + " " * indent
    return wrap(
        text[len(lead) :], width, initial_indent=lead, subsequent_indent=after, break_on_hyphens=False
    ) or [""]


def cut(text: str, width: int) -> str:
    """The text in at most so many columns, with a mark where it was cut."""
    if columns_of(text) <= width:
        return text
    kept = ""
    for char in text:
        if columns_of(kept + char) > width - 1:
            break
        kept += char
    return kept + "…"


def padded(text: str, width: int) -> str:
    """The text filled up to so many columns."""
    return text + " " * (width - columns_of(text))


def beside(columns: Sequence[Sequence[Line]], width: int) -> list[Line]:
    """Blocks of lines side by side where they fit, else one under another, with a gap between."""
    if not fits(len(columns), width):
        return [line for block in columns for line in (*block, Line(""))][:-1]
    each = column_width(len(columns), width)
    tall = max(map(len, columns))
    return [Line(_across(columns, at, each)) for at in range(tall)]


def fits(columns: int, width: int) -> bool:
    """Whether so many columns have room beside each other."""
    return column_width(columns, width) >= LEAST


def column_width(columns: int, width: int) -> int:
    """How wide each of so many columns can be."""
    return (width - len(BETWEEN) * (columns - 1)) // columns


def _across(columns: Sequence[Sequence[Line]], at: int, each: int) -> str:
    texts = [block[at].text if at < len(block) else "" for block in columns]
    return BETWEEN.join(padded(cut(text, each), each) for text in texts).rstrip()


def indented(lines: Iterable[Line], by: int = 2) -> Iterator[Line]:
    """The lines, moved to the right."""
    return (Line(" " * by + line.text if line.text else "", line.style) for line in lines)


def counts_table(heads: Sequence[str], rows: Sequence[tuple[str, Sequence[int]]], width: int) -> list[Line]:
    """Numbers by name, a column a head; where that is too wide, a line a name with what is not zero."""
    first = max(len("findings"), *(columns_of(name) for name, _ in rows))
    lines = [Line("  ".join(["findings".ljust(first), *heads]), "dim")]
    for name, numbers in rows:
        cells = [str(number).rjust(len(head)) for number, head in zip(numbers, heads, strict=True)]
        lines.append(Line("  ".join([padded(name, first), *cells])))
    if max(columns_of(line.text) for line in lines) <= width:
        return lines
    narrow: list[Line] = []
    for name, numbers in rows:
        told = [f"{head} {number}" for head, number in zip(heads, numbers, strict=True) if number]
        narrow += folded(f"{name}: {', '.join(told) or 'no findings'}", width, indent=2)
    return narrow
