"""The collections of a state."""

from __future__ import annotations

from tests.diff.valley import BRIGADE, true_of


def test_ids_that_records_list_are_no_collection_that_a_table_refers_to() -> None:
    filled = ("assign_member", {"shift_id": "SH-406", "member_id": "FF-05", "as_lead": True})
    asked = ("list_shifts", {"qualification_id": "Q-BA", "date_from": "2025-03-10"})
    assert true_of(BRIGADE, filled, asked) == []
