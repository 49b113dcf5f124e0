"""Lists that have the same rows whatever they are of."""

from __future__ import annotations

from replaylab.diff.check import Observed
from replaylab.schema.scenario import Environment
from tests.diff.ward import call, found, tool, ward


def lab() -> Environment:
    tools = (tool("get_tray", "Shows a tray.", "tray"),)
    state = {"note": "Trays."}
    return Environment(
        id="lab", initial_state=state, system_prompt="You simulate.", state_description={}, tools=tools
    )


def tray(name: str, lanes: str) -> Observed:
    rows = [{"lane": one, "fill": "empty"} for one in lanes.split()]
    return call("get_tray", {"tray": name, "lanes": rows}, tray=name)


def broken(*calls: Observed) -> list[str]:
    return [entity for kind, _, entity in found(*calls, of=lab()) if kind == "omission"]


def test_a_row_that_every_other_list_has_is_missed() -> None:
    before = (tray("T-1", "left middle right"), tray("T-2", "left middle right"))
    assert broken(*before, tray("T-3", "left middle right")) == []
    assert broken(*before, tray("T-3", "left middle")) == ["right"]
    assert broken(before[0], tray("T-3", "left middle")) == [], "once may be chance"
    assert broken(before[0], before[0], tray("T-3", "left middle")) == [], "one list shown twice is one"


def test_lists_that_differ_have_no_frame() -> None:
    before = (tray("T-1", "left middle right"), tray("T-2", "left middle right"))
    assert broken(*before, tray("T-4", "left up down"), tray("T-3", "left middle")) == []
    assert broken(*before, tray("T-3", "left up")) == []


def test_things_that_every_other_list_has_had_are_no_frame() -> None:
    boxes = {f"B-{at}": {"colour": "red"} for at in (1, 2, 3)}
    of = ward(
        state={"boxes": boxes}, state_description={}, tools=(tool("find_boxes", "Finds boxes.", "hint"),)
    )

    def boxes_for(hint: str, *numbers: int) -> Observed:
        return call("find_boxes", {"boxes": [{"box_id": f"B-{at}", "seen": at} for at in numbers]}, hint=hint)

    said = (boxes_for("old", 1, 2, 3), boxes_for("big", 1, 2, 3), boxes_for("dry", 1, 2))
    assert found(*said, of=of) == []
