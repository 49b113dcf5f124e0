from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from replaylab.checks.numbers import exact, show


@pytest.mark.parametrize(
    ("value", "number"),
    [
        (0.1, "1/10"),
        (7, "7"),
        ("1,250", "1250"),
        ("1.250", "1.25"),
        ("250 000", "250000"),
        ("250'000.5", "250000.5"),
        ("1.250.000", "1250000"),
        ("1.250,5", "1250.5"),
        ("0,5", "0.5"),
        ("12,34,567", "1234567"),
        ("-3.50", "-3.5"),
        ("−4", "-4"),
        ("1e3", "1000"),
        ("2.5E-2", "0.025"),
        (1e300, "1e300"),
    ],
)
def test_a_number_is_read_exactly(value: object, number: str) -> None:
    assert exact(value) == Fraction(number)


@pytest.mark.parametrize(
    "value",
    [True, None, "", "-", "1.2.3", "1,23,4.5.6", "12 kg", "RA-900", "1e999", "9" * 60, [1], float("inf")],
)
def test_what_is_no_number_is_none(value: object) -> None:
    assert exact(value) is None


@given(st.decimals(allow_nan=False, allow_infinity=False, places=4, min_value=-(10**9), max_value=10**9))
def test_thousands_separators_change_nothing(number: object) -> None:
    assert exact(f"{number:,}") == exact(str(number)) == Fraction(str(number))


def test_sums_have_no_binary_surprise() -> None:
    tenth, fifth, third = exact(0.1), exact(0.2), exact(0.3)
    assert tenth is not None
    assert fifth is not None
    assert tenth + fifth == third


def test_a_number_is_shown_in_decimals() -> None:
    assert [show(Fraction(text)) for text in ("5", "1.25", "25/21", "-1/2")] == [
        "5",
        "1.25",
        "about 1.190476",
        "-0.5",
    ]
