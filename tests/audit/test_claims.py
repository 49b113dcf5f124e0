from __future__ import annotations

import json
from pathlib import Path

import pytest
from pydantic import ValidationError

from replaylab.audit.claims import FORMAT, ClaimsFile, load, schema
from replaylab.audit.tables import Formula, TableSpec, is_number
from replaylab.errors import UsageError
from tests.audit.files import OCCUBENCH, REPO

HEAD = f"format: {FORMAT}\ntitle: t\n"
TABLE = HEAD + "tables:\n  t:\n    columns:\n      a: {n: 8}\n"


def write(folder: Path, text: str, name: str = "c.yaml") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def refused(folder: Path, text: str) -> UsageError:
    with pytest.raises(UsageError) as caught:
        load(write(folder, text))
    return caught.value


def test_the_committed_schema_is_what_the_command_prints() -> None:
    committed = json.loads((REPO / "reports" / "claims" / "claims.schema.json").read_text(encoding="utf-8"))
    assert committed == schema()


def test_the_schema_accepts_the_published_study_as_an_editor_would_read_it() -> None:
    import jsonschema
    import yaml

    jsonschema.Draft202012Validator.check_schema(schema())
    value = yaml.safe_load(OCCUBENCH.read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator(schema()).validate(value)


def test_cells_keep_the_digits_that_were_written(tmp_path: Path) -> None:
    loaded = load(write(tmp_path, TABLE + "    rows:\n      x: [77]\n      y: [77.0]\n"))
    assert loaded.file.tables["t"].rows == {"x": ("77",), "y": ("77.0",)}


def test_yaml_and_json_are_one_file(tmp_path: Path) -> None:
    value = {
        "format": FORMAT,
        "title": "t",
        "tables": {"t": {"columns": {"a": {"n": 8}}, "rows": {"x": ["50"]}}},
    }
    other = load(write(tmp_path, json.dumps(value), "c.json"))
    assert other.file == load(write(tmp_path, TABLE + "    rows: {x: [50]}\n")).file


def test_an_error_names_line_field_and_what_to_do(tmp_path: Path) -> None:
    error = refused(
        tmp_path,
        TABLE + "    rows: {x: [1]}\nclaims:\n  - id: one\n    type: grim\n    value: 1\n    n: none\n",
    )
    assert error.where == "c.yaml:12"
    assert "claims/0/n" in error.what
    assert "CLAIMS.md" in error.fix


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("title: t\n", "no `format`"),
        ("format: replaylab.claims/2\ntitle: t\n", "replaylab.claims/2"),
        ("- a\n", "mapping"),
        (HEAD + "color: red\n", "color"),
        (TABLE + "    rows: {x: [1, 2]}\n", "2 cells"),
        (TABLE, "rows or names a csv"),
        (TABLE + "    rows: {x: [1]}\n    csv: x.csv\n", "one of the two"),
        (TABLE + "    rows: {x: [1]}\n    n: -1\n", "n"),
        (HEAD + "claims:\n  - {id: a, type: nonsense}\n", "nonsense"),
        (
            HEAD
            + "claims:\n  - {id: a, type: grim, value: 1, n: 2}\n  - {id: a, type: grim, value: 1, n: 2}\n",
            "two claims",
        ),
        (HEAD + "claims:\n  - {id: a, type: grim, value: 1}\n", "grim takes"),
        (HEAD + "claims:\n  - {id: a, type: universal, table: t, condition: a less b}\n", "condition"),
    ],
)
def test_what_is_no_claims_file_is_refused(tmp_path: Path, text: str, says: str) -> None:
    assert says in str(refused(tmp_path, text))


def test_a_csv_file_beside_it_gives_the_rows(tmp_path: Path) -> None:
    write(tmp_path, 'model,b,a\n"x, y",1,50\nz,2,62.5\n', "rows.csv")
    path = write(tmp_path, TABLE + "    csv: rows.csv\n")
    first = load(path)
    assert first.file.tables["t"].rows == {"x, y": ("50",), "z": ("62.5",)}
    write(tmp_path, 'model,b,a\n"x, y",1,50\nz,2,62.6\n', "rows.csv")
    assert load(path).digest != first.digest  # the report is about both files


@pytest.mark.parametrize(
    ("csv", "says"),
    [
        ("model,b\nx,1\n", "no column 'a'"),
        ("model,a,a\nx,1,1\n", "twice"),
        ("model,a\nx,1\nx,2\n", "names a row twice"),
        ("model,a\nx,1,2\n", "another number of cells"),
        ("", "empty"),
        ('model,a\n"x,1\n', "not a CSV"),
    ],
)
def test_an_odd_csv_file_is_refused(tmp_path: Path, csv: str, says: str) -> None:
    write(tmp_path, csv, "rows.csv")
    assert says in str(refused(tmp_path, TABLE + "    csv: rows.csv\n"))


@pytest.mark.parametrize("name", ["../rows.csv", "/etc/passwd", "link.csv", "folder/../../rows.csv"])
def test_a_csv_file_elsewhere_is_refused(tmp_path: Path, name: str) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    write(tmp_path, "model,a\nx,1\n", "rows.csv")
    (folder / "link.csv").symlink_to(tmp_path / "rows.csv")
    with pytest.raises(UsageError, match="beside the claims file"):
        load(write(folder, TABLE + f"    csv: {name}\n"))


def test_a_missing_file_a_folder_and_a_device_are_refused(tmp_path: Path) -> None:
    for path in (tmp_path / "none.yaml", tmp_path, Path("/dev/zero")):
        with pytest.raises(UsageError, match="no such file"):
            load(path)


def test_too_many_cells_are_refused(tmp_path: Path) -> None:
    columns = ", ".join(f"c{at}: {{}}" for at in range(100))
    rows = "\n".join(f"      r{at}: [{', '.join('1' for _ in range(100))}]" for at in range(501))
    text = HEAD + f"tables:\n  t:\n    columns: {{{columns}}}\n    rows:\n{rows}\n"
    assert "50,000 are the most" in str(refused(tmp_path, text))


def test_a_formula_says_what_it_lacks() -> None:
    for value in (
        {"how": "difference", "of": ["a"]},
        {"how": "robustness", "of": ["a"]},
        {"how": "mean", "over": "a"},
    ):
        with pytest.raises(ValidationError):
            Formula.model_validate(value)


@pytest.mark.parametrize(
    ("text", "is_it"),
    [
        ("77", True),
        ("-0.5", True),
        ("−0.5", True),
        ("7e1", False),
        ("1,000", False),
        ("1.", False),
        (".5", False),
        ("٣", False),
        ("85.7%", False),
        ("1" * 41, False),
    ],
)
def test_a_number_is_plain_digits(text: str, is_it: bool) -> None:
    assert is_number(text) is is_it


def test_a_table_without_columns_is_none() -> None:
    with pytest.raises(ValidationError):
        TableSpec.model_validate({"columns": {}, "rows": {}})
    with pytest.raises(ValidationError):
        ClaimsFile.model_validate({"format": FORMAT})


@pytest.mark.parametrize("name", ["a\\0b", "\\0"])
def test_the_name_of_a_csv_file_holds_no_nul(tmp_path: Path, name: str) -> None:
    error = refused(tmp_path, HEAD + f'tables:\n  t: {{columns: {{a: {{}}}}, csv: "{name}"}}\n')
    assert (error.what, error.where) == ("a file's name holds no NUL", "c.yaml: tables/t/csv")


def test_a_csv_file_without_rows_is_named_as_such(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("name,a\n", encoding="utf-8")
    error = refused(tmp_path, HEAD + "tables:\n  t: {columns: {a: {}}, csv: t.csv}\n")
    assert (error.what, error.where) == ("the CSV file has a header and no rows", "t.csv")


def test_so_many_claims_about_so_many_cells_are_refused_before_they_are_decided(tmp_path: Path) -> None:
    rows = "".join(f"      r{at}: [{', '.join(['50'] * 100)}]\n" for at in range(250))
    columns = ", ".join(f"c{at}: {{}}" for at in range(100))
    claim = "  - {{id: c{}, type: universal, table: t, condition: c0 < c1}}\n"
    text = HEAD + f"tables:\n  t:\n    columns: {{{columns}}}\n    rows:\n{rows}claims:\n"
    error = refused(tmp_path, text + "".join(claim.format(at) for at in range(401)))
    assert error.what == "401 claims about 25,000 cells are more than can be decided at once"
