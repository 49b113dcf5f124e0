from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.multitest import multipletests

from replaylab.score.stats.many import bh, holm

# RC07.
PS = [0.001, 0.008, 0.039, 0.041, 0.042, 0.06, 0.074, 0.205, 0.212, 0.216, 0.222, 0.251, 0.269, 0.275, 0.34]
HOLM = [0.015, 0.112, 0.507, 0.507, 0.507, 0.6, 0.666, *[1.0] * 8]
BH = [0.015, 0.06, 0.126, 0.126, 0.126, 0.15, 0.1585714286, *[0.2946428571] * 7, 0.34]

probabilities = st.lists(st.floats(0, 1), max_size=30)


def test_the_reference_family_is_adjusted() -> None:
    assert holm(PS) == pytest.approx(HOLM, abs=1e-9)
    assert bh(PS) == pytest.approx(BH, abs=1e-9)
    assert (sum(p <= 0.05 for p in holm(PS)), sum(p <= 0.05 for p in bh(PS))) == (1, 1)


@given(probabilities)
def test_holm_is_a_bonferroni_over_what_is_left(ps: list[float]) -> None:
    left, highest = list(ps), 0.0
    expected: dict[float, float] = {}
    for p in sorted(ps):
        highest = max(highest, min(1.0, len(left) * p))
        expected.setdefault(p, highest)  # equal ones take the first, which is the highest of theirs
        left.remove(p)
    assert holm(ps) == pytest.approx([expected[p] for p in ps], abs=1e-9)


@given(probabilities)
def test_bh_steps_up(ps: list[float]) -> None:
    expected, lowest = [0.0] * len(ps), 1.0
    for place, index in reversed(list(enumerate(sorted(range(len(ps)), key=lambda i: ps[i]), start=1))):
        lowest = min(lowest, len(ps) / place * ps[index])
        expected[index] = lowest
    assert bh(ps) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("seed", range(5))
def test_both_are_those_of_statsmodels(seed: int) -> None:
    ps = [p**3 for p in Random(seed).choices([n / 50 for n in range(51)], k=40)]
    assert holm(ps) == pytest.approx(multipletests(ps, method="holm")[1], abs=1e-9)
    assert bh(ps) == pytest.approx(multipletests(ps, method="fdr_bh")[1], abs=1e-9)


@given(probabilities)
def test_adjusting_raises_p_keeps_the_order_and_holm_is_the_stricter(ps: list[float]) -> None:
    for raw, loose, strict in zip(ps, bh(ps), holm(ps), strict=True):
        assert raw <= loose + 1e-9
        assert loose <= strict + 1e-9
        assert strict <= 1
    for adjusted in (holm(ps), bh(ps)):
        ordered = [adjusted[i] for i in sorted(range(len(ps)), key=lambda i: ps[i])]
        assert ordered == sorted(ordered)


def test_a_family_of_none_and_of_one_needs_no_adjusting() -> None:
    assert holm([]) == bh([]) == []
    assert holm([0.03]) == bh([0.03]) == [0.03]
