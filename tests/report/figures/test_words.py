from __future__ import annotations

from decimal import ROUND_HALF_EVEN, Decimal
from fractions import Fraction
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from replaylab.report.figures.value import Point
from replaylab.report.figures.words import (
    between,
    counted,
    fit,
    labels,
    listed,
    rounded,
    signed,
    span,
    spoken,
    wrap,
)
from tests.report.figures.tables import LONG, NASTY


def width(text: str) -> float:
    """A font whose capitals are wider."""
    return sum(1.5 if char.isupper() else 1 for char in text)


@given(st.integers(1, 3000), st.data(), st.integers(0, 2))
def test_a_rate_is_rounded_as_its_fraction_is(n: int, data: st.DataObject, digits: int) -> None:
    k = data.draw(st.integers(0, n))
    exact = Fraction(100 * k, n)
    # Exact halves are what floats get wrong: Decimal decides them on the fraction itself.
    scaled = exact * 10**digits
    down = scaled.numerator // scaled.denominator
    rest = scaled - down
    up = rest > Fraction(1, 2) or (rest == Fraction(1, 2) and down % 2 == 1)
    expected = Decimal(down + up).scaleb(-digits).quantize(Decimal(1).scaleb(-digits), ROUND_HALF_EVEN)
    assert rounded(float(exact), digits) == str(expected)


@pytest.mark.parametrize(
    ("value", "digits", "text"),
    [
        (62.5, 0, "62"),
        (63.5, 0, "64"),
        (100 * 241 / 2000, 1, "12.0"),  # 12.05, which no float is
        (-4.44, 1, "−4.4"),
        (-0.04, 1, "0.0"),
        (0.0, 1, "0.0"),
    ],
)
def test_halves_go_to_even_and_no_zero_is_negative(value: float, digits: int, text: str) -> None:
    assert rounded(value, digits) == text


def test_differences_carry_their_sign() -> None:
    assert [signed(value) for value in (5.81, -5.81, 0.04, -0.04)] == ["+5.8", "−5.8", "0.0", "0.0"]


def test_a_number_is_told_with_its_interval_where_it_has_one() -> None:
    assert span(Point(79.58, 75.3, 83.32)) == "79.6 [75.3, 83.3]"
    assert span(Point(79.58)) == "79.6"
    assert span(Point()) == "–"
    assert span(Point(2, -1, 5), 0, signed) == "+2 [−1, +5]"
    assert spoken(Point(79.58, 75.3, 83.32), " %") == "79.6 % (75.3 to 83.3)"
    assert spoken(Point(79.58), " %") == "79.6 %"
    assert spoken(Point(), " %") == "no value"


def test_words_are_put_together() -> None:
    assert [listed(one) for one in ([], ["a"], ["a", "b"], ["a", "b", "c"])] == [
        "",
        "a",
        "a and b",
        "a, b and c",
    ]
    assert counted(1, "industry", "industries") == "1 industry"
    assert counted(2, "industry", "industries") == "2 industries"
    assert (between([382, 382]), between([21, 63, 30])) == ("382", "21 to 63")


def test_names_are_broken_between_their_parts_and_not_within_numbers() -> None:
    assert wrap("anthropic/claude-opus-4.6", 18, width) == ["anthropic/claude-", "opus-4.6"]
    assert wrap("MiniMaxAI/MiniMax-M2.7", 24, width) == ["MiniMaxAI/MiniMax-", "M2.7"]


def test_what_has_no_parts_is_broken_anywhere() -> None:
    assert wrap("w" * 10, 4, width) == ["wwww", "wwww", "ww"]


@given(st.text(alphabet="abWX -/._", max_size=60), st.integers(3, 30))
def test_wrapping_loses_nothing_but_spaces_and_keeps_the_width(text: str, room: int) -> None:
    lines = wrap(text, room, width)
    assert "".join(lines).replace(" ", "") == text.replace(" ", "")
    assert all(width(line) <= room for line in lines)


def test_long_names_lose_their_middle() -> None:
    assert fit("anthropic/claude-opus-4.6-20260115-thinking", 18, 1, width) == ["anthropic…thinking"]
    assert fit("short", 18, 1, width) == ["short"]


@given(
    st.lists(st.text(alphabet="abW (1)2/-", max_size=50), max_size=12), st.integers(12, 30), st.integers(1, 3)
)
def test_labels_fit_and_differ(names: list[str], room: int, lines: int) -> None:
    names = [name.strip() for name in names]
    shown = labels(names, room, lines, width)
    assert all(len(one) <= lines and all(width(line) <= room for line in one) for one in shown)
    seen = [tuple(one) for name, one in zip(names, shown, strict=True) if name]
    assert len(set(seen)) == len(seen)


@pytest.mark.parametrize("source", [LONG, NASTY])
def test_labels_of_real_and_of_odd_names_differ(source: tuple[str, ...]) -> None:
    shown = [tuple(one) for one in labels(source, 30, 2, width)]
    assert len(set(shown)) == len(source)


def test_only_names_that_look_alike_are_numbered() -> None:
    assert labels(["x", "y", "x", "x (1)", ""], 30, 2, width) == [
        ["x (2)"],
        ["y"],
        ["x (3)"],
        ["x (1)"],
        [""],
    ]


def test_a_name_of_thousands_of_characters_is_measured_little() -> None:
    measured = 0

    def counting(text: str) -> float:
        nonlocal measured
        measured += len(text)
        return width(text)

    name = "x" * 5000
    assert wrap(name, 20, counting) == ["x" * 20] * 250
    assert measured < 100 * len(name)
    assert "".join(fit(name, 20, 2, counting)) == "x" * 20 + "…" + "x" * 19
    assert measured < 1500 * len(name)


@given(st.text(st.sampled_from("xX"), max_size=60), st.integers(2, 30))
def test_a_piece_is_as_long_as_fits(text: str, room: int) -> None:
    lines = wrap(text, room, width)
    assert "".join(lines) == text
    assert all(width(line) <= room < width(line + after[0]) for line, after in pairwise(lines))
