from __future__ import annotations

import pytest

from replaylab.errors import UsageError
from tests.audit.files import book_of, table

T = table(
    {"x": ["one", "50", "-"], "y": ["two", "60", "10"], "All": ["", "55", "10"]},
    {"name": {"unit": "text"}, "a": {"n": 10}, "b": {"n": 20}},
    summary={"All": {"how": "mean"}},
)


def test_references_name_cells_rows_and_columns() -> None:
    book = book_of(t=T)

    def at(reference: str, **more: object) -> list[str]:
        return [cell.address for cell in book.refer(reference, "claims/c", **more)]  # type: ignore[arg-type]

    assert at("t / x / a") == ["t / x / a"]
    assert at("t / * / a") == ["t / x / a", "t / y / a"]
    assert at("t / All / a") == ["t / All / a"]
    assert at("t / y / *") == ["t / y / a", "t / y / b"]
    assert at("t / x / *") == ["t / x / a"]
    assert at("t / * / a", without=["x"]) == ["t / y / a"]
    assert at("t / y / *", without=["a"]) == ["t / y / b"]


def test_a_name_with_a_star_or_an_at_is_only_special_alone() -> None:
    book = book_of(t=table({"x*": ["50"]}, {"@a": {}}))
    assert [cell.text for cell in book.refer("t / x* / @a", "claims/c")] == ["50"]


def test_denominators_go_from_cell_to_column_to_table() -> None:
    one = table(
        {"x": ["50", "50", "50"]}, {"a": {}, "b": {"n": 20}, "d": {"n": 20}}, n=10, cell_n={"x": {"d": 30}}
    )
    cells = book_of(t=one).tables["t"].cells
    assert [cells["x", name].n for name in "abd"] == [10, 20, 30]


def test_conditions_come_from_row_table_column_and_text() -> None:
    columns = {"who": {"unit": "text"}, "r": {"condition": {"model": "@who", "faults": "E1"}}, "s": {}}
    one = table({"x": ["m", "50", "60"]}, columns, rows_are="family", condition={"faults": "E0", "sim": "g"})
    cells = book_of(t=one).tables["t"].cells
    assert dict(cells["x", "r"].condition) == {"family": "x", "sim": "g", "faults": "E1", "model": "m"}
    assert dict(cells["x", "s"].condition)["column"] == "t / s"


def test_the_rule_is_the_tables_the_files_or_the_one_that_fits() -> None:
    rows = {"x": ["63"], "y": ["38"], "z": ["31"]}
    columns = {"a": {"n": 16}}
    assert book_of(t=table(rows, columns)).tables["t"].cells["x", "a"].rule == "half_up"
    fixed = book_of(t=table(rows, columns, rounding="half_even")).tables["t"]
    assert (fixed.cells["x", "a"].rule, fixed.fit.declared, fixed.fit.fitting) == (
        "half_even",
        True,
        ("half_up",),
    )


@pytest.mark.parametrize(
    ("more", "says"),
    [
        ({"summary": {"Alle": {"how": "mean"}}}, "Alle"),
        ({"cell_n": {"z": {"a": 1}}}, "'z'"),
        ({"cell_n": {"x": {"q": 1}}}, "'q'"),
        ({"bold": {"q": ["x"]}}, "'q'"),
    ],
)
def test_a_table_that_speaks_of_what_it_has_not_is_refused(more: dict[str, object], says: str) -> None:
    with pytest.raises(UsageError, match=says):
        book_of(t=T | more)


def test_a_column_that_is_computed_from_nothing_known_is_refused() -> None:
    for formula in (
        {"how": "mean", "of": ["q"]},
        {"how": "mean", "of": ["u / * / a"]},
        {"how": "mean", "of": ["t / * / @q"]},
    ):
        with pytest.raises(UsageError, match="there is no"):
            book_of(t=table({"x": ["1", "2"]}, {"a": {}, "b": {"computed": formula}}))
