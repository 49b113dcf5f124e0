"""Views as JSON: what `show --json` prints besides the fields that every document has."""

from __future__ import annotations

from collections.abc import Iterable

from replaylab.derive.exposure import COUNTS, Exposure
from replaylab.engine.ledger import status_counts
from replaylab.report.view import Asked, Row, RunView, Tally, Trial
from replaylab.schema.base import Frozen, JsonObject
from replaylab.schema.cassette import evidence_of
from replaylab.schema.completion import Completion
from replaylab.schema.interaction import Failure
from replaylab.schema.model import ModelSettings
from replaylab.schema.run import Try


def full(value: Frozen) -> JsonObject:
    """All fields, defaults included: scripts read them without asking whether they are there."""
    return value.model_dump(mode="json", by_alias=True)


def tally_json(tally: Tally) -> JsonObject:
    """Model calls, tokens, milliseconds; `cost_usd` is a decimal as text, null when unknown."""
    return {
        "model_calls": tally.calls,
        "attempts": tally.attempts,
        "failed": tally.failed,
        "prompt_tokens": tally.prompt_tokens,
        "completion_tokens": tally.completion_tokens,
        "unmetered": tally.unmetered,
        "model_ms": round(tally.model_ms, 3),
        "cost_usd": None if tally.cost is None else str(tally.cost),
    }


def run_json(view: RunView) -> JsonObject:
    """A run: header facts, ledger counts, and a row for each planned trial."""
    run, spec = view.run, view.run.spec
    roles = (("agent", spec.agents), ("simulator", spec.simulators), ("verifier", spec.verifiers))
    return {
        "kind": "run",
        "name": run.name,
        "created": run.created,
        "evidence": run.evidence,
        "mode": spec.mode,
        "swapped": spec.swapped,
        "outcome": run.outcome,
        "follows": list(run.follows),
        "shard": run.shard or None,
        "players": [{"role": role} | full(one) for role, models in roles for one in models],
        "faults": [full(plan) for plan in spec.faults],
        "limits": full(spec.limits),
        "counts": status_counts(run, view.gone),
        "totals": tally_json(view.total),
        "exposure": _without_faults(view.exposure),
        "conformance": [full(one) for one in view.conformances],
        "trials": [_row_json(row) for row in view.rows],
    }


def _without_faults(exposure: Exposure) -> JsonObject:
    """The counts alone: the single faults are told with each trial."""
    return exposure.model_dump(mode="json", include=set(COUNTS))


def _row_json(row: Row) -> JsonObject:
    entry, counting = row.entry, row.entry.counting
    return {
        "key": entry.key,
        "status": entry.status,
        "verdict": counting.verdict if counting and not row.gone else None,
        "termination": counting.termination if counting and not row.gone else None,
        "cassette": counting.cassette if counting else None,
        "outcome": counting.outcome if counting else None,
        "tries": len(entry.tries),
        "tool_calls": row.tool_calls,
        **tally_json(row.tally),
        "exposure": _without_faults(row.exposure) if row.exposure else None,
        "problem": row.problem or None,
        **({"gone": row.gone} if row.gone else {}),
    }


def trial_json(trial: Trial) -> JsonObject:
    """A trial: who played what, the trajectory, the verdict, what it took, and its lanes."""
    header, seal = trial.header, trial.cassette.seal
    return {
        "kind": "trial",
        "trial": trial.key,
        "cassette": trial.cassette.name,
        "try": header.subject.attempt,
        "tries": _tries_json(trial.tries),
        "created": header.created,
        "evidence": evidence_of(header),
        "mode": header.mode,
        "scenario": full(header.scenario),
        "environment": header.environment.id,
        "clock": header.clock,
        "task": full(header.task),
        "players": _players_json(header.players.items()),
        "faults": full(header.faults),
        "limits": full(header.limits),
        "engine": full(header.engine),
        "trajectory": full(trial.trajectory),
        "verdict": full(trial.verdict),
        **({"source": trial.source} if trial.source else {}),
        "exposure": full(trial.exposure) | {"over_budget": trial.exposure.over_budget},
        "conformance": full(trial.conformance) if trial.conformance else None,
        "recovery": full(trial.recovery),
        "failures": [full(one) for one in trial.failures],
        "totals": tally_json(trial.total),
        "lanes": {
            lane: tally_json(trial.tally(lane)) | {"provenance": provenance_json(trial, lane)}
            for lane in trial.lanes
        },
        "digests": {
            "trajectory": seal.trajectory_digest,
            "verdict": seal.verdict_digest,
            "outcome": seal.outcome,
        },
    }


def _tries_json(tries: Iterable[Try]) -> list[JsonObject]:
    return [full(one) for one in tries]


def _players_json(players: Iterable[tuple[str, ModelSettings]]) -> list[JsonObject]:
    return [{"role": role} | full(settings) for role, settings in players]


def provenance_json(trial: Trial, lane: str) -> JsonObject | None:
    """How a lane came into the cassette; null when its header doesn't say."""
    found = trial.header.lanes.get(lane)
    return full(found) if found else None


def lane_json(trial: Trial, lane: str) -> JsonObject:
    """A lane: a line for each interaction."""
    return {
        "kind": "lane",
        "trial": trial.key,
        "lane": lane,
        "cassette": trial.cassette.name,
        "provenance": provenance_json(trial, lane),
        "totals": tally_json(trial.tally(lane)),
        "interactions": [_asked_line(asked) for asked in trial.asked(lane)],
    }


def _asked_line(asked: Asked) -> JsonObject:
    row, result = asked.row, asked.result
    return {
        "path": row.path,
        "ordinal": asked.ordinal,
        "request": row.request.digest,
        "adds": len(row.request.adds),
        "attempts": len(row.attempts),
        "status": row.final.status,
        "failure": result.kind if isinstance(result, Failure) else None,
        "latency_ms": row.final.latency_ms,
        "usage": full(row.usage) if row.usage else None,
        "answer": asked.brief,
    }


def asked_json(trial: Trial, asked: Asked) -> JsonObject:
    """An interaction: the whole request body, every attempt as recorded, and the answer that was read."""
    row, result = asked.row, asked.result
    return {
        "kind": "interaction",
        "path": row.path,
        "cassette": trial.cassette.name,
        "provenance": provenance_json(trial, asked.lane),
        "request": full(row.request) | {"body": asked.body},
        "attempts": [full(attempt) for attempt in row.attempts],
        "answer": None if isinstance(result, Failure) else _answer_json(result),
        "failure": full(result) if isinstance(result, Failure) else None,
        "usage": full(row.usage) if row.usage else None,
        "answered_by": row.answered_by,
        "request_id": row.request_id,
        "fingerprint": row.fingerprint,
        "outcome": row.outcome,
        "extra": row.extra,
    }


def _answer_json(result: Completion) -> JsonObject:
    return {
        "text": result.text,
        "reasoning": result.reasoning,
        "refusal": result.refusal,
        "tool_calls": [call._asdict() for call in result.tool_calls],
        "finish_reason": result.finish_reason,
    }
