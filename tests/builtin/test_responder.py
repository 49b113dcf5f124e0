from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from replaylab.builtin.asked import Asked, read_asked
from replaylab.builtin.responder import Responder
from replaylab.catalogue.loader import Catalogue
from tests.builtin.playing import trial

REPO = Path(__file__).resolve().parents[2]
QUESTION = {"role": "user", "content": "Which side is up?"}
TOOLS = [{"type": "function", "function": {"name": "look", "parameters": {"type": "object"}}}]
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


def request(**more: Any) -> Asked:
    return read_asked({"model": "coin", "messages": [QUESTION], **more})


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


def test_a_streamed_answer_is_a_piece_an_event_and_a_refusal_is_not_streamed(models: Responder) -> None:
    body = json.dumps({**request(stream=True).body}).encode()
    status, headers, pieces = models.respond("/chat/completions", body)
    assert (status, headers["content-type"]) == (200, "text/event-stream; charset=utf-8")
    assert all(piece.startswith(b"data: ") and piece.endswith(b"\n\n") for piece in pieces)
    status, headers, _ = models.respond("/chat/completions", body.replace(b"coin", b"none"))
    assert (status, headers["content-type"]) == (404, "application/json")


@pytest.mark.parametrize("model", ["coin", "scripted:explorer"])
def test_both_ways_carry_the_same_identity(models: Responder, model: str) -> None:
    body = json.dumps({**request(tools=TOOLS).body, "model": model}).encode()
    _, headers, pieces = models.respond("/chat/completions", body)
    assert json.loads(b"".join(pieces))["id"] == headers["x-request-id"]
