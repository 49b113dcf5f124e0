from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from replaylab.builtin.board import Board
from replaylab.cassette.stored import open_cassette
from replaylab.catalogue.index import shipped
from replaylab.catalogue.loader import Catalogue
from replaylab.engine.gate import Gate
from replaylab.engine.replay import replay_cassette
from replaylab.engine.stepping import Steps, is_trial_step
from replaylab.engine.workers import at_once
from replaylab.store.library import Library
from replaylab.synthesis.asking import facts_of
from replaylab.synthesis.trying import Tried, Trying, guided, tally
from tests.playground import SHORT, catalogue, fake_seams, program, program_chats, reply
from tests.synthesis.playing import order, source

FOUND = catalogue().task(SHORT)


def trying(root: Path, parallel: Any = None, instead: Any = None, **changed: Any) -> Trying:
    """Trials of a shipped task, with and without its plan in the instruction."""
    both = FOUND.scenario.model_copy(update={"tasks": (FOUND.task, guided(FOUND.task))})
    board = Board(catalogue(), [shipped()])
    board.show(Catalogue([(both, catalogue().folder(both.id))]), [shipped()])
    chats = program_chats(Gate(4), instead or board.respond)
    steps = Steps(Library(root), "t", fake_seams(), open_chat=chats)
    return Trying(order(**changed), steps, *([parallel] if parallel else []))


def test_the_plan_stands_in_the_instruction_with_its_steps_and_its_answer() -> None:
    text = guided(FOUND.task).instruction
    assert FOUND.task.plan is not None
    assert text.startswith(FOUND.task.instruction)
    assert all(call.tool in text for call in FOUND.task.plan.calls)
    assert text.endswith(FOUND.task.plan.answer)
    assert guided(FOUND.task).id != FOUND.task.id


@pytest.mark.parametrize("parallel", [None, at_once])
def test_every_agent_tries_alone_and_the_first_carries_out_the_plan(tmp_path: Path, parallel: Any) -> None:
    facts = facts_of(source())
    one = trying(tmp_path, parallel)
    alone = one.alone(facts, FOUND.environment, FOUND.task)
    assert [(tried.agent, tried.verdict.outcome) for tried in alone] == [
        ("scripted:careful", "pass"),
        ("scripted:greedy", "fail"),
    ]
    assert [tried.agent for tried in one.with_plan(facts, FOUND.environment, FOUND.task)] == [
        "scripted:careful"
    ]


def test_a_trial_is_a_cassette_that_replays(tmp_path: Path) -> None:
    (first, _) = trying(tmp_path).alone(facts_of(source()), FOUND.environment, FOUND.task)
    cassette = open_cassette(Library(tmp_path), first.cassette)
    assert is_trial_step(cassette.header)
    assert replay_cassette(cassette).findings == ()


def test_models_are_tried_as_often_as_the_order_says(tmp_path: Path) -> None:
    model = program("scripted:careful").model_copy(update={"player": "llm"})
    tried = trying(tmp_path, tries=3, agents=(model,)).alone(
        facts_of(source()), FOUND.environment, FOUND.task
    )
    assert len(tried) == 3
    assert len({one.cassette for one in tried}) == 3


def test_judges_are_asked_about_an_agent_that_does_nothing(tmp_path: Path) -> None:
    verdict, name = trying(tmp_path).idle(facts_of(source()), FOUND.environment, FOUND.task)
    assert verdict.outcome == "fail"
    cassette = open_cassette(Library(tmp_path), name)
    assert sorted(cassette.lanes) == ["verifier.0"]
    yes = trying(tmp_path / "b", instead=lambda path, body: reply('{"is_correct": true, "feedback": ""}'))
    assert yes.idle(facts_of(source()), FOUND.environment, FOUND.task)[0].outcome == "pass"


def test_errors_are_counted_apart(tmp_path: Path) -> None:
    broken = trying(tmp_path, instead=lambda path, body: reply("no idea"))
    tried: list[Tried] = broken.alone(facts_of(source()), FOUND.environment, FOUND.task)
    assert (tally(tried).passed, tally(tried).failed, tally(tried).error) == (0, 0, 2)
