from __future__ import annotations

from decimal import Decimal

import click
import pytest
from pydantic import ValidationError

from replaylab.cli.options import MAX_TRIALS, Dollars, split_names
from replaylab.schema.run import RunSpec


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
        (("command:run a,b", "c,d"), ["command:run a,b", "c", "d"]),
    ],
)
def test_names_come_from_repeats_and_commas_in_their_order(given: tuple[str, ...], names: list[str]) -> None:
    assert split_names(given) == names


def test_a_run_object_holds_as_many_trials_as_the_option_allows_and_no_more() -> None:
    given: dict[str, object] = dict.fromkeys(("agents", "simulators", "verifiers", "faults", "tasks"), ())
    assert RunSpec.model_validate(given | {"trials": MAX_TRIALS}).trials == MAX_TRIALS
    with pytest.raises(ValidationError):
        RunSpec.model_validate(given | {"trials": MAX_TRIALS + 1})
