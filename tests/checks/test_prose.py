from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from replaylab.checks.numbers import exact
from replaylab.checks.prose import names, normal, quantities, quantity


def read(text: str, *, words: bool = False) -> list[str]:
    return [str(number.value) for number in quantities(text, words=words)]


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("NOI is $250,000.", ["250000"]),
        ("NOI: **$250,000.00**", ["250000"]),
        ("250 000 EUR", ["250000"]),
        ("about $250k or €1.2m", ["250000", "1200000"]),
        ("1.5 million", ["1500000"]),
        ("a ratio of 1.19x", ["119/100"]),
        ("12% and 12 percent", ["12", "12"]),
        ("−4 °C, -$500, $-500", ["-4", "-500", "-500"]),
        ("3-5 days, 3–5 days", ["3", "5", "3", "5"]),
        ("a 12-month term", ["12"]),
        ("2/15 units", ["2", "15"]),
        ("(5), [6], _7_, `8`, =9", ["5", "6", "7", "8", "9"]),
        ("70 mg/dL", ["70"]),
        ("25 m3/h through 40 m2, 3 km2 at 60 kg/m3", ["25", "40", "3", "60"]),
        ("Items 5, 6 and 7", ["5", "6", "7"]),
    ],
)
def test_numbers_are_read_out_of_prose(text: str, numbers: list[str]) -> None:
    assert read(text) == numbers


@pytest.mark.parametrize(
    "text",
    [
        "P-110",
        "RA-900",
        "RA900",
        "v2",
        "1.2.3",
        "10.0.0.1",
        "2024-05-01",
        "2024-05-01T10:30:00Z",
        "17:00",
        "12/31/2024",
        "price1500",
        "7_a",
        "12-34-5",
        "12ab34",
        "12 m3x",
        "5 m2-b",
        "7 b3",
        "INC-2024-17",
        "H2O",
        "555-1234-99",
        "9" * 60,
        "a.5",
        "x_5",
    ],
)
def test_parts_of_identifiers_dates_and_times_are_no_numbers(text: str) -> None:
    assert read(text) == []
    assert read(f"see {text}, please") == []


def test_spelled_numbers_count_only_when_asked_for() -> None:
    assert read("Two rooms and twenty-one beds") == []
    assert read("Two rooms and twenty-one beds", words=True) == ["2"]


def test_units_are_kept_with_their_number() -> None:
    assert [number.units for number in quantities("$5, 6 kg, 7%, 8 USD, EUR 9 net, 4 °C, 5 m3/h")] == [
        ("$",),
        ("kg",),
        ("%",),
        ("USD",),
        ("net", "EUR"),
        ("°C",),
        ("m3/h",),
    ]


@given(
    st.integers(-(10**12), 10**12),
    st.sampled_from(["", "It is {}.", "**{}** units", "({}), then", "a\n{}\nb"]),
)
def test_an_integer_said_in_a_sentence_is_found(number: int, frame: str) -> None:
    for text in (str(number), f"{number:,}"):
        assert read((frame or "{}").format(text)) == [str(number)]


@given(st.text(max_size=60))
def test_no_text_breaks_the_reader(text: str) -> None:
    list(quantities(text, words=True))
    quantity(text)
    normal(text)
    names(text, text[:5])


def test_a_quantity_is_a_text_that_is_one_number_with_its_unit() -> None:
    assert quantity("42 %") == 42
    assert quantity("$1,200") == 1200
    assert quantity("3.5 mg/l") == exact(3.5)
    assert quantity("-4°C") == -4
    assert quantity("2 of 15") is None
    assert quantity("about 5") is None
    assert quantity("RA-900") is None


def test_identifiers_are_compared_without_case_and_gaps_but_digits_stay_apart() -> None:
    assert normal("RA-900") == normal("ra_900") == normal("RA 900") == normal("RA900")
    assert normal("A-1-2") != normal("A-12")
    assert normal("UP-740") != normal("UP-7400")
    assert normal("1.5") != normal("15")


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("I paged MOC global.", "MOC_Global"),
        ("batch **ra-900**, done", "RA-900"),
        ("batch _RA 900_ (`RA-900`)", "RA-900"),
        ("the result: Fail", "fail"),
        ("in\ntransit", "in transit"),
        ("code 0042", "0042"),
    ],
)
def test_a_text_names_what_stands_alone_in_it(text: str, wanted: str) -> None:
    assert names(text, wanted)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("non-compliant", "compliant"),
        ("failure", "fail"),
        ("RA-9001", "RA-900"),
        ("RA-900-2", "RA-900"),
        ("XRA-900", "RA-900"),
        ("A-12", "A-1-2"),
        ("4042", "404"),
        ("0.0042", "0042"),
        ("anything", "…"),
        ("anything", ""),
    ],
)
def test_a_text_does_not_name_a_part_of_something_else(text: str, wanted: str) -> None:
    assert not names(text, wanted)


def test_the_forms_of_as_many_texts_are_kept_as_a_large_state_has() -> None:
    texts = [f"a {number}" for number in range(20_000)]
    before = normal.cache_info().misses
    for _ in range(2):
        for text in texts:
            normal(text)
    assert normal.cache_info().misses - before <= len(texts)
