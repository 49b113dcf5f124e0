"""What may have come since the beginning: what a contract says of how things come, and how their ids count."""

from __future__ import annotations

from typing import Any

from replaylab.schema.scenario import Environment
from tests.diff.ward import call, found, tool

STATE: dict[str, Any] = {
    "now": "09:00",
    "carts": {f"CT-{number}": {"load": "hay", "bay": "BY-1"} for number in (4, 5, 6)},
    "bays": {"BY-1": {"width": 3}, "BY-2": {"width": 4}},
    "readings": {f"RD-{number}": {"bay": "BY-1", "kg": number} for number in (31, 32, 33)},
}
TOLD = {
    "now": "The time. It moves by wait alone.",
    "carts": "Carts by id. load never changes.",
    "bays": "The bays. Fixed.",
    "readings": "Readings of the scales by id.",
}
TOOLS = (
    tool("list_carts", "Lists the carts.", "load"),
    tool("cart", "Shows a cart.", "cart"),
    tool("list_readings", "Lists the readings.", "bay"),
    tool("wait", "Lets time pass.", effect="write", minutes={"type": "integer"}),
    tool("add_label", "Puts a label on a cart.", "cart", "text", effect="write", example={"labels": 1}),
    tool("weigh", "Weighs a bay.", "bay", effect="write", example={"reading": "RD-38", "kg": 4}),
)
LATER = call("wait", {"now": "09:10"}, minutes=10)


def yard(**more: Any) -> Environment:
    """A yard where time passes; `also` is added to its prompt."""
    prompt = "You keep a yard of carts." + more.pop("also", "")
    given = {
        "system_prompt": prompt,
        "tools": TOOLS,
        "initial_state": STATE,
        "state_description": TOLD,
        **more,
    }
    return Environment(id="yard", **given)


def carts(*ids: str) -> Any:
    """A list of carts, under a filter."""
    return call("list_carts", {"carts": [{"cart": one, "load": "hay"} for one in ids]}, load="hay")


def readings(*ids: str) -> Any:
    return call("list_readings", {"readings": [{"reading": one, "bay": "BY-1"} for one in ids]}, bay="BY-1")


def invented(*steps: Any, **more: Any) -> list[str]:
    """Who is invented in the last of these calls."""
    return [who for kind, _, who in found(*steps, of=yard(**more)) if kind == "fabrication"]


def test_time_brings_nothing_where_a_description_says_how_things_change() -> None:
    assert invented(LATER, carts("CT-4", "CT-5", "CT-6")) == []
    assert invented(LATER, carts("CT-4", "CT-5", "CT-6", "CT-9")) == ["CT-9"]


def test_time_may_bring_what_a_text_lets_come() -> None:
    shown = carts("CT-4", "CT-5", "CT-6", "CT-9")
    assert invented(LATER, shown, also=" New carts arrive now and then.") == []
    assert invented(LATER, shown, also=" Carts arrive at no time.") == ["CT-9"]
    told = {**TOLD, "carts": "Carts by id. load never changes. One is added when a farmer comes."}
    assert invented(LATER, shown, state_description=told) == []


def test_time_may_bring_what_its_tool_tells_of() -> None:
    telling = tool(
        "wait", "Lets time pass. Things may happen, and further ones may be raised.", effect="write"
    )
    tools = tuple(telling if one.name == "wait" else one for one in TOOLS)
    assert invented(LATER, carts("CT-4", "CT-5", "CT-6", "CT-9"), tools=tools) == []


def test_what_follows_from_other_acts_has_no_single_maker() -> None:
    alerts = {f"AL-{number}": {"bay": "BY-1"} for number in (1, 2, 3)}
    tools = (
        *TOOLS,
        tool("list_alerts", "Lists the alerts.", "bay"),
        tool("raise_alert", "Raises one.", "bay", effect="write", example={"alert": "AL-7"}),
    )
    more: dict[str, Any] = {"initial_state": {**STATE, "alerts": alerts}, "tools": tools}
    shown = call(
        "list_alerts", {"alerts": [{"alert": one, "bay": "BY-1"} for one in (*alerts, "AL-4")]}, bay="BY-1"
    )
    assert invented(LATER, shown, **more) == []
    told = {**TOLD, "alerts": "Alerts by id. They grow only by raise_alert."}
    assert invented(LATER, shown, state_description=told, **more) == ["AL-4"]


def test_time_may_bring_anything_where_nothing_is_told() -> None:
    assert invented(LATER, carts("CT-4", "CT-5", "CT-6", "CT-9"), state_description={}) == []
    assert invented(LATER, carts("CT-4", "CT-5", "CT-9"), also=" Be realistic.") == []


def test_time_may_bring_what_it_shows_in_its_example() -> None:
    bringing = tool("wait", "Lets time pass.", effect="write", example={"here": ["CT-7"]})
    tools = tuple(bringing if one.name == "wait" else one for one in TOOLS)
    assert invented(call("wait", {}), carts("CT-4", "CT-5", "CT-6", "CT-9"), tools=tools) == []


def test_what_is_made_by_a_tool_that_returns_its_id_comes_by_no_other_way() -> None:
    made = call("weigh", {"reading": "RD-34", "kg": 5}, bay="BY-1")
    labelled = call("add_label", {"labels": 2}, cart="CT-4", text="dry")
    assert invented(made, LATER, readings("RD-31", "RD-32", "RD-33", "RD-34")) == []
    assert invented(made, labelled, LATER, readings("RD-31", "RD-33", "RD-36")) == ["RD-36"]
    nameless = call("weigh", {"done": True}, bay="BY-1")
    assert invented(nameless, readings("RD-31", "RD-32", "RD-33", "RD-34")) == []


def test_a_description_may_say_by_what_tool_things_come() -> None:
    shown = readings("RD-31", "RD-32", "RD-33", "RD-39")
    plain = tuple(one for one in TOOLS if one.name != "weigh")
    weigh = tool("weigh", "Weighs a bay.", "bay", effect="write")
    told = {**TOLD, "readings": "Readings by id. One is added by each weighing."}
    assert invented(LATER, shown, tools=plain) == []
    assert invented(LATER, shown, tools=(*plain, weigh), state_description=told) == ["RD-39"]


def test_ids_that_count_go_on_from_the_highest() -> None:
    shown = ("CT-4", "CT-5", "CT-6")
    for one in ("CT-5A", "Annex Q", "CT-2"):
        assert invented(LATER, carts(*shown, one), state_description={}) == [one]
    sparse = {"carts": {f"CT-{number}": {"load": "hay"} for number in (4, 50, 600)}}
    assert (
        invented(LATER, carts("CT-4", "CT-50", "CT-600", "CT-2"), initial_state=sparse, state_description={})
        == []
    )


def test_a_tool_that_reads_may_be_called_like_one_that_makes() -> None:
    order = tool("order", "Shows the order of a cart.", "cart")
    shown = call("order", {"cart": "CT-4", "bay": "BY-7"}, cart="CT-4")
    assert invented(shown, tools=(*TOOLS, order)) == ["BY-7"]


def test_a_list_that_refers_is_read_beside_the_list_of_what_it_refers_to() -> None:
    shown = {"carts": [{"cart": "CT-4", "load": "hay"}], "tied": [{"cart": "CT-1", "rope": 2}]}
    assert invented(call("list_carts", shown, load="hay")) == ["CT-1"]
