from __future__ import annotations

from fractions import Fraction

import pytest

from replaylab.checks.expression import Undefined, Value, counted, evaluate, names
from replaylab.errors import UsageError

VALUES: dict[str, Value] = {
    "a": Fraction(6),
    "b": Fraction(4),
    "many": (Fraction(1), Fraction(2), Fraction(5)),
}


@pytest.mark.parametrize(
    ("text", "result"),
    [
        ("a + b * 2 - 1", "13"),
        ("(a + b) / 3", "10/3"),
        ("-a + +b", "-2"),
        ("0.1 + 0.2", "3/10"),
        ("sum(many) / count(many)", "8/3"),
        ("max(many, a) - min(many, b)", "5"),
        ("abs(b - a)", "2"),
        ("ceil(a / b)", "2"),
        ("floor(-a / b)", "-2"),
        ("round(a / b)", "2"),
        ("round(-0.5)", "-1"),
        ("round(1.005, 2)", "1.01"),
        ("round(a / 7, 3)", "0.857"),
    ],
)
def test_arithmetic_is_exact(text: str, result: str) -> None:
    assert evaluate(text, VALUES) == Fraction(result)


@pytest.mark.parametrize(
    "text",
    [
        "a ** 2",
        "a // 2",
        "a % 2",
        "__import__('os')",
        "a.real",
        "a[0]",
        "lambda: 1",
        "[1, 2]",
        "'x'",
        "True",
        "a < b",
        "a if b else 1",
        "pow(a, 2)",
        "sum()",
        "abs(a, b)",
        "ceil(a, b)",
        "round(a, b, 2)",
        "sum(x for x in many)",
        "sum(many, start=1)",
        "",
        "a b",
        "a := 1",
        "1" + "+1" * 400,
        "sum(*many)",
        "1j",
    ],
)
def test_anything_but_arithmetic_is_refused(text: str) -> None:
    with pytest.raises(UsageError):
        names(text)


def test_the_names_of_an_expression_are_known_before_it_is_run() -> None:
    assert names("a + sum(many) * 2") == {"a", "many"}


@pytest.mark.parametrize(
    "text", ["round(a, 0.5)", "round(a, 99)", "ceil(many)", "a / 0", "1 / (a - 6)", "many", "many + 1"]
)
def test_an_expression_without_one_value_says_so(text: str) -> None:
    with pytest.raises(Undefined):
        evaluate(text, VALUES)


def test_the_least_of_nothing_is_undefined_and_its_sum_is_zero() -> None:
    with pytest.raises(Undefined):
        evaluate("min(none)", {"none": ()})
    assert evaluate("sum(none) + count(none)", {"none": ()}) == 0


def test_a_name_is_counted_only_where_it_stands_in_nothing_but_count() -> None:
    assert counted("count(a) + sum(b) / count(b) - count(a)") == {"a"}
