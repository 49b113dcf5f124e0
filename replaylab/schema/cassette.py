"""The lines of a cassette: header, blob, interaction, label, seal."""

from __future__ import annotations

from typing import Literal, Self

from pydantic import Field, model_validator

from replaylab.schema.base import Base64Field, DigestField, Frozen, Json
from replaylab.schema.callpath import Condition, TrialKey
from replaylab.schema.capture import CaptureFacts
from replaylab.schema.fault import FaultPlan
from replaylab.schema.model import ModelSettings
from replaylab.schema.scenario import Environment, Task
from replaylab.schema.trajectory import JudgedBy, Outcome, Termination

FORMAT = "replaylab.cassette/1"
Evidence = Literal["recorded", "imported", "authored"]
ORIGIN = "simulator_origin"  # in lockstep, the lane of the simulator that the trial was recorded with


UNDATED = "1970-01-01T00:00:00.000Z"  # when something was created whose source gives no time
IMPORT_LABEL = "import"  # the kind of the label that holds what an imported file says beside the conversation


class Subject(Frozen):
    """What a cassette records. `condition` is the text of a `callpath.Condition`; `try` counts from 0."""

    kind: Literal["trial", "capture", "synthesis", "import", "judge"] = "trial"
    condition: str
    task: str
    trial: int = 0
    attempt: int = Field(default=0, alias="try")

    model_config = Frozen.model_config | {"populate_by_name": True}

    @property
    def is_trial(self) -> bool:
        """Whether an agent and a simulator spoke with each other: in a trial, and in one that was imported."""
        return self.kind in ("trial", "import")


class Provenance(Frozen):
    """Where a lane comes from. `source` names the cassette that a copied lane was taken from."""

    how: Literal["recorded", "imported", "authored", "copied"] = "recorded"
    source: DigestField | None = None


class Limits(Frozen):
    """What bounds a trial. `asks` is how often a role may be asked for one answer before it counts as an error.

    `repeats` is how often each call is put to the swapped-in simulator of a lockstep trial, the first time included.
    """

    max_steps: int = 60
    votes: int = Field(default=3, ge=0, le=999)
    asks: int = 3
    repeats: int = Field(default=1, ge=1, le=99)


class Prompt(Frozen):
    """A prompt file as it was when the trial was recorded."""

    version: str
    digest: DigestField
    text: str


class Engine(Frozen):
    """Which engine made the recording and which parsers read the answers."""

    replaylab: str
    engine: str
    parser: str


class ScenarioFacts(Frozen):
    """What tables group by."""

    id: str
    name: str
    industry: str
    domain: str


class Header(Frozen):
    """The first line: all that is needed to derive, judge, check and tabulate the trial from this file alone."""

    type: Literal["header"] = "header"
    format: str
    subject: Subject
    created: str
    lanes: dict[str, Provenance]
    players: dict[str, ModelSettings]
    scenario: ScenarioFacts
    environment: Environment
    task: Task
    faults: FaultPlan
    prompts: dict[str, Prompt] = Field(default_factory=dict)
    limits: Limits = Limits()
    clock: str = ""
    engine: Engine
    inputs: DigestField
    mode: Literal["run", "rejudge", "lockstep/recorded", "lockstep/own", "capture"] = "run"
    judged_by: JudgedBy = "votes"
    capture: CaptureFacts | None = None

    @model_validator(mode="after")
    def _someone_plays_each_role(self) -> Self:
        roles = ["agent", "simulator", "verifier"] if self.subject.is_trial else []
        roles += ["judge"] if self.subject.kind == "judge" else []
        roles += [ORIGIN] if self.mode.startswith("lockstep/") else []
        missing = [role for role in roles if role not in self.players]
        if missing:
            raise ValueError(f"nobody plays the role {missing[0]}")
        return self


def key_of(header: Header) -> TrialKey:
    """The address of the trial that a header describes."""
    return TrialKey(Condition.parse(header.subject.condition), header.subject.task, header.subject.trial)


def evidence_of(header: Header) -> Evidence:
    """One authored or imported lane makes the whole trial so; a lane that is only copied counts as recorded."""
    ways = {lane.how for lane in header.lanes.values()}
    return "authored" if "authored" in ways else "imported" if "imported" in ways else "recorded"


class Blob(Frozen):
    """A value written once and named by digest: JSON under `value`, other bytes under `b64`."""

    type: Literal["blob"] = "blob"
    digest: DigestField
    value: Json = None
    b64: Base64Field | None = None


class Label(Frozen):
    """Ground truth that no detector reads: a fault event, a seeded violation."""

    type: Literal["label"] = "label"
    kind: str
    path: str
    value: Json = None


class LaneSeal(Frozen):
    """How long a lane is, and the digest over the outcomes of its interactions in order."""

    interactions: int
    outcome: DigestField


class Seal(Frozen):
    """The last line. `lines` is the SHA-256 over the bytes of all lines before it, newlines included."""

    type: Literal["seal"] = "seal"
    lines: DigestField
    counts: dict[str, int]
    lanes: dict[str, LaneSeal]
    termination: Termination
    verdict: Outcome
    trajectory_digest: DigestField
    verdict_digest: DigestField
    outcome: DigestField
    sealed: str
