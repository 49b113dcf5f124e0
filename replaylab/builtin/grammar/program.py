"""Answers the questions that a generator is asked, one part at a time, from the question alone."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import Path

from pydantic import ValidationError

from replaylab.builtin.answer import json_text
from replaylab.builtin.asked import Asked, Refusal
from replaylab.builtin.grammar.tasks import Written, write_task
from replaylab.builtin.grammar.world import World, world_of
from replaylab.builtin.index import Index
from replaylab.canonical import canonical, loads
from replaylab.catalogue import files
from replaylab.catalogue.twin import Twin, load_twin
from replaylab.errors import UsageError
from replaylab.roles.generator import SECTIONS, Question, read_question
from replaylab.schema.base import Json, JsonObject
from replaylab.schema.scenario import Environment, Scenario

NOTHING = "no task of this level came of the draws"


class Grammar:
    """The generator over a catalogue. Twins are run from `trusted` folders only."""

    def __init__(self, index: Index, trusted: Sequence[Path]) -> None:
        self._index, self._trusted = index, tuple(trusted)
        # A question holds everything, so each one would make the world and its task again.
        self._made = lru_cache(maxsize=64)(self._make)
        self._written = lru_cache(maxsize=512)(self._write)

    def answer(self, asked: Asked) -> str:
        """The part as canonical JSON; a sentence where no draw gives one. Raises Refusal."""
        question = next((one for text in asked.texts("user")[:1] if (one := read_question(text))), None)
        if question is None:
            fix = "Send the message that `roles.generator.Question` makes."
            raise Refusal("the messages hold no question of a generator", param="messages", fix=fix)
        scenario = self._scenario(question)
        try:
            part = self._part(question, scenario)
        except (ValidationError, KeyError, TypeError) as error:
            raise Refusal("the parts so far are not those of an environment", param="messages") from error
        return NOTHING if part is None else json_text(part)

    def _scenario(self, question: Question) -> Scenario:
        name = question.order.get("scenario", {}).get("id", "")
        for scenario in self._index.catalogue.scenarios:
            if scenario.id == name:
                return scenario
        raise Refusal(
            f"the program `grammar` makes tasks of shipped scenarios, and {name!r} is none",
            param="messages",
            fix="Name a shipped scenario, or take a language model as generator.",
        )

    def _part(self, question: Question, scenario: Scenario) -> JsonObject | None:
        match question.step:
            case "reference":
                return {"summary": scenario.summary, **_sections(self._folder(scenario))}
            case "subtopics":
                return {"subtopics": list(scenario.subtopics)}
            case "environment" | "tools" | "state":
                return self._environment(question, scenario)
            case "diagnosis":
                return _diagnosis(question.findings)
            case "twin":
                return {"code": self._code(scenario)}
            case _:
                return self._task(question, scenario)

    def _folder(self, scenario: Scenario) -> Path:
        return self._index.catalogue.folder(scenario.id)

    def _code(self, scenario: Scenario) -> str:
        home = self._folder(scenario) / "environments" / scenario.environments[0].id
        return files.read_text(home / files.TWIN_FILE) + "\n"

    def _twinned(self, scenario: Scenario, environment: Environment) -> Twin:
        """The scenario's twin at another state. Its folder is that of the shipped environment."""
        placed = environment.model_copy(update={"id": scenario.environments[0].id})
        try:
            return load_twin(self._folder(scenario), placed, trusted=self._trusted)
        except UsageError as error:
            raise Refusal(error.what, param="model", code="no_twin", fix=f"To do: {error.fix}.") from error

    def _world(self, question: Question, scenario: Scenario, *, still: bool) -> World:
        seed = {"seed": question.order.get("seed", 0), "instance": question.order.get("instance", 0)}
        return self._made(scenario.id, canonical(seed), still)

    def _make(self, name: str, seed: bytes, still: bool) -> World:
        """A world; its twin stands at the beginning, and whoever wants to write takes a fork."""
        scenario = self._index.catalogue.scenario(name)
        code = self._code(scenario)
        return world_of(scenario, lambda one: self._twinned(scenario, one), code, loads(seed), still=still)

    def _environment(self, question: Question, scenario: Scenario) -> JsonObject:
        made = self._world(question, scenario, still=question.repairs).environment
        if question.step == "environment":
            source = scenario.environments[0].id
            return {"system_prompt": made.system_prompt, "clock": made.clock, "twin_of": source}
        if question.step == "state":
            return {"state": made.initial_state, "description": made.state_description}
        tools = [tool.model_dump(mode="json", exclude={"effect_from", "has_example"}) for tool in made.tools]
        state = question.parts.get("state") or made.initial_state
        return {"tools": _held(tools, state, question.findings)}

    def _task(self, question: Question, scenario: Scenario) -> JsonObject | None:
        written = self._of_round(question, scenario)
        if written is None:
            return None
        plan = written.plan.model_dump(mode="json")
        return {
            "task": {"instruction": written.instruction},
            "plan": plan,
            "rubric": {"text": written.rubric["text"]},
            "checks": {"checks": written.rubric["checks"]},
        }[question.step]

    def _of_round(self, question: Question, scenario: Scenario) -> Written | None:
        """The task that the parts so far belong to; the one of the order's round where there are none yet."""
        latest = int(question.order.get("round", 0))
        told, planned = question.parts.get("instruction"), question.parts.get("plan")
        if told is None and planned is None:
            return self._drawn(question, scenario, latest)
        drawn = [self._drawn(question, scenario, number) for number in range(latest + 1)]
        for one in drawn:
            if one and (one.instruction == told or one.plan.model_dump(mode="json") == planned):
                return one
        return drawn[-1]

    def _drawn(self, question: Question, scenario: Scenario, number: int) -> Written | None:
        given = {name: question.parts[name] for name in ("environment", "tools", "state", "description")}
        order = {name: question.order.get(name, 0) for name in ("seed", "instance", "level")}
        return self._written(scenario.id, canonical([given, order, number]))

    def _write(self, scenario: str, key: bytes) -> Written | None:
        given, order, number = loads(key)
        of = self._index.catalogue.scenario(scenario)
        asked = Question("task", order, {})
        known = self._world(asked, of, still=True).known
        environment = environment_of(of.environments[0].id, given)
        twin = self._twinned(of, environment)
        seed = {**order, "scenario": scenario, "round": number}
        return write_task(World(environment, known, twin, ()), order["level"], seed)


def environment_of(name: str, given: JsonObject) -> Environment:
    """The environment that the parts so far describe. Raises pydantic's ValidationError."""
    return Environment.model_validate(
        {
            "id": name,
            "system_prompt": given["environment"]["system_prompt"],
            "clock": given["environment"].get("clock", ""),
            "tools": given["tools"],
            "initial_state": given["state"],
            "state_description": given["description"],
        }
    )


def _sections(folder: Path) -> JsonObject:
    """The sections of a scenario's reference document, by the names that the generator gives them."""
    text = files.read_text(folder / files.REFERENCE_FILE)
    parts = re.split(r"(?m)^## (.+)$", text)[1:]
    by_title = {
        title.casefold().replace(" ", "_"): part.strip()
        for title, part in zip(parts[::2], parts[1::2], strict=True)
    }
    return {name: by_title.get(name, "-") for name in SECTIONS}


def _held(tools: Json, state: JsonObject, findings: Sequence[Json]) -> Json:
    """The tools with other ids in their examples, where a finding says that the state does not hold those."""
    text = canonical(state).decode()
    for name in (one.get("observed") for one in findings if one.get("kind") == "example-state"):
        prefix, _, number = str(name).rpartition("-")
        held = re.findall(rf"(?<![\w-]){re.escape(prefix)}-\d+", text)
        counts = (
            sorted(_integers(state), key=lambda one: (abs(one - int(number)), one))
            if number.isdigit()
            else []
        )
        other = held[0] if held else f"{prefix}-{counts[0]}" if counts else name
        tools = loads(canonical(tools).decode().replace(str(name), other))
    return tools


def _integers(node: Json) -> Iterator[int]:
    if type(node) is int:
        yield node
    for part in node.values() if isinstance(node, dict) else node if isinstance(node, list) else ():
        yield from _integers(part)


def _diagnosis(findings: Sequence[Json]) -> JsonObject:
    """What a program can tell of a plan that did not solve its task: whether a call of it was refused."""
    refused = any(one.get("kind") == "refused" for one in findings if isinstance(one, dict))
    why = "a call of the plan was refused" if refused else "the plan went through and a check failed"
    return {"part": "plan" if refused else "checks", "why": why}
