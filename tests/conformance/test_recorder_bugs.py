"""The table of bugs that were reported of other recorders: whole, and each of its tests is there and runs."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

import pytest

TESTS = Path(__file__).parents[1]
TABLE = Path(__file__).with_name("recorder_bugs.md")
BUGS = 30
NAMED = re.compile(r"`([\w/]+\.py)::(test_\w+)`")


def rows() -> list[list[str]]:
    """The cells of each numbered line."""
    lines = TABLE.read_text(encoding="utf-8").splitlines()
    return [
        [cell.strip() for cell in line.strip("|").split("|")] for line in lines if re.match(r"\| \d", line)
    ]


@cache
def functions(path: Path) -> dict[str, ast.FunctionDef]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)}


def asserts(node: ast.AST) -> bool:
    """Whether it can fail by a rule of its own; the last two are how pytest's own tests of plugins do it."""
    calls = {"raises", "assert_outcomes", "fnmatch_lines"}
    return any(
        isinstance(one, ast.Assert) or (isinstance(one, ast.Attribute) and one.attr in calls)
        for one in ast.walk(node)
    )


def test_the_table_has_every_bug_once_in_order_and_each_has_a_test() -> None:
    assert [row[0] for row in rows()] == [str(number) for number in range(1, BUGS + 1)]
    for number, *said, tests in rows():
        assert len(said) == 3, number
        assert all(said), number
        assert NAMED.search(tests), number
        assert not NAMED.sub("", tests).strip(), number


@pytest.mark.parametrize("row", rows(), ids=lambda row: row[0])
def test_each_test_of_a_bug_is_there_and_runs(row: list[str]) -> None:
    for file, name in NAMED.findall(row[-1]):
        found = functions(TESTS / file).get(name)
        assert found is not None, f"{file} has no {name}"
        assert asserts(found), f"{name} asserts nothing"
        marks = " ".join(map(ast.unparse, found.decorator_list))
        assert not re.search(r"soak|skip|xfail", marks), f"{name} does not run with the others"


def test_the_conformance_tests_of_bugs_are_all_in_the_table() -> None:
    named = {name for row in rows() for _, name in NAMED.findall(row[-1])}
    numbered = [
        name
        for name in functions(TESTS / "conformance" / "test_capture_reports.py")
        if name.startswith("test_")
    ]
    assert set(numbered) <= named
