"""From trials to ATIF trajectories, version 1.8: one for each, with the tools, every step, and what each took.

The format has no place for a simulated environment and its judges: what these were asked and answered stands in `extra`,
beside a block from which an import gives the same trial back.
"""

from __future__ import annotations

from replaylab.interop.atif.shape import (
    VERSION,
    Agent,
    FinalMetrics,
    Metrics,
    Observation,
    Result,
    Step,
    ToolCall,
    TrajectoryFile,
)
from replaylab.interop.talk.block import BLOCK
from replaylab.interop.talk.outgoing import Asked, Outgoing
from replaylab.roles.agent import function_tools
from replaylab.roles.chat import canonical_text
from replaylab.schema.base import JsonObject
from replaylab.schema.interaction import Failure, Usage
from replaylab.schema.trajectory import Action, Turn


def to_atif(trial: Outgoing) -> TrajectoryFile:
    """The trajectory of a trial, which is valid by `shape`."""
    header = trial.header
    settings = header.players["agent"]
    steps = [Step(step_id=1, timestamp=trial.when(0), source="user", message=header.task.instruction)]
    steps += [_step(trial, number, turn) for number, turn in enumerate(trial.turns)]
    return TrajectoryFile(
        schema_version=VERSION,
        session_id=header.subject.condition,
        trajectory_id=trial.cassette.name,
        agent=Agent(
            name="replaylab",
            version=header.engine.engine,
            model_name=settings.model,
            tool_definitions=list(function_tools(header.environment)) or None,
            extra={"alias": settings.alias, "player": settings.player},
        ),
        steps=steps,
        final_metrics=_totals(steps),
        extra=_extra(trial),
    )


def _step(trial: Outgoing, number: int, turn: Turn) -> Step:
    row = trial.row(number)
    results = [Result(source_call_id=one.id, content=_observed(one)) for one in turn.actions]
    return Step(
        step_id=number + 2,
        timestamp=trial.when(row.final.started_ms if row else 0),
        source="agent",
        model_name=(row.answered_by if row else "") or None,
        message=turn.text,
        reasoning_content=turn.reasoning or None,
        tool_calls=[_call(one) for one in turn.actions] or None,
        observation=Observation(results=results) if results else None,
        metrics=_metrics(row.usage, row.final.latency_ms) if row else None,
        llm_call_count=1,
    )


def _call(action: Action) -> ToolCall:
    extra = {"raw_arguments": action.raw_arguments} if action.arguments is None else None
    return ToolCall(
        tool_call_id=action.id, function_name=action.tool, arguments=action.arguments or {}, extra=extra
    )


def _observed(action: Action) -> str:
    return canonical_text(action.observation)


def _metrics(usage: Usage | None, ms: float) -> Metrics:
    extra = {"latency_ms": ms} if ms else None
    if usage is None:
        return Metrics(extra=extra)
    return Metrics(
        prompt_tokens=usage.prompt_tokens,
        completion_tokens=usage.completion_tokens,
        cached_tokens=usage.cached_tokens,
        extra=(extra or {}) | {"reasoning_tokens": usage.reasoning_tokens}
        if usage.reasoning_tokens
        else extra,
    )


def _totals(steps: list[Step]) -> FinalMetrics:
    counted = [step.metrics for step in steps if step.metrics and step.metrics.prompt_tokens is not None]
    if not counted:
        return FinalMetrics(total_steps=len(steps))
    return FinalMetrics(
        total_prompt_tokens=sum(one.prompt_tokens or 0 for one in counted),
        total_completion_tokens=sum(one.completion_tokens or 0 for one in counted),
        total_cached_tokens=sum(one.cached_tokens or 0 for one in counted),
        total_steps=len(steps),
    )


def _extra(trial: Outgoing) -> JsonObject:
    verdict = trial.derived.verdict
    scores = [{"name": "verdict", "value": verdict.outcome, "explanation": verdict.reason}]
    return {
        "trial": trial.facts(),
        "scores": scores if verdict.outcome != "none" else trial.source_scores(),
        "others": [_asked(one) for one in trial.others()],
        BLOCK: trial.block(),
    }


def _asked(one: Asked) -> JsonObject:
    """A question to a simulator or a judge. Its whole history would grow with the square: the last message stands for it."""
    messages = one.body.get("messages") or []
    found: JsonObject = {
        "path": one.row.path,
        "model": one.row.answered_by or one.row.request.alias,
        "asked": messages[-1].get("content") if messages else None,
        "messages": len(messages),
        "request": one.row.request.digest,
    }
    if isinstance(one.answer, Failure):
        found["failure"] = one.answer.kind
    else:
        found["answer"] = one.answer.text
    if one.row.usage:
        found["usage"] = one.row.usage.to_json()
    return found
