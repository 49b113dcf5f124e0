from __future__ import annotations

from pathlib import Path

import pytest

from replaylab.audit.claims import FORMAT, load
from replaylab.errors import UsageError

HEAD = f"format: {FORMAT}\ntitle: t\n"
TABLES = "tables:\n  t: {columns: {a: {n: 10}, b: {n: 10}}, rows: {X: [50, 40], Y: [30, 20]}}\n"


def refused(folder: Path, text: str) -> UsageError:
    path = folder / "c.yaml"
    path.write_text(HEAD + text, encoding="utf-8")
    with pytest.raises(UsageError) as caught:
        load(path)
    return caught.value


@pytest.mark.parametrize(
    ("claim", "what", "closest"),
    [
        ("typ: equals", "claims/0: a claim says its `type`", ""),
        ("type: equal", "claims/0: there is no claim of the type 'equal'", "equals"),
        ("type: equals, cel: x, value: 50", "claims/0/cel: there is no such field here", "cell"),
        ("type: equals, value: 50", "claims/0/cell: the field is missing", ""),
        ("type: equals, cell: [x], value: 50", "claims/0/cell: a text is due", ""),
        ("type: equals, cell: '', value: 50", "claims/0/cell: a text is due, and nothing stands here", ""),
        ("type: order, cells: x", "claims/0/cells: a list is due", ""),
        ("type: order, cells: [x]", "claims/0/cells: at least 2 are due, and 1 stand here", ""),
        ("type: order, cells: [x, y], falls: maybe", "claims/0/falls: true or false is due", ""),
        ("type: scope, table: t, expect: 2, what: row", "claims/0/what: 'rows', 'columns' or 'distinct'", ""),
        ("type: scope, table: t, expect: 100001", "claims/0/expect: 100000 at most is due", ""),
        ("type: grim, value: 50, n: 0", "claims/0/n: 1 at least is due", ""),
        ("type: recompute, value: 1, formula: {how: mean, off: [x]}", "formula/off: there is no such", "of"),
        ("type: recompute, value: 1, formula: x", "claims/0/formula: a mapping is due", ""),
    ],
)
def test_what_is_wrong_with_a_claim_is_told_in_words_of_the_file(
    tmp_path: Path, claim: str, what: str, closest: str
) -> None:
    error = refused(tmp_path, TABLES + f"claims:\n  - {{id: c, {claim}}}\n")
    assert what in error.what
    assert error.closest == closest
    assert error.where == "c.yaml:6"


@pytest.mark.parametrize(
    ("table", "what", "closest"),
    [
        ("{column: {a: {}}, rows: {X: [1]}}", "tables/t/column: there is no such field", "columns"),
        ("{columns: {a: {unti: rank}}, rows: {X: [1]}}", "columns/a/unti: there is no such field", "unit"),
        ("{columns: {a: {computed: {hwo: mean}}}, rows: {X: [1]}}", "computed/hwo: there is no", "how"),
        ("{columns: {a: {}}, rows: {X: [1]}, sorted: {bye: a}}", "sorted/bye: there is no such field", "by"),
        ("{columns: {a: {}}, rows: {X: [1]}, summary: {X: {how: mean, fo: [a]}}}", "X/fo: there is", "of"),
    ],
)
def test_what_is_wrong_with_a_table_is_told_with_the_field_that_comes_closest(
    tmp_path: Path, table: str, what: str, closest: str
) -> None:
    error = refused(tmp_path, f"tables:\n  t: {table}\n")
    assert what in error.what
    assert error.closest == closest


@pytest.mark.parametrize("written", ["2.0", "2_0", "+2", "1e0", "٢", "' 2 '", "0x2", "9" * 30])
def test_a_whole_number_is_written_in_plain_digits(tmp_path: Path, written: str) -> None:
    claim = f"claims:\n  - {{id: c, type: scope, table: t, expect: {written}}}\n"
    assert "expect: a whole number is due, in plain digits" in refused(tmp_path, TABLES + claim).what


@pytest.mark.parametrize("alpha", ["0", "1", "5", "0.0"])
def test_a_level_of_significance_lies_between_0_and_1(tmp_path: Path, alpha: str) -> None:
    """5 for 5 % would let every difference hold."""
    claim = f"claims:\n  - {{id: c, type: differs, a: t / X / a, b: t / Y / a, alpha: {alpha}}}\n"
    assert "alpha: a level between 0 and 1 is due" in refused(tmp_path, TABLES + claim).what
