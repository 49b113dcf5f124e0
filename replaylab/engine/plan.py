"""The plan of a run: pure, ordered, digested. The same spec and catalogue give the same trials in the same order."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from replaylab import __version__
from replaylab.canonical import Digest, digest
from replaylab.catalogue.loader import Catalogue
from replaylab.errors import UsageError
from replaylab.roles.parsing import PARSER_VERSION
from replaylab.roles.prompts import prompts_of
from replaylab.schema.base import JsonObject
from replaylab.schema.callpath import Condition, TrialKey
from replaylab.schema.cassette import FORMAT, Engine, Header, Limits, Provenance, ScenarioFacts, Subject
from replaylab.schema.fault import FaultPlan
from replaylab.schema.model import ModelSettings
from replaylab.schema.run import PlannedTask, RunSpec
from replaylab.schema.scenario import Environment, Scenario, Task
from replaylab.schema.trajectory import JudgedBy

ENGINE_VERSION = "1"
Redact = Callable[[Any], Any]


@dataclass(frozen=True)
class PlannedTrial:
    """A trial to record. `header` lacks only what is known when it starts: `created` and the try.

    `source` names the cassette from which lanes are copied, and `copies` says as what: {their lane: this lane}.
    """

    key: TrialKey
    header: Header
    source: str = ""
    copies: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Choice:
    """What the user asked to record, resolved to models, fault plans and tasks."""

    agents: Sequence[ModelSettings]
    simulators: Sequence[ModelSettings]
    verifiers: Sequence[ModelSettings]
    faults: Sequence[FaultPlan]
    tasks: Sequence[str]
    trials: int = 1
    limits: Limits = field(default_factory=Limits)
    judged_by: JudgedBy = "votes"


def make_spec(choice: Choice, catalogue: Catalogue, redact: Redact) -> RunSpec:
    """The spec of a run. It covers the content of every task, environment and prompt, so an edit gives another spec."""
    for name, chosen in (
        ("agent", [model.alias for model in choice.agents]),
        ("simulator", [model.alias for model in choice.simulators]),
        ("verifier", [model.alias for model in choice.verifiers]),
        ("fault plan", [plan.name for plan in choice.faults]),
        ("task", list(choice.tasks)),
    ):
        if not chosen:
            raise UsageError(f"the run has no {name}", fix=f"name at least one {name}")
        if len(set(chosen)) != len(chosen):
            twice = next(one for one in chosen if chosen.count(one) > 1)
            raise UsageError(
                f"the {name} {twice!r} is named twice", fix="name each once; use --trials to repeat"
            )
    if choice.trials < 1 or (choice.limits.votes < 1 and choice.judged_by != "checks"):
        raise UsageError("a run needs at least one trial and one vote")
    if choice.judged_by != "votes":
        _have_checks(choice.tasks, catalogue)
    return RunSpec(
        agents=tuple(choice.agents),
        simulators=tuple(choice.simulators),
        verifiers=tuple(choice.verifiers),
        faults=tuple(choice.faults),
        tasks=tuple(
            PlannedTask(task=task, content=content(*catalogue.task(task), redact)) for task in choice.tasks
        ),
        trials=choice.trials,
        limits=choice.limits,
        judged_by=choice.judged_by,
        prompts={name: prompt.digest for name, prompt in prompts_of(choice.faults).items()},
    )


def _have_checks(tasks: Sequence[str], catalogue: Catalogue) -> None:
    bare = next((name for name in tasks if not catalogue.task(name).task.rubric.checks), None)
    if bare is not None:
        raise UsageError(
            f"the task {bare!r} has no checks to judge by", fix="leave it out, or judge by votes alone"
        )


def content(scenario: Scenario, environment: Environment, task: Task, redact: Redact) -> Digest:
    """The digest over what a task consists of."""
    return digest(redact([facts(scenario).to_json(), environment.to_json(), task.to_json()]))


def facts(scenario: Scenario) -> ScenarioFacts:
    """What tables group a scenario's tasks by."""
    return ScenarioFacts(
        id=scenario.id, name=scenario.name, industry=scenario.industry, domain=scenario.domain
    )


def keys(spec: RunSpec) -> list[TrialKey]:
    """All trials of a spec. Trial number first, then task: a run that stops early has covered every condition alike."""
    return [
        TrialKey(Condition(agent.alias, simulator.alias, verifier.alias, faults.name), task.task, trial)
        for trial in range(spec.trials)
        for task in spec.tasks
        for agent in spec.agents
        for simulator in spec.simulators
        for verifier in spec.verifiers
        for faults in spec.faults
    ]


def planned_count(spec: RunSpec) -> int:
    """How many trials a spec has, without making a key for each."""
    axes = (spec.tasks, spec.agents, spec.simulators, spec.verifiers, spec.faults)
    return math.prod(map(len, axes), start=spec.trials)


_SHARD = re.compile(r"[0-9]{1,9}/[0-9]{1,9}")


def shard(planned: Sequence[Any], text: str) -> Sequence[Any]:
    """Every N-th trial, from the i-th: `text` is "i/N" with 1 <= i <= N, or "" for all."""
    if not text:
        return planned
    part, _, whole = text.partition("/")
    if not (_SHARD.fullmatch(text) and 1 <= int(part) <= int(whole)):
        raise UsageError(
            f"not a shard: {text!r}", fix="--shard i/N with 1 <= i <= N, for example --shard 2/8"
        )
    return planned[int(part) - 1 :: int(whole)]


def planned_trials(spec: RunSpec, catalogue: Catalogue, redact: Redact) -> list[PlannedTrial]:
    """The trials of a spec with all that the engine needs to run them, redacted, in plan order."""
    models = {"agent": spec.agents, "simulator": spec.simulators, "verifier": spec.verifiers}
    players = {role: {model.alias: model for model in chosen} for role, chosen in models.items()}
    faults = {plan.name: plan for plan in spec.faults}
    found = {planned.task: _redacted(catalogue, planned, redact) for planned in spec.tasks}
    return [
        PlannedTrial(key, make_header(key, spec, *found[key.task], faults[key.condition.faults], players))
        for key in keys(spec)
    ]


def _redacted(
    catalogue: Catalogue, planned: PlannedTask, redact: Redact
) -> tuple[ScenarioFacts, Environment, Task]:
    scenario, environment, task = catalogue.task(planned.task)
    if content(scenario, environment, task, redact) != planned.content:
        raise UsageError(
            f"the task {planned.task!r} has changed since the run was planned",
            fix="record it as another run (--run NAME)",
        )
    return (
        facts(scenario),
        Environment.model_validate(redact(environment.to_json())),
        Task.model_validate(redact(task.to_json())),
    )


def make_header(
    key: TrialKey,
    spec: RunSpec,
    scenario: ScenarioFacts,
    environment: Environment,
    task: Task,
    faults: FaultPlan,
    players: Mapping[str, Mapping[str, ModelSettings]],
) -> Header:
    """The header of a trial that has not started. `players` gives the models by role and alias."""
    condition = key.condition
    header = Header(
        format=FORMAT,
        subject=Subject(condition=str(condition), task=key.task, trial=key.trial),
        created="",
        lanes={lane: Provenance() for lane in lane_names(spec.limits.votes)},
        players={
            "agent": players["agent"][condition.agent],
            "simulator": players["simulator"][condition.simulator],
            "verifier": players["verifier"][condition.verifier],
        },
        scenario=scenario,
        environment=environment,
        task=task,
        faults=faults,
        prompts=prompts_of(spec.faults),
        limits=spec.limits,
        clock=environment.clock,
        engine=this_engine(),
        inputs=digest(None),
        mode=spec.mode,
        judged_by=spec.judged_by,
    )
    return header.model_copy(update={"inputs": inputs_digest(header)})


def this_engine() -> Engine:
    """The versions that a recording made now is made by."""
    return Engine(replaylab=__version__, engine=ENGINE_VERSION, parser=PARSER_VERSION)


def lane_names(votes: int) -> Iterable[str]:
    """The lanes of a trial that is run from its start."""
    yield "agent"
    yield "simulator"
    yield from (f"verifier.{vote}" for vote in range(votes))


def inputs_digest(header: Header) -> Digest:
    """`inputs/1`: over what a trial is given. When, which try, and where a lane came from take no part, nor does what
    was captured and how.
    """
    given: JsonObject = header.to_json()
    for name in ("created", "lanes", "inputs", "engine", "capture"):
        given.pop(name, None)
    given["subject"].pop("try", None)
    return digest({"v": "inputs/1", "given": given})
