"""Numbers of a reason come from somewhere: state, arguments, contract, or one step of arithmetic."""

from __future__ import annotations

from fractions import Fraction

import pytest

from replaylab.diff.contract.contract import Contract
from replaylab.diff.refusals.figures import Figures, days_told, is_days_off, is_time_known
from replaylab.diff.words.stated import Figure, figures
from tests.diff.ward import STATE, ward


def grounded(text: str, *near: object, words: frozenset[str] = frozenset()) -> list[bool]:
    known = Figures(Contract(ward()), near, (), (), words, near)
    return [known.is_grounded(one) for one in figures(text)]


def test_a_number_of_the_state_is_known_and_another_is_not() -> None:
    assert grounded("there are 40 in stock") == [True]
    assert grounded("there are 41 in stock") == [False]


def test_a_percentage_and_a_share_are_one() -> None:
    assert grounded("it stands at 94.5") == [True]
    assert grounded("it is a share of 0.4") == [True], "40 stands in the state"
    assert grounded("200 of them") == [False], "and not a known 2"


def test_one_step_of_arithmetic_follows() -> None:
    assert grounded("that would bring the total to 52", {"count": 12}) == [True]
    assert grounded("that would bring the total to 57", {"count": 12}) == [False]


def test_a_bound_is_not_worked_out() -> None:
    assert grounded("the limit is 52", {"count": 12}) == [False]


def test_a_bound_stands_where_the_contract_speaks_of_it() -> None:
    assert grounded("no more than 2 visitors", words=frozenset({"visitor"})) == [True]
    assert grounded("no more than 12 visitors", words=frozenset({"visitor"})) == [False], "12 is the gauze"


@pytest.mark.parametrize(
    ("field", "words", "known"),
    [
        ("remaining_power", {"power"}, False),
        ("remaining_power", {"stock"}, True),
        ("power", {"power"}, True),
    ],
)
def test_what_remains_is_worked_out_unless_it_is_a_field_of_the_state(
    field: str, words: set[str], known: bool
) -> None:
    contract = Contract(ward(state={**STATE, field: 400}))
    said = Figure(Fraction(52), "52", is_bound=True, worked_out=True)  # 40 of the state and 12 of the call
    near = [{"count": 12}]
    assert Figures(contract, near, (), (), frozenset(words), near).is_grounded(said) is known


@pytest.mark.parametrize(("part", "known"), [("10:00", True), ("10:00:30", True), ("11:00", False)])
def test_a_time_is_known_without_its_seconds(part: str, known: bool) -> None:
    assert is_time_known(part, frozenset({"10:00:00"})) is known


def test_the_state_of_these_tests_is_as_they_say() -> None:
    assert STATE["stock"] == {"Saline-500": 40, "Gauze-10": 12}


def test_a_date_may_lie_as_many_days_from_a_known_one_as_are_told() -> None:
    prompt = "A bill is due 10 and 100 days after it was written. A boat has 12 berths."
    told = list(days_told(Contract(ward(system_prompt=prompt)), {"days": 3, "count": 7}))
    assert {Fraction(10), Fraction(100), Fraction(3)} <= set(told)
    for day in ("2025-05-11", "2025-08-09", "2025-05-04"):
        assert is_days_off(day, ["2025-05-01"], told)
    for day in ("2025-05-13", "2025-05-08", "09:15"):
        assert not is_days_off(day, ["2025-05-01"], told)
