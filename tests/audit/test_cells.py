from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from replaylab.audit.cells import RULES, Cell, Span, around, either, listed, number, prints, shown
from replaylab.score.rounding import Rule, decimal, percent


def cell(text: str, n: int | None = None, **more: object) -> Cell:
    return Cell("t", "r", "c", text, **{"n": n} | more)  # type: ignore[arg-type]


@given(st.integers(1, 300), st.integers(0, 2), st.sampled_from(RULES), st.data())
def test_counts_are_those_that_brute_force_finds_under_every_rule(
    n: int, digits: int, rule: Rule, data: st.DataObject
) -> None:
    k = data.draw(st.integers(0, n))
    text = percent(Fraction(k, n), digits, rule)
    expected = [one for one in range(n + 1) if percent(Fraction(one, n), digits, rule) == text]
    assert cell(text, n, rule=rule).counts() == expected
    assert k in expected


@given(
    st.integers(1, 400), st.fractions(0, 100, max_denominator=1000), st.fractions(0, 3, max_denominator=100)
)
def test_counts_of_a_measured_cell_lie_within_its_tolerance(
    n: int, value: Fraction, tolerance: Fraction
) -> None:
    text = decimal(value, 3)
    expected = [k for k in range(n + 1) if abs(Fraction(100 * k, n) - Fraction(text)) <= tolerance]
    assert cell(text, n, tolerance=tolerance).counts() == expected


@given(st.fractions(-50, 150, max_denominator=2000), st.integers(0, 3), st.sampled_from(RULES))
def test_a_number_lies_in_the_span_of_what_it_prints(value: Fraction, digits: int, rule: Rule) -> None:
    text = decimal(value, digits, rule)
    span = around(Fraction(text), digits, rule)
    if Fraction(text):  # zero has no sign, so what it was cut off from is not known
        assert span.low <= value <= span.high
    assert prints(Span(value, value), text, rule)


@given(
    st.fractions(-9, 99, max_denominator=500),
    st.fractions(0, 9, max_denominator=500),
    st.integers(0, 2),
    st.sampled_from(RULES),
    st.fractions(0, 1, max_denominator=60),
)
def test_what_some_number_of_a_span_prints_is_found(
    low: Fraction, width: Fraction, digits: int, rule: Rule, at: Fraction
) -> None:
    span = Span(low, low + width)
    assert prints(span, decimal(low + width * at, digits, rule), rule)
    above = decimal(low + width + Fraction(1, 10**digits) * 2, digits, rule)
    assert not prints(span, above, rule)


def test_a_rate_is_known_by_its_counts_and_an_average_by_its_parts() -> None:
    assert cell("79.6", 382).span() == Span(Fraction(30400, 382), Fraction(30400, 382))
    assert cell("77", 32).span() == Span(Fraction("76.5"), Fraction("77.5"))
    assert cell("54.4").span() == Span(Fraction("54.35"), Fraction("54.45"))
    assert cell("54.4", derived=Span(Fraction(54), Fraction(54))).span() == Span(Fraction(54), Fraction(54))
    assert cell("19", unit="count").span() == Span(Fraction(19), Fraction(19))
    assert cell("-").span() is None


def test_digits_are_part_of_a_cell() -> None:
    assert cell("77", 31).counts() == [24]
    assert cell("77.0", 31).counts() == []


def test_rules_differ_where_they_should() -> None:
    half = {rule: decimal(Fraction(5, 2), 0, rule) for rule in RULES}
    assert half == {"half_even": "2", "half_up": "3", "half_down": "2", "down": "2", "up": "3"}
    odd = {rule: decimal(Fraction(-7, 2), 0, rule) for rule in RULES}
    assert odd == {"half_even": "-4", "half_up": "-4", "half_down": "-3", "down": "-3", "up": "-4"}
    assert decimal(Fraction(21, 10), 0, "up") == "3"
    assert decimal(Fraction(2), 0, "up") == "2"


@pytest.mark.parametrize(
    ("text", "value"), [("−0.5", Fraction(-1, 2)), ("+3", Fraction(3)), ("1e3", None), ("", None)]
)
def test_numbers_are_read_exactly(text: str, value: Fraction | None) -> None:
    assert number(text) == value


def test_words_for_readers() -> None:
    assert (either(["a"]), either(["a", "b", "c"]), either([])) == ("a", "a, b or c", "nothing")
    assert either(list("abcdef")) == "a, b, c, d or 2 others"
    assert listed(list("abc")) == "a, b and c"
    assert shown(Span(Fraction(4), Fraction(4)), 0) == "4"
    assert shown(Span(Fraction(1, 3), Fraction(2, 3)), 1) == "0.333 to 0.667"
    assert cell("79.6", 382).fraction() == "304/382"
