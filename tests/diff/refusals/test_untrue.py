"""The first thing that stands against a refusal."""

from __future__ import annotations

import pytest

from replaylab.diff.refusals.untrue import untrue_part
from tests.diff.ward import call, reason
from tests.diff.yard import yard


@pytest.mark.parametrize(
    ("text", "stands"),
    [
        ("BT-1 is moored", ""),
        ("BT-1 is ashore", 'status of BT-1 is "moored"'),
        ("BR-13 takes 30 m at most, and BT-3 has 12", "12 is no more than 30"),
    ],
)
def test_each_rule_is_asked(text: str, stands: str) -> None:
    one = call("move_boat", {"error": text}, boat="BT-1", berth="BR-13")
    assert untrue_part(reason(one, of=yard())) == stands
