"""Scenario, Environment and Task: what a benchmark consists of."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from replaylab.schema.base import Frozen, Json, JsonObject

Effect = Literal["read", "write", "unknown"]
Origin = Literal["authored", "imported"]


class Tool(Frozen):
    """One action of an environment. `parameters` is a JSON Schema of an object."""

    name: str
    description: str = ""
    parameters: JsonObject = Field(default_factory=lambda: {"type": "object", "properties": {}})
    effect: Effect = "unknown"
    effect_from: Literal["declared", "inferred"] = "declared"
    has_example: bool = True
    example_output: Json = None


class Environment(Frozen):
    """What the simulator plays. `clock` is the frozen date and time that a trial takes as now, ISO 8601, or ""."""

    id: str
    system_prompt: str
    tools: tuple[Tool, ...]
    initial_state: JsonObject
    state_description: JsonObject
    clock: str = ""
    origin: Origin = "authored"
    notes: tuple[str, ...] = ()

    def tool(self, name: str) -> Tool | None:
        """The tool of that name, or None."""
        for tool in self.tools:
            if tool.name == name:
                return tool
        return None


class PlannedCall(Frozen):
    """One call of a reference plan. `purpose` is `act`, or `verify` for a look that only confirms."""

    tool: str
    arguments: JsonObject = Field(default_factory=dict)
    purpose: Literal["act", "verify"] = "act"


class Plan(Frozen):
    """A way to solve the task: the calls in order and the final answer."""

    calls: tuple[PlannedCall, ...]
    answer: str


class Rubric(Frozen):
    """When the task counts as solved: a text for readers, and checks (`rubric/1`) that a program can run."""

    text: str
    checks: tuple[JsonObject, ...] = ()


class Task(Frozen):
    """`difficulty` counts from 1 (easiest). `id` is unique in the whole catalogue."""

    id: str
    scenario: str
    environment: str
    instruction: str
    rubric: Rubric
    plan: Plan | None = None
    difficulty: int = 1
    expected_calls: int = 16
    origin: Origin = "authored"


class Scenario(Frozen):
    """A professional situation in an industry and a domain; it holds environments and tasks."""

    id: str
    name: str
    industry: str
    domain: str
    origin: Origin = "authored"
    summary: str = ""
    subtopics: tuple[str, ...] = ()
    environments: tuple[Environment, ...]
    tasks: tuple[Task, ...]
