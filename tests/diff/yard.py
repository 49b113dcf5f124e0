"""A boatyard of our own: things that refer to each other, lists inside records, and descriptions that say what may change."""

from __future__ import annotations

from typing import Any

from replaylab.diff.calls.looking import Look
from replaylab.diff.calls.memory import told
from replaylab.schema.scenario import Environment, Tool
from tests.diff.ward import call, found, look, tool

STATE: dict[str, Any] = {
    "today": "2025-04-01",
    "boats": {
        "BT-1": {"name": "Lark", "berth": "BR-11", "hull": "oak planks over steel ribs", "length": 9, "status": "moored",
                 "parts": ["PT-71", "PT-72"], "crew": [{"hand": "HN-51", "hours": 2}], "sold": None},
        "BT-2": {"name": "Heron", "berth": "BR-12", "hull": "pine planks over iron ribs", "length": 7, "status": "moored",
                 "parts": [], "crew": [{"hand": "HN-51", "hours": 3}, {"hand": "HN-52", "hours": 1}], "sold": None},
        "BT-3": {"name": "Gannet", "berth": "BR-13", "hull": "glass over foam", "length": 12, "status": "ashore",
                 "parts": ["PT-73"], "crew": [], "sold": None},
    },
    "berths": {"BR-11": {"depth": 3}, "BR-12": {"depth": 4}, "BR-13": {"depth": 2}},
    "hands": {"HN-51": {"trade": "rigger"}, "HN-52": {"trade": "joiner"}, "HN-53": {"trade": "rigger"}},
    "parts": {"PT-71": {"kg": 4}, "PT-72": {"kg": 2}, "PT-73": {"kg": 9}},
    "jobs": {},
}  # fmt: skip
TOLD = {
    "today": "The day. It stands still.",
    "boats": "All boats by id. status changes with set_status; berth changes only by move_boat. crew lists the hands who "
    "work on it. hull, length and parts never change.",
    "hands": "All hands by id. Never changes.",
    "jobs": "Jobs by id. Empty at first.",
}


def boats(*ids: str, **more: Any) -> dict[str, Any]:
    """What a list of boats shows."""
    rows = [
        {"boat": one, "name": STATE["boats"][one]["name"], "status": STATE["boats"][one]["status"]}
        for one in ids
    ]
    return {"boats": [{**row, **more} for row in rows]}


TOOLS: tuple[Tool, ...] = (
    tool("get_boat", "Shows a boat.", "boat", example={"boat": "BT-2", "crew": [{"hand": "HN-51", "hours": 3}]}),
    tool("list_boats", "Shows all boats, or those with one status.", "status", example=boats("BT-1")),
    tool("get_hand", "Shows a hand and the boats that they work on.", "hand",
         example={"hand": "HN-52", "trade": "joiner", "aboard": [{"boat": "BT-2"}]}),
    tool("get_plan", "Shows the plan of a boat.", "boat", example={"boat": "BT-1", "plan": []}),
    tool("list_jobs", "Shows all jobs.", example={"jobs": [{"job": "JB-900", "boat": "BT-1"}]}),
    tool("book_hand", "Books a hand for a boat.", "boat", "hand", effect="write"),
    tool("cancel_hand", "Takes a hand off a boat.", "boat", "hand", effect="write"),
    tool("set_status", "Sets the status of a boat.", "boat", "status", effect="write"),
    tool("move_boat", "Moves a boat to a berth.", "boat", "berth", effect="write"),
    tool("open_job", "Opens a job on a boat.", "boat", effect="write", example={"job": "JB-900", "boat": "BT-1"}),
)  # fmt: skip


def yard(**more: Any) -> Environment:
    """The boatyard, with other parts where a test wants them."""
    return Environment(
        id="yard",
        system_prompt="You simulate a boatyard.",
        **{"tools": TOOLS, "initial_state": STATE, "state_description": TOLD, **more},
    )


def seen(*steps: Any, of: Environment | None = None) -> list[tuple[str, str]]:
    """Kind and entity of what is found in the last of these calls."""
    return [(kind, entity) for kind, _, entity in found(*steps, of=of or yard())]


def looked(one: Any, *before: Any, of: Environment) -> Look:
    """A call under inspection, with what the calls before have told."""
    seen_by = look(one, *before, of=of)
    for number, step in enumerate(before):
        seen_by.world.told.update(told(look(step, *before[:number], of=of), frozenset()))
    return seen_by


def boat(name: str, **more: Any) -> Any:
    """A call that asks for a boat and is told this of it."""
    return call("get_boat", {"boat": name, **more}, boat=name)


def hand(name: str, *aboard: str, **more: Any) -> Any:
    """A call that asks for a hand and is told on which boats they work."""
    return call("get_hand", {"hand": name, "aboard": [{"boat": one} for one in aboard], **more}, hand=name)
