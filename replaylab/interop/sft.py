"""Training examples out of recordings: trajectories in which an agent recovered from a disturbed observation.

One JSON object a line, in the chat format that fine-tuning tools read: `messages`, `tools`, and `metadata` that says
where it comes from. The messages are the recorded ones, as they were sent and answered; nothing is made up.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple

from replaylab.canonical import Digest
from replaylab.cassette.codec import Cassette
from replaylab.cassette.tape import expand
from replaylab.derive.recovery import Recovered, recovery_of
from replaylab.derive.verdict import Derived, derive
from replaylab.faults.plan import EXPLICIT, IMPLICIT, SEMANTIC
from replaylab.schema.base import JsonObject
from replaylab.schema.callpath import Condition, TrialKey
from replaylab.schema.cassette import Header
from replaylab.schema.completion import Completion
from replaylab.schema.interaction import Failure
from replaylab.schema.run import Run
from replaylab.store.library import Library
from replaylab.wire.completion import judge

Recovery = Literal["implicit", "explicit", "any", "none"]
KINDS: dict[Recovery, frozenset[str]] = {
    "implicit": frozenset(IMPLICIT) | frozenset(SEMANTIC),
    "explicit": frozenset(EXPLICIT),
    "any": frozenset(IMPLICIT) | frozenset(SEMANTIC) | frozenset(EXPLICIT),
}


class Wanted(NamedTuple):
    """Which trials become examples. An empty list of names is any.

    `recovered` is the kind of fault that the agent must have met and recovered from; "none" asks for no recovery.
    `outcome` is the verdict that is wanted, "" any but an error. `longest` is the most messages an example may have,
    0 for no limit. `players` are the kinds of agents that are taken, `provenance` where the agent's lane may come
    from: what was authored is no recording, and is taken only where somebody asks for it.
    """

    recovered: Recovery = "implicit"
    outcome: str = "pass"
    agents: Sequence[str] = ()
    faults: Sequence[str] = ()
    tasks: Sequence[str] = ()
    scenarios: Sequence[str] = ()
    industries: Sequence[str] = ()
    players: Sequence[str] = ("llm", "program", "human", "own")
    provenance: Sequence[str] = ("recorded", "copied")
    longest: int = 0


class Example(NamedTuple):
    """A line of the file, and the trial that it was made from."""

    key: str
    cassette: Digest
    body: JsonObject


class Passed(NamedTuple):
    """A trial that gives no example, and why."""

    key: str
    why: str


def examples(library: Library, run: Run, wanted: Wanted) -> Iterator[Example | Passed]:
    """What the trials of a run give, in the order of its plan; the try that counts speaks for a trial.

    Raises StoreError for a damaged cassette.
    """
    for entry in run.ledger:
        counting = entry.counting
        why = "missing" if counting is None else _refused(TrialKey.parse(entry.key), wanted)
        if counting is None or why:
            yield Passed(entry.key, why)
            continue
        name = Digest(counting.cassette)
        stone = library.gone(name)
        if stone is not None:
            yield Passed(entry.key, stone.why)
            continue
        cassette = Cassette(
            library.get(name, "cassette"), where=str(library.path(name, "cassette")), name=name
        )
        made = _example(cassette, wanted)
        yield Passed(entry.key, made) if isinstance(made, str) else Example(entry.key, name, made)


def _refused(key: TrialKey, wanted: Wanted) -> str:
    """Why a key is not wanted, "" when it is. What is in the cassette is looked at later."""
    condition = key.condition
    for word, value, names in (
        ("agent", condition.agent, wanted.agents),
        ("fault plan", condition.faults, wanted.faults),
        ("task", key.task, wanted.tasks),
    ):
        if names and value not in names:
            return f"another {word}"
    return ""


def _example(cassette: Cassette, wanted: Wanted) -> JsonObject | str:
    """The example, or why there is none."""
    header = cassette.header
    refused = _unfit(header, wanted)
    if refused:
        return refused
    derived = derive(header, cassette.lanes)
    outcome = derived.verdict.outcome
    if outcome == "error":
        return "error"
    if wanted.outcome and outcome != wanted.outcome:
        return f"verdict {outcome}"
    cured = _cured(derived, wanted)
    if wanted.recovered != "none" and not cured:
        return "no recovery"
    messages, tools = _chat(cassette)
    if messages is None:
        return "no final answer"
    if wanted.longest and len(messages) > wanted.longest:
        return "too long"
    body: JsonObject = {"messages": messages} | ({"tools": tools} if tools else {})
    return body | {"metadata": _metadata(cassette, outcome, cured)}


def _unfit(header: Header, wanted: Wanted) -> str:
    if header.mode != "run":
        return f"mode {header.mode}"
    if header.players["agent"].player not in wanted.players:
        return f"played by a {header.players['agent'].player}"
    if _provenance(header) not in wanted.provenance:
        return _provenance(header)
    if wanted.scenarios and not {header.scenario.id, header.scenario.name} & set(wanted.scenarios):
        return "another scenario"
    if wanted.industries and header.scenario.industry not in wanted.industries:
        return "another industry"
    return ""


def _cured(derived: Derived, wanted: Wanted) -> list[Recovered]:
    """The faults of the wanted kind that the agent recovered from and let nothing of into its answer."""
    kinds = KINDS.get(wanted.recovered, KINDS["any"])
    return [
        fault
        for fault in recovery_of(derived.trajectory).faults
        if fault.kind in kinds and fault.recovered and not fault.accepted
    ]


def _chat(cassette: Cassette) -> tuple[list[JsonObject] | None, list[JsonObject]]:
    """The whole conversation: the last request of the agent with its answer. None where the agent gave no answer."""
    lane = cassette.lanes.get("agent", [])
    if not lane:
        return None, []
    answer = judge(lane[-1].final)
    if isinstance(answer, Failure):
        return None, []
    body = expand(lane, len(lane) - 1, cassette.blob)
    return [*body.get("messages", ()), _said(answer)], list(body.get("tools", ()))


def _said(answer: Completion) -> JsonObject:
    """The last answer as a message; the reasoning that a server sent apart from the text stays out of the text."""
    message: JsonObject = {"role": "assistant", "content": answer.text or answer.refusal}
    if answer.tool_calls:
        message["tool_calls"] = [
            {
                "id": call.id,
                "type": "function",
                "function": {"name": call.name, "arguments": call.arguments},
            }
            for call in answer.tool_calls
        ]
    return message


def _metadata(cassette: Cassette, outcome: str, cured: Sequence[Recovered]) -> JsonObject:
    header = cassette.header
    agent = header.players["agent"]
    return {
        "cassette": cassette.name,
        "key": str(
            TrialKey(Condition.parse(header.subject.condition), header.subject.task, header.subject.trial)
        ),
        "agent": {"alias": agent.alias, "model": agent.model, "player": agent.player},
        "simulator": header.players["simulator"].alias,
        "scenario": header.scenario.id,
        "industry": header.scenario.industry,
        "faults": header.faults.name,
        "verdict": outcome,
        "provenance": _provenance(header),
        "recovered": [
            {"kind": fault.kind, "calls": list(fault.calls), "to_recover": fault.to_recover}
            for fault in cured
        ],
    }


def _provenance(header: Header) -> str:
    return header.lanes["agent"].how if "agent" in header.lanes else "recorded"
