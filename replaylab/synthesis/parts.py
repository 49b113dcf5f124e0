"""The parts of a candidate as the generator wrote them, and the scenario that they make."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple, TypeVar

from pydantic import BaseModel, ValidationError

from replaylab.canonical import dumps
from replaylab.roles.generator import SECTIONS
from replaylab.schema.base import Json, JsonObject, misfit
from replaylab.schema.finding import Finding
from replaylab.schema.scenario import Environment, Plan, Rubric, Scenario, Task, Tool
from replaylab.synthesis.order import Order, Source

_TITLES = ("Terms", "Workflow", "State variables", "Edge cases", "Constraints")
Model = TypeVar("Model", bound=BaseModel)


class Place(NamedTuple):
    """Where a candidate stands: its scenario, the number of its instance and its level (0 for the environment)."""

    order: Order
    source: Source
    instance: int
    level: int = 0

    @property
    def scenario(self) -> str:
        """The id of the new scenario: that of the set that the instance goes into."""
        held = self.order.part_of(self.source.id, self.instance) == "held-out"
        return f"{self.source.id}.{self.order.name}{'.held' if held else ''}"

    @property
    def environment(self) -> str:
        return f"{self.source.id}.{self.order.name}.i{self.instance}"

    @property
    def task(self) -> str:
        return f"{self.environment}.l{self.level}"

    @property
    def name(self) -> str:
        return self.task if self.level else self.environment


class Misfit(Exception):
    """Parts that are no environment or task; `findings` say why."""

    def __init__(self, part: str, error: ValidationError) -> None:
        super().__init__(part)
        self.part = part
        self.findings = [
            Finding.of("shape", f"{part}: {misfit(error)}", f"{part} does not fit: {misfit(error)}")
        ]


def _read(kind: type[Model], value: Json, part: str) -> Model:
    try:
        return kind.model_validate_json(dumps(value), strict=True)
    except ValidationError as error:
        raise Misfit(part, error) from error


def environment_of(place: Place, parts: JsonObject) -> Environment:
    """The environment. Raises Misfit."""
    tools = tuple(_read(Tool, one, "tools") for one in parts["tools"])
    return Environment(
        id=place.environment,
        system_prompt=parts["environment"]["system_prompt"],
        tools=tools,
        initial_state=parts["state"],
        state_description=parts["description"],
        clock=parts["environment"].get("clock", ""),
        notes=(place.order.canary,),
    )


def task_of(place: Place, parts: JsonObject) -> Task:
    """The task. Raises Misfit."""
    plan = _read(Plan, parts["plan"], "plan")
    checks = [dict(one) for one in parts["checks"]]
    if checks and "note" not in checks[0]:
        checks[0]["note"] = place.order.canary
    return Task(
        id=place.task,
        scenario=place.scenario,
        environment=place.environment,
        instruction=parts["instruction"],
        rubric=Rubric(text=parts["rubric"], checks=tuple(checks)),
        plan=plan,
        difficulty=place.level,
        expected_calls=max(1, len(plan.calls)),
    )


def scenario_of(
    place: Place, parts: JsonObject, environment: Environment, tasks: tuple[Task, ...]
) -> Scenario:
    """A scenario that holds this environment and these tasks."""
    return Scenario(
        id=place.scenario,
        name=place.source.name,
        industry=place.source.industry,
        domain=place.source.domain,
        summary=parts["summary"],
        subtopics=tuple(parts["subtopics"]),
        environments=(environment,),
        tasks=tasks,
    )


def reference_of(source: Source, parts: JsonObject, canary: str) -> str:
    """The reference document. The variables of the state stand in it in any case, with what the description says of them."""
    return "\n".join(_reference(source, parts, canary)) + "\n"


def _reference(source: Source, parts: JsonObject, canary: str) -> Iterator[str]:
    yield f"# {source.name}: reference\n"
    for name, title in zip(SECTIONS, _TITLES, strict=True):
        yield f"## {title}\n\n{parts['reference'].get(name, '').strip()}\n"
        if name == "state_variables":
            for field, said in parts.get("description", {}).items():
                yield f"- `{field}`: {said}" if isinstance(said, str) else f"- `{field}`"
            yield ""
    yield f"<!-- {canary} -->"
