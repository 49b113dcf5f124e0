from __future__ import annotations

from collections import Counter

from replaylab.builtin.seeded.draw import Draw


def test_equal_seeds_draw_alike_and_others_do_not() -> None:
    def row(seed: object) -> list[int]:
        draw = Draw(seed)
        return [draw.below(1000) for _ in range(20)]

    assert row({"a": 1, "b": 2}) == row({"b": 2, "a": 1})
    assert row(1) != row(2)


def test_numbers_stay_below_their_bound_and_are_spread() -> None:
    draw = Draw(0)
    found = Counter(draw.below(5) for _ in range(2000))
    assert set(found) == {0, 1, 2, 3, 4}
    assert max(found.values()) < 1.4 * min(found.values())
    assert 0.2 < sum(Draw(number).once_in(4) for number in range(1000)) / 1000 < 0.3


def test_a_shuffle_keeps_all() -> None:
    orders = {tuple(Draw(number).shuffled((1, 2, 3))) for number in range(60)}
    assert len(orders) == 6
    assert all(sorted(order) == [1, 2, 3] for order in orders)
