"""Makes a cassette of a transcript: the engine plays the trial, and each side says what the transcript has.

A transcript has no requests to models. Those in the cassette are what this engine would have asked, so that a replay
works and compares them; nobody ever sent them.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Literal, NamedTuple

from replaylab.canonical import digest_bytes
from replaylab.cassette.tape import Lane, Tape
from replaylab.engine.plan import inputs_digest, make_header
from replaylab.engine.seal import seal
from replaylab.engine.trial import run_trial
from replaylab.interop.transcript.meaning import SILENT, Aside, Said, Transcript
from replaylab.schema.base import JsonObject
from replaylab.schema.callpath import CallPath, Condition, TrialKey
from replaylab.schema.cassette import IMPORT_LABEL, Engine, Header, Label, Provenance
from replaylab.schema.completion import Completion
from replaylab.schema.interaction import Attempt, Usage
from replaylab.schema.model import NOBODY, ModelSettings
from replaylab.schema.run import RunSpec, Try
from replaylab.wire.asking import Asking
from replaylab.wire.completion import read_answer

Origin = Literal["imported", "authored"]


class Answer(NamedTuple):
    """What a side of a transcript says next."""

    message: JsonObject
    aside: Aside = SILENT


def key_of(one: Transcript) -> TrialKey:
    """The address of the trial."""
    condition = Condition(one.agent.alias, one.simulator.alias, NOBODY.alias, one.faults.name)
    return TrialKey(condition, one.task.id, one.trial or 0)


def make_cassette(
    one: Transcript, spec: RunSpec, how: Origin = "imported", engine: Engine | None = None
) -> tuple[bytes, Try]:
    """The bytes of the cassette, and what a ledger says of it. The same transcript gives the same bytes.

    `engine` names what made it, where that is not what runs now.
    """
    key = key_of(one)
    header = _header(one, spec, key, how)
    header = header if engine is None else header.model_copy(update={"engine": engine})
    tape = Tape(key, elapsed_ms=lambda: 0.0)
    said: Mapping[str, Iterator[Answer]] = {"agent": _turns(one), "simulator": _observations(one)}
    run_trial(header, tape, lambda lane, settings: _Spoken(lane, settings, said[lane.name]))
    if one.kept:
        tape.label(Label(kind=IMPORT_LABEL, path=str(CallPath(key, "agent")), value=one.kept))
    data, result = seal(header, tape, one.created)
    return data, Try(
        cassette=digest_bytes(data),
        outcome=result.outcome,
        verdict=result.verdict.outcome,
        termination=result.trajectory.termination,
    )


def _header(one: Transcript, spec: RunSpec, key: TrialKey, how: Origin) -> Header:
    players = {
        "agent": {one.agent.alias: one.agent},
        "simulator": {one.simulator.alias: one.simulator},
        "verifier": {NOBODY.alias: NOBODY},
    }
    header = make_header(key, spec, one.scenario, one.environment, one.task, one.faults, players)
    update: JsonObject = {
        "created": one.created,
        "lanes": {lane: Provenance(how=how) for lane in ("agent", "simulator")},
    }
    if how == "imported":
        # What bounded the conversation is not known. It ends where the transcript does, with an answer or without.
        calls = len(one.steps) + (one.answer is not None)
        update["limits"] = spec.limits.model_copy(update={"max_steps": calls})
        update["subject"] = header.subject.model_copy(update={"kind": "import"})
    header = header.model_copy(update=update)
    return header.model_copy(update={"inputs": inputs_digest(header)})


def _turns(one: Transcript) -> Iterator[Answer]:
    """The answers of the agent: each text with its calls, and the last one, which calls nothing."""
    for turn in _grouped(one.steps):
        calls = [
            {
                "id": step.id or f"call_{number}",
                "type": "function",
                "function": {"name": step.tool, "arguments": step.arguments},
            }
            for number, step in turn
        ]
        _, first = turn[0]
        yield Answer({"role": "assistant", "content": first.text or None, "tool_calls": calls}, first.aside)
    if one.answer is not None:
        yield Answer({"role": "assistant", "content": one.answer}, one.closing)


def _grouped(steps: Sequence[Said]) -> Iterator[list[tuple[int, Said]]]:
    turn: list[tuple[int, Said]] = []
    for numbered in enumerate(steps):
        if turn and not numbered[1].together:
            yield turn
            turn = []
        turn.append(numbered)
    if turn:
        yield turn


def _observations(one: Transcript) -> Iterator[Answer]:
    for step in one.steps:
        if step.observed is not None:
            yield Answer({"role": "assistant", "content": step.observed})


class _Spoken:
    """A lane that is answered from a transcript. Tokens and a model are said where the source named them."""

    def __init__(self, lane: Lane, settings: ModelSettings, said: Iterator[Answer]) -> None:
        self._lane, self._asking, self._said = lane, Asking(settings), said

    def ask(
        self,
        messages: Sequence[JsonObject],
        *,
        tools: Sequence[JsonObject] = (),
        extra: JsonObject | None = None,
    ) -> Completion:
        slot = self._lane.begin(self._asking.request(messages, tools, extra))
        message, aside = next(self._said)
        if aside.reasoning:
            message = message | {"reasoning_content": aside.reasoning}
        finish = aside.finish or ("tool_calls" if "tool_calls" in message else "stop")
        choice = {"index": 0, "message": message, "finish_reason": finish}
        body: JsonObject = {"object": "chat.completion", "choices": [choice]}
        if aside.model:
            body["model"] = aside.model
        if aside.usage:
            body["usage"] = _usage(aside.usage)
        attempt = Attempt(status=200, latency_ms=aside.ms, text=json.dumps(body))
        completion = read_answer(attempt, str(slot.path))
        slot.commit([attempt], completion)
        return completion


def _usage(usage: Usage) -> JsonObject:
    """As a server of the chat API counts tokens."""
    counts: JsonObject = {
        "prompt_tokens": usage.prompt_tokens,
        "completion_tokens": usage.completion_tokens,
        "total_tokens": usage.prompt_tokens + usage.completion_tokens,
    }
    if usage.cached_tokens:
        counts["prompt_tokens_details"] = {"cached_tokens": usage.cached_tokens}
    if usage.reasoning_tokens:
        counts["completion_tokens_details"] = {"reasoning_tokens": usage.reasoning_tokens}
    return counts
