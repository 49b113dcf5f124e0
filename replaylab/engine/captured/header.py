"""What a capture is called and what its cassettes and its run say where a trial would say more.

There is no trial, so what only a trial has is plain and empty. The address of an interaction is
`capture,none,none,none/<lane>@<part>/0/client#<ordinal>`; a part is one cassette.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from replaylab.canonical import Digest, digest
from replaylab.engine.plan import inputs_digest, this_engine
from replaylab.errors import UsageError
from replaylab.schema.callpath import Condition, TrialKey, escape
from replaylab.schema.capture import CaptureFacts
from replaylab.schema.cassette import (
    FORMAT,
    Evidence,
    Header,
    Limits,
    Provenance,
    ScenarioFacts,
    Subject,
)
from replaylab.schema.fault import FaultPlan
from replaylab.schema.model import NOBODY, ModelSettings
from replaylab.schema.run import PlannedTask, RunSpec
from replaylab.schema.scenario import Environment, Rubric, Task

KIND = "capture"
MAIN = "main"  # the lane of those that name none
CLIENT = "client"  # the one lane of a cassette
PART = 1000  # interactions of a lane, and then there is another cassette
PART_BYTES = 32 << 20  # of requests and answers that it stores; a part is sealed in memory
MAX_LANE = 200
RETRIES = "retries"  # in `extra` of an interaction: the CallPath of the one whose attempts it goes on with

_CONDITION = Condition(KIND, NOBODY.alias, NOBODY.alias, "none")
_CLIENT = ModelSettings(alias=KIND, model=KIND)
_FAULTS = FaultPlan(name="none")
_LIMITS = Limits(max_steps=0, votes=0, asks=0)
_SCENARIO = ScenarioFacts(id="", name="", industry="", domain="")
_PLACE = Environment(id="", system_prompt="", tools=(), initial_state={}, state_description={})


def key_at(lane: str, part: int) -> TrialKey:
    """The key of a part of a lane. Raises UsageError for a name that no address can spell."""
    if not lane or len(lane) > MAX_LANE:
        raise UsageError(
            f"a lane has a name of 1 to {MAX_LANE} characters, not {len(lane)}",
            fix="send a shorter X-Replaylab-Lane",
        )
    escape(lane)
    return TrialKey(_CONDITION, f"{lane}@{part}", 0)


def lane_and_part(task: str) -> tuple[str, int]:
    """What a task of a capture is: `main@0` gives ("main", 0)."""
    lane, _, part = task.rpartition("@")
    if not lane or not part.isdecimal():
        raise UsageError(f"not a part of a captured lane: {task[:200]!r}", fix="LANE@PART, as in main@0")
    return lane, int(part)


def capture_header(key: TrialKey, facts: CaptureFacts, created: str, evidence: Evidence) -> Header:
    """The header of a part. What only a trial has is plain and empty."""
    header = Header(
        format=FORMAT,
        subject=Subject(kind="capture", condition=str(key.condition), task=key.task, trial=key.trial),
        created=created,
        lanes={CLIENT: Provenance(how=evidence)},
        players={"agent": _CLIENT, "simulator": NOBODY, "verifier": NOBODY},
        scenario=_SCENARIO,
        environment=_PLACE,
        task=_task(key.task),
        faults=_FAULTS,
        limits=_LIMITS,
        engine=this_engine(),
        inputs=digest(None),
        mode="capture",
        capture=facts,
    )
    return header.model_copy(update={"inputs": inputs_digest(header)})


def capture_spec(tasks: Sequence[str]) -> RunSpec:
    """The spec of a run of those parts."""
    return RunSpec(
        agents=(_CLIENT,),
        simulators=(NOBODY,),
        verifiers=(NOBODY,),
        faults=(_FAULTS,),
        tasks=tuple(PlannedTask(task=task, content=_content(task)) for task in tasks),
        limits=_LIMITS,
        mode="capture",
    )


def _task(name: str) -> Task:
    return Task(id=name, scenario="", environment="", instruction="", rubric=Rubric(text=""))


@cache
def _content(task: str) -> Digest:
    return digest([_SCENARIO.to_json(), _PLACE.to_json(), _task(task).to_json()])
