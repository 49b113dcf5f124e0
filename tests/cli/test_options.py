from __future__ import annotations

from decimal import Decimal

import click
import pytest

from replaylab.cli.options import Dollars, split_names


@pytest.mark.parametrize("text", ["0", "0.1", "5", "1e2", "0.000001"])
def test_dollars_are_exact(text: str) -> None:
    assert Dollars().convert(text, None, None) == Decimal(text)


@pytest.mark.parametrize("text", ["nan", "NaN", "inf", "-0.01", "", "5 dollars", "$5"])
def test_what_is_no_amount_is_refused(text: str) -> None:
    with pytest.raises(click.BadParameter, match="no amount of dollars"):
        Dollars().convert(text, None, None)


@pytest.mark.parametrize(
    ("given", "names"),
    [
        ((), []),
        (("a,b", "c"), ["a", "b", "c"]),
        ((" a , ,b,",), ["a", "b"]),
        (("b", "a", "b"), ["b", "a", "b"]),
    ],
)
def test_names_come_from_repeats_and_commas_in_their_order(given: tuple[str, ...], names: list[str]) -> None:
    assert split_names(given) == names
