r"""Tables as LaTeX with booktabs, for any engine and font encoding.

A file is read with `\input` and says which packages it needs. Every text is escaped, so that a name can't run a
command, end the table or break a line of it.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

from replaylab.report.markup import seen
from replaylab.report.score_cells import Beside, Footnotes, headings, shorten, summaries, title
from replaylab.report.score_parts import Around
from replaylab.score.value import Table

LONG = 45  # rows; more don't fit onto a page
DENSE = 8  # columns; more are set small, with counts and intervals below the numbers
_SPECIAL = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "#": r"\#",
    "%": r"\%",
    "_": r"\_",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    # After a line break these would be read as its arguments.
    "[": "{[}",
    "]": "{]}",
    "*": "{*}",
    # In the oldest font encoding these are other characters.
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\symbol{34}",
    "'": r"\textquotesingle{}",
    "`": r"\textasciigrave{}",
    "–": r"\textendash{}",
    "—": r"\textemdash{}",
    "…": r"\ldots{}",
    "ß": r"\ss{}",
    "æ": r"\ae{}",
    "Æ": r"\AE{}",
    "ø": r"\o{}",
    "Ø": r"\O{}",
    "ł": r"\l{}",
    "Ł": r"\L{}",
    "\u00a0": "~",
}
_MATHS = {
    "−": "-",
    "±": r"\pm",
    "×": r"\times",
    "≤": r"\leq",
    "≥": r"\geq",
    "≈": r"\approx",
    "→": r"\rightarrow",
    "²": "^2",
    "α": r"\alpha",
    "β": r"\beta",
    "κ": r"\kappa",
    "ρ": r"\rho",
    "τ": r"\tau",
    "χ": r"\chi",
}
_ACCENTS = {
    "\u0300": r"\`",
    "\u0301": r"\'",
    "\u0302": r"\^",
    "\u0303": r"\~",
    "\u0304": r"\=",
    "\u0306": r"\u",
    "\u0307": r"\.",
    "\u0308": r"\"",
    "\u030a": r"\r",
    "\u030b": r"\H",
    "\u030c": r"\v",
    "\u0327": r"\c",
}
# Any other character: itself where the engine reads Unicode, its code point where it doesn't.
_OTHERS = (
    r"\providecommand{\replaylabchar}[1]{\ifdefined\Umathchar\char" + '"#1' + r"\relax\else\texttt{U+#1}\fi}"
)
_LIGATURE = re.compile(r"(?<=[-,])(?=[-,])")
_MINUS = re.compile(r"(?<![\w)-])-(?=\d)")


def escape_latex(value: str) -> str:
    """A text that LaTeX prints as it is."""
    return "{}".join("".join(map(_escaped, piece)) for piece in _LIGATURE.split(_MINUS.sub("−", seen(value))))


def _escaped(one: str) -> str:
    if one in _SPECIAL:
        return _SPECIAL[one]
    if one in _MATHS:
        return rf"\ensuremath{{{_MATHS[one]}}}"
    if one.isascii():
        return one
    parts = unicodedata.normalize("NFD", one)
    if len(parts) == 2 and parts[0].isascii() and parts[1] in _ACCENTS:
        return f"{_ACCENTS[parts[1]]}{{{parts[0]}}}"
    return rf"\replaylabchar{{{ord(one):04X}}}"


def latex(table: Table, around: Around) -> str:
    """The table, best values in bold, with its ledger, notices and notes below it."""
    footnotes = Footnotes.of(table)
    long = len(table.rows) > LONG
    columns = "".join("r" if column.numeric else "l" for column in table.columns)
    head = " & ".join(map(escape_latex, headings(table))) + r" \\"
    rows = [" & ".join(cells) + r" \\" for cells in _rows(table, around, footnotes)]
    ends = len(rows) - summaries(table)
    body = [*rows[:ends], *([r"\midrule", *rows[ends:]] if 0 < ends < len(rows) else rows[ends:])]
    label = re.sub(r"[^a-z0-9_-]", "-", f"{table.id}-{table.layout}")
    caption = rf"\caption{{{escape_latex(title(table))}}}\label{{tab:{label}}}"
    notes = _notes(table, around, footnotes)
    small = r"\scriptsize\setlength{\tabcolsep}{3pt}" if len(columns) > DENSE else r"\small"
    if long:
        parts = [rf"{{{small}", rf"\begin{{longtable}}{{{columns}}}", rf"{caption} \\", r"\toprule", head]
        parts += [r"\midrule", r"\endhead", *body, r"\bottomrule", r"\end{longtable}", *notes, "}"]
    else:
        parts = [r"\begin{table}[t]", r"\centering", small, caption, rf"\begin{{tabular}}{{{columns}}}"]
        parts += [
            r"\toprule",
            head,
            r"\midrule",
            *body,
            r"\bottomrule",
            r"\end{tabular}",
            *notes,
            r"\end{table}",
        ]
    packages = r"% \usepackage{booktabs}" + (r" \usepackage{longtable}" if long else "")
    return "\n".join((packages, _OTHERS, *parts)) + "\n"


def _rows(table: Table, around: Around, footnotes: Footnotes) -> Iterator[list[str]]:
    dense = len(table.columns) > DENSE
    for row, marks in zip(table.rows, footnotes.marks, strict=True):
        cells = []
        for cell, marked in zip(row, marks, strict=True):
            text = escape_latex(shorten(cell.text))
            text = rf"\textbf{{{text}}}" if cell.best else text
            beside = Beside.of(cell, table, around.denominator)
            mark = rf"\textsuperscript{{{' '.join(marked)}}}" if marked else ""
            cells.append(
                _stacked(text + mark, beside)
                if dense
                else " ".join((text, *map(escape_latex, beside.inline()))) + mark
            )
        yield cells


def _stacked(text: str, beside: Beside) -> str:
    below = [rf"\tiny {escape_latex(one)}" for one in beside if one]
    lines = r" \\ ".join((text, *below))
    return rf"\shortstack[r]{{{lines}}}" if below else text


def _notes(table: Table, around: Around, footnotes: Footnotes) -> list[str]:
    lines = [escape_latex(line) for line in (around.ledger, *around.notices, *table.notes)]
    lines += [rf"\textsuperscript{{{mark}}} {escape_latex(note)}" for mark, note in footnotes.told()]
    return [
        r"\par\smallskip\begin{minipage}{\linewidth}\footnotesize\raggedright",
        *_broken(lines),
        r"\end{minipage}",
    ]


def _broken(lines: list[str]) -> list[str]:
    return [rf"{line}\par" for line in lines]
