from itertools import combinations, permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import kendalltau

from replaylab.score.stats import agreement as module
from replaylab.score.stats.agreement import agreement, share_interval

# RC09: passes of eight agents under three simulators, from the published table.
GEMINI = [304, 276, 273, 267, 266, 245, 239, 206]
QWEN = [284, 262, 253, 236, 249, 200, 245, 209]
GPT = [162, 108, 128, 108, 113, 88, 90, 97]

scores = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), max_size=6)


def sign(number: int) -> int:
    return (number > 0) - (number < 0)


@pytest.mark.parametrize(
    ("a", "b", "counts", "share", "half", "tau", "p", "method"),
    [
        (GEMINI, QWEN, (24, 4, 0), 0.8571428571, 0.8571428571, 0.7142857143, 0.01413690476, "exact"),
        (GEMINI, GPT, (21, 6, 1), 0.75, 0.7678571429, 0.5455447256, 0.07976190476, "all orders"),
        (QWEN, GPT, (23, 4, 1), 0.8214285714, 0.8392857143, 0.6910233191, 0.02003968254, "all orders"),
    ],
)
def test_published_simulators_agree_as_the_reference_says(
    a: list[int],
    b: list[int],
    counts: tuple[int, int, int],
    share: float,
    half: float,
    tau: float,
    p: float,
    method: str,
) -> None:
    found = agreement(a, b)
    assert (found.pairs, found.concordant, found.discordant, found.tied) == (28, *counts)
    assert (found.share, found.half) == pytest.approx((share, half), abs=1e-9)
    assert (found.tau_b, found.p) == pytest.approx((tau, p), abs=1e-9)
    assert found.p_method == method


@given(scores)
def test_tau_is_scipys_and_p_counts_all_orders(pairs: list[tuple[int, int]]) -> None:
    a, b = [x for x, _ in pairs], [y for _, y in pairs]
    found = agreement(a, b)
    assert found.concordant + found.discordant + found.tied == found.pairs
    if found.tau_b is None:
        assert len(set(a)) < 2 or len(set(b)) < 2
        assert found.p is None
        return
    assert found.tau_b == pytest.approx(kendalltau(a, b).statistic, abs=1e-9)

    def far(order: tuple[int, ...]) -> int:
        return abs(
            sum(sign(a[i] - a[j]) * sign(order[i] - order[j]) for i, j in combinations(range(len(a)), 2))
        )

    reached = [far(order) >= far(tuple(b)) for order in permutations(b)]
    assert found.p == pytest.approx(sum(reached) / len(reached), abs=1e-9)


@given(st.permutations(range(12)), st.integers(2, 12))
def test_without_ties_p_is_scipys_exact_one(order: list[int], players: int) -> None:
    b = [place for place in order if place < players]
    expected = kendalltau(range(players), b, method="exact").pvalue
    assert agreement(range(players), b).p == pytest.approx(expected, rel=1e-11)


@given(scores)
def test_agreement_has_no_side_and_a_turned_ranking_agrees_the_other_way(
    pairs: list[tuple[int, int]],
) -> None:
    a, b = [x for x, _ in pairs], [y for _, y in pairs]
    found, turned = agreement(a, b), agreement(a, [-y for y in b])
    assert agreement(b, a) == found
    assert (turned.concordant, turned.discordant, turned.tied) == (
        found.discordant,
        found.concordant,
        found.tied,
    )
    assert turned.p == found.p


def test_nothing_to_compare_is_none_and_not_a_number() -> None:
    for a, b in (([], []), ([3], [4])):
        assert agreement(a, b) == (0, 0, 0, 0, None, None, None, None, "no order to compare")
    assert agreement([1, 1], [1, 2]) == (1, 0, 0, 1, 0, 0.5, None, None, "no order to compare")


def test_numpys_numbers_are_as_good_as_pythons() -> None:
    assert agreement(list(np.array(GEMINI)), list(np.array(GPT))) == agreement(GEMINI, GPT)


def test_different_players_are_refused() -> None:
    with pytest.raises(ValueError, match="same players"):
        agreement([1, 2], [1])


def test_beyond_eight_players_with_ties_orders_are_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_ALL_ORDERS", 5)
    found = agreement(GEMINI, GPT, seed=3)
    assert found.p == pytest.approx(0.07976190476, abs=0.004)
    assert found.p_method == "99999 orders drawn, seed 3"
    assert agreement(GEMINI, GPT, seed=3) == found
    assert agreement(GEMINI, GPT, seed=4).p != found.p


def test_a_drawn_p_is_never_0() -> None:
    found = agreement([*range(30), 29], [*range(30), 29])
    assert (found.discordant, found.tied) == (0, 1)
    assert found.p == 1 / 100_000


@settings(max_examples=25)
@given(
    st.lists(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=3, max_size=3), min_size=1),
    st.integers(0, 99),
)
def test_limits_of_agreement_are_shares_that_a_resample_can_have(
    outcomes: list[list[tuple[int, int]]], seed: int
) -> None:
    table = np.array(outcomes)
    interval = share_interval(table[..., 0], table[..., 1], 200, seed)
    assert 0 <= interval.low <= interval.high <= 1
    for limit in (interval.low, interval.high):
        assert round(limit * 3, 9) in {0, 1, 2, 3}
    assert share_interval(table[..., 1], table[..., 0], 200, seed) == interval


def test_simulators_that_agree_in_every_scenario_agree_for_sure() -> None:
    passed = np.array([[3, 2, 1, 0], [2, 1, 0.5, 0], [4, 3, 2, 1]])
    interval = share_interval(passed, passed, 300, seed=1)
    assert (interval.low, interval.high) == (1, 1)
    turned = share_interval(passed, passed[:, ::-1], 300, seed=1)
    assert (turned.low, turned.high) == (0, 0)


def test_the_same_scenarios_are_drawn_for_both_simulators() -> None:
    # The order hangs on what is drawn (no two draws tie: digits of base 7), and both simulators see it alike.
    passed = np.array([[1, 0], [0, 7], [49, 0], [0, 343], [2401, 0], [0, 16807]])
    interval = share_interval(passed, passed * 2, 500, seed=1)
    assert (interval.low, interval.high) == (1, 1)


def test_a_tie_in_either_simulator_is_no_agreement() -> None:
    ordered, tied = [[2, 1], [1, 0]], [[1, 1], [2, 2]]
    for a, b in ((ordered, tied), (tied, ordered), (tied, tied)):
        interval = share_interval(a, b, 50, seed=1)
        assert (interval.low, interval.high) == (0, 0)


def test_one_player_has_no_pair_that_could_agree() -> None:
    interval = share_interval([[1], [2]], [[1], [2]], 50, seed=1)
    assert (interval.low, interval.high) == (0, 0)
