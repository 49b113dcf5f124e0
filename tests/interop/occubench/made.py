"""A small made-up source in the shape of the published data, and ways to break it."""

from __future__ import annotations

import json
from pathlib import Path

from replaylab.schema.base import Json, JsonObject

STATE: JsonObject = {
    "tanks": [{"tank_id": "T-1", "level": 4}, {"tank_id": "T-2", "level": 7}],
    "mode": "auto",
}
DESCRIBED: JsonObject = {"tanks": "All tanks. The level falls.", "mode": "How it runs."}
TOOLS: list[JsonObject] = [
    {
        "name": "get_level",
        "description": "Reads a level.",
        "parameters": {
            "type": "object",
            "properties": {"tank_id": {"type": "string", "description": "Which tank."}},
            "required": ["tank_id"],
        },
        "example_output": {"level": 4},
    },
    {
        "name": "set_mode",
        "description": "Sets the mode.",
        "parameters": {"type": "object", "properties": {"mode": {"type": "string"}}},
    },
    {"name": "run_test", "description": "", "parameters": {"type": "object"}, "example_output": None},
]
BODY = """You simulate tanks. State:
{{initial_state}}
Meaning: {{state_descriptions}}
Actions: {{action_set_definitions}}
Predict $o_{{t+1}}$. On an error say {{"error": {{"code": 1}}}}.
"""


def doubled(value: Json) -> str:
    return json.dumps(value, indent=2).replace("{", "{{").replace("}", "}}")


def prompt(state: Json, described: Json, tools: list[JsonObject], body: str = BODY) -> str:
    actions = {tool["name"]: {key: part for key, part in tool.items() if key != "name"} for tool in tools}
    return (
        f"{body}{{{{initial_state}}}}: {doubled(state)}\n{{{{state_descriptions}}}}: {doubled(described)}\n"
        f"{{action_set_definitions}}: {json.dumps(actions, indent=2)}"
    )


def config(name: str, *, body: str = BODY, **changes: Json) -> JsonObject:
    """A configuration whose appended copies agree with its fields."""
    one: JsonObject = {
        "environment_name": name,
        "action_set_definitions": TOOLS,
        "state_description": DESCRIBED,
        "task_initial_state": STATE,
    } | changes
    text = prompt(one["task_initial_state"], one["state_description"], one["action_set_definitions"], body)
    return {"world_model_system_prompt": text} | one


def task(number: int, environment: str, scenario: str = "Tank Farm Control") -> JsonObject:
    return {
        "task_id": number,
        "difficulty_level": 2,
        "task_scenario_name": scenario,
        "agent_instruction": f"Do number {number}.",
        "env_name": environment,
        "verification_plan": "The level is right.",
    }


def lines(values: list[JsonObject]) -> str:
    return "".join(json.dumps(value) + "\n" for value in values)


def source(root: Path) -> Path:
    """Three tasks of two scenarios; a third scenario of the pool has none."""
    folder = root / "source"
    (folder / "world_model_configs").mkdir(parents=True)
    for name in ("env_a", "env_b", "env_c"):
        write_config(folder, config(name))
    tasks = [task(10, "env_b"), task(9, "env_a"), task(3, "env_c", "Lock & Dam: Flow")]
    (folder / "eval_benchmark_solvable.jsonl").write_text(lines(tasks), encoding="utf-8")
    names = ["Tank Farm Control", "Lock & Dam: Flow", "Nobody's Job"]
    pool = [{"category": "Water", "domain": "Flow", "task_scenario_name": name} for name in names]
    (folder / "task_scenario_all_pool.jsonl").write_text(lines(pool), encoding="utf-8")
    return folder


def write_config(folder: Path, one: JsonObject) -> None:
    path = folder / "world_model_configs" / f"{one['environment_name']}.json"
    path.write_text(json.dumps(one), encoding="utf-8")


def tree(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()
    }
