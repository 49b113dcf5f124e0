"""Which field of a row names the thing that the row is about."""

from __future__ import annotations

from typing import Any

import pytest

from replaylab.diff.words.keyfield import is_name, key_field_of, rank_key


@pytest.mark.parametrize(
    ("rows", "name", "field"),
    [
        ([{"bed": "B1", "id": 7}, {"bed": "B2", "id": 8}], "beds", "id"),
        (
            [{"room_id": "R1", "patient_id": "P-1"}, {"room_id": "R2", "patient_id": "P-2"}],
            "rooms",
            "room_id",
        ),
        ([{"name": "Ada", "age": 40}, {"name": "Ivo", "age": 50}], "patients", "name"),
        ([{"shift": "day"}, {"shift": "day"}], "shifts", ""),
        ([{"level": 1}, {"level": 2}], "tanks", ""),
    ],
)
def test_the_field_that_is_named_like_an_id_and_differs_in_each(rows: Any, name: str, field: str) -> None:
    assert key_field_of(rows, name) == field


def test_a_foreign_key_ranks_below_the_rows_own() -> None:
    row = {"room_id": "R1", "occupant_id": "P-1"}
    assert rank_key("room_id", "rooms", row) > rank_key("occupant_id", "rooms", row)


@pytest.mark.parametrize(
    ("value", "named"), [("North", True), (4711, True), (3, False), (True, False), ("x" * 61, False)]
)
def test_small_numbers_and_sentences_name_nothing(value: Any, named: bool) -> None:
    assert is_name(value) is named


def test_what_is_called_like_its_list_names_rows_before_a_title() -> None:
    rows = [{"order": "OR-1", "title": "a poster"}, {"order": "OR-2", "title": "a card"}]
    assert key_field_of(rows, "orders") == "order"
    assert key_field_of(rows, "jobs") == "title"
