"""Whether the keys of an object are data."""

from __future__ import annotations

from typing import Any

import pytest

from replaylab.diff.words.mapped import is_data, map_shape


@pytest.mark.parametrize(
    ("key", "data"),
    [("P-101", True), ("Gauze", True), ("zone_1", True), ("beds", False), ("bed_name", False)],
)
def test_keys_that_can_not_name_a_field(key: str, data: bool) -> None:
    assert is_data(key) is data


@pytest.mark.parametrize(
    ("node", "shape"),
    [
        ({"P-1": {"bed": "B1"}}, "map"),
        ({"P-1": 3, "P-2": 4}, "values"),
        ({"beds": 3, "nurses": 4}, None),
        ({"bed": {"id": 1, "row": 2}, "cot": {"id": 2, "row": 1}}, "map"),
        ({"bed": {"id": 1}, "name": "x"}, None),
        ({"P-1": [1], "P-2": [2]}, "map"),
        ({}, None),
    ],
)
def test_a_map_by_its_keys_or_by_what_they_lead_to(node: Any, shape: str | None) -> None:
    assert map_shape(node) == shape


def test_a_description_or_a_sort_makes_plain_keys_data() -> None:
    node = {"saline": 40, "gauze": 12}
    assert map_shape(node) is None
    assert map_shape(node, "Mapping of items to units.") == map_shape(node, named=True) == "values"


def test_a_description_may_say_what_the_keys_are() -> None:
    assert map_shape({"sums": 0.5, "spelling": 0.25}, "A dictionary where keys are topic IDs.") == "values"
    assert map_shape({"sums": 0.5, "spelling": 0.25}, "A dictionary of figures.") is None


def test_what_has_an_id_of_its_own_is_a_record() -> None:
    assert map_shape({"state": "open", "owner": "Ulla"}, named=True) == "values"
    assert map_shape({"alert_id": "AL-1", "state": "open"}, named=True) is None
