"""Cassettes that somebody wrote: valid files whose verdicts are given, for tests, load tests and rebuilt tables.

Nobody played them. Each lane has the provenance `authored`, every text in them says so, and each trial runs through the
engine's own rules, so that its verdict is derived from the answers like any other and `replaylab verify` finds nothing.
A trial has the shortest form, one turn of the agent and the votes, unless it asks for tool calls.

    cast = Cast(agents=[ModelSettings(alias="a", model="a")], simulators=[...], verifiers=[...], faults=[named("E0")],
                tasks=[authored_task("t1", ScenarioFacts(id="s1", name="S1", industry="Healthcare", domain="D"))])
    run_id = author(Library(Path("library")), "published", cast, [AuthoredTrial("a", "t1", "pass")])
"""

from __future__ import annotations

import json
import multiprocessing
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, NamedTuple

from replaylab.canonical import digest, digest_bytes, loads
from replaylab.cassette.tape import Lane, Tape
from replaylab.engine.ledger import make_run
from replaylab.engine.plan import keys, make_header
from replaylab.engine.seal import seal
from replaylab.engine.trial import run_trial
from replaylab.errors import UsageError
from replaylab.roles.prompts import prompts_of
from replaylab.schema.base import JsonObject
from replaylab.schema.callpath import Condition, TrialKey
from replaylab.schema.cassette import Header, Limits, Provenance, ScenarioFacts
from replaylab.schema.completion import Completion
from replaylab.schema.fault import FaultPlan
from replaylab.schema.interaction import Attempt, Failure
from replaylab.schema.model import ModelSettings
from replaylab.schema.run import LedgerEntry, PlannedTask, RunSpec, Try
from replaylab.schema.scenario import Environment, Rubric, Task, Tool
from replaylab.store.library import Library
from replaylab.wire.asking import Asking
from replaylab.wire.completion import read_answer

WHEN = "2026-01-01T00:00:00.000Z"
SAYS = "Authored: nobody played this."
Said = Literal["pass", "fail", "error"]
Put = Callable[[Library, bytes, str], object]
CHUNK = 32


class AuthoredTask(NamedTuple):
    """A task with what it belongs to, as `authored_task` makes one."""

    scenario: ScenarioFacts
    environment: Environment
    task: Task


@dataclass(frozen=True)
class Cast:
    """Who plays and what: the cross product of these is what the run plans. Trials that are not given are missing."""

    agents: Sequence[ModelSettings]
    simulators: Sequence[ModelSettings]
    verifiers: Sequence[ModelSettings]
    faults: Sequence[FaultPlan]
    tasks: Sequence[AuthoredTask]
    trials: int = 1
    votes: int = 3
    created: str = WHEN

    def spec(self) -> RunSpec:
        """The spec of the run."""
        return RunSpec(
            agents=tuple(self.agents),
            simulators=tuple(self.simulators),
            verifiers=tuple(self.verifiers),
            faults=tuple(self.faults),
            tasks=tuple(PlannedTask(task=one.task.id, content=_content(one)) for one in self.tasks),
            trials=self.trials,
            limits=Limits(votes=self.votes),
            prompts={name: prompt.digest for name, prompt in prompts_of(self.faults).items()},
        )


@dataclass(frozen=True)
class AuthoredTrial:
    """One trial. `simulator`, `verifier` and `faults` are the first of the cast when left out.

    `votes` are all as `outcome` says, unless they are given; then they decide, and a tie is an error. Without votes, an
    `error` is an agent that could not be reached. `calls` tool calls come before the answer. The same key given again
    is a further try of it.
    """

    agent: str
    task: str
    outcome: Said
    simulator: str = ""
    verifier: str = ""
    faults: str = ""
    trial: int = 0
    votes: tuple[Said, ...] = ()
    calls: int = 0


def authored_task(
    name: str,
    scenario: ScenarioFacts,
    *,
    difficulty: int = 1,
    expected_calls: int = 16,
    tools: Sequence[Tool] = (),
    checks: Sequence[JsonObject] = (),
    text: str = "",
    state: JsonObject | None = None,
) -> AuthoredTask:
    """A task of that id. `text` is added to its instruction and to its environment's prompt."""
    tools = tuple(tools) or (Tool(name="look", effect="read", example_output={"value": 1}),)
    prompt = f"{SAYS} {text}".strip()
    environment = Environment(
        id=f"{scenario.id}-environment",
        system_prompt=prompt,
        tools=tools,
        initial_state=state or {"values": 1},
        state_description={"values": "authored"},
    )
    task = Task(
        id=name,
        scenario=scenario.id,
        environment=environment.id,
        instruction=prompt,
        rubric=Rubric(text=SAYS, checks=tuple(checks)),
        difficulty=difficulty,
        expected_calls=expected_calls,
    )
    return AuthoredTask(scenario, environment, task)


def put_whole(library: Library, data: bytes, name: str) -> None:
    """Write a cassette the way that `record` does, durably."""
    library.put(data, "cassette")


def author(
    library: Library,
    name: str,
    cast: Cast,
    trials: Iterable[AuthoredTrial],
    *,
    jobs: int = 1,
    put: Put = put_whole,
) -> str:
    """Write the trials and the run object that plans all of the cast's; the reference `name` points at it.

    Returns the run id. With `jobs` the trials are made in so many processes; `put` is then a function that a process
    can import. The same arguments give the same bytes.
    """
    spec = cast.spec()
    tries: dict[str, list[Try]] = {str(key): [] for key in keys(spec)}
    for key, one in _made(_Maker(library, cast, spec, put), _numbered(cast, trials, tries), jobs):
        tries[key].append(one)
    ledger = tuple(_entry(key, tuple(found)) for key, found in tries.items())
    run_id = library.put_run(
        make_run(name, spec, ledger, created=cast.created, follows=(), evidence="authored")
    )
    library.set_ref(name, run_id)
    return run_id


def authored_cassette(cast: Cast, trial: AuthoredTrial, attempt: int = 0) -> tuple[bytes, Try]:
    """The bytes of one cassette, and what a ledger says of it."""
    return _Maker(Library(Path()), cast, cast.spec(), put_whole).cassette(trial, attempt)


def _numbered(
    cast: Cast, trials: Iterable[AuthoredTrial], planned: Mapping[str, object]
) -> Iterator[tuple[AuthoredTrial, int]]:
    """Each trial with the number of its try. Raises UsageError for one that the cast does not plan."""
    seen: dict[str, int] = {}
    for trial in trials:
        key = str(_key(cast, trial))
        if key not in planned:
            raise UsageError(f"the cast does not plan {key}", fix="add what is missing to the cast")
        seen[key] = seen.get(key, -1) + 1
        yield trial, seen[key]


def _key(cast: Cast, trial: AuthoredTrial) -> TrialKey:
    condition = Condition(
        trial.agent,
        trial.simulator or cast.simulators[0].alias,
        trial.verifier or cast.verifiers[0].alias,
        trial.faults or cast.faults[0].name,
    )
    return TrialKey(condition, trial.task, trial.trial)


def _entry(key: str, tries: tuple[Try, ...]) -> LedgerEntry:
    entry = LedgerEntry(key=key, status="missing", tries=tries)
    if entry.counting is None:
        return entry
    status = "error" if entry.counting.verdict == "error" else "recorded"
    return entry.model_copy(update={"status": status})


def _content(one: AuthoredTask) -> str:
    return digest([one.scenario.to_json(), one.environment.to_json(), one.task.to_json()])


# ------------------------------------------------------------------------------------------ one trial


class _Maker:
    """Makes the cassettes of a cast."""

    def __init__(self, library: Library, cast: Cast, spec: RunSpec, put: Put) -> None:
        self.library, self.cast, self.spec, self.put = library, cast, spec, put
        self._tasks = {one.task.id: one for one in cast.tasks}
        self._faults = {plan.name: plan for plan in cast.faults}
        models = {"agent": cast.agents, "simulator": cast.simulators, "verifier": cast.verifiers}
        self._players = {role: {one.alias: one for one in chosen} for role, chosen in models.items()}

    def store(self, trial: AuthoredTrial, attempt: int) -> tuple[str, Try]:
        """Write one cassette; its key and what the ledger says of it."""
        data, one = self.cassette(trial, attempt)
        self.put(self.library, data, one.cassette)
        return str(_key(self.cast, trial)), one

    def cassette(self, trial: AuthoredTrial, attempt: int) -> tuple[bytes, Try]:
        header = self._header(trial, attempt)
        tape = Tape(_key(self.cast, trial), elapsed_ms=lambda: 0.0)
        script = _Script(header, trial)
        run_trial(header, tape, lambda lane, settings: _Chat(lane, settings, script))
        data, result = seal(header, tape, self.cast.created)
        if result.verdict.outcome != trial.outcome:
            raise UsageError(
                f"{tape.key}: the answers give {result.verdict.outcome}, not {trial.outcome}",
                fix="give votes that decide as the outcome says",
            )
        return data, Try(
            cassette=digest_bytes(data),
            outcome=result.outcome,
            verdict=result.verdict.outcome,
            termination=result.trajectory.termination,
        )

    def _header(self, trial: AuthoredTrial, attempt: int) -> Header:
        key = _key(self.cast, trial)
        faults = self._faults[key.condition.faults]
        header = make_header(key, self.spec, *self._tasks[trial.task], faults, self._players)
        subject = header.subject.model_copy(update={"attempt": attempt})
        lanes = dict.fromkeys(header.lanes, Provenance(how="authored"))
        return header.model_copy(update={"created": self.cast.created, "subject": subject, "lanes": lanes})


class _Script:
    """What each role says in one trial. The simulator says what the tool's example says, and which call it was."""

    def __init__(self, header: Header, trial: AuthoredTrial) -> None:
        self._tools, self._trial = header.environment.tools, trial
        self._votes = trial.votes or (trial.outcome,) * header.limits.votes

    def answer(self, lane: str, number: int, asked: str) -> JsonObject | None:
        """The message number `number` of a lane to what was asked last; None where the model can't be reached."""
        role, _, vote = lane.partition(".")
        if role == "agent":
            return self._turn(number)
        if role == "simulator":
            return _text(json.dumps(self._observation(loads(asked))))
        said = self._votes[int(vote)]
        if said == "error":
            return None
        return _text(json.dumps({"is_correct": said == "pass", "feedback": f"{SAYS} The vote is given."}))

    def _turn(self, number: int) -> JsonObject | None:
        if number < self._trial.calls:
            name, arguments = self._call(number)
            function = {"name": name, "arguments": json.dumps(arguments)}
            call = {"id": f"call-{number}", "type": "function", "function": function}
            return {"role": "assistant", "content": None, "tool_calls": [call]}
        if self._trial.outcome == "error" and not self._trial.votes:
            return None
        return _text(f"{SAYS} Answer to {self._trial.task} after {self._trial.calls} calls.")

    def _call(self, number: int) -> tuple[str, JsonObject]:
        """The call of that turn. Every third one is the one before it again, so that faults can be recovered from."""
        number -= number % 3 == 2
        return self._tools[number % len(self._tools)].name, {"number": number}

    def _observation(self, asked: JsonObject) -> JsonObject:
        """What the tool's example shows, and which call it was: the same for the same call."""
        tool = next(tool for tool in self._tools if tool.name == asked["name"])
        shown = tool.example_output if isinstance(tool.example_output, dict) else {}
        return {**shown, **asked["arguments"]}


def _text(content: str) -> JsonObject:
    return {"role": "assistant", "content": content}


class _Chat:
    """A lane that is answered from a script."""

    def __init__(self, lane: Lane, settings: ModelSettings, script: _Script) -> None:
        self._lane, self._script, self._model = lane, script, settings.model
        self._asking = Asking(settings)

    def ask(
        self,
        messages: Sequence[JsonObject],
        *,
        tools: Sequence[JsonObject] = (),
        extra: JsonObject | None = None,
    ) -> Completion:
        slot = self._lane.begin(self._asking.request(messages, tools, extra))
        said = self._script.answer(self._lane.name, slot.path.ordinal, messages[-1].get("content") or "")
        if said is None:
            attempt = Attempt(failure=Failure(kind="refused", message="authored"))
            slot.commit([attempt], None)
            return read_answer(attempt, str(slot.path))
        attempt = Attempt(status=200, text=json.dumps(self._body(said, messages)))
        completion = read_answer(attempt)
        slot.commit([attempt], completion)
        return completion

    def _body(self, said: JsonObject, messages: Sequence[JsonObject]) -> JsonObject:
        """A chat completion. Tokens are a quarter of the characters, as nobody counted any."""
        asked = sum(len(one.get("content") or "") for one in messages)
        usage = {"prompt_tokens": asked // 4, "completion_tokens": len(json.dumps(said)) // 4}
        finish = "tool_calls" if "tool_calls" in said else "stop"
        choice = {"index": 0, "message": said, "finish_reason": finish}
        return {
            "id": "authored",
            "object": "chat.completion",
            "model": self._model,
            "choices": [choice],
            "usage": usage,
        }


# ------------------------------------------------------------------------------------------ processes

_WORKER: dict[str, _Maker] = {}


def _made(maker: _Maker, trials: Iterable[tuple[AuthoredTrial, int]], jobs: int) -> Iterator[tuple[str, Try]]:
    if jobs <= 1:
        for trial, attempt in trials:
            yield maker.store(trial, attempt)
        return
    # The maker is handed to each process once, not with every trial.
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(jobs, context, _start, (maker,)) as pool:
        yield from pool.map(_store, trials, chunksize=CHUNK)


def _start(maker: _Maker) -> None:
    _WORKER["maker"] = maker


def _store(given: tuple[AuthoredTrial, int]) -> tuple[str, Try]:
    return _WORKER["maker"].store(*given)
