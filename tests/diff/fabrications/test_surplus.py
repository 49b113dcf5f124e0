"""Rows without ids: those of the state, in any order and form, and one more."""

from __future__ import annotations

from typing import Any

from replaylab.diff.fabrications.surplus import surplus_rows
from tests.diff.ward import call, look, tool
from tests.diff.yard import STATE, TOLD, TOOLS, boat, seen, yard

TIDES = [
    {"kind": "high", "day": "2025-04-01", "metres": 4.1},
    {"kind": "low", "day": "2025-04-01", "metres": 0.8},
    {"kind": "high", "day": "2025-04-02", "metres": 4.3},
]
OF = yard(
    initial_state={**STATE, "tides": TIDES},
    tools=(tool("get_tides", "Shows the tides.", "day"), *TOOLS),
)
STRANGE = {"kind": "spring", "day": "2025-04-02", "metres": 4.3}


def tides(*rows: dict[str, Any]) -> Any:
    return call("get_tides", {"tides": list(rows)}, day="")


def kinds(*steps: Any, of: Any = OF) -> list[str]:
    return sorted({kind for kind, _ in seen(*steps, of=of)})


def test_a_row_that_is_no_members_is_invented_beside_all_others() -> None:
    assert seen(tides(*TIDES, STRANGE), of=OF) == [("fabrication", "spring")]
    assert seen(tides(*TIDES, {**STRANGE, "kind": "high", "day": "2025-04-05"}), of=OF) == [
        ("fabrication", "high")
    ]


def test_the_states_own_rows_are_none() -> None:
    assert kinds(tides(*reversed(TIDES))) == []
    assert kinds(tides(*({**one, "metres": f"{one['metres']} m", "unit": "m"} for one in TIDES))) == []
    assert "fabrication" not in kinds(tides(*TIDES[:2]))


def test_a_row_instead_of_another_is_none_more() -> None:
    assert "fabrication" not in kinds(tides(*TIDES[:2], {**TIDES[2], "metres": 9.9}))


def test_a_member_is_one_row() -> None:
    assert kinds(tides(*TIDES, TIDES[0])) == ["fabrication"]


def test_what_a_call_may_have_added_is_none() -> None:
    booked = call("book_hand", {"boat": "BT-1"}, boat="BT-1", hand="HN-53")
    assert kinds(booked, tides(*TIDES, STRANGE)) == []
    fixed = yard(
        initial_state={**STATE, "tides": TIDES},
        state_description={**TOLD, "tides": "All tides. Never changes."},
        tools=OF.tools,
    )
    assert kinds(booked, tides(*TIDES, STRANGE), of=fixed) == ["fabrication"]


def test_another_list_of_that_name_is_another_list() -> None:
    rows = [{"kind": "neap", "day": "2025-05-01"}, {"kind": "neap", "day": "2025-05-02"}]
    assert "fabrication" not in kinds(tides(*rows, *rows))
    assert kinds(boat("BT-1", tides=rows)) == []


def test_the_list_of_a_thing_grows_by_what_is_done_with_that_thing() -> None:
    lines = {"PR-1": TIDES, "PR-2": TIDES[:1]}
    told = {**TOLD, "plans": "Steps by job."}
    plan = tool("get_plans", "Shows the steps of a job.", "job")
    extend = tool("extend_job", "Adds to a job.", "job", effect="write")
    of = yard(initial_state={**STATE, "plans": lines}, tools=(plan, extend, *TOOLS), state_description=told)
    more = call("get_plans", {"plans": [*TIDES, STRANGE]}, job="PR-1")
    others = call("extend_job", {"done": True}, job="PR-2")
    own = call("extend_job", {"done": True}, job="PR-1")
    assert [one.entity for one in surplus_rows(look(more, others, of=of))] == ["spring"]
    assert list(surplus_rows(look(more, own, of=of))) == []
