"""Values as bounds."""

from __future__ import annotations

import pytest

from replaylab.diff.words.bounds import is_beyond, is_ordered
from replaylab.schema.base import Json


@pytest.mark.parametrize(
    ("value", "ordered"),
    [
        (5, True),
        ("2025-07-01", True),
        ("09:30", True),
        ("soon", False),
        (True, False),
        (None, False),
        ([5], False),
    ],
)
def test_numbers_and_moments_are_ordered(value: Json, ordered: bool) -> None:
    assert is_ordered(value) is ordered


@pytest.mark.parametrize(
    ("own", "bound", "passes"),
    [
        (6, 5, True),
        (4, 5, False),
        (5, 5, None),
        ("2025-07-02", "2025-07-01", True),
        ("soon", "2025-07-01", None),
        (3, "09:30", None),
    ],
)
def test_a_value_passes_a_lower_bound_when_it_is_above(own: Json, bound: Json, passes: bool | None) -> None:
    assert is_beyond(own, bound, at_least=True) is passes
    assert is_beyond(own, bound, at_least=False) is (None if passes is None else not passes)
