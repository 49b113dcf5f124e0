from __future__ import annotations

import pytest

from replaylab.schema.run import LedgerEntry, Try
from replaylab.schema.trajectory import Outcome


def entry(*verdicts: Outcome) -> LedgerEntry:
    tries = tuple(
        Try(cassette=f"{at:064x}", outcome=f"{at:064x}", verdict=verdict, termination="answered")
        for at, verdict in enumerate(verdicts)
    )
    return LedgerEntry(key="a,s,v,E0/t/0", status="recorded", tries=tries)


@pytest.mark.parametrize(
    ("verdicts", "counts"),
    [
        (("fail",), 0),
        (("error",), 0),
        (("error", "pass"), 1),
        (("pass", "error"), 0),
        (("fail", "pass"), 1),
        (("pass", "fail", "error"), 1),
        (("error", "error"), 1),
        (("none", "error"), 0),
    ],
)
def test_the_last_try_without_an_error_counts_else_the_last(
    verdicts: tuple[Outcome, ...], counts: int
) -> None:
    one = entry(*verdicts)
    assert one.counting is one.tries[counts]


def test_of_a_missing_trial_no_try_counts() -> None:
    assert LedgerEntry(key="a,s,v,E0/t/0", status="missing").counting is None
