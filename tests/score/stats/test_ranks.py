from fractions import Fraction
from itertools import combinations

from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import rankdata

from replaylab.score.stats.many import holm
from replaylab.score.stats.ranks import competition, rank_intervals

scores = st.lists(st.integers(0, 12), max_size=15)


@given(scores)
def test_ranks_are_scipys_minimum_ranks(values: list[int]) -> None:
    assert competition(values) == rankdata([-v for v in values], method="min").tolist()
    assert competition(values, high_first=False) == rankdata(values, method="min").tolist()


def test_ties_share_the_best_rank_and_the_next_comes_after_all_of_them() -> None:
    # The published table of simulators: two agents at 108 share rank 4, and 97 comes sixth.
    assert competition([162, 108, 128, 108, 113, 88, 90, 97]) == [1, 4, 2, 4, 3, 8, 7, 6]
    assert competition([]) == []


def test_fractions_that_floats_can_hardly_tell_apart_are_told_apart() -> None:
    close = [Fraction(10**20, 3 * 10**20 + 1), Fraction(1, 3), Fraction(10**20, 3 * 10**20 + 1)]
    assert competition(close) == [2, 1, 2]


def test_the_reference_pairs_leave_the_reference_ranks() -> None:
    points = {"m1": 40, "m2": 33, "m3": 32, "m4": 20}  # RC16
    ps = [0.03, 0.02, 1e-5, 0.9, 0.004, 0.02]
    adjusted = dict(zip(combinations(points, 2), holm(ps), strict=True))
    pairs = {(a, b): (points[a] - points[b], p) for (a, b), p in adjusted.items()}
    expected = {"m1": (1, 3), "m2": (1, 3), "m3": (1, 4), "m4": (3, 4)}
    assert rank_intervals(list(points), pairs) == expected
    turned = {(b, a): (-difference, p) for (a, b), (difference, p) in pairs.items()}
    assert rank_intervals(list(points), turned) == expected


@settings(max_examples=40)
@given(st.lists(st.integers(0, 6), max_size=8), st.data())
def test_a_rank_lies_within_its_interval(values: list[int], data: st.DataObject) -> None:
    names = [f"p{number}" for number in range(len(values))]
    pairs = {
        (a, b): (values[i] - values[j], data.draw(st.sampled_from([0.001, 0.05, 0.06, 1.0])))
        for (i, a), (j, b) in combinations(enumerate(names), 2)
    }
    intervals = rank_intervals(names, pairs)
    for name, rank in zip(names, competition(values), strict=True):
        low, high = intervals[name]
        assert 1 <= low <= rank <= high <= len(names)


def test_without_tests_every_rank_is_possible_and_alpha_is_included() -> None:
    assert rank_intervals(["a", "b"], {}) == {"a": (1, 2), "b": (1, 2)}
    assert rank_intervals(["a"], {}) == {"a": (1, 1)}
    assert rank_intervals([], {}) == {}
    assert rank_intervals(["a", "b"], {("a", "b"): (0.2, 0.05)}) == {"a": (1, 1), "b": (2, 2)}
    assert rank_intervals(["a", "b"], {("a", "b"): (0.2, 0.05)}, alpha=0.01) == {"a": (1, 2), "b": (1, 2)}


def test_players_that_do_alike_are_never_ordered() -> None:
    assert rank_intervals(["a", "b"], {("a", "b"): (0, 0.0)}) == {"a": (1, 2), "b": (1, 2)}
