"""Transcripts made up for tests: a hall with two gates, in the published form of a configuration."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from replaylab.catalogue.loader import Catalogue
from replaylab.interop.transcript import ImportedTranscripts, Reading, import_transcripts
from replaylab.schema.base import JsonObject
from replaylab.store.library import Library
from replaylab.wire.redact import Redactor

GATES = {"gates": [{"id": "G-1", "open": False}, {"id": "G-2", "open": False}]}
CONFIG: JsonObject = {
    "environment_name": "hall",
    "world_model_system_prompt": "You are a hall with gates.",
    "action_set_definitions": [
        {
            "name": "list_gates",
            "description": "Lists all gates.",
            "parameters": {"type": "object", "properties": {}},
            "example_output": {"gates": [{"id": "G-1", "open": False}]},
        },
        {
            "name": "open_gate",
            "description": "Opens a gate.",
            "parameters": {"type": "object", "properties": {"id": {"type": "string"}}},
            "example_output": {"ok": True},
        },
    ],
    "state_description": {"gates": "all gates"},
    "task_initial_state": GATES,
}


def step(tool: str = "list_gates", arguments: Any = None, observation: Any = None, **more: Any) -> JsonObject:
    """A step that lists the gates as they are, unless told otherwise."""
    shown = GATES if observation is None else observation
    return {"tool": tool, "arguments": {} if arguments is None else arguments, "observation": shown, **more}


def line(**changed: Any) -> JsonObject:
    """A line; a field that is given as `...` is left out."""
    fields: JsonObject = {
        "environment": CONFIG,
        "simulator": "a",
        "task": "Say which gates there are.",
        "steps": [step()],
        "final_answer": "G-1 and G-2.",
    } | changed
    return {key: value for key, value in fields.items() if value is not ...}


def written(path: Path, *lines: JsonObject | bytes) -> Path:
    """A file of these lines."""
    data = [one if isinstance(one, bytes) else json.dumps(one).encode() for one in lines]
    path.write_bytes(b"\n".join(data) + b"\n")
    return path


def no_catalogue() -> Catalogue:
    """What stands where no line should ask for a catalogue."""
    raise AssertionError("nobody named an environment")


def imported(root: Path, *lines: JsonObject | bytes, name: str = "theirs", **how: Any) -> ImportedTranscripts:
    """The lines imported into a library below `root`."""
    path = written(root / f"{name}.jsonl", *lines)
    reading = Reading(how.pop("catalogue", no_catalogue), Redactor(["a-very-secret-value"]).value, **how)
    return import_transcripts(Library(root / "library"), name, {path.name: path}, reading)
