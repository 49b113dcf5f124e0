"""From messages to the turns of a trial: calls with what came back, and the last answer.

A trial has no turns of a user. Where the agent says something and a user answers, that is held as a call of a tool
that the source does not have: what was said is its argument, what the user answered its observation.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from replaylab.interop.talk.conversation import Call, Message
from replaylab.interop.transcript.meaning import SILENT, Aside
from replaylab.schema.base import Json, JsonObject

SAID = "content"  # the argument and the field of the observation of a word with the user


class Step(NamedTuple):
    """A call and what came back; `tool` is "" for a word with the user. `found`: the source has a result for it."""

    text: str
    tool: str
    arguments: Json
    result: Json
    id: str = ""
    together: bool = False
    found: bool = True
    aside: Aside = SILENT


@dataclass
class Turns:
    """The turns of a conversation. `kept` is what has no place in a trial, `notes` what is odd."""

    opening: tuple[Message, ...] = ()
    steps: list[Step] = field(default_factory=list)
    answer: str | None = None
    closing: Aside = SILENT
    kept: JsonObject = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)


def turns_of(messages: Sequence[Message]) -> Turns:
    """What a trial can hold of these messages, and what is left over."""
    first = next((at for at, one in enumerate(messages) if one.role == "assistant"), len(messages))
    turns = Turns(opening=tuple(messages[:first]))
    groups = _groups(messages[first:])
    waiting: list[Message] = []
    for number, (said, after) in enumerate(groups):
        last = number == len(groups) - 1
        users = [one for one in after if one.role in ("user", "system") and one.text]
        if not said.calls:
            _orphans(turns, [one for one in after if one.role == "tool"])
        if said.calls:
            _calls(turns, _joined([*waiting, said]), said, after, last=last)
            _keep(turns, "after" if last else "between", users)
        elif last:
            turns.answer, turns.closing = _joined([*waiting, said]), said.aside
            _keep(turns, "after", users)
        elif users:
            _word(turns, _joined([*waiting, said]), users, said.aside)
        else:
            waiting.append(said)
            continue
        if waiting:
            turns.notes.append("joined_texts")
        waiting = []
    return turns


def _groups(messages: Sequence[Message]) -> list[tuple[Message, list[Message]]]:
    """Each message of the agent with what follows it before the next one."""
    groups: list[tuple[Message, list[Message]]] = []
    for one in messages:
        if one.role == "assistant":
            groups.append((one, []))
        else:
            groups[-1][1].append(one)
    return groups


def _joined(messages: Sequence[Message]) -> str:
    return "\n\n".join(one.text for one in messages if one.text)


def _calls(turns: Turns, text: str, said: Message, after: Sequence[Message], *, last: bool) -> None:
    results = [one for one in after if one.role == "tool"]
    if last and not results:
        # The conversation was cut off while these were under way: nobody was shown anything for them.
        turns.kept["unfinished"] = {"text": text, "calls": [_as_json(call) for call in said.calls]}
        turns.notes.append("unfinished")
        return
    for number, call in enumerate(said.calls):
        found = _result_of(call, number, said.calls, results)
        if found is None:
            turns.notes.append("unanswered")
        else:
            results.remove(found)
        result = None if found is None else found.text if found.result is None else found.result
        turns.steps.append(
            Step(
                text if number == 0 else "",
                call.name,
                call.arguments,
                result,
                call.id,
                number > 0,
                found is not None,
                said.aside if number == 0 else SILENT,
            )
        )
    _orphans(turns, results)


def _result_of(call: Call, number: int, calls: Sequence[Call], results: Sequence[Message]) -> Message | None:
    """The result of a call: that with its id; where the source gives no ids, the next one in order."""
    if call.id:
        for one in results:
            if one.answers == call.id:
                return one
    unnamed = [one for one in results if not one.answers and one.name in ("", call.name)]
    return unnamed[0] if unnamed and len(unnamed) >= len(calls) - number else None


def _word(turns: Turns, text: str, users: Sequence[Message], aside: Aside) -> None:
    turns.steps.append(Step("", "", {SAID: text}, {SAID: _joined(users)}, aside=aside))


def _keep(turns: Turns, name: str, said: Sequence[Message]) -> None:
    """What a user or the harness said where a trial has no place for it, by number of the call before."""
    if said:
        place = turns.kept.setdefault(name, {})
        place[str(len(turns.steps) - 1)] = [{"role": one.role, "text": one.text} for one in said]
        turns.notes.append("said_beside")


def _orphans(turns: Turns, results: Sequence[Message]) -> None:
    for one in results:
        value = one.text if one.result is None else one.result
        turns.kept.setdefault("orphans", []).append({"id": one.answers, "tool": one.name, "result": value})
        turns.notes.append("orphan_result")


def _as_json(call: Call) -> JsonObject:
    return {"id": call.id, "tool": call.name, "arguments": call.arguments}
