"""A small scenario folder for tests, and ways to break it."""

from __future__ import annotations

import json
from pathlib import Path

from replaylab.schema.base import Json

TOOL = {
    "name": "open_gate",
    "description": "Opens a gate.",
    "effect": "write",
    "parameters": {
        "type": "object",
        "properties": {"gate": {"type": "string"}},
        "required": ["gate"],
        "additionalProperties": False,
    },
    "example_output": {"gate": "G-1", "open": True},
}
LOOK = {"name": "look", "effect": "read", "example_output": None}
TASK = {
    "environment": "yard",
    "instruction": "Open a gate.",
    "rubric": {"text": "A gate is open."},
    "plan": {
        "calls": [{"tool": "look"}, {"tool": "open_gate", "arguments": {"gate": "G-1"}}],
        "answer": "Open.",
    },
}
TWIN = """
from replaylab.catalogue.twin import Refused, ToolTwin


class Twin(ToolTwin):
    def look(self):
        return self._state["gates"]

    def open_gate(self, gate):
        self._state["tries"] += 1
        if gate not in self._state["gates"]:
            raise Refused(f"there is no gate {gate}")
        self._state["gates"][gate] = True
        return {"gate": gate, "open": True}
"""


def put(path: Path, value: Json) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(value if isinstance(value, str) else json.dumps(value), encoding="utf-8")


def scenario(root: Path, name: str = "gates", environment: str = "yard", task: str = "gates-1") -> Path:
    """`root`/`name` with one environment and one task."""
    folder = root / name
    put(
        folder / "scenario.json",
        {"format": "replaylab.scenario/1", "name": name.title(), "industry": "Farming", "domain": "Gates"},
    )
    put(folder / "reference.md", "# Gates\n")
    home = folder / "environments" / environment
    put(home / "environment.json", {"clock": "2025-01-01T08:00:00Z"})
    put(home / "system_prompt.md", "You play a yard.\n")
    put(home / "tools.json", [TOOL, LOOK])
    put(home / "state.json", {"gates": {"G-1": False}, "tries": 0})
    put(home / "description.json", {"gates": "Whether each is open.", "tries": "How often somebody tried."})
    put(folder / "tasks" / f"{task}.json", TASK | {"environment": environment})
    return folder


def change(path: Path, **fields: Json) -> None:
    """Set fields of a JSON file; `None` removes one."""
    value = json.loads(path.read_text(encoding="utf-8")) | fields
    put(path, {key: part for key, part in value.items() if part is not None})
