"""Small syntheses in memory: built-in programs over a library in a folder, and a generator whose answers a test may change."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

from replaylab.builtin.board import Board
from replaylab.catalogue.index import read_index, shipped
from replaylab.engine.gate import Gate
from replaylab.engine.stepping import Steps
from replaylab.errors import LimitReached
from replaylab.roles.generator import Question, read_question
from replaylab.store.library import Library
from replaylab.synthesis.order import Order, Source
from replaylab.synthesis.pipeline import Made, Synthesis
from replaylab.synthesis.stage import Outside
from tests.playground import catalogue, fake_seams, program, program_chats

SCENARIO = "greenhouse-irrigation-control"
AGENTS = ("scripted:careful", "scripted:greedy")
Edit = Callable[[Question, Any], Any]


def source(name: str = SCENARIO) -> Source:
    one = catalogue().scenario(name)
    return Source(id=one.id, name=one.name, industry=one.industry, domain=one.domain, summary=one.summary)


def order(**changed: Any) -> Order:
    """One instance with two levels, by built-in programs."""
    fields: dict[str, Any] = {
        "sources": (source(),),
        "generator": program("grammar"),
        "agents": tuple(map(program, AGENTS)),
        "simulator": program("twin"),
        "verifier": program("rubric"),
        "levels": 2,
        "held_out": 0,
    }
    return Order(**{**fields, **changed})


class Played:
    """What a synthesis came to, and who was asked: (model, step or "") of every call."""

    def __init__(self, made: Made, asked: list[tuple[str, str]], steps: Steps) -> None:
        self.made, self.history, self.asked, self.steps = made, made.history, asked, steps

    def task(self, level: int = 1) -> Any:
        return next(task for task in self.history.tasks if task.level == level)


@cache
def the_board() -> Board:
    """One for all tests, so that what the grammar has worked out once is there."""
    return Board(catalogue(), [shipped()])


def unedited(question: Question, value: Any) -> Any:
    return value


def synthesise(
    folder: Path,
    wanted: Order | None = None,
    edit: Edit = unedited,
    *,
    offline: bool = False,
    instead: Callable[[Any], Any] = lambda request: None,
    stop_after: int | None = None,
    **steps_more: Any,
) -> Played:
    """Carry out an order over the library in `folder`. `edit` changes what the generator answers; None is no JSON.

    `instead` may answer a request in place of the programs; after `stop_after` calls no more is made.
    """
    wanted = wanted or order()
    board = the_board()
    asked: list[tuple[str, str]] = []

    def answering(path: str, body: bytes) -> Any:
        request = json.loads(body)
        if len(asked) == stop_after:
            raise LimitReached("stopped here")
        question = read_question(request["messages"][1]["content"]) if request["model"] == "grammar" else None
        asked.append((request["model"], question.step if question else ""))
        other = instead(request)
        if other is not None:
            return other
        status, headers, pieces = board.respond(path, body)
        if question is None or status != 200:
            return status, headers, pieces
        answer = json.loads(b"".join(pieces))
        message = answer["choices"][0]["message"]
        changed = edit(question, json.loads(message["content"])) if message["content"][:1] == "{" else None
        message["content"] = "I would rather not." if changed is None else json.dumps(changed)
        return status, headers, [json.dumps(answer).encode()]

    gate = Gate(1)
    chats = None if offline else program_chats(gate, answering)
    library = Library(folder / "library")
    steps = Steps(library, wanted.name, fake_seams(), open_chat=chats, gate=gate, **steps_more)
    work = folder / "work"
    work.mkdir(parents=True, exist_ok=True)
    outside = Outside(steps, work, catalogue(), read_index(shipped()), show=board.show)
    try:
        made = Synthesis(wanted, outside).run()
    finally:
        steps.close()
    return Played(made, asked, steps)
