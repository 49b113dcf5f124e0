"""A slip in a gate file is told with its line, the rule, what comes closest, and what to do."""

from __future__ import annotations

from pathlib import Path

import pytest

from replaylab.errors import UsageError
from replaylab.score.gate import read_gate

GOOD = '[[rule]]\nname = "one"\nat_least = 0.5\n\n'


def refused(tmp_path: Path, text: str) -> UsageError:
    path = tmp_path / "gate.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(UsageError) as error:
        read_gate(path)
    return error.value


@pytest.mark.parametrize(
    ("rule", "line", "what", "closest"),
    [
        ('name = "two"\nat_leest = 0.5\n', 7, "rule 2 of the gate file has a field 'at_leest'", "at_least"),
        (
            'name = "two"\nmeasure = "rat"\nat_least = 1\n',
            7,
            "rule 2 of the gate file has the measure 'rat'",
            "rate",
        ),
        ("at_least = 0.5\n", 5, "rule 2 of the gate file has no name", ""),
        ('name = "two"\n', 5, "rule 2 of the gate file: a rule needs at_least or at_most", ""),
        ('name = "two"\nat_least = 60\n', 7, "rule 2 of the gate file has the at_least 60: it has to be", ""),
    ],
)
def test_a_slip_in_a_rule_is_told_with_its_place(
    tmp_path: Path, rule: str, line: int, what: str, closest: str
) -> None:
    error = refused(tmp_path, f"{GOOD}[[rule]]\n{rule}")
    assert error.what.startswith(what)
    assert (error.where, error.closest) == (f"{tmp_path / 'gate.toml'}:{line}", closest)
    assert error.fix


def test_a_table_of_another_name_is_told_with_the_right_one(tmp_path: Path) -> None:
    error = refused(tmp_path, '[[rules]]\nname = "one"\nat_least = 0.5\n')
    assert (error.what, error.closest) == ("a gate file has no table 'rules'", "[[rule]]")
    assert error.where.endswith("gate.toml:1")


def test_a_file_without_rules_says_how_one_begins(tmp_path: Path) -> None:
    error = refused(tmp_path, "")
    assert (error.what, error.where) == ("the gate file has no rule", str(tmp_path / "gate.toml"))
    assert "[[rule]]" in error.fix


@pytest.mark.parametrize("field", ["least_trials", "at_most", "measure"])
def test_a_number_that_can_not_be_written_out_is_a_slip_as_well(tmp_path: Path, field: str) -> None:
    error = refused(tmp_path, f"{GOOD}[[rule]]\nname = 'two'\nat_least = 0.1\n{field} = 0x{'f' * 5000}\n")
    assert f"has the {field} of thousands of digits" in error.what


def test_a_long_value_is_cut(tmp_path: Path) -> None:
    error = refused(tmp_path, f"{GOOD}[[rule]]\nname = 'two'\nmeasure = '{'x' * 900}'\nat_least = 0.1\n")
    assert len(error.what) < 200


@pytest.mark.parametrize("text", ['[rule]\nname = "one"\nat_least = 0.5\n', 'rule = "one"\n'])
def test_rules_that_are_no_list_are_told_how_one_begins(tmp_path: Path, text: str) -> None:
    error = refused(tmp_path, text)
    assert error.what == "the rules of the gate file are no list of tables"
    assert error.closest == "[[rule]]"


def test_a_rule_that_is_no_table_is_told_which(tmp_path: Path) -> None:
    assert refused(tmp_path, "rule = [1]\n").what == "rule 1 of the gate file is no table"


@pytest.mark.parametrize("measure", ["rate", "R", "error_rate"])
def test_what_is_never_below_0_has_no_limit_below_0(tmp_path: Path, measure: str) -> None:
    error = refused(tmp_path, f'[[rule]]\nname = "one"\nmeasure = "{measure}"\nat_least = -0.6\n')
    assert f"the measure {measure} is never below 0" in error.what
