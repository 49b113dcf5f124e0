from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token

from replaylab.report.markup import seen
from replaylab.report.score_cells import Footnotes, headings, shorten
from replaylab.report.score_parts import Around, Scored
from replaylab.report.score_text import columns_of, escape_markdown, markdown, plain
from replaylab.score.value import Cell, Column, Interval, Table
from tests.report.scored import TINY, hostile, scored

AROUND = Around("4 planned: 3 passed, 1 failed, 0 errors, 0 missing", ("Played by programs.",))
PRINTABLE = st.text(st.characters(min_codepoint=32, exclude_categories=["Cs"]), max_size=40)


def parse(text: str) -> list[Token]:
    return MarkdownIt("commonmark").enable(["table", "strikethrough"]).parse(text)


def words(token: Token) -> str:
    """What a reader sees of an inline piece; anything but text is an intruder."""
    seen_words = ""
    for child in token.children or []:
        if child.type in {"text", "text_special"}:
            seen_words += child.content
        elif child.type != "html_inline" or child.content not in {"<!-- -->", "<sup>", "</sup>"}:
            assert child.type in {"strong_open", "strong_close"}, child
    return seen_words


def cells(text: str) -> list[list[str]]:
    """The cells of the one table, as a reader sees them."""
    rows: list[list[str]] = []
    inside = False
    for token in parse(text):
        if token.type == "tr_open":
            rows.append([])
        inside = token.type in {"th_open", "td_open"} or (inside and token.type == "inline")
        if token.type == "inline" and inside:
            rows[-1].append(words(token))
    return rows


@given(PRINTABLE)
def test_any_text_is_printed_as_it_is(value: str) -> None:
    parsed = [
        token
        for token in parse(f"| a |\n| --- |\n| x{escape_markdown(value)}y |\n")
        if token.type == "inline"
    ]
    assert words(parsed[-1]) == f"x{seen(value)}y"


@given(PRINTABLE)
def test_any_text_is_one_item_of_a_list(value: str) -> None:
    escaped = escape_markdown(value.strip() + "z", first=True)
    tokens = parse(f"- {escaped}\n- end\n")
    assert [token.type for token in tokens].count("inline") == 2
    assert {token.type for token in tokens} <= {
        f"{kind}_{end}" for kind in ("bullet_list", "list_item", "paragraph") for end in ("open", "close")
    } | {"inline"}


@pytest.mark.parametrize("first", ["# a", "- a", "1. a", "+ a", "> a", "* a", "    a", "| a", "---", "=="])
def test_a_note_begins_no_block(first: str) -> None:
    tokens = parse(f"- {escape_markdown(first, first=True)}\n")
    assert [token.type for token in tokens if token.type.endswith("_open")] == [
        "bullet_list_open",
        "list_item_open",
        "paragraph_open",
    ]


@pytest.mark.parametrize("value", ["@owner", "https://x.example", "www.x.example", "#12"])
def test_nobody_is_told_and_nothing_is_linked(value: str) -> None:
    made = escape_markdown(value)
    assert not re.search(r"@\w|https?://|www\.|(?<!\\)#", made)


def test_numbers_stay_readable() -> None:
    for value in ("79.6", "[75.3, 83.2]", "-3.5 [-6.2, -0.8]", "26/31", "0–12"):
        assert escape_markdown(value) == value


def check(made: Scored) -> None:
    for table in (*made.full, *made.paper):
        rows = cells(markdown(table, made.around(table)))
        assert len(rows) == len(table.rows) + 1
        assert {len(row) for row in rows} == {len(table.columns)}
        assert rows[0] == headings(table)
        for row, given_row in zip(rows[1:], table.rows, strict=True):
            for text, cell in zip(row, given_row, strict=True):
                assert text.startswith(shorten(cell.text).strip())


def test_a_table_has_its_cells_and_nothing_else() -> None:
    check(scored(TINY))


def test_a_hostile_name_breaks_no_table() -> None:
    check(hostile())


def test_markdown_says_the_ledger_the_notices_and_the_notes() -> None:
    made = scored(TINY, evidence="authored", player="program")
    table = made.paper[0]
    text = markdown(table, made.around(table))
    assert text.startswith("## Completion by industry\n\n> Authored, not recorded: ")
    assert "> Every role was played by a program" in text
    assert made.ledger(table) in text
    for note in table.notes:
        assert f"- {note}" in text


def test_the_best_is_bold_and_marks_are_explained() -> None:
    made = scored()
    table = next(one for one in made.full if one.id == "industries")
    text = markdown(table, made.around(table))
    assert text.count("**") == 2 * sum(cell.best for row in table.rows for cell in row)
    for mark, note in Footnotes.of(table).told():
        assert f"- <sup>{mark}</sup> {note}" in text


def small(*rows: tuple[str, ...], numeric: bool = True) -> Table:
    columns = tuple(
        Column(key=f"c{at}", title=f"C{at}", numeric=numeric and at > 0) for at in range(len(rows[0]))
    )
    return Table(
        id="t",
        title="T",
        layout="paper",
        columns=columns,
        rows=tuple(tuple(Cell(text=one) for one in row) for row in rows),
    )


def test_plain_text_is_aligned_numbers_to_the_right() -> None:
    text = plain(small(("a", "1.0"), ("bcd", "10.0"), ("total", "11.0")), AROUND)
    assert text == (
        "T\n! Played by programs.\n4 planned: 3 passed, 1 failed, 0 errors, 0 missing\n\n"
        "C0       C1\n-----------\na       1.0\nbcd    10.0\n-----------\ntotal  11.0\n"
    )


def test_wide_characters_take_two_columns_and_combining_ones_none() -> None:
    assert (columns_of("智谱"), columns_of("e\u0301"), columns_of("a\u200db")) == (4, 1, 2)
    text = plain(small(("智谱", "1"), ("abcd", "2")), AROUND)
    assert "智谱   1\nabcd   2\n" in text


@given(st.integers(12, 60))
def test_a_narrow_terminal_gets_parts_that_fit_and_repeat_the_first_column(width: int) -> None:
    row = ("name", *(f"{at}.5" for at in range(9)))
    text = plain(small(row, row), Around(""), width)
    lines = text.splitlines()[2:]
    assert all(len(line) <= width for line in lines)
    parts = [line for line in lines if line.startswith("name")]
    assert [one for line in parts[::2] for one in line.split()[1:]] == list(row[1:])


def test_plain_text_marks_the_best_and_explains() -> None:
    made = scored()
    table = next(one for one in made.full if one.id == "industries")
    text = plain(table, made.around(table))
    assert "\n* the best of its column\n" in text
    assert "65.0* (26/40) [55.1, 72.7] (d)" in text
    assert "\n(a) 1 error, 1 missing: between 62.5 and 67.5 % if they were decided\n" in text


def test_no_hidden_character_reaches_a_terminal() -> None:
    for table in (*hostile().full, *hostile().paper):
        text = plain(table, hostile().around(table))
        assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e\u2066\u200f]", text)


def test_an_interval_in_the_text_is_not_repeated() -> None:
    cell = Cell(text="1.0 [0.5, 2.0]", value=1.0, interval=Interval(low=0.5, high=2, method="m"))
    table = small(("a", "b")).model_copy(update={"layout": "full", "rows": ((Cell(text="a"), cell),)})
    assert plain(table, AROUND).count("[") == markdown(table, AROUND).count("[") == 1


def keyed(*rows: tuple[str, ...], names: int) -> Table:
    columns = tuple(Column(key=f"c{at}", title=f"C{at}", numeric=at >= names) for at in range(len(rows[0])))
    return small(*rows).model_copy(update={"columns": columns})


def test_each_part_repeats_all_names_so_that_rows_are_told_apart() -> None:
    rows = [("agent", plan, *(f"{at}{at}{at}.5" for at in range(6))) for plan in ("E0", "E1")]
    lines = plain(keyed(*rows, names=2), Around(""), 30).splitlines()
    parts = [line.split() for line in lines if line.startswith("agent")]
    assert len(parts) > 2
    assert {tuple(part[:2]) for part in parts} == {("agent", "E0"), ("agent", "E1")}
    assert all(len(line) <= 30 for line in lines)


def test_names_that_leave_no_room_are_not_repeated() -> None:
    row = ("agent", "n" * 30, "1.5", "2.5")
    lines = plain(keyed(row, names=2), Around(""), 30).splitlines()
    assert [line.split()[-1] for line in lines if line.startswith("agent")] == ["n" * 30, "2.5"]


def test_notes_are_wrapped_in_a_terminal_and_whole_in_a_file() -> None:
    note = "a note of some words " * 9
    table = small(("a", "1")).model_copy(update={"notes": (note.strip(),)})
    assert all(len(line) <= 40 for line in plain(table, Around(""), 40).splitlines())
    assert " ".join(plain(table, Around(""), 40).split()).endswith(note.strip())
    assert note.strip() in plain(table, Around("")).splitlines()
