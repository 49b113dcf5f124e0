"""Lists of the state under another name."""

from __future__ import annotations

from typing import Any

from replaylab.diff.check import Observed
from replaylab.schema.scenario import Environment
from tests.diff.ward import call, found, tool

STATE: dict[str, Any] = {
    "audit_status": {
        "matched_ids": ["FX-1"],
        "discrepancies": [
            {"code": "DC-01", "text": "Opening balance differs from the closing one of last year."},
        ],
    },
    "period": "2024-02",
}


def books() -> Environment:
    tools = (
        tool("get_audit_status", "Queries the audit to identify pending discrepancies.", "period"),
        tool("get_audit", "Shows the audit.", "period"),
        tool("settle_issue", "Settles one.", "issue_id", effect="write"),
    )
    return Environment(
        id="books", initial_state=STATE, system_prompt="You simulate.", state_description={}, tools=tools
    )


def said(*calls: Observed) -> list[tuple[str, str]]:
    return sorted((kind, entity) for kind, _, entity in found(*calls, of=books()))


def issues(*rows: dict[str, Any], tool: str = "get_audit_status") -> Observed:
    return call(tool, {"status": "open", "pending_issues": list(rows)}, period="2024-02")


OWN = {"id": "DC-01", "text": "The opening balance is off."}


def test_an_id_that_nobody_knows_is_made_up_beside_a_member_and_in_its_place() -> None:
    assert said(issues(OWN, {"id": "DC-02", "text": "Roll-forward."})) == [("fabrication", "DC-02")]
    assert said(issues({"id": "ER-1", "text": "A gap."})) == [("fabrication", "ER-1"), ("omission", "DC-01")]
    assert said(issues(OWN)) == []


def test_a_row_that_refers_to_a_member_or_has_its_words_is_that_one() -> None:
    assert said(issues({"id": "IS-1", "about": "DC-01"})) == []
    assert said(issues({"id": "IS-1", "text": STATE["audit_status"]["discrepancies"][0]["text"]})) == []


def test_only_a_tool_that_is_named_after_that_part_shows_it() -> None:
    assert said(issues({"id": "ER-1", "text": "A gap."}, tool="get_audit")) == []


def test_what_was_done_before_may_have_changed_it() -> None:
    settled = call("settle_issue", {"success": True}, issue_id="DC-01")
    assert said(settled, issues({"id": "ER-1", "text": "A gap."})) == []
