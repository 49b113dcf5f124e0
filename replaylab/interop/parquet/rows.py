"""The rows of the three tables, from the trials of a run."""

from __future__ import annotations

from collections.abc import Iterator

from replaylab.derive.digests import trajectory_digest
from replaylab.interop.talk.outgoing import Asked, Outgoing
from replaylab.roles.chat import canonical_text
from replaylab.schema.base import Json, JsonObject
from replaylab.schema.callpath import TrialKey, role_of
from replaylab.schema.cassette import IMPORT_LABEL
from replaylab.schema.completion import Completion
from replaylab.schema.interaction import Failure
from replaylab.schema.run import LedgerEntry, Run
from replaylab.schema.trajectory import Action, Turn


def place(run: Run, run_id: str, entry: LedgerEntry, trial: Outgoing | None) -> JsonObject:
    """Where a row comes from."""
    key = TrialKey.parse(entry.key)
    row: JsonObject = {
        "key": entry.key,
        "run": run_id,
        "evidence": run.evidence,
        **key.condition._asdict(),
        "task": key.task,
        "trial": key.trial,
    }
    if trial is not None:
        facts = trial.header.scenario
        row |= {"scenario": facts.id, "industry": facts.industry, "cassette": trial.cassette.name}
    return row


def interactions(base: JsonObject, trial: Outgoing) -> Iterator[JsonObject]:
    """One row for each question to a model."""
    for lane in trial.lanes:
        for ordinal, asked in enumerate(trial.asked(lane)):
            yield base | _asked(trial, asked) | {"ordinal": ordinal}


def _asked(trial: Outgoing, asked: Asked) -> JsonObject:
    row = asked.row
    messages = asked.body.get("messages") or []
    role = role_of(asked.lane)
    player = trial.header.players.get(role)
    found: JsonObject = {
        "path": row.path,
        "lane": asked.lane,
        "role": role,
        "player": player.player if player else None,
        "alias": row.request.alias,
        "answered_by": row.answered_by or None,
        "request": row.request.digest,
        "outcome": row.outcome,
        "messages": len(messages),
        "asked": _text(messages[-1].get("content")) if messages else None,
        "attempts": len(row.attempts),
        "status": row.final.status,
        "started_ms": row.final.started_ms,
        "latency_ms": row.final.latency_ms,
    }
    if row.usage:
        found |= row.usage.model_dump()
    if isinstance(asked.answer, Failure):
        return found | {"failure": asked.answer.kind}
    return found | _answer(asked.answer)


def _text(content: Json) -> str | None:
    return content if isinstance(content, str) or content is None else canonical_text(content)


def _answer(answer: Completion) -> JsonObject:
    calls = [call._asdict() for call in answer.tool_calls]
    return {
        "text": answer.text or answer.refusal or None,
        "reasoning": answer.reasoning or None,
        "tool_calls": canonical_text(calls) if calls else None,
        "finish_reason": answer.finish_reason or None,
    }


def trajectories(base: JsonObject, trial: Outgoing) -> Iterator[JsonObject]:
    """One row for each call, and one for each answer without any."""
    for number, turn in enumerate(trial.turns):
        said = base | {
            "turn": number,
            "text": turn.text or None,
            "reasoning": turn.reasoning or None,
            "finish_reason": turn.finish_reason or None,
        }
        if not turn.actions:
            yield said
        for action in turn.actions:
            yield said | _action(action)


def _action(action: Action) -> JsonObject:
    disturbed = action.fault is not None and action.by == "simulator"
    return {
        "call": action.call,
        "call_id": action.id,
        "tool": action.tool,
        "arguments": None if action.arguments is None else canonical_text(action.arguments),
        "raw_arguments": action.raw_arguments or None,
        "observation": canonical_text(action.observation),
        "by": action.by,
        "fault": action.fault.kind if action.fault else None,
        "undisturbed": canonical_text(action.clean) if disturbed else None,
    }


def verdict(base: JsonObject, entry: LedgerEntry, trial: Outgoing | None) -> JsonObject:
    """The one row of a planned trial, also of one that is missing."""
    if trial is None:
        return base | {"status": "missing"}
    trajectory, judged = trial.derived
    turns: tuple[Turn, ...] = trajectory.turns
    return base | {
        "status": entry.status,
        "verdict": judged.outcome,
        "reason": judged.reason or None,
        "termination": trajectory.termination,
        "answer": trajectory.answer or None,
        "turns": len(turns),
        "calls": len(trajectory.actions),
        "votes": _listed([vote.to_json() for vote in judged.votes]),
        "checks": _listed([check.to_json() for check in judged.checks]),
        "trajectory_digest": trajectory_digest(trajectory),
        "outcome": trial.cassette.seal.outcome,
        "source_scores": _source_scores(trial),
    }


def _listed(values: list[JsonObject]) -> str | None:
    return canonical_text(values) if values else None


def _source_scores(trial: Outgoing) -> str | None:
    for label in trial.cassette.labels:
        kept = label.value.get("source") if isinstance(label.value, dict) else None
        if label.kind == IMPORT_LABEL and isinstance(kept, dict) and kept.get("scores"):
            return canonical_text(kept["scores"])
    return None
