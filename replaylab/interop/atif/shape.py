"""The shape of an ATIF trajectory, versions 1.0 to 1.8: what a file has to be, and what is written here.

Rules beyond the fields: steps are numbered from 1 without a gap; a result names a call of its own step; what only an
agent's step can have stands in no other; a step without a call of a model has neither metrics nor reasoning.
"""

from __future__ import annotations

import re
from datetime import datetime
from typing import Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from replaylab.canonical import dumps
from replaylab.interop.talk.reading import dotted
from replaylab.interop.transcript.lines import Wrong
from replaylab.schema.base import Json, JsonObject, in_json

NEWEST = 8
VERSION = f"ATIF-v1.{NEWEST}"
_VERSION = re.compile(r"ATIF-v1\.(\d{1,3})")
_AGENTS_OWN = ("model_name", "reasoning_effort", "reasoning_content", "tool_calls", "metrics")


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)


class Media(_Part):
    """Where an image or a recording lies."""

    media_type: str
    path: str
    duration_sec: float | None = Field(default=None, ge=0)


class ContentPart(_Part):
    """A piece of a message: a text, an image or audio."""

    type: Literal["text", "image", "audio"]
    text: str | None = None
    source: Media | None = None

    @model_validator(mode="after")
    def _has_what_it_says(self) -> Self:
        if (self.text is not None) != (self.type == "text") or (self.source is None) != (self.type == "text"):
            raise ValueError("a text has `text`, an image or audio has `source`")
        return self


class ToolCall(_Part):
    """A call of a tool."""

    tool_call_id: str
    function_name: str
    arguments: dict[str, Any]
    extra: dict[str, Any] | None = None


class SubagentRef(_Part):
    """Where the trajectory of another agent is found, to which a call went."""

    trajectory_id: str | None = None
    session_id: str | None = None
    trajectory_path: str | None = None
    extra: dict[str, Any] | None = None

    @model_validator(mode="after")
    def _leads_somewhere(self) -> Self:
        if self.trajectory_id is None and self.trajectory_path is None:
            raise ValueError("it names neither `trajectory_id` nor `trajectory_path`")
        return self


class Result(_Part):
    """What came back from a call."""

    source_call_id: str | None = None
    content: str | list[ContentPart] | None = None
    subagent_trajectory_ref: list[SubagentRef] | None = None
    extra: dict[str, Any] | None = None


class Observation(_Part):
    """What came back in a step."""

    results: list[Result]


class Metrics(_Part):
    """What a step took."""

    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    cached_tokens: int | None = None
    cost_usd: float | None = None
    prompt_token_ids: list[int] | None = None
    completion_token_ids: list[int] | None = None
    logprobs: list[float] | None = None
    extra: dict[str, Any] | None = None


class Step(_Part):
    """One step: what somebody said, and what came of it."""

    step_id: int = Field(ge=1)
    timestamp: str | None = None
    source: Literal["system", "user", "agent"]
    model_name: str | None = None
    reasoning_effort: str | float | None = None
    message: str | list[ContentPart]
    reasoning_content: str | None = None
    tool_calls: list[ToolCall] | None = None
    observation: Observation | None = None
    metrics: Metrics | None = None
    is_copied_context: bool | None = None
    llm_call_count: int | None = Field(default=None, ge=0)
    extra: dict[str, Any] | None = None

    @model_validator(mode="after")
    def _is_a_step(self) -> Self:
        own = [name for name in _AGENTS_OWN if getattr(self, name) is not None]
        if own and self.source != "agent":
            raise ValueError(f"only a step of an agent can have `{own[0]}`")
        if self.llm_call_count == 0 and (self.metrics or self.reasoning_content is not None):
            raise ValueError("without a call of a model there are neither metrics nor reasoning")
        if self.timestamp is not None:
            datetime.fromisoformat(self.timestamp)  # its error is a ValueError
        known = {call.tool_call_id for call in self.tool_calls or ()}
        for result in self.observation.results if self.observation else ():
            if result.source_call_id is not None and result.source_call_id not in known:
                raise ValueError(f"no call of this step has the id {in_json(result.source_call_id)}")
        return self


class Agent(_Part):
    """Who acted."""

    name: str
    version: str
    model_name: str | None = None
    tool_definitions: list[dict[str, Any]] | None = None
    extra: dict[str, Any] | None = None


class FinalMetrics(_Part):
    """What the whole took."""

    total_prompt_tokens: int | None = None
    total_completion_tokens: int | None = None
    total_cached_tokens: int | None = None
    total_cost_usd: float | None = None
    total_steps: int | None = Field(default=None, ge=0)
    extra: dict[str, Any] | None = None


class TrajectoryFile(_Part):
    """A whole trajectory, with those of the agents that it called."""

    schema_version: str
    session_id: str | None = None
    trajectory_id: str | None = None
    agent: Agent
    steps: list[Step] = Field(min_length=1)
    notes: str | None = None
    final_metrics: FinalMetrics | None = None
    continued_trajectory_ref: str | None = None
    extra: dict[str, Any] | None = None
    subagent_trajectories: list[TrajectoryFile] | None = None

    @model_validator(mode="after")
    def _is_a_trajectory(self) -> Self:
        version = _VERSION.fullmatch(self.schema_version)
        if version is None or int(version[1]) > NEWEST:
            raise ValueError(f"it is {in_json(self.schema_version)}, and ATIF-v1.0 to {VERSION} are read")
        for number, step in enumerate(self.steps, 1):
            if step.step_id != number:
                raise ValueError(f"step {number} has the step_id {step.step_id}")
        names = [one.trajectory_id for one in self.subagent_trajectories or ()]
        if None in names or len(set(names)) < len(names):
            raise ValueError("each trajectory of subagent_trajectories needs a trajectory_id of its own")
        return self


def read_shape(value: Json) -> TrajectoryFile:
    """The trajectory that a value is. Raises Wrong with the place of everything that does not fit."""
    if not isinstance(value, dict) or "schema_version" not in value:
        raise Wrong(("schema_version", "it is missing: this is no ATIF trajectory"))
    try:
        return TrajectoryFile.model_validate_json(dumps(value), strict=True)
    except ValidationError as error:
        found = error.errors(include_input=False, include_url=False)
        raise Wrong(
            *((dotted(*one["loc"]), one["msg"][:1].lower() + one["msg"][1:]) for one in found[:20])
        ) from error


def to_json(file: TrajectoryFile) -> JsonObject:
    """The trajectory as JSON, what is not there left out."""
    return file.model_dump(mode="json", exclude_none=True)
