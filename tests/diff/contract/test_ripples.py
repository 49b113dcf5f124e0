"""What the contract says that a call changes besides."""

from __future__ import annotations

import pytest

from tests.diff.plainly import APIARY, apiary, call
from tests.diff.ward import look

NOW = call("by_meadow", {})
SWAPPED = call("swap_queen", {"ok": True}, hive="HV-1", queen="Q-2")
CARRIED = call("carry", {"ok": True}, hive="HV-1", meadow="heath")


@pytest.mark.parametrize(
    ("prompt", "changed"),
    [
        ("You simulate an apiary.", set()),
        ("Carrying a hive cancels its visits.", {"vs1"}),
        ("Carrying a hive costs its keeper an hour.", set()),
        ("With HV-1 away from its meadow, all visits of it are dropped.", {"vs1"}),
        ("Carrying a hive is done at night. Visits are booked by phone.", set()),
        ("Without HV-1 beside it, Q-3 gets restless.", {"q3"}),
    ],
)
def test_a_sentence_on_the_call_speaks_of_what_it_changes(prompt: str, changed: set[str]) -> None:
    assert look(NOW, CARRIED, of=apiary(prompt)).rippled == changed


def test_only_what_hangs_together_with_the_call_is_changed() -> None:
    assert "vs2" not in look(NOW, CARRIED, of=apiary("Carrying a hive cancels its visits.")).rippled


def test_what_ends_by_it_is_told_apart_from_what_changes() -> None:
    assert look(NOW, CARRIED, of=apiary("Carrying a hive cancels its visits.")).ended == {"vs1"}
    assert look(NOW, CARRIED, of=apiary("Carrying a hive makes its visits longer.")).ended == set()


def test_a_description_that_tells_of_changes_tells_of_all() -> None:
    told = {"hives": "All hives. meadow changes only with carry."}
    of = apiary("Carrying a hive cancels its visits.", state_description=told, initial_state=APIARY)
    assert look(NOW, CARRIED, of=of).rippled == set()
