"""Simulators that are the twin but for what a test alters, recorded for real: in a run, or in lockstep with one."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from replaylab.engine.gate import Gate
from replaylab.engine.ledger import Order
from replaylab.engine.record import Recorded, Recording
from replaylab.engine.swap import History, swap_plan, swapped_name
from replaylab.store.library import Library
from tests.playground import Wish, fake_seams, program, program_chats, record, responder

Alter = Callable[[str, dict[str, Any], Any, int], Any]
Respond = Callable[[str, bytes], Any]


def same(tool: str, arguments: dict[str, Any], said: Any, asked: int) -> Any:
    """A simulator that is as faithful as the twin."""
    return said


def without(place: str, *, times: Sequence[int] = range(99)) -> Alter:
    """Leaves a place out of `list_places`, in the askings of these numbers."""

    def alter(tool: str, arguments: dict[str, Any], said: Any, asked: int) -> Any:
        if tool == "list_places" and asked in times and "places" in said:
            said["places"] = [one for one in said["places"] if one["place"] != place]
        return said

    return alter


def with_place(place: str) -> Alter:
    """Invents a place."""

    def alter(tool: str, arguments: dict[str, Any], said: Any, asked: int) -> Any:
        if tool == "list_places" and "places" in said:
            said["places"].append({**said["places"][0], "place": place})
        return said

    return alter


def refusing(tool_name: str, why: str) -> Alter:
    """Refuses one tool, always with the same words."""

    def alter(tool: str, arguments: dict[str, Any], said: Any, asked: int) -> Any:
        return {"error": why} if tool == tool_name else said

    return alter


def saying(tool_name: str, field: str, value: Any) -> Alter:
    """Says another value in one field of every row that has it."""

    def put(node: Any) -> Any:
        if isinstance(node, dict):
            return {key: value if key == field else put(part) for key, part in node.items()}
        return [put(part) for part in node] if isinstance(node, list) else node

    def alter(tool: str, arguments: dict[str, Any], said: Any, asked: int) -> Any:
        return put(said) if tool == tool_name else said

    return alter


def adding(field: str, value: Any) -> Alter:
    """Adds what the contract says nothing of."""
    return lambda tool, arguments, said, asked: {**said, field: value} if isinstance(said, dict) else said


def voices(altered: Mapping[str, Alter]) -> Respond:
    """The built-in models, and beside them these simulators. The same question counts how often it was asked."""
    asked_before: Counter[bytes] = Counter()

    def respond(path: str, body: bytes) -> Any:
        asked = json.loads(body)
        alias = asked["model"]
        if alias not in altered:
            return responder().respond(path, body)
        asked["model"] = "twin"
        number, asked_before[body] = asked_before[body], asked_before[body] + 1
        status, headers, pieces = responder().respond(path, json.dumps(asked).encode())
        answer = json.loads(b"".join(pieces))
        message = answer["choices"][0]["message"]
        call = _call(asked["messages"])
        said = altered[alias](call["name"], call["arguments"], json.loads(message["content"]), number)
        message["content"] = said if isinstance(said, str) else json.dumps(said)
        answer["model"] = alias
        return status, headers, [json.dumps(answer).encode()]

    return respond


def _call(messages: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """The call that is asked about, also where an unusable answer is asked for again."""
    texts = [one["content"] for one in messages if one["role"] == "user"]
    call: dict[str, Any] = json.loads(next(text for text in reversed(texts) if text.startswith("{")))
    return call


def recorded(root: Path, altered: Mapping[str, Alter], **wish: Any) -> Library:
    """A run `run` whose simulators are these (or `simulators`, which may name built-in ones too)."""
    simulators = wish.pop("simulators", tuple(altered))
    return record(root, Wish(respond=voices(altered), simulators=simulators, **wish))[0]


def lockstep(
    library: Library,
    alias: str,
    alter: Alter = same,
    *,
    history: History = "recorded",
    repeats: int = 1,
    base: str = "run",
    name: str = "",
) -> Recorded:
    """Put the calls of a run to one more simulator, as the command does."""
    run_id, run = library.run(base)
    model = program(alias)
    spec, planned = swap_plan(library, run_id, run, "simulator", model, history, repeats)
    gate = Gate(1)
    order = Order(name or swapped_name(run.name, "simulator", model, history, repeats), spec, planned)
    chats = program_chats(gate, voices({alias: alter}))
    return Recording(library, order, open_chat=chats, gate=gate, seams=fake_seams()).run()
