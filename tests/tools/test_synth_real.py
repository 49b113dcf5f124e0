"""What `tools/synth_real.py` asks for; the run itself takes a real model and an hour."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from replaylab.builtin.responder import Responder, Response
from replaylab.builtin.server import ModelServer
from tests.playground import catalogue, reply
from tools import real, synth_real


def test_one_model_plays_every_role() -> None:
    asked = synth_real.options(["--levels", "3", "--max-steps", "9"])
    command = synth_real.command(asked, "small")
    assert command[:2] == ["synth", synth_real.SCENARIO]
    assert command.count("small") == 4
    assert command[command.index("--levels") + 1] == "3"
    assert command[command.index("--max-steps") + 1] == "9"


class Small(Responder):
    """A model that answers in prose whatever it is asked, as a small one may."""

    def __init__(self) -> None:
        super().__init__(catalogue())
        self.bodies: list[Any] = []

    def respond(self, path: str, body: bytes, method: str = "POST") -> Response:
        self.bodies.append(json.loads(body))
        return reply("I am only a small model.")


@pytest.fixture
def small() -> Iterator[Small]:
    answering = Small()
    with ModelServer(answering) as server:
        answering.address = server.base_url.removesuffix("/v1")  # type: ignore[attr-defined]
        yield answering


def test_a_model_that_fails_at_the_first_step_gives_a_funnel_that_says_so(
    small: Small, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(real, "HOME", tmp_path)
    weights = tmp_path / "small.gguf"
    weights.write_bytes(b"GGUF")
    synth_real.run(
        synth_real.options(
            [
                *("--gguf", str(weights), "--address", small.address),  # type: ignore[attr-defined]
                *("--library", str(tmp_path / "library"), "--out", str(tmp_path / "tasks")),
            ]
        )
    )
    said = capsys.readouterr().out
    assert "dropped, scenario: no answer: 1" in said
    assert "played again offline: the same" in said
    assert len(small.bodies) == 3
    assert small.bodies[0]["response_format"]["json_schema"]["name"] == "reference"
    assert small.bodies[0]["max_tokens"] == synth_real.MAX_TOKENS
