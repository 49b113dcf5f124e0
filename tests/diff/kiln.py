"""A pottery of our own whose prompt reserves its errors: for what is unknown, for a state, for what is taken, for a limit."""

from __future__ import annotations

from typing import Any

from replaylab.schema.scenario import Environment
from tests.diff.ward import tool

STATE: dict[str, Any] = {
    "kilns": [
        {"kiln_id": "K-1", "mode": "glazing", "temperature": 900},
        {"kiln_id": "K-2", "mode": "drying", "temperature": 60},
    ],
    "racks": {"R-10": {"holds": "cups"}, "R-11": {"holds": "bowls"}},
}
PROMPT = """You simulate a pottery.

- If an action references non-existent kilns or racks, return {"error": "Kiln/Rack not found"}.
- If an action needs a kiln that is currently 'DAMAGED', return {"error": "Operation failed: kiln wants repair"}.
- If two firings overlap in one kiln, return {"error": "Kiln 'K-9' is already booked then"}.
- A day shift lasts at most 180 minutes.
"""
FIRE = {"minutes": {"type": "integer"}}
TOOLS = (
    tool("get_kiln", "Shows one kiln.", "kiln_id"),
    tool("get_shift", "Shows the shift."),
    tool("get_glaze_recipe", "Shows a recipe.", "glaze"),
    tool("label_rack", "Writes a label.", "rack_id", effect="write"),
    tool(
        "set_mode",
        "Sets what a kiln does.",
        "kiln_id",
        effect="write",
        mode={"type": "string", "enum": ["glazing", "drying"]},
    ),
    tool("fire_kiln", "Fires a kiln.", "kiln_id", effect="write", **FIRE),
    tool("remove_rack", "Takes a rack away.", "rack_id", effect="write"),
)


def pottery(**more: Any) -> Environment:
    """The pottery; `more` replaces parts of it, and `also` is added to its prompt."""
    prompt = PROMPT + more.pop("also", "")
    given = {"system_prompt": prompt, "tools": TOOLS, "initial_state": STATE, "state_description": {}, **more}
    return Environment(id="pottery", **given)
