from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chi2, norm, t

from replaylab.score.stats.laws import chi2_above, normal_below, normal_quantile, t_above, t_quantile

shares = st.floats(1e-12, 1 - 1e-12)
places = st.floats(-40, 40)
freedoms = st.integers(1, 500)


@given(shares, places, freedoms)
def test_laws_are_those_of_scipy_stats_to_the_last_bit(share: float, x: float, df: int) -> None:
    assert normal_quantile(share) == norm.ppf(share)
    assert (normal_below(x), normal_below(-x)) == (norm.cdf(x), norm.sf(x))
    assert t_quantile(share, df) == t.ppf(share, df)
    assert t_above(x, df) == t.sf(x, df)
    assert chi2_above(abs(x), df) == chi2.sf(abs(x), df)


def test_nothing_at_all_is_no_surprise() -> None:
    assert (chi2_above(0, 1), normal_below(0), t_above(0, 3)) == (1, 0.5, 0.5)
