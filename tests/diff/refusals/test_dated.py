"""Dates that a refusal gives a thing, against the days that are known of it."""

from __future__ import annotations

from typing import Any

import pytest

from replaylab.diff.refusals.dated import untrue_date
from tests.diff.ward import call, reason, tool, ward

STATE: dict[str, Any] = {
    "today": "2025-04-01",
    "bills": {
        "BL-1": {"due": "2025-04-05", "paid_on": "2025-03-30", "closed": None},
        "BL-2": {"due": "2025-06-01", "paid_on": None, "closed": None},
    },
}
TOOLS = (
    tool("pay", "Pays a bill.", "bill", effect="write"),
    tool("put_off", "Puts a bill off.", "bill", effect="write"),
)
TOLD = {"bills": "Bills by id. due never changes. paid_on is set by pay, closed by put_off."}


@pytest.mark.parametrize(
    ("text", "stands"),
    [
        ("BL-1 is due on 2025-04-05", ""),
        ("BL-1 is due on 2025-04-19", 'due of BL-1 is "2025-04-05"'),
        ("BL-1 was paid on 2025-03-30", ""),
        ("BL-1 was closed on 2025-03-30", ""),  # a day that is known of it, under whatever name
        ("BL-1 was closed on 2025-03-02", "closed of BL-1 is null"),
        ("BL-1 was written on 2025-03-02", ""),  # no field tells that
    ],
)
def test_a_date_is_held_against_the_field_of_that_name(text: str, stands: str) -> None:
    of = ward(state=STATE, tools=TOOLS, state_description=TOLD)
    assert untrue_date(reason(call("pay", {"error": text}, bill="BL-1"), of=of)) == stands


def test_a_date_that_a_call_may_have_set_disproves_nothing() -> None:
    of = ward(state=STATE, tools=TOOLS, state_description=TOLD)
    later = call("put_off", {"done": True}, bill="BL-1")
    one = call("pay", {"error": "BL-1 was closed on 2025-03-02"}, bill="BL-1")
    assert untrue_date(reason(one, later, of=of)) == ""
