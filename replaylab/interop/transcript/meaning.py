"""From a line to what an engine needs of it: who played, the environment, the task, and what each side said."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any, NamedTuple

from replaylab.canonical import NotIJson, digest, parse_strict
from replaylab.catalogue.loader import Catalogue
from replaylab.errors import UsageError
from replaylab.faults.plan import named
from replaylab.interop.occubench.convert import to_environment, to_task
from replaylab.interop.occubench.source import SourceEnvironment, SourceTask
from replaylab.interop.occubench.survey import notes_on
from replaylab.interop.transcript.lines import (
    PlayerLine,
    Problem,
    Raw,
    Redact,
    ScenarioLine,
    StepLine,
    TaskLine,
    TranscriptLine,
    Wrong,
    fit,
)
from replaylab.near import closest
from replaylab.roles.chat import canonical_text
from replaylab.roles.parsing import Unparsable, kind_of, one_json
from replaylab.roles.simulator import allowed_kinds
from replaylab.schema.base import Json, JsonObject
from replaylab.schema.cassette import UNDATED, ScenarioFacts
from replaylab.schema.fault import FaultPlan
from replaylab.schema.interaction import Usage
from replaylab.schema.model import UNKNOWN, ModelSettings
from replaylab.schema.scenario import Environment, Rubric, Task

WRAPPED = "observation"  # the field in which an observation stands that is no JSON that the tool can return


class Aside(NamedTuple):
    """What a source says of an answer beside its words. `ms` is how long it took; nothing here is made up."""

    reasoning: str = ""
    finish: str = ""
    usage: Usage | None = None
    model: str = ""
    ms: float = 0.0

    def to_json(self) -> JsonObject:
        """What is there of it."""
        fields = self._asdict() | {"usage": self.usage.to_json() if self.usage else None}
        return {key: value for key, value in fields.items() if value}


SILENT = Aside()


class Place(NamedTuple):
    """Where in a transcript something is odd: the kind of its note, the field, and what is said of it."""

    note: str
    field: str
    why: str = ""


class Said(NamedTuple):
    """A call and its answer as the engine reads them. `observed` is None where the engine itself answers such a call.

    `together`: it is a call of the same answer as the one before it, whose text and aside stand there.
    """

    text: str
    tool: str
    arguments: str
    observed: str | None
    id: str = ""
    together: bool = False
    aside: Aside = SILENT

    def to_json(self) -> list[Json]:
        """All of it, to be compared."""
        return [*self[:6], self.aside.to_json()]


@dataclass(frozen=True)
class Transcript:
    """One conversation. `trial` is None where the line gives no number; `kept` is what only a reader needs."""

    where: str
    agent: ModelSettings
    simulator: ModelSettings
    faults: FaultPlan
    scenario: ScenarioFacts
    environment: Environment
    task: Task
    steps: tuple[Said, ...]
    answer: str | None
    trial: int | None = None
    created: str = UNDATED
    kept: JsonObject = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    closing: Aside = SILENT
    places: tuple[Place, ...] = ()

    def content(self) -> str:
        """The digest over what tasks of one id must have in common."""
        return digest([self.scenario.to_json(), self.environment.to_json(), self.task.to_json()])

    def at(self, trial: int) -> Transcript:
        """The same one with its number."""
        return replace(self, trial=trial)

    def noted(self, note: str) -> list[Problem]:
        """Where that is odd: the fields that are known, else the transcript as a whole."""
        known = [Problem(self.where, one.field, one.why) for one in self.places if one.note == note]
        return known or [Problem(self.where, "", "")] * (note in self.notes)


@dataclass
class Meaning:
    """Reads lines. `catalogue` is asked for once a line names an environment and does not bring it along."""

    catalogue: Callable[[], Catalogue]
    redact: Redact
    keep_unknown: bool = False
    _environments: dict[str, Environment] = field(default_factory=dict)
    _homes: dict[str, ScenarioFacts] | None = None

    def read(self, raw: Raw) -> Transcript:
        """The conversation of a line. Raises Wrong."""
        line, kept = raw.line, dict(raw.kept)
        unknown = kept if self.keep_unknown else None
        environment, home = self._environment(line.environment, unknown)
        scenario = _scenario(line, environment, home, unknown)
        task = self._task(line.task, environment, scenario, unknown)
        said, places, given = _steps(line.steps, environment)
        places += [Place("unknown_field", key) for key in kept]
        if not line.steps and line.final_answer is None:
            raise Wrong(("steps", "there is neither a call nor a final answer"))
        extra: JsonObject = {"unknown": kept} if kept else {}
        extra |= {"provenance": line.provenance} if line.provenance is not None else {}
        extra |= {"given": given} if given else {}
        return Transcript(
            where=raw.where,
            agent=_player(line.agent, "agent", unknown),
            simulator=_player(line.simulator, "simulator", unknown),
            faults=_faults(line.condition),
            scenario=scenario,
            environment=environment,
            task=task,
            steps=said,
            answer=line.final_answer,
            trial=line.trial,
            created=created_text(line.created),
            kept=extra,
            notes=tuple(one.note for one in places),
            places=tuple(places),
        )

    def _environment(
        self, given: Json, unknown: JsonObject | None
    ) -> tuple[Environment, ScenarioFacts | None]:
        if isinstance(given, str):
            try:
                found = self.catalogue().environment(given)
            except UsageError as error:
                raise Wrong(("environment", _in_words(error))) from error
            return self._clean(found), self._home(given)
        name = digest(given)
        if name not in self._environments:
            one = fit(SourceEnvironment, _plain_tools(given), "environment", unknown)
            self._environments[name] = _sound(to_environment(one, notes_on(one)))
        return self._environments[name], None

    def _clean(self, environment: Environment) -> Environment:
        if environment.id not in self._environments:
            self._environments[environment.id] = Environment.model_validate(
                self.redact(environment.to_json())
            )
        return self._environments[environment.id]

    def _home(self, environment: str) -> ScenarioFacts:
        if self._homes is None:
            self._homes = {
                one.id: ScenarioFacts(id=home.id, name=home.name, industry=home.industry, domain=home.domain)
                for home in self.catalogue().scenarios
                for one in home.environments
            }
        return self._homes[environment]

    def _task(
        self, given: Json, environment: Environment, scenario: ScenarioFacts, unknown: JsonObject | None
    ) -> Task:
        if isinstance(given, str) and given and not any(char.isspace() for char in given):
            return self._named_task(given, environment, scenario)
        if isinstance(given, str):
            given = {"instruction": given}
        if isinstance(given, dict) and "agent_instruction" in given:
            source = fit(SourceTask, given, "task", unknown)
            if source.env_name != environment.id:
                raise Wrong(("task.env_name", f"the environment of the line is {environment.id!r}"))
            return to_task(source, scenario.id)
        one = fit(TaskLine, given, "task", unknown)
        name = one.id or f"{environment.id}-{digest([environment.id, one.instruction])[:12]}"
        return Task(
            id=name,
            scenario=scenario.id,
            environment=environment.id,
            instruction=one.instruction,
            rubric=Rubric(text=one.rubric),
            difficulty=one.difficulty,
            expected_calls=one.expected_calls,
            origin="imported",
        )

    def _named_task(self, name: str, environment: Environment, scenario: ScenarioFacts) -> Task:
        try:
            task = self.catalogue().task(name).task
        except UsageError as error:
            hint = '; an instruction of one word is given as an object: {"instruction": …}'
            raise Wrong(("task", _in_words(error) + hint)) from error
        if task.environment != environment.id:
            raise Wrong(("task", f"{name} belongs to the environment {task.environment!r}, not to this one"))
        clean = Task.model_validate(self.redact(task.to_json()))
        return clean.model_copy(update={"scenario": scenario.id})


def _plain_tools(given: Json) -> Json:
    """The environment with its tools as they are themselves, where they stand in the form of the tool-calling API."""
    tools = given.get("action_set_definitions") if isinstance(given, dict) else None
    if not isinstance(tools, list):
        return given
    plain = [
        one["function"] if isinstance(one, dict) and one.keys() == {"type", "function"} else one
        for one in tools
    ]
    return {**given, "action_set_definitions": plain}


def _sound(environment: Environment) -> Environment:
    names = [tool.name for tool in environment.tools]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise Wrong(("environment.action_set_definitions", f"the tool {twice!r} is defined twice"))
    return environment


def _scenario(
    line: TranscriptLine, environment: Environment, home: ScenarioFacts | None, unknown: JsonObject | None
) -> ScenarioFacts:
    given = line.scenario
    if given is None and home is not None and not (line.industry or line.domain):
        return home
    if given is None and home is not None:
        given = home.to_json()
    if given is None or isinstance(given, str):
        given = {"id": given or environment.id}
    one = fit(ScenarioLine, given, "scenario", unknown)
    return ScenarioFacts(
        id=one.id,
        name=one.name or one.id,
        industry=line.industry or one.industry or UNKNOWN,
        domain=line.domain or one.domain or UNKNOWN,
    )


def _player(given: Json, role: str, unknown: JsonObject | None) -> ModelSettings:
    one = fit(PlayerLine, {"alias": given} if isinstance(given, str) else given, role, unknown)
    return ModelSettings(**{**one.model_dump(), "model": one.model or one.alias})


def _faults(condition: str) -> FaultPlan:
    """The plan of that name, as one that the simulator was asked to play: no harness of ours disturbed anything."""
    try:
        return named(condition, mode="harness" if condition == "E0" else "prompt")
    except UsageError as error:
        raise Wrong(("condition", _in_words(error))) from error


def created_text(text: str) -> str:
    """An ISO 8601 time as cassettes hold it; "" is no time. Raises Wrong."""
    if not text:
        return UNDATED
    try:
        when = datetime.fromisoformat(text)
        when = (when if when.tzinfo else when.replace(tzinfo=UTC)).astimezone(UTC)
    except (ValueError, OverflowError) as error:
        raise Wrong(("created", "it is not an ISO 8601 time such as 2026-01-02T03:04:05Z")) from error
    return when.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _steps(
    lines: tuple[StepLine, ...], environment: Environment
) -> tuple[tuple[Said, ...], list[Place], JsonObject]:
    """What was said, what had to be read otherwise than it was given, and how that was given, by number of the call."""
    said, places, given = [], [], {}
    for number, line in enumerate(lines):
        try:
            arguments, decoded = arguments_text(line.arguments)
        except Wrong as wrong:
            raise Wrong((f"steps.{number}.arguments", wrong.problems[0][1])) from wrong
        try:
            observed, note = observed_text(line.tool, arguments, line.observation, environment)
        except Wrong as wrong:
            raise Wrong((f"steps.{number}.observation", wrong.problems[0][1])) from wrong
        said.append(Said(line.text, line.tool, arguments, observed))
        places += odd_call(f"steps.{number}", line.tool, environment, note, decoded=decoded)
        if note:
            given[str(number)] = line.observation
    return tuple(said), places, given


def odd_call(where: str, tool: str, environment: Environment, note: str, *, decoded: bool) -> list[Place]:
    """The places of a call that were read otherwise than they were given. `where` is that of the call."""
    found = [Place("double_encoded", f"{where}.arguments")] if decoded else []
    if note == "engine_answered" and environment.tool(tool) is None:
        names = [one.name for one in environment.tools]
        near = closest(tool, names)
        hint = f"closest: {near}" if near else f"it has {', '.join(names[:8]) or 'none'}"
        found.append(Place(note, f"{where}.tool", f"there is no tool {tool[:80]!r}; {hint}"))
    elif note == "engine_answered":
        found.append(Place(note, f"{where}.arguments", f"{tool} is called with no JSON object"))
    elif note:
        found.append(Place(note, f"{where}.observation"))
    return found


def arguments_text(given: Json) -> tuple[str, bool]:
    """The text of the arguments as an agent writes them, and whether they were encoded twice."""
    if given is None or isinstance(given, dict):
        return _readable(given or {}), False
    if not isinstance(given, str):
        raise Wrong(("", "they are neither an object nor a text that holds one"))
    inner = _value(given)
    if isinstance(inner, str) and isinstance(_value(inner), dict):
        return inner, True
    return given, False


def _value(text: str) -> Any:
    try:
        return parse_strict(text)
    except NotIJson:
        return None


def observed_text(
    name: str, arguments: str, observation: Json, environment: Environment
) -> tuple[str | None, str]:
    """The text that the engine reads the observation from, and what is odd about it.

    None where the engine answers a call itself, as it does for unknown tools and for arguments that are no object.
    """
    tool = environment.tool(name)
    # An agent's empty text counts as no arguments, as in an answer of a model.
    if tool is None or (arguments.strip() and not isinstance(_value(arguments), dict)):
        return None, "engine_answered"
    allowed = allowed_kinds(tool)
    if isinstance(observation, str):
        try:
            one_json(observation, allowed)
        except Unparsable:
            pass
        else:
            return observation, ""
    if kind_of(observation) in allowed:
        return _readable(observation), ""
    return _readable({WRAPPED: observation}), "wrapped_observation"


def _readable(value: Json) -> str:
    """The value as a message holds it. Raises Wrong where nobody could read it back: a double from 2^53 on is written
    as an integer that has no exact form.
    """
    text = canonical_text(value)
    try:
        parse_strict(text)
    except NotIJson as error:
        raise Wrong(("", f"it can't be written so that it is read back: {error.what}")) from error
    return text


def _in_words(error: UsageError) -> str:
    return error.what + (f"; closest: {error.closest}" if error.closest else "")
