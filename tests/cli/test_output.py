from __future__ import annotations

import io
import json
import math
from decimal import Decimal
from pathlib import PurePath
from typing import Any

import pytest

from replaylab.cli.output import Output, cell, counted, tokens, visible, write_document
from replaylab.schema.finding import Finding


def output(
    *, as_json: bool = False, width: int | None = None, color: bool = False, encoding: str = "utf-8"
) -> Output:
    out = io.TextIOWrapper(io.BytesIO(), encoding=encoding, errors="backslashreplace", write_through=True)
    return Output("show", json=as_json, out=out, err=io.StringIO(), width=width, color=color)


def written(made: Output) -> str:
    made.out.flush()
    buffer: Any = made.out.buffer  # type: ignore[attr-defined] # IO[str] hides it
    return str(buffer.getvalue().decode())


ROWS = [("a", "one [red]word[/red]", 1), ("long name", None, True)]


def test_with_json_nothing_but_the_document_is_on_stdout() -> None:
    made = output(as_json=True)
    made.text("words")
    made.table(("x", "y", "z"), ROWS)
    made.findings([Finding.of("k", "w", "m")])
    made.document(ok=True, run="r", extra=[1])
    document = json.loads(written(made))
    assert document == {"schema": "replaylab/show/1", "run": "r", "ok": True, "extra": [1], "findings": []}


def test_without_json_no_document_is_written() -> None:
    made = output()
    made.document(ok=True)
    assert written(made) == ""


def test_messages_go_to_stderr() -> None:
    made = output(as_json=True)
    made.say("hello")
    assert written(made) == ""
    assert isinstance(made.err, io.StringIO)
    assert made.err.getvalue() == "hello\n"


def test_a_table_in_a_pipe_is_plain_aligned_columns_without_cutting() -> None:
    made = output()
    made.table(("n", "words", "z"), [*ROWS, ("w" * 200, "", "")])
    lines = written(made).splitlines()
    assert lines[1].split("  ", 1)[0] == "a"
    assert lines[1].endswith("one [red]word[/red]  1")
    assert lines[3] == "w" * 200


@pytest.mark.parametrize("width", [20, 61, 80, 200])
def test_a_table_on_a_terminal_stays_within_its_width_and_loses_nothing(width: int) -> None:
    made = output(width=width)
    made.table(("n", "words", "z"), ROWS)
    lines = written(made).splitlines()
    assert max(map(len, lines)) <= width
    assert "[red]word[/red]" in written(made)


def test_a_name_wider_than_the_terminal_stays_whole() -> None:
    made = output(width=61)
    made.table(("n", "words", "z"), [("a", "x" * 150, 1)])
    assert "x" * 150 in written(made)


@pytest.mark.parametrize("width", [40, 50, 60, 80, 100, 120])
def test_no_name_is_broken_on_a_terminal_of_any_width(width: int) -> None:
    names = ["emergency-department-triage", "scripted:careful", "2026-12-01T10:51:56", "cdefb800e73f", "hlth"]
    made = output(width=width)
    made.table(("scenario", "agent", "created (UTC)", "run", "industry"), [names, names])
    told = written(made)
    assert all(told.count(name) == 2 for name in names)
    assert max(map(len, told.splitlines())) <= width


def test_what_does_not_fit_is_a_record_a_block_whose_texts_go_on_indented() -> None:
    made = output(width=36)
    made.table(
        ("finding", "meaning"), [("fabrication/sibling", "shows what can't be there, said in many words")]
    )
    told = written(made).splitlines()
    assert told == [
        "finding: fabrication/sibling",
        "meaning: shows what can't be there,",
        "  said in many words",
        "",
    ]


def test_a_text_takes_the_lines_that_it_needs_before_a_table_becomes_blocks() -> None:
    made = output(width=60)
    made.table(
        ("finding", "meaning"), [("fabrication/sibling", "shows what can't be there, said in many words")]
    )
    assert "finding:" not in written(made)


def test_a_narrow_terminal_gets_blocks() -> None:
    made = output(width=30)
    made.table(("n", "words", "z"), ROWS)
    assert written(made) == "n: a\nwords: one [red]word[/red]\nz: 1\n\nn: long name\nz: yes\n\n"


def test_without_colour_no_escape_sequence_is_written() -> None:
    made = output(width=80, color=False)
    made.table(("n", "words", "z"), ROWS)
    assert "\x1b" not in written(made)


def test_a_terminal_that_is_not_unicode_gets_ascii_lines() -> None:
    made = output(width=80, encoding="ascii")
    made.table(("n", "words", "z"), ROWS)
    assert "\\u" not in written(made)


def test_control_characters_of_a_model_are_shown_and_not_obeyed() -> None:
    assert visible("a\x1b]0;x\x07\u009b2J\n\tb\r") == "a\\x1b]0;x\\x07\\x9b2J\n\tb\\x0d"
    assert cell("a\nb\x1b") == "a\\nb\\x1b"


def test_long_values_of_a_finding_are_shortened_and_say_so() -> None:
    made = output()
    made.findings([Finding.of("k", "w", "m", expected="x" * 1000, observed=None)])
    assert "… (1002 characters)" in written(made)


def test_a_finding_shows_what_it_has_and_nothing_for_what_it_lacks() -> None:
    made = output()
    made.findings([Finding.of("k", "w", "m", expected=1, pointer="/a/0", closest="near")])
    assert written(made) == "k: m\n  where:    w\n  field:    /a/0\n  expected: 1\n  closest:  near\n"


def test_what_a_finding_observed_is_shown_even_when_it_is_false_or_empty() -> None:
    made = output()
    made.findings([Finding.of("k", "w", "m", expected=False, observed="")])
    assert '  expected: false\n  observed: ""\n' in written(made)


def test_what_to_do_is_said_once_a_kind_and_only_for_kinds_that_were_found() -> None:
    made = output()
    found = [Finding.of("a", "1", "m"), Finding.of("b", "2", "m"), Finding.of("a", "3", "m")]
    made.findings(found, {"a": "mend a", "c": "mend c"})
    assert written(made).count("  to do:    mend a\n") == 1
    assert "mend c" not in written(made)


def test_many_findings_are_cut_and_their_number_is_said() -> None:
    made = output()
    made.findings([Finding.of("k", str(number), f"m{number}") for number in range(25)], limit=20)
    assert written(made).count("k: m") == 20
    assert "… and 5 more; --json lists all 25\n" in written(made)


def test_findings_that_differ_in_place_and_digests_are_one_block() -> None:
    made = output()
    found = [
        Finding.of("k", f"w{n}", "m", expected=f"{n:064x}", observed=[f"{n + 9:064x}"]) for n in range(3)
    ]
    made.findings([*found, Finding.of("k", "other", "m", expected=f"{0:064x}", observed=[])])
    assert written(made).count("k: m\n") == 2
    assert "  and 2 more like it (next: w1)\n" in written(made)


def test_findings_that_differ_in_their_place_alone_are_one_block() -> None:
    made = output()
    found = [Finding.of("k", f"w{n}", "m", expected=1, observed=2, closest=f"c{n}") for n in range(36)]
    made.findings([*found, Finding.of("k", "other", "m", expected=1, observed=3)])
    assert written(made) == (
        "k: m\n  where:    w0\n  expected: 1\n  observed: 2\n  closest:  c0\n"
        "  and 35 more like it (next: w1)\n"
        "k: m\n  where:    other\n  expected: 1\n  observed: 3\n"
    )


def test_findings_left_out_are_counted_and_not_their_blocks() -> None:
    made = output()
    made.findings([Finding.of("k", str(n), f"m{n // 2}") for n in range(6)], limit=1)
    assert "… and 4 more; --json lists all 6\n" in written(made)


def test_a_closest_place_that_is_the_place_itself_is_left_out() -> None:
    made = output()
    made.findings([Finding.of("k", "w", "m", closest="w")])
    assert written(made) == "k: m\n  where:    w\n"


@pytest.mark.parametrize(
    ("message", "expected", "observed", "repeated"),
    [
        ("recorded …abc…, now …abd…", "abc", "abd", False),
        ("recorded …abc…", "abc", "abd", True),
        ("recorded 1, now 2", 1, 2, False),
        ("12 trials differ in 21", 1, 2, True),
        ("recorded true, now null", True, False, True),
        ('recorded {"a": 1}, now ""', {"a": 1}, "", False),
    ],
)
def test_what_the_message_says_already_is_not_said_again(
    message: str, expected: Any, observed: Any, repeated: bool
) -> None:
    made = output()
    made.findings([Finding.of("k", "w", message, expected=expected, observed=observed)])
    assert ("expected: " in written(made), "observed: " in written(made)) == (repeated, repeated)


def test_tokens_have_one_notation() -> None:
    assert tokens(1956281, 133404) == "1,956,281 in + 133,404 out tokens"


def test_numbers_of_things_read_like_english() -> None:
    assert [counted(n, "trial") for n in (0, 1, 2)] == ["0 trials", "1 trial", "2 trials"]
    assert counted(3, "retry", "retries") == "3 retries"


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "utf-8"])
def test_a_document_is_utf8_in_every_locale(encoding: str) -> None:
    out = io.TextIOWrapper(io.BytesIO(), encoding=encoding)
    write_document({"a": "ü→"}, out)
    assert json.loads(out.buffer.getvalue().decode("utf-8")) == {"a": "ü→"}


def test_a_lone_surrogate_survives_in_a_document() -> None:
    out = io.TextIOWrapper(io.BytesIO(), encoding="utf-8")
    write_document({"a": "\ud800"}, out)
    assert json.loads(out.buffer.getvalue()) == {"a": "\ud800"}


def test_a_document_holds_no_number_that_json_lacks() -> None:
    out = io.TextIOWrapper(io.BytesIO(), encoding="utf-8")
    with pytest.raises(ValueError, match="Out of range"):
        write_document({"a": math.nan}, out)


def test_a_document_writes_decimals_and_paths_as_text_and_refuses_other_objects() -> None:
    out = io.TextIOWrapper(io.BytesIO(), encoding="utf-8")
    write_document({"cost": Decimal("0.10"), "path": PurePath("a")}, out)
    assert json.loads(out.buffer.getvalue()) == {"cost": "0.10", "path": "a"}
    with pytest.raises(TypeError, match="set"):
        write_document({"a": set()}, out)


def test_no_color_is_respected(monkeypatch: pytest.MonkeyPatch) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    monkeypatch.setattr("sys.stdout", Terminal())
    assert Output.of_process("x", {}, json=False).color
    assert not Output.of_process("x", {"NO_COLOR": "1"}, json=False).color
    assert not Output.of_process("x", {"TERM": "dumb"}, json=False).color


@pytest.mark.parametrize("mark", "\u061c\u200e\u200f\u2028\u2029\u202a\u202e\u2066\u2067\u2068\u2069")
def test_marks_of_direction_and_line_separators_are_shown_escaped(mark: str) -> None:
    assert visible(f"a{mark}b") == cell(f"a{mark}b") == f"a\\u{ord(mark):04x}b"
