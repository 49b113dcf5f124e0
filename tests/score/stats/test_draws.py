import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from replaylab.score.stats import draws
from replaylab.score.stats.draws import signs, uniform, weights


def test_the_numbers_are_those_that_every_version_draws() -> None:
    # Pinned: a change here changes every bootstrap limit in every published table.
    assert uniform((2, 2), 7).tolist() == [
        [0.625095466604667, 0.8972138009695755],
        [0.7756856902451935, 0.22520718999059186],
    ]
    assert weights(4, 3, 7).tolist() == [[1, 0, 1, 2], [1, 1, 0, 2], [0, 3, 0, 1]]
    assert next(signs(5, 2, 7)).tolist() == [[1, 1, -1, 1, -1], [1, -1, 1, -1, 1]]


def test_uniform_numbers_are_those_of_numpys_own_generator_today() -> None:
    assert uniform((50,), 3).tolist() == np.random.default_rng(3).random(50).tolist()


def test_the_same_seed_draws_the_same_and_another_does_not() -> None:
    assert (weights(9, 50, 1) == weights(9, 50, 1)).all()
    assert (weights(9, 50, 1) != weights(9, 50, 2)).any()
    assert (uniform((9,), (1, 0)) != uniform((9,), (1, 1))).all()


@given(st.integers(1, 120), st.integers(0, 40), st.integers(0, 2**32))
def test_a_resample_takes_as_many_scenarios_as_there_are(clusters: int, count: int, seed: int) -> None:
    drawn = weights(clusters, count, seed)
    assert drawn.shape == (count, clusters)
    assert (drawn.sum(axis=1) == clusters).all()
    assert (drawn >= 0).all()


def test_more_draws_begin_with_the_same_ones() -> None:
    assert (weights(7, 10, 5) == weights(7, 30, 5)[:10]).all()


def test_every_scenario_is_drawn_as_often() -> None:
    assert weights(5, 20_000, 1).mean(axis=0) == pytest.approx(np.ones(5), abs=0.03)


def test_signs_are_even_and_independent(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = np.concatenate(list(signs(98, 20_000, 1))).astype(float)
    assert rows.shape == (20_000, 98)
    assert set(np.unique(rows)) == {-1, 1}
    assert np.abs(rows.mean(axis=0)).max() < 0.035
    assert np.abs(np.corrcoef(rows.T) - np.eye(98)).max() < 0.035
    monkeypatch.setattr(draws, "_CHUNK", 777)
    assert (np.concatenate(list(signs(98, 20_000, 1))) == rows).all()


def test_nothing_to_draw_is_no_error() -> None:
    assert weights(0, 3, 1).shape == (3, 0)
    assert weights(3, 0, 1).shape == (0, 3)
    assert list(signs(3, 0, 1)) == []
