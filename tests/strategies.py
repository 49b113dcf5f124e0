"""Hypothesis strategies that several test files share."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

MAX = 2**53 - 1
texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)


def json_values_of(floats: st.SearchStrategy[float]) -> st.SearchStrategy[Any]:
    """JSON values whose floats are of a given kind."""
    scalars = st.none() | st.booleans() | st.integers(-MAX, MAX) | floats | texts
    return st.recursive(
        scalars,
        lambda inner: st.lists(inner, max_size=4) | st.dictionaries(texts, inner, max_size=4),
        max_leaves=12,
    )


json_values = json_values_of(st.floats(allow_nan=False, allow_infinity=False))
json_objects = st.dictionaries(texts, json_values, max_size=5)
