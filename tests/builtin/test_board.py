from __future__ import annotations

import json
from typing import Any

from replaylab.builtin.board import Board
from replaylab.catalogue.index import shipped
from replaylab.catalogue.loader import Catalogue
from replaylab.roles.agent import function_tools
from replaylab.roles.generator import Question
from tests.playground import SHORT, catalogue


def ask(board: Board, model: str, text: str, tools: Any = None) -> int:
    body = {"model": model, "messages": [{"role": "user", "content": text}]}
    return board.respond(
        "/v1/chat/completions", json.dumps(body | ({"tools": tools} if tools else {})).encode()
    )[0]


def test_players_know_the_candidate_that_was_shown_last_and_the_generator_the_shipped_scenarios() -> None:
    found = catalogue().task(SHORT)
    task = found.task.model_copy(update={"id": "new", "instruction": "Something new."})
    scenario = found.scenario.model_copy(update={"tasks": (task,)})
    board, tools = Board(catalogue(), [shipped()]), list(function_tools(found.environment))
    question = Question("subtopics", {"scenario": {"id": found.scenario.id}}, {}).text()
    assert ask(board, "scripted:careful", task.instruction, tools) == 400
    board.show(Catalogue([(scenario, catalogue().folder(scenario.id))]), [shipped()])
    assert ask(board, "scripted:careful", task.instruction, tools) == 200
    assert ask(board, "scripted:careful", found.task.instruction, tools) == 400
    assert ask(board, "grammar", question) == 200


def test_a_body_that_is_no_json_is_refused_as_by_any_server() -> None:
    assert Board(catalogue(), []).respond("/v1/chat/completions", b"{")[0] == 400
