from __future__ import annotations

from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from replaylab.score.value import Count

counts = st.builds(
    Count, **{name: st.integers(0, 9) for name in ("passed", "failed", "error", "missing", "unjudged")}
)


def test_an_error_or_a_missing_trial_lies_in_the_planned_denominator_and_not_in_the_decided_one() -> None:
    count = Count(passed=3, failed=2, error=4, missing=1, unjudged=7)
    assert (count.planned, count.decided) == (10, 5)
    assert (count.rate("planned"), count.rate("decided")) == (Fraction(3, 10), Fraction(3, 5))
    assert (count.worst, count.best) == (Fraction(3, 10), Fraction(8, 10))


def test_nothing_has_no_rate_instead_of_zero() -> None:
    for count in (Count(), Count(unjudged=3)):
        assert [count.rate("planned"), count.rate("decided"), count.worst, count.best] == [None] * 4
    assert Count(error=2).rate("planned") == 0
    assert Count(error=2).rate("decided") is None


@given(count=counts)
def test_every_rate_lies_between_the_worst_and_the_best_case(count: Count) -> None:
    for rate in (count.rate("planned"), count.rate("decided")):
        if rate is not None and count.worst is not None and count.best is not None:
            assert 0 <= count.worst <= rate <= count.best <= 1
