"""From trials to logs of Inspect's, version 2: one log for each condition, since a log has one model.

A sample is a task, an epoch a trial. The agent's calls are events of models with their tokens and times; those of
simulators and judges stand among them under their role. The messages that models were asked with lie once in a pool. What
a log can't say is in the metadata of the sample, in a block from which an import gives the same trial back.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from replaylab.canonical import digest
from replaylab.interop.inspect.pool import Pool
from replaylab.interop.talk.block import BLOCK
from replaylab.interop.talk.outgoing import Asked, Outgoing
from replaylab.roles.agent import function_tools
from replaylab.roles.chat import canonical_text
from replaylab.schema.base import Json, JsonObject
from replaylab.schema.callpath import Condition, role_of
from replaylab.schema.completion import Completion
from replaylab.schema.interaction import Failure, Usage
from replaylab.schema.run import Run
from replaylab.schema.scenario import Tool
from replaylab.schema.trajectory import Action, Outcome, Turn

VALUES: dict[Outcome, str] = {"pass": "C", "fail": "I"}
_STOPS = {
    "tool_calls": "tool_calls",
    "stop": "stop",
    "length": "max_tokens",
    "content_filter": "content_filter",
}
SCORER = "replaylab/verdict"


def to_log(
    run: Run, run_id: str, condition: Condition, trials: Sequence[Outgoing], planned: int
) -> JsonObject:
    """The log of the trials of one condition; `planned` is how many of them there should be."""
    samples = [to_sample(one) for one in trials]
    return {
        "version": 2,
        "status": "success" if len(trials) == planned else "cancelled",
        "eval": _spec(run, run_id, condition, trials),
        "plan": {"name": "plan", "steps": [{"solver": "replaylab/trial", "params": {}}], "config": {}},
        "results": _results(trials, planned),
        "stats": _stats(trials),
        "samples": samples,
    }


def _spec(run: Run, run_id: str, condition: Condition, trials: Sequence[Outgoing]) -> JsonObject:
    tasks = list(dict.fromkeys(one.header.task.id for one in trials))
    agent = next((one.header.players["agent"].model for one in trials), condition.agent)
    version = next((one.header.engine.replaylab for one in trials), "")
    name = digest([run_id, str(condition)])[:22]
    return {
        "run_id": run_id[:22],
        "eval_id": name,
        "task_id": name,
        "created": _seconds(run.created),
        "task": run.name,
        "task_version": 0,
        "dataset": {"name": run.name, "samples": len(tasks), "sample_ids": tasks, "shuffled": False},
        "model": agent,
        "model_args": {},
        "model_roles": {
            role: {"model": alias}
            for role, alias in (("simulator", condition.simulator), ("verifier", condition.verifier))
        },
        "config": {"epochs": run.spec.trials},
        "packages": {"replaylab": version},
        "scorers": [{"name": SCORER, "options": {}, "metrics": [{"name": "accuracy", "options": {}}]}],
        "metadata": {"replaylab_run": run_id, "condition": str(condition), "evidence": run.evidence},
    }


def _seconds(created: str) -> str:
    """A time as logs have it."""
    return created.replace("Z", "+00:00")


def _results(trials: Sequence[Outgoing], planned: int) -> JsonObject:
    """Passed of those that were judged: an error and a missing trial are neither, and are counted beside."""
    outcomes = [one.derived.verdict.outcome for one in trials]
    judged = [one for one in outcomes if one in VALUES]
    metrics = {}
    if judged:
        metrics["accuracy"] = {"name": "accuracy", "value": judged.count("pass") / len(judged), "params": {}}
    score = {
        "name": SCORER,
        "scorer": SCORER,
        "scored_samples": len(judged),
        "unscored_samples": planned - len(judged),
        "params": {},
        "metrics": metrics,
    }
    completed = sum(one != "error" for one in outcomes)
    return {"total_samples": planned, "completed_samples": completed, "scores": [score] if judged else []}


def _stats(trials: Sequence[Outgoing]) -> JsonObject:
    totals: dict[str, Usage] = {}
    for one in trials:
        for lane in one.lanes:
            for row in one.cassette.lanes[lane]:
                if row.usage:
                    model = row.answered_by or row.request.alias
                    totals[model] = _sum(totals.get(model, Usage()), row.usage)
    times = sorted(_seconds(one.header.created) for one in trials) or [""]
    return {
        "started_at": times[0],
        "completed_at": times[-1],
        "model_usage": {model: _usage(totals[model]) for model in sorted(totals)},
    }


def _sum(one: Usage, other: Usage) -> Usage:
    return Usage(**{name: getattr(one, name) + getattr(other, name) for name in Usage.model_fields})


def _usage(usage: Usage) -> JsonObject:
    """Inspect counts cached tokens apart from the other input tokens."""
    counts: JsonObject = {
        "input_tokens": usage.prompt_tokens - min(usage.cached_tokens, usage.prompt_tokens),
        "output_tokens": usage.completion_tokens,
        "total_tokens": usage.prompt_tokens + usage.completion_tokens,
    }
    if usage.cached_tokens:
        counts["input_tokens_cache_read"] = min(usage.cached_tokens, usage.prompt_tokens)
    if usage.reasoning_tokens:
        counts["reasoning_tokens"] = usage.reasoning_tokens
    return counts


def to_sample(trial: Outgoing) -> JsonObject:
    """A trial as a sample."""
    header, trajectory = trial.header, trial.derived.trajectory
    messages = [_input(trial), *(message for one in _turns(trial) for message in one)]
    pool = Pool()
    events = [{"event": "sample_init", "sample": _dataset(trial), "state": {}} | _at(trial, "init", 0, 0)]
    events += _model_events(trial, pool)
    output: JsonObject = {"model": header.players["agent"].model, "choices": [], "completion": ""}
    if trajectory.termination == "answered" and trial.turns:
        output = _output(trial, len(trial.turns) - 1)
    sample: JsonObject = _dataset(trial) | {
        "epoch": header.subject.trial + 1,
        "messages": messages,
        "output": output,
        "scores": _scores(trial),
        "metadata": {"trial": trial.facts(), BLOCK: trial.block()},
        "store": {},
        "events": events,
        "model_usage": _stats([trial])["model_usage"],
        "uuid": trial.cassette.name[:22],
        "events_data": {"messages": pool.messages, "calls": []},
        "attachments": {},
    }
    if trajectory.error:
        message = f"{trajectory.termination}: {trajectory.error}"
        sample["error"] = {"message": message, "traceback": "", "traceback_ansi": ""}
    if trajectory.termination == "step_limit":
        sample["limit"] = {"type": "message", "limit": header.limits.max_steps}
    return sample


def _dataset(trial: Outgoing) -> JsonObject:
    task = trial.header.task
    return {"id": task.id, "input": task.instruction, "target": task.rubric.text}


def _scores(trial: Outgoing) -> JsonObject | None:
    verdict = trial.derived.verdict
    if verdict.outcome not in VALUES:
        return _source_scores(trial) or None
    answer = trial.derived.trajectory.answer
    votes = [{"vote": one.vote, "outcome": one.outcome, "reason": one.reason} for one in verdict.votes]
    return {
        SCORER: {
            "value": VALUES[verdict.outcome],
            "answer": answer,
            "explanation": verdict.reason,
            "metadata": {"votes": votes},
        }
    }


def _source_scores(trial: Outgoing) -> JsonObject:
    """The scores of the file that the trial came from, under their names; the log's own results count none of them."""
    found: JsonObject = {}
    for number, one in enumerate(trial.source_scores()):
        name = str(one.get("name") or "score")
        kept = {key: one[key] for key in ("answer", "explanation") if isinstance(one.get(key), str)}
        found[name if name not in found else f"{name} {number}"] = {"value": one["value"], **kept}
    return found


def _input(trial: Outgoing) -> JsonObject:
    return {
        "id": _name(trial, "input"),
        "role": "user",
        "content": trial.header.task.instruction,
        "source": "input",
    }


def _name(trial: Outgoing, *parts: object) -> str:
    """An id as Inspect makes them by chance; this one follows from what it names."""
    return digest([trial.cassette.name, *parts])[:22]


def _turns(trial: Outgoing) -> Iterator[list[JsonObject]]:
    """Each turn as messages: what the agent said, then what each call returned."""
    for number, turn in enumerate(trial.turns):
        yield [_assistant(trial, number, turn), *(_tool(trial, one) for one in turn.actions)]


def _assistant(trial: Outgoing, number: int, turn: Turn) -> JsonObject:
    content: Json = turn.text
    if turn.reasoning:
        content = [
            {"type": "reasoning", "reasoning": turn.reasoning},
            {"type": "text", "text": turn.text},
        ]
    message: JsonObject = {
        "id": _name(trial, "agent", number),
        "role": "assistant",
        "content": content,
        "source": "generate",
    }
    if turn.actions:
        message["tool_calls"] = [_call(one) for one in turn.actions]
    return message


def _call(action: Action) -> JsonObject:
    call: JsonObject = {
        "id": action.id,
        "function": action.tool,
        "arguments": action.arguments or {},
        "type": "function",
    }
    if action.arguments is None:
        call["parse_error"] = f"The arguments are not one JSON object: {action.raw_arguments}"
    return call


def _tool(trial: Outgoing, action: Action) -> JsonObject:
    return {
        "id": _name(trial, "observation", action.call),
        "role": "tool",
        "content": canonical_text(action.observation),
        "tool_call_id": action.id,
        "function": action.tool,
    }


def _output(trial: Outgoing, number: int) -> JsonObject:
    turn, row = trial.turns[number], trial.row(number)
    stop = _STOPS.get(turn.finish_reason, "unknown")
    output: JsonObject = {
        "model": (row.answered_by if row else "") or trial.header.players["agent"].model,
        "choices": [{"message": _assistant(trial, number, turn), "stop_reason": stop}],
        "completion": turn.text,
    }
    if row and row.usage:
        output["usage"] = _usage(row.usage)
    if row and row.final.latency_ms:
        output["time"] = row.final.latency_ms / 1000
    return output


def _model_events(trial: Outgoing, pool: Pool) -> Iterator[JsonObject]:
    """The calls of models, the agent's first with its tools; then everybody else's."""
    tools = [_tool_info(one) for one in trial.header.environment.tools] if _native(trial) else []
    for number, asked in enumerate(trial.asked("agent")):
        if number < len(trial.turns):
            yield _model_event(trial, asked, pool, _output(trial, number), tools)
            yield from _tool_events(trial, number, asked)
        else:
            yield _model_event(trial, asked, pool, _plain_output(asked), tools)
    for asked in trial.others():
        yield _model_event(trial, asked, pool, _plain_output(asked), [])


def _native(trial: Outgoing) -> bool:
    return bool(function_tools(trial.header.environment)) and trial.header.players["agent"].tools == "native"


def _tool_info(tool: Tool) -> JsonObject:
    parameters = {"type": "object", "properties": {}, "required": []} | tool.parameters
    return {"name": tool.name, "description": tool.description, "parameters": parameters}


def _plain_output(asked: Asked) -> JsonObject:
    model = asked.row.answered_by or asked.row.request.alias
    if isinstance(asked.answer, Failure):
        return {"model": model, "choices": [], "completion": "", "error": asked.answer.kind}
    answer: Completion = asked.answer
    message = {"role": "assistant", "content": answer.text or answer.refusal, "source": "generate"}
    message["id"] = digest(asked.row.path)[:22]
    stop = _STOPS.get(answer.finish_reason, "unknown")
    output: JsonObject = {
        "model": model,
        "choices": [{"message": message, "stop_reason": stop}],
        "completion": answer.text,
    }
    if asked.row.usage:
        output["usage"] = _usage(asked.row.usage)
    return output


def _model_event(
    trial: Outgoing, asked: Asked, pool: Pool, output: JsonObject, tools: Sequence[JsonObject]
) -> JsonObject:
    role = role_of(asked.lane)
    started = asked.row.attempts[0].started_ms
    event: JsonObject = {
        "event": "model",
        "model": asked.row.request.alias,
        "input": [],
        "input_refs": pool.refs(asked.body.get("messages") or []),
        "tools": list(tools),
        "tool_choice": "auto" if tools else "none",
        "config": {},
        "output": output,
        "completed": trial.when(asked.row.final.started_ms + asked.ms),
        "working_time": asked.ms / 1000,
        "retries": len(asked.row.attempts) - 1,
        "metadata": {"path": asked.row.path, "request": asked.row.request.digest},
    }
    if role != "agent":
        event["role"] = role
    if isinstance(asked.answer, Failure):
        event["error"] = f"{asked.answer.kind}: {asked.answer.message}"
    return event | _at(trial, asked.row.path, started, started)


def _tool_events(trial: Outgoing, number: int, asked: Asked) -> Iterator[JsonObject]:
    after = asked.row.final.started_ms + asked.ms
    for action in trial.turns[number].actions:
        yield {
            "event": "tool",
            "type": "function",
            "id": action.id,
            "function": action.tool,
            "arguments": action.arguments or {},
            "result": canonical_text(action.observation),
            "events": [],
            "completed": trial.when(after),
            "working_time": 0,
            "message_id": _name(trial, "observation", action.call),
            "metadata": {"call": action.call, "by": action.by},
        } | _at(trial, f"tool {action.call}", after, after)


def _at(trial: Outgoing, name: str, ms: float, working: float) -> JsonObject:
    return {
        "uuid": _name(trial, "event", name),
        "timestamp": trial.when(ms),
        "working_start": working / 1000,
    }
