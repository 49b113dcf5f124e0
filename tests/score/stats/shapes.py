"""What the tests of statistics share: outcomes by scenario, drawn by hypothesis, and the reference toy."""

from __future__ import annotations

from hypothesis import strategies as st

# Six scenarios of one to five tasks: the reference cases RC02, RC05 and RC10.
TOY: list[list[float]] = [[1, 1, 1, 0], [0, 0, 1], [1, 1], [0, 1, 0, 0, 1], [1], [1, 1, 0, 1, 1]]
OTHER: list[list[float]] = [[1, 0, 1, 0], [0, 0, 0], [1, 1], [0, 1, 0, 0, 0], [0], [1, 1, 1, 0, 1]]

# Of the published tasks: how many each scenario has.
SIZES = [1] * 10 + [2] * 20 + [3] * 13 + [4] * 21 + [5] * 13 + [6] * 9 + [7] * 7 + [8] * 4 + [9]

bits = st.integers(0, 1).map(float)
# A task with three trials is their mean.
thirds = st.sampled_from([0.0, 1 / 3, 2 / 3, 1.0])


def groups(
    outcomes: st.SearchStrategy[float] = bits, fewest: int = 0, smallest: int = 0, most: int = 9
) -> st.SearchStrategy[list[list[float]]]:
    """Scenarios of up to 6 tasks; `smallest` 0 allows empty ones."""
    return st.lists(st.lists(outcomes, min_size=smallest, max_size=6), min_size=fewest, max_size=most)


@st.composite
def pairs(
    draw: st.DrawFn, outcomes: st.SearchStrategy[float] = bits
) -> tuple[list[list[float]], list[list[float]]]:
    """Two players' outcomes on the same tasks."""
    sizes = draw(st.lists(st.integers(0, 4), max_size=8))
    first = [draw(st.lists(outcomes, min_size=size, max_size=size)) for size in sizes]
    second = [draw(st.lists(outcomes, min_size=size, max_size=size)) for size in sizes]
    return first, second
