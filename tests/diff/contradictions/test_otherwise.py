"""What is shown again: by the same reading with nothing in between, and as at first after a call has changed it."""

from __future__ import annotations

from typing import Any

from replaylab.diff.contradictions.otherwise import shown_otherwise
from tests.diff.ward import call, found, tool, ward
from tests.diff.yard import STATE, TOLD, boat, looked, seen, yard

STALE = [("contradiction", "BT-1")]
SOLD = call("set_status", {"boat": "BT-1", "status": "sold"}, boat="BT-1", status="sold")
# What a job has done to a boat nobody says, so that its list of boats is no record of theirs.
JOBS = yard(
    tools=(
        tool("get_due", "Shows what is due.", example={"due": [{"boat": "BT-9", "status": "x"}]}),
        tool("finish_job", "Finishes a job.", "job", effect="write"),
        tool("fit_hand", "Finds a hand something to do.", "hand", effect="write"),
        tool("free_boat", "Makes a boat moored.", "berth", effect="write"),
        *yard().tools,
    ),
    state_description={**TOLD, "boats": "Every boat with what is known of it."},
    initial_state={**STATE, "jobs": {"JB-1": {"boat": "BT-1"}}},
)


def due(**status: str) -> Any:
    return call(
        "get_due", {"due": [{"boat": name.replace("_", "-"), "status": is_} for name, is_ in status.items()]}
    )


def test_the_same_reading_shows_the_same_while_nothing_is_done() -> None:
    before = due(BT_1="reserved", BT_2="reserved")
    assert seen(before, due(BT_1="moored", BT_2="reserved"), of=JOBS) == STALE
    assert seen(before, due(BT_1="reserved", BT_2="reserved"), of=JOBS) == []
    assert seen(due(BT_1="moored"), of=JOBS) == []


def test_what_was_done_in_between_may_be_why() -> None:
    before, after = due(BT_1="reserved", BT_2="reserved"), due(BT_1="moored", BT_2="reserved")
    fitted = call("fit_hand", {"hand": "HN-53"}, hand="HN-53")
    refused = call("fit_hand", {"error": "no such hand: HN-99"}, hand="HN-99")
    assert seen(before, fitted, after, of=JOBS) == []
    assert seen(before, refused, after, of=JOBS) == STALE


def test_a_value_goes_back_only_by_a_call_that_leads_to_the_thing() -> None:
    shown = call("get_boat", {"boat": "BT-1", "status": "moored"}, boat="BT-1")

    def back(step: Any) -> list[str]:
        return [one.entity for one in shown_otherwise(looked(shown, SOLD, step, of=JOBS))]

    assert back(call("fit_hand", {"hand": "HN-51"}, hand="HN-51")) == ["BT-1"]  # the boat refers to that hand
    assert back(call("finish_job", {"job": "JB-1"}, job="JB-1")) == []
    assert back(call("move_boat", {"boat": "BT-1"}, boat="BT-1", berth="BR-12")) == []
    assert back(call("free_boat", {"done": True}, berth="BR-14")) == []  # it speaks of moored
    assert back(call("cancel_hand", {"done": True}, boat="BT-2", hand="HN-52")) == []


def test_a_write_and_what_says_what_is_so_are_no_slip() -> None:
    assert seen(SOLD, boat("BT-1", status="sold")) == []
    assert (
        seen(
            SOLD,
            call("set_status", {"boat": "BT-1", "status": "moored"}, boat="BT-1", status="moored"),
        )
        == []
    )


def test_a_row_of_what_a_thing_holds_says_nothing_of_the_thing() -> None:
    papers = [
        {"no": 1, "title": "Plan of the pier", "filed": "2025-01-02"},
        {"no": 2, "title": "Plan of the slip", "filed": "2025-01-03"},
    ]
    files = {
        "F-1": {"head": "Pier", "filed": "2024-12-30", "papers": papers},
        "F-2": {"head": "Slip", "filed": "2024-12-31", "papers": papers},
    }
    of = ward(
        state={"files": files},
        state_description={},
        tools=(tool("find_papers", "Finds papers.", "words"), tool("list_files", "Lists files.", "words")),
    )

    def papers_of(*numbers: int) -> Any:
        rows = [{"file": "F-1", **papers[one - 1]} for one in numbers]
        return call("find_papers", {"papers": rows}, words="plan")

    twice = papers_of(1, 2), papers_of(1, 2)
    assert [one for one in found(*twice, of=of) if one[0] == "contradiction"] == []
    other = call("list_files", {"files": [{"file": "F-1", "head": "Pier", "filed": "2025-01-02"}]}, words="p")
    assert [one[0] for one in found(other, of=of)] == ["contradiction"]
