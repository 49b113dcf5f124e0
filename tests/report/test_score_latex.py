from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from replaylab.report.score_latex import LONG, escape_latex, latex
from replaylab.score.value import Cell, Layout, Table
from tests.report.scored import TINY, hostile, scored

# Every command that a text may turn into. None of them takes more than braces with letters or a number.
COMMANDS = frozenset(
    {
        "textbackslash",
        "textasciitilde",
        "textasciicircum",
        "textless",
        "textgreater",
        "textbar",
        "symbol",
        "pm",
    }
    | {
        "textquotesingle",
        "textasciigrave",
        "textendash",
        "textemdash",
        "ldots",
        "ss",
        "ae",
        "AE",
        "o",
        "O",
        "l",
    }
    | {
        "L",
        "ensuremath",
        "replaylabchar",
        "times",
        "leq",
        "geq",
        "approx",
        "rightarrow",
        "alpha",
        "beta",
        "kappa",
    }
    | {"rho", "tau", "chi", "u", "r", "H", "v", "c"}
)


def is_harmless(text: str) -> bool:
    """Whether every special character is part of something known, and braces are balanced."""
    text = re.sub(r"\\[{}$&#%_`'^~=.\"]", "", text)
    text = re.sub(r"\\([A-Za-z]+)", lambda match: "" if match[1] in COMMANDS else "\\", text)
    depth = 0
    for one in text:
        depth += {"{": 1, "}": -1}.get(one, 0)
        if depth < 0 or one in "\\$&#%_":
            return False
    return depth == 0


@given(st.text(max_size=60))
def test_no_text_runs_a_command_or_ends_a_cell(value: str) -> None:
    made = escape_latex(value)
    assert is_harmless(made)
    assert made.isascii()
    assert "\n" not in made


@pytest.mark.parametrize(
    ("value", "made"),
    [
        (r"\input{x}", r"\textbackslash{}input\{x\}"),
        ("50 % of $1 & #2_x", r"50 \% of \$1 \& \#2\_x"),
        ("[1, 2]*", "{[}1, 2{]}{*}"),
        ("-3.5 [-6.2, 0]", r"\ensuremath{-}3.5 {[}\ensuremath{-}6.2, 0{]}"),
        ("GPT-5.2 E0-E1", "GPT-5.2 E0-E1"),
        ("a--b,,c", "a-{}-b,{},c"),
        ("é Łódź ñ ç", r"\'{e} \L{}\'{o}d\'{z} \~{n} \c{c}"),
        (
            "κ ≥ 0.5 – β²",
            r"\ensuremath{\kappa} \ensuremath{\geq} 0.5 \textendash{} \ensuremath{\beta}\ensuremath{^2}",
        ),
        ("智", r"\replaylabchar{667A}"),
        ("a\x00b", "aU+0000b"),
    ],
)
def test_a_text_is_printed_as_it_is(value: str, made: str) -> None:
    assert escape_latex(value) == made


def tables(layout: Layout) -> Table:
    made = scored(TINY)
    return next(one for one in (*made.full, *made.paper) if one.id == "industries" and one.layout == layout)


def test_the_published_layout_has_the_published_numbers_and_the_best_in_bold() -> None:
    table, made = tables("paper"), scored(TINY)
    text = latex(table, made.around(table))
    assert r"Model & Avg & Agri & Biz \\" in text
    assert [line for line in text.splitlines() if line.startswith("tasks")] == [r"tasks & 40 & 40 & 40 \\"]
    body = text[text.index(r"\midrule") : text.index(r"\bottomrule")]
    assert body.count(r"\textbf{") == sum(cell.best for row in table.rows for cell in row)
    assert body.count(r"\midrule") == 2  # before the row that sums up too
    for row in table.rows:
        for cell in row:
            assert escape_latex(cell.text) in body


@pytest.mark.parametrize("which", ["plain", "hostile"])
def test_every_row_has_a_cell_a_column_and_nothing_runs(which: str) -> None:
    made = hostile() if which == "hostile" else scored()
    for table in (*made.full, *made.paper):
        text = latex(table, made.around(table))
        lines = text.splitlines()
        first = lines.index(r"\toprule")
        rows = [line for line in lines[first:] if line.endswith(r" \\")]
        assert len(rows) == len(table.rows) + 1
        assert {len(re.findall(r"(?<!\\)&", row)) for row in rows} == {len(table.columns) - 1}
        assert re.search(r"\\(?:input|write|def)\b", text) is None
        assert text.count("{") - text.count(r"\{") == text.count("}") - text.count(r"\}")


def test_a_long_table_breaks_across_pages_and_says_which_package_it_needs() -> None:
    row = (Cell(text="a"), Cell(text="1"), Cell(text="2"), Cell(text="3"))
    made, table = scored(TINY), tables("paper")
    short, long = (table.model_copy(update={"rows": (row,) * count}) for count in (LONG, LONG + 1))
    assert r"\begin{table}" in latex(short, made.around(short))
    text = latex(long, made.around(long))
    assert text.startswith("% \\usepackage{booktabs} \\usepackage{longtable}\n")
    assert (text.count("{longtable}"), r"\begin{table}" in text) == (3, False)


def test_ledger_notices_and_notes_stand_below() -> None:
    made = scored(TINY, evidence="authored")
    table = made.paper[0]
    text = latex(table, made.around(table))
    below = text[text.index(r"\bottomrule") :]
    assert made.ledger(table) in below
    assert "Authored, not recorded" in below
    for note in table.notes:
        assert escape_latex(note) in below


def test_many_columns_have_their_counts_and_intervals_below_the_number() -> None:
    made = scored()
    table = next(one for one in made.full if one.id == "industries")
    assert r"\shortstack[r]{\textbf{75} \\ \tiny 3/4 \\ \tiny {[}65, 83{]}}" in latex(
        table, made.around(table)
    )
