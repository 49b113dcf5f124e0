"""Lists of acts before any act."""

from __future__ import annotations

from typing import Any

from tests.diff.ward import call, found, tool, ward

TOOLS = (
    tool("get_status", "Shows how things stand."),
    tool("scan_ward", "Scans the ward."),
    tool("dress_wound", "Dresses a wound.", "patient_id", effect="write"),
)


def wrong(
    shown: Any, *before: Any, told: str = "All that was executed here.", name: str = "get_status"
) -> bool:
    """Whether what is shown of an empty list of acts is told to be invented."""
    of = ward(state={"treatment_log": []}, state_description={"treatment_log": told}, tools=TOOLS)
    return any(kind == "fabrication" for kind, *_ in found(*before, call(name, shown), of=of))


def test_nothing_stands_in_a_list_of_acts_before_one() -> None:
    for name in ("treatment_log", "treatments"):
        assert wrong({name: ["Splint of the left wrist"]})
        assert wrong({name: [{"what": "splint", "minutes": 4}]})
        assert not wrong({name: []})
        assert not wrong({name: ["none"]})


def test_after_an_act_or_in_a_list_of_something_else_it_may() -> None:
    done = call("dress_wound", {"done": True}, patient_id="P-101")
    shown = {"treatment_log": ["Splint of the left wrist"]}
    assert not wrong(shown, done)
    assert not wrong(shown, told="What is seen here.")
    assert not wrong(shown, name="scan_ward")
    assert not wrong({"visitors": ["Ada Stone"]})
