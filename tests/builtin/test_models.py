from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from replaylab.builtin.responder import Responder
from replaylab.canonical import canonical
from replaylab.catalogue.loader import Catalogue
from replaylab.cli.config import BUILT_IN
from tests.builtin.playing import asked, trial

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


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"[]",
        b'{"messages": [{"role": "user", "content": "x"}]}',
        b'{"model": 1, "messages": [{"role": "user", "content": "x"}]}',
        b'{"model": "coin"}',
        b'{"model": "coin", "messages": []}',
        b'{"model": "coin", "messages": "x"}',
        b'{"model": "coin", "messages": ["x"]}',
        b'{"model": "coin", "messages": [{"role": "nobody", "content": "x"}]}',
        b'{"model": "coin", "messages": [{"role": "user", "content": 1}]}',
        b'{"model": "coin", "messages": [{"role": "assistant", "tool_calls": [{"id": "1"}]}]}',
        b'{"model": "coin", "messages": [{"role": "user", "content": "x"}], "tools": [{}]}',
        b'{"model": "coin", "messages": [{"role": "user", "content": "x"}], "n": 2}',
        b'{"model": "coin", "model": "coin", "messages": [{"role": "user", "content": "x"}]}',
        b'{"model": "coin", "messages": [{"role": "user", "content": NaN}]}',
        b'{"model": "coin", "messages": [{"role": "user", "content": "\xff"}]}',
    ],
)
def test_a_bad_body_is_a_400_in_the_error_shape(models: Responder, body: bytes) -> None:
    status, headers, pieces = models.respond("/chat/completions", body)
    error = json.loads(b"".join(pieces))["error"]
    assert (status, headers["content-type"]) == (400, "application/json")
    assert set(error) == {"message", "type", "param", "code"}
    assert error["type"] == "invalid_request_error"
    assert error["message"]


@pytest.mark.parametrize(
    ("method", "path"), [("GET", "/v1/chat/completions"), ("POST", "/v1/models"), ("POST", "/")]
)
def test_any_other_path_or_method_is_a_404(models: Responder, method: str, path: str) -> None:
    assert models.respond(path, b"{}", method)[0] == 404


def test_paths_work_with_and_without_the_version(models: Responder) -> None:
    body = json.dumps({"model": "coin", "messages": [QUESTION]}).encode()
    answers = [
        b"".join(models.respond(path, body)[2]) for path in ("/chat/completions", "/v1/chat/completions")
    ]
    assert answers[0] == answers[1]


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


_PLAY = """
import hashlib
from replaylab.builtin.responder import Responder
from replaylab.catalogue.loader import Catalogue, shipped
from replaylab.faults.plan import named
from tests.builtin.playing import trial

models, found = Responder(Catalogue.load([shipped()])), hashlib.sha256()
for agent, simulator in (("careful", "twin"), ("explorer", "example")):
    for asked, answer in trial(
        models, "oncall-two-handovers", f"scripted:{agent}", named("E3"), simulator=simulator
    ).log:
        found.update(asked + answer)
print(found.hexdigest())
"""


def test_the_same_bytes_in_any_process() -> None:
    surroundings: list[dict[str, str]] = [
        {"PYTHONHASHSEED": "0"},
        {"PYTHONHASHSEED": "7", "LC_ALL": "tr_TR.UTF-8", "TZ": "Asia/Kathmandu"},
    ]
    found = {
        subprocess.run(
            [sys.executable, "-c", _PLAY],
            cwd=REPO,
            env={**os.environ, **one},
            check=True,
            capture_output=True,
            text=True,
        ).stdout
        for one in surroundings
    }
    assert len(found) == 1


def test_a_request_is_answered_alike_whatever_was_asked_before(
    models: Responder, catalogue: Catalogue
) -> None:
    log = trial(models, "ed-sepsis-room", "scripted:careful").log
    fresh = Responder(catalogue)
    for request, answer in reversed(log):
        assert b"".join(fresh.respond("/chat/completions", request)[2]) == answer
