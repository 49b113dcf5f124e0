import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import friedmanchisquare, rankdata
from statsmodels.stats.contingency_tables import cochrans_q

from replaylab.score.stats.omnibus import cochran_q

ROWS = [[1, 1, 0], [1, 1, 1], [0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0], [1, 1, 1], [1, 0, 0]]
tables = st.integers(2, 6).flatmap(
    lambda m: st.lists(st.lists(st.integers(0, 1), min_size=m, max_size=m), min_size=1, max_size=25)
)


def test_the_reference_table_has_its_q() -> None:
    assert cochran_q(ROWS) == pytest.approx((5.2, 0.07427357821), abs=1e-9)  # RC17


@given(tables)
def test_q_is_that_of_statsmodels(rows: list[list[int]]) -> None:
    if all(len(set(row)) == 1 for row in rows):
        assert cochran_q(rows) == (0, 1)
        return
    theirs = cochrans_q(rows)
    assert cochran_q(rows) == pytest.approx((theirs.statistic, theirs.pvalue), abs=1e-9)


@given(tables)
def test_tasks_on_which_all_do_alike_and_their_order_change_nothing(rows: list[list[int]]) -> None:
    alike = [[0] * len(rows[0]), [1] * len(rows[0])]
    assert cochran_q(alike + rows[::-1]) == pytest.approx(cochran_q(rows), abs=1e-9)


def test_means_of_repeats_are_taken_as_ranks_are_by_friedman() -> None:
    rows = [[0.0, 1 / 3, 1.0], [1 / 3, 2 / 3, 0.0], [0.0, 1 / 3, 2 / 3], [0.0, 2 / 3, 1 / 3]]
    ranks = [rankdata(row).tolist() for row in rows]
    theirs = friedmanchisquare(*zip(*ranks, strict=True))
    assert cochran_q(ranks) == pytest.approx((theirs.statistic, theirs.pvalue), abs=1e-9)
    q, p = cochran_q(rows)
    assert q > 0
    assert 0 < p < 1


def test_one_player_or_no_task_is_nothing_to_compare() -> None:
    assert cochran_q([]) == cochran_q([[1], [0]]) == cochran_q([[], []]) == (0, 1)


def test_equal_means_of_repeats_are_no_difference() -> None:
    assert cochran_q([[0.1 + 0.2, 0.3], [0.3, 0.1 + 0.2]]) == (0, 1)


def test_ragged_rows_are_refused() -> None:
    with pytest.raises(ValueError, match="one outcome a player"):
        cochran_q([[1, 0], [1]])
