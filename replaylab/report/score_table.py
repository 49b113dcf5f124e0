"""A table as HTML: sortable once the script runs, each number a link to the trials behind it."""

from __future__ import annotations

from collections.abc import Sequence

from replaylab.report.markup import Html, attr, breakable, join, prose, tag, text
from replaylab.report.score_cells import Beside, Footnotes, headings, number_of, shorten, summaries, title
from replaylab.report.score_parts import Around
from replaylab.report.score_trials import Names
from replaylab.score.value import Cell, Column, Table

_FOLDED = 12  # notes about single cells; more are folded
_TALL = 25  # rows; more scroll in a frame of their own, below their head
_LONG = 1_000  # characters of a note; more are folded
_DENSE, _CROWDED = 8, 10  # columns; more are set tighter, and tighter still
_SHORT = 12  # characters that stand on one line


def table_html(table: Table, around: Around, names: Names | None, anchor: str) -> Html:
    """The table with its notes. Without names there is no list of trials to link to."""
    footnotes = Footnotes.of(table)
    head = "".join(
        f'<th scope="col"{_numeric(column)}>{text(name)}</th>'
        for column, name in zip(table.columns, headings(table), strict=True)
    )
    rows = [_row(table, around, names, at, footnotes.marks[at]) for at in range(len(table.rows))]
    ends = len(rows) - summaries(table)
    foot = f"<tfoot>{''.join(rows[ends:])}</tfoot>" if ends < len(rows) else ""
    layout = "full layout" if table.layout == "full" else "as published"
    caption = f'<caption id="{attr(anchor)}-caption"><span>{text(title(table))}, {layout}</span></caption>'
    frame = "scroll tall" if len(rows) > _TALL else "scroll"
    kind = "sorted dense" if len(table.columns) > _DENSE else "sorted"
    kind += " crowded" if len(table.columns) > _CROWDED else ""
    scroll = (
        f'<div class="{frame}" role="region" tabindex="0" aria-labelledby="{attr(anchor)}-caption">'
        f'<table class="{kind}">{caption}<thead><tr>{head}</tr></thead>'
        f"<tbody>{''.join(rows[:ends])}</tbody>{foot}</table></div>"
    )
    return join((Html(scroll), _notes(table, footnotes)))


def _numeric(column: Column) -> str:
    return ' class="number"' if column.numeric else ""


def _row(table: Table, around: Around, names: Names | None, at: int, marks: Sequence[Sequence[str]]) -> str:
    cells = []
    for place, (column, cell) in enumerate(zip(table.columns, table.rows[at], strict=True)):
        value = number_of(cell)
        sorts = f' data-value="{value!r}"' if column.numeric and value is not None else ""
        inner = _cell(cell, Beside.of(cell, table, around.denominator), marks[place], names)
        kind, scope = ("th", ' scope="row"') if place == 0 else ("td", "")
        cells.append(f"<{kind}{scope}{_numeric(column)}{sorts}>{inner}</{kind}>")
    return f"<tr>{''.join(cells)}</tr>"


def _cell(cell: Cell, more: Beside, marks: Sequence[str], names: Names | None) -> Html:
    # A name may run from right to left; it must not turn what stands beside it around.
    words = shorten(cell.text)
    short = len(words) <= _SHORT
    shown = tag("bdi", text(words) if short else breakable(words), class_="short" if short else None)
    if cell.best:
        shown = tag("strong", shown)
    if cell.trials and names and cell.text.strip():
        shown = tag("a", shown, href=names.link(cell.trials))
    small = join((tag("small", text(one)) for one in more if one), " ")
    mark = tag("sup", text(" ".join(marks))) if marks else ""
    return join((shown, mark, " " if small else "", small))


def _notes(table: Table, footnotes: Footnotes) -> Html:
    general = [tag("li", _note(note)) for note in table.notes]
    marked = [tag("li", tag("sup", text(mark)), " ", _note(note)) for mark, note in footnotes.told()]
    parts = [tag("ul", *general, class_="table-notes")] if general else []
    if marked:
        listed = tag("ul", *marked, class_="table-notes marked")
        summary = tag("summary", text(f"{len(marked)} notes about single cells"))
        parts.append(tag("details", summary, listed) if len(marked) > _FOLDED else listed)
    return join(parts)


def _note(note: str) -> Html:
    return text(note) if len(note) <= _LONG else prose(note)
