from decimal import ROUND_HALF_EVEN, ROUND_HALF_UP, Decimal, localcontext
from fractions import Fraction

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from replaylab.score.rounding import Rule, decimal, percent

MODES = {"half_even": ROUND_HALF_EVEN, "half_up": ROUND_HALF_UP}


@given(
    st.integers(-(10**6), 10**6),
    st.sampled_from([2**i * 5**j for i in range(8) for j in range(8)]),
    st.integers(0, 6),
    st.sampled_from(["half_even", "half_up"]),
)
@example(25, 10, 0, "half_even")
@example(-5, 100, 1, "half_up")
@example(-1, 1000, 1, "half_even")
def test_a_fraction_is_rounded_as_decimal_arithmetic_rounds_it(
    numerator: int, denominator: int, digits: int, rule: Rule
) -> None:
    with localcontext(prec=200):
        expected = (Decimal(numerator) / denominator).quantize(Decimal(1).scaleb(-digits), MODES[rule])
    text = decimal(Fraction(numerator, denominator), digits, rule)
    assert text == (format(abs(expected), "f") if not expected else format(expected, "f"))


@given(st.fractions(), st.integers(0, 8), st.sampled_from(["half_even", "half_up"]))
def test_what_is_printed_lies_within_half_a_step(value: Fraction, digits: int, rule: Rule) -> None:
    assert abs(Fraction(decimal(value, digits, rule)) - value) <= Fraction(1, 2 * 10**digits)


@given(st.fractions(), st.integers(0, 8))
def test_half_even_is_what_python_does_with_fractions(value: Fraction, digits: int) -> None:
    assert Fraction(decimal(value, digits)) == round(value, digits)


@pytest.mark.parametrize(
    ("k", "n", "digits", "even", "up"),
    [
        (304, 382, 1, "79.6", "79.6"),
        (10, 16, 0, "62", "63"),  # 62.5: the two rules differ
        (14, 16, 0, "88", "88"),  # 87.5
        (1, 16, 1, "6.2", "6.3"),  # 6.25, which no float has to guess
        (1, 8, 0, "12", "13"),
        (0, 7, 1, "0.0", "0.0"),
        (7, 7, 0, "100", "100"),
        (1, 3, 0, "33", "33"),
    ],
)
def test_a_share_is_printed_in_points(k: int, n: int, digits: int, even: str, up: str) -> None:
    assert percent(Fraction(k, n), digits) == even
    assert percent(Fraction(k, n), digits, "half_up") == up


def test_a_tie_is_a_tie_of_the_fraction_and_not_of_a_float() -> None:
    share = Fraction(201, 2000)  # 10.05 points; the float 10.05 lies above the tie, 100.5 / 1000 below
    assert percent(share, 1) == "10.0"
    assert percent(share, 1, "half_up") == "10.1"


def test_nothing_has_no_sign() -> None:
    assert decimal(Fraction(-1, 30), 1) == "0.0"
    assert decimal(Fraction(-1, 2), 0) == "0"
    assert decimal(Fraction(-1, 2), 0, "half_up") == "-1"


def test_whole_numbers_are_filled_up() -> None:
    assert (decimal(5, 2), decimal(0, 0), decimal(Fraction(1, 1000), 3)) == ("5.00", "0", "0.001")
