from __future__ import annotations

import json
from pathlib import Path

from replaylab.builtin.responder import Responder
from replaylab.canonical import canonical
from replaylab.cli.config import BUILT_IN
from tests.builtin.playing import asked

REPO = Path(__file__).resolve().parents[2]
QUESTION = {"role": "user", "content": "Which side is up?"}


def test_the_models_are_those_that_the_command_line_lists(models: Responder) -> None:
    assert set(models.models.programs) == set(BUILT_IN)
    listed = json.loads(b"".join(models.respond("/v1/models", b"", "GET")[2]))
    assert [one["id"] for one in listed["data"]] == list(models.models.programs)


def test_an_unknown_model_is_a_404_that_names_the_closest(models: Responder) -> None:
    status, body = asked(models, "scripted:carefull", QUESTION)
    assert (status, body["error"]["code"], body["error"]["param"]) == (404, "model_not_found", "model")
    assert "scripted:careful" in body["error"]["message"]


def test_the_answer_has_no_time_and_names_the_program_and_its_version(models: Responder) -> None:
    _, body = asked(models, "coin", QUESTION)
    assert body["created"] == 0
    assert body["system_fingerprint"] == "replaylab:coin/1"
    assert body["model"] == "coin"


def test_the_id_follows_from_the_whole_body(models: Responder) -> None:
    first, again, other = (asked(models, "coin", QUESTION, seed=seed)[1]["id"] for seed in (1, 1, 2))
    assert first == again
    assert first != other


def test_tokens_are_a_quarter_of_the_bytes(models: Responder) -> None:
    long = {"role": "user", "content": "é" * 50}
    request = {"model": "coin", "messages": [long]}
    _, body = asked(models, "coin", long)
    message = body["choices"][0]["message"]
    prompt, answer = -(-len(canonical(request)) // 4), -(-len(canonical(message)) // 4)
    assert body["usage"] == {
        "prompt_tokens": prompt,
        "completion_tokens": answer,
        "total_tokens": prompt + answer,
    }


def test_both_sides_of_the_coin_come_up(models: Responder) -> None:
    votes = {
        json.loads(asked(models, "coin", QUESTION, seed=seed)[1]["choices"][0]["message"]["content"])[
            "is_correct"
        ]
        for seed in range(20)
    }
    assert votes == {True, False}
