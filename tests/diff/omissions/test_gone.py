"""The same call put again."""

from __future__ import annotations

from typing import Any

from replaylab.diff.check import Observed
from replaylab.diff.omissions.gone import no_longer_shown
from replaylab.schema.scenario import Environment
from tests.diff.ward import call, found, tool

TOOLS = (
    tool("get_yard", "Shows a yard.", "yard"),
    tool("scan_yard", "Scans a yard.", "yard"),
    tool("paint_cart", "Paints a cart.", "cart", "colour", effect="write"),
    tool("remove_cart", "Removes a cart.", "cart", effect="write"),
    tool("advance_time", "Lets an hour pass.", effect="write"),
)
DONE = {"status": "success"}


def yard() -> Environment:
    state = {"notes": "Carts CT-1 and CT-2 stand about."}
    return Environment(
        id="yard", initial_state=state, system_prompt="You simulate.", state_description={}, tools=TOOLS
    )


def seen(*carts: str, tool: str = "get_yard", yard: str = "Y-1", marks: tuple[str, ...] = ()) -> Observed:
    node = {"carts": [{"cart": one} for one in carts], "marks": [{"paint": one} for one in marks]}
    return call(tool, node, yard=yard)


def gone(*calls: Observed) -> list[Any]:
    return [entity for kind, _, entity in found(*calls, of=yard()) if kind == "omission"]


def test_what_the_same_call_showed_before_is_missed() -> None:
    assert no_longer_shown.__doc__
    assert gone(seen("CT-1", "CT-2"), seen("CT-2", "CT-1")) == []
    assert gone(seen("CT-1", "CT-2"), seen("CT-2")) == ["CT-1"]
    assert gone(seen("CT-1", "CT-2"), seen("CT-2", yard="Y-2")) == []
    assert gone(seen("CT-1", "CT-2", tool="scan_yard"), seen("CT-2", tool="scan_yard")) == []


def test_what_was_taken_out_in_between_is_not() -> None:
    first = seen("CT-1", "CT-2")
    assert gone(first, call("remove_cart", DONE, cart="CT-1"), seen("CT-2")) == []
    assert gone(first, call("advance_time", DONE), seen("CT-2")) == []
    assert gone(first, call("paint_cart", DONE, cart="CT-2", colour="red"), seen("CT-2")) == ["CT-1"]


def test_a_row_without_a_name_is_missed_where_nothing_was_done() -> None:
    first = seen(marks=("long red line", "short blue line"))
    cut = seen(marks=("long red line",))
    assert len(gone(first, cut)) == 1
    assert gone(first, call("paint_cart", DONE, cart="CT-2", colour="red"), cut) == []


def test_a_row_is_done_with_by_its_id_and_by_what_reads_like_a_refusal() -> None:
    bills = {
        "BL-1": {"payer": "Ash Mill", "due": "2025-01-02"},
        "BL-2": {"payer": "Elm Yard", "due": "2025-01-04"},
    }
    example = {"bill": "BL-9", "result": "failed", "tries": 2}
    tools = (
        tool("find_bills", "Bills.", overdue={"type": "boolean"}),
        tool("settle_bill", "Enters how it went.", "bill", "result", effect="write", example=example),
    )
    office = Environment(
        id="office",
        initial_state={"bills": bills},
        system_prompt="You simulate.",
        state_description={},
        tools=tools,
    )

    def late(*names: str) -> Observed:
        rows = [{"bill": one, "payer": bills[one]["payer"], "amount": 4} for one in names]
        return call("find_bills", {"bills": rows}, overdue=True)

    tried = call(
        "settle_bill", {"bill": "BL-1", "result": "failed", "tries": 1}, bill="BL-1", result="failed"
    )
    no = call("settle_bill", {"error": "BL-1 is settled"}, bill="BL-1", result="failed")
    both = late("BL-1", "BL-2")
    assert [one for kind, _, one in found(both, late("BL-2"), of=office) if kind == "omission"] == ["BL-1"]
    assert found(both, tried, late("BL-2"), of=office) == []
    assert "omission" in [kind for kind, _, _ in found(both, no, late("BL-2"), of=office)]
