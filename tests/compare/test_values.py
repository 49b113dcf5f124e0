from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from replaylab.compare.values import Share, median, share_of
from replaylab.score.stats.interval import clustered


def test_nothing_has_no_share_and_is_not_none_broken() -> None:
    for empty in (Share(), share_of({}), share_of({("s",): (0, 0)})):
        assert (empty.value, empty.text, empty.interval) == (None, "", None)
        assert empty.to_json()["share"] is None


@pytest.mark.parametrize(
    ("k", "n", "text"),
    [(0, 9, "0.0"), (1, 3, "33.3"), (1, 9999, "<0.1"), (9998, 9999, ">99.9"), (9, 9, "100.0")],
)
def test_what_is_more_than_none_is_not_printed_as_none_nor_what_is_less_than_all_as_all(
    k: int, n: int, text: str
) -> None:
    assert Share(k=k, n=n).text == text


counts = st.dictionaries(
    st.tuples(st.text(max_size=3)),
    st.integers(0, 9).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))),
)


@given(counts)
def test_a_share_is_exact_and_its_scenarios_are_its_clusters(
    by: dict[tuple[str, ...], tuple[int, int]],
) -> None:
    found = share_of(by)
    assert (found.k, found.n) == (sum(k for k, _ in by.values()), sum(n for _, n in by.values()))
    assert found.value == (Fraction(found.k, found.n) if found.n else None)
    held = {name: one for name, one in by.items() if one[1]}
    assert found.scenarios == len(held)
    groups = [[1.0] * k + [0.0] * (n - k) for _, (k, n) in sorted(held.items())]
    assert found.interval == (clustered(groups) if groups else None)
    assert found == share_of(dict(reversed(by.items())))


@pytest.mark.parametrize(
    ("values", "middle"), [([], None), ([3.0], 3.0), ([1.0, 9.0], 5.0), ([9.0, 1.0, 2.0], 2.0)]
)
def test_the_median_is_the_middle(values: list[float], middle: float | None) -> None:
    assert median(values) == middle
