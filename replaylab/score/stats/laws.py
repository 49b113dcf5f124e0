"""Quantiles and tails of the distributions that statistics ask for, straight from scipy.special.

scipy.stats gives the same numbers to the last bit, out of objects that take a second to load: more than everything that
a small score computes. A test holds the two together.
"""

from __future__ import annotations

from scipy.special import chdtrc, ndtr, ndtri, stdtr, stdtrit


def normal_quantile(share: float) -> float:
    """Below which this share of the standard normal distribution lies."""
    return float(ndtri(share))


def normal_below(x: float) -> float:
    """The share of the standard normal distribution below x."""
    return float(ndtr(x))


def t_quantile(share: float, df: float) -> float:
    """Below which this share of Student's t lies."""
    return float(stdtrit(df, share))


def t_above(x: float, df: float) -> float:
    """The share of Student's t above x."""
    return float(stdtr(df, -x))


def chi2_above(x: float, df: float) -> float:
    """The share of chi-square above x, which is no less than 0."""
    return float(chdtrc(df, x))
