"""Tables as Markdown for GitHub, and as plain text for a terminal."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from textwrap import wrap

from replaylab.report.markup import seen
from replaylab.report.score_cells import Beside, Footnotes, headings, shorten, summaries, title
from replaylab.report.score_parts import Around
from replaylab.score.value import Table

# Digits and what stands between them can mean nothing in Markdown; all else is escaped where it could.
_FIGURES = re.compile(r"[-+0-9.,%/ \[\];:±−–]*")
_MARKED = re.compile(r"([\\`*_\[\]<>&|~$#!{}])")
_ADDRESS = re.compile(r"(?i)(https?|ftp)(?=://)|(?<=www)(?=\.)")
_FIRST = re.compile(r"([-+=])|(\d+)([.)])")


def escape_markdown(value: str, *, first: bool = False) -> str:
    """A text that Markdown prints as it is: no emphasis, link, picture, mention, formula or tag comes out of it.

    `first`: it begins a line, so it must not begin a list or a heading either.
    """
    text = seen(value)
    if not first and _FIGURES.fullmatch(text):
        return text
    text = _MARKED.sub(r"\\\1", text)
    text = _ADDRESS.sub(lambda match: f"{match[0]}\\", text)
    # A comment is invisible, and keeps GitHub from telling whoever has that name.
    text = text.replace("@", "@<!-- -->")
    if first:
        text = text.lstrip()
        text = _escaped_first(match) + text[match.end() :] if (match := _FIRST.match(text)) else text
    return text


def _escaped_first(match: re.Match[str]) -> str:
    return f"\\{match[1]}" if match[1] else f"{match[2]}\\{match[3]}"


def markdown(table: Table, around: Around) -> str:
    """The table with its ledger, notices and notes."""
    footnotes = Footnotes.of(table)
    head = list(map(escape_markdown, headings(table)))
    rules = ["---:" if column.numeric else "---" for column in table.columns]
    lines = [f"## {escape_markdown(title(table), first=True)}", ""]
    for notice in around.notices:
        lines += [f"> {escape_markdown(notice, first=True)}", ""]
    lines += [escape_markdown(around.ledger, first=True), "", _row(head), _row(rules)]
    lines += [_row(cells) for cells in _markdown_rows(table, around, footnotes)]
    notes = [escape_markdown(note, first=True) for note in table.notes]
    notes += [f"<sup>{mark}</sup> {escape_markdown(note)}" for mark, note in footnotes.told()]
    if notes:
        lines += ["", *(f"- {note}" for note in notes)]
    return "\n".join(lines) + "\n"


def _row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _markdown_rows(table: Table, around: Around, footnotes: Footnotes) -> Iterator[list[str]]:
    for row, marks in zip(table.rows, footnotes.marks, strict=True):
        cells = []
        for cell, marked in zip(row, marks, strict=True):
            text = escape_markdown(shorten(cell.text))
            text = f"**{text}**" if cell.best and text.strip() else text
            more = [escape_markdown(one) for one in Beside.of(cell, table, around.denominator).inline()]
            mark = f"<sup>{' '.join(marked)}</sup>" if marked else ""
            cells.append(" ".join((text, *more)) + mark)
        yield cells


def plain(table: Table, around: Around, width: int | None = None) -> str:
    """The table for a terminal, in columns. Where `width` is too narrow for all, the rest follows below, and each
    part repeats the columns of names that the rows begin with. Notes are wrapped.
    """
    footnotes = Footnotes.of(table)
    head = headings(table)
    rows = list(_plain_rows(table, around, footnotes))
    notices = [f"! {seen(notice)}" for notice in around.notices]
    lines = [title(table), *wrapped(notices, width, 2), around.ledger, ""]
    numeric = [column.numeric for column in table.columns]
    widths = [max(map(columns_of, one)) for one in zip(head, *rows, strict=True)]
    for part in _parts(widths, _names(table), width):
        picked = [[row[at] for at in part] for row in (head, *rows)]
        drawn = [_line(cells, [widths[at] for at in part], [numeric[at] for at in part]) for cells in picked]
        rule = "-" * max(map(columns_of, drawn))
        ends = len(drawn) - summaries(table)
        foot = [rule, *drawn[ends:]] if ends < len(drawn) else []
        lines += [drawn[0], rule, *drawn[1:ends], *foot, ""]
    starred = any(cell.best for row in table.rows for cell in row)
    lines += ["* the best of its column"] if starred else []
    lines += wrapped(map(seen, table.notes), width, 2)
    lines += wrapped((f"({mark}) {seen(note)}" for mark, note in footnotes.told()), width, 4)
    return "\n".join(lines).rstrip("\n") + "\n"


def _plain_rows(table: Table, around: Around, footnotes: Footnotes) -> Iterator[list[str]]:
    for row, marks in zip(table.rows, footnotes.marks, strict=True):
        yield [
            " ".join(
                (
                    f"{shorten(cell.text)}{'*' if cell.best else ''}",
                    *Beside.of(cell, table, around.denominator).inline(),
                    *(f"({mark})" for mark in marked),
                )
            )
            for cell, marked in zip(row, marks, strict=True)
        ]


def columns_of(text: str) -> int:
    """How many columns of a terminal a text takes: two for wide characters, none for combining ones."""
    return sum(
        0
        if unicodedata.combining(one) or unicodedata.category(one) in {"Mn", "Me", "Cf"}
        else 2
        if unicodedata.east_asian_width(one) in {"W", "F"}
        else 1
        for one in text
    )


def _line(cells: Sequence[str], widths: Sequence[int], numeric: Sequence[bool]) -> str:
    padded = []
    for cell, width, right in zip(cells, widths, numeric, strict=True):
        blanks = " " * (width - columns_of(cell))
        padded.append(blanks + cell if right else cell + blanks)
    return "  ".join(padded).rstrip()


def wrapped(notes: Iterable[str], width: int | None, indent: int) -> list[str]:
    """The lines of notes on a terminal: what goes on is indented. A word that is too long stays whole."""
    lines: list[str] = []
    for note in notes:
        if width is None or columns_of(note) <= width:
            lines.append(note)
        else:
            broken = wrap(
                note,
                max(width, 2 * indent),
                subsequent_indent=" " * indent,
                break_long_words=False,
                break_on_hyphens=False,
            )
            lines += broken
    return lines


def _names(table: Table) -> int:
    """How many columns at the start say what a row is about: those before the first number."""
    numeric = [column.numeric for column in table.columns]
    return max(numeric.index(True) if True in numeric else 1, 1)


def _parts(widths: Sequence[int], names: int, width: int | None) -> Iterator[list[int]]:
    """The columns of each part, so that a part fits if it can. Rows that begin alike, such as one agent's under each
    fault plan, would not be told apart by their first column; only where all names leave no room it stands alone.
    """
    if not widths:
        return
    kept = list(range(min(names, len(widths))))
    room = sum(widths[at] + 2 for at in kept) + max(widths[len(kept) :], default=0)
    if width is not None and room > width:
        kept = [0]
    start = sum(widths[at] + 2 for at in kept) - 2
    part, used = list(kept), start
    for at in range(len(kept), len(widths)):
        if width is not None and used + 2 + widths[at] > width and len(part) > len(kept):
            yield part
            part, used = list(kept), start
        part.append(at)
        used += 2 + widths[at]
    yield part
