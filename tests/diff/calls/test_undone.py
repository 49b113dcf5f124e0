"""Which answers show that nothing was done."""

from __future__ import annotations

from typing import Any

import pytest

from replaylab.diff.calls.refusal import read_refusal
from replaylab.diff.calls.undone import without_denial
from tests.diff.ward import tool

FILE = tool(
    "file_claim",
    "Files a claim.",
    "policy",
    effect="write",
    example={"claim_id": "C-1", "paid": True, "status": "Filed"},
)
SET = tool(
    "set_fan",
    "Sets the fan.",
    "mode",
    effect="write",
    speed_percentage={"type": "number"},
    example={"current_mode": "high", "applied_speed": 80},
)
READ = tool(
    "get_statement",
    "Shows a statement.",
    "policy",
    example={"balance": 12.5, "rows": [{"day": 1}], "message": "ok"},
)
WHY = "A claim is taken in once a second clerk has read it."


def refuses(of: Any, said: dict[str, Any], **arguments: Any) -> bool:
    return read_refusal(of, said, arguments) is not None


def test_a_result_that_stays_blank_beside_a_condition_is_a_refusal() -> None:
    assert refuses(FILE, {"claim_id": None, "remark": WHY}, policy="P-1")
    assert not refuses(FILE, {"claim_id": "C-7", "remark": WHY}, policy="P-1")
    assert not refuses(FILE, {"claim_id": None, "remark": "Thank you very much"}, policy="P-1")


def test_a_value_that_was_not_set_as_asked_beside_a_condition_is_a_refusal() -> None:
    said = {"current_mode": "low", "remark": "High runs only while a window is open."}
    assert refuses(SET, said, mode="high")
    assert not refuses(SET, {**said, "current_mode": "high"}, mode="high")
    slow = {"applied_speed": 0, "remark": "The fan rests until the filter is dry."}
    assert refuses(SET, slow, mode="high", speed_percentage=60)
    assert not refuses(SET, {**slow, "applied_speed": 60}, mode="high", speed_percentage=60)


def test_a_false_where_the_example_has_true_is_a_no() -> None:
    assert refuses(FILE, {"paid": False, "remark": WHY})
    assert not refuses(FILE, {"urgent": False, "remark": WHY})


@pytest.mark.parametrize(
    "status",
    [
        "Not filed. " + WHY,
        "aborted: the score of 80 is under the 90 that is needed",
        "rejected by the night desk, which must be asked",
    ],
)
def test_an_outcome_that_begins_with_a_no_refuses_under_any_name_that_ends_as_one(status: str) -> None:
    assert refuses(FILE, {"filing_status": status})


def test_a_thing_whose_status_is_a_hard_word_was_not_refused() -> None:
    block = tool("isolate_host", "Cuts a host off.", "host", effect="write")
    assert not refuses(
        block, {"host_status": "blocked", "remark": "Traffic over 443 is dropped."}, host="H-1"
    )


def test_an_outcome_that_is_put_off_refuses_unless_it_gives_out_a_name() -> None:
    said = {"filing_status": "on hold", "remark": WHY}
    assert refuses(FILE, said)
    assert not refuses(FILE, {**said, "claim_id": "C-7"})
    assert not refuses(FILE, {**said, "remark": "Somebody looks into it soon"})


def test_who_asks_to_put_something_on_hold_is_told_that_it_is() -> None:
    hold = tool("hold_order", "Puts an order on hold.", "order", effect="write")
    assert not refuses(
        hold, {"order_status": "on hold", "remark": "It rests until you release it."}, order="O-1"
    )


def test_an_outcome_that_is_the_example_s_own_is_no_refusal() -> None:
    assert not refuses(FILE, {"claim_id": None, "status": "Filed", "remark": WHY})
    assert refuses(FILE, {"claim_id": None, "status": "open", "remark": WHY})


def test_a_reading_that_brings_nothing_and_says_what_comes_first_is_refused() -> None:
    said: dict[str, Any] = {
        "balance": None,
        "rows": [],
        "message": "Statements are shown only after the month has closed.",
    }
    assert refuses(READ, said)
    assert not refuses(READ, {**said, "message": "Nothing was booked on this policy."})
    assert not refuses(READ, {**said, "balance": 3.5})


def test_a_reason_stands_under_any_name_where_none_is_named_one() -> None:
    found = read_refusal(FILE, {"success": False, "display": "Ask the night desk first"}, {})
    assert found is not None
    assert found.text == "Ask the night desk first"
    named = read_refusal(
        FILE, {"success": False, "display": "Menu two of three", "reason": "It is too late"}, {}
    )
    assert named is not None
    assert named.text == "It is too late"


def test_a_short_clause_that_only_denies_is_no_ground() -> None:
    assert without_denial("Not logged. The desk is closed.") == "The desk is closed."
    assert without_denial("The desk is not staffed on days of rest, and so it waits.") != ""
