"""Reasons that are borne out clause by clause."""

from __future__ import annotations

import pytest

from replaylab.diff.refusals.borne import is_borne_out
from tests.diff.houses import GRANTS
from tests.diff.ward import call, reason


@pytest.mark.parametrize(
    ("text", "holds"),
    [
        ("A budget is missing; only a letter is on file.", True),
        ("GR-1 has no budget, and there is no referee.", True),
        ("A budget is missing; the office is closed.", False),
        ("A budget is missing, and the minister must sign first.", False),
        ("A budget is missing for 14 days.", False),
        ("The letter is here.", False),
    ],
)
def test_each_clause_is_held_against_what_is_known(text: str, holds: bool) -> None:
    assert is_borne_out(reason(call("approve", {"error": text}, grant="GR-1"), of=GRANTS)) is holds
