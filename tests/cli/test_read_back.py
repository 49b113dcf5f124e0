"""What the end of `record` says of errors and of programs that are configured as LLMs."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from replaylab.builtin.server import serve
from tests.cli.conftest import Call, process
from tests.playground import SHORT, responder

OPTIONS = ("--task", SHORT, "--agent", "mine", "--run", "a")


def configure(folder: Path, base_url: str) -> None:
    text = f'[models.mine]\nbase_url = "{base_url}"\nmodel = "scripted:careful"\nmax_attempts = 1\n'
    (folder / "replaylab.toml").write_text(text, encoding="utf-8")


@pytest.fixture
def served() -> Iterator[str]:
    """The base URL of the built-in models, served on this machine."""
    with serve(responder(), "127.0.0.1", 0) as server:
        yield server.base_url


def test_errors_of_one_cause_are_one_finding_in_words_with_the_alias_and_the_way_on(
    call: Call, tmp_path: Path
) -> None:
    configure(tmp_path, "http://127.0.0.1:9/v1")
    ended = call("record", *OPTIONS, "--trials", "3")
    assert ended.code == 1
    message = "the agent mine gave no answer: turn 0: no connection could be made; it counts neither way"
    assert ended.out.count(message) == 1
    assert "and 2 more like it (next: mine,twin,rubric,E0/ed-sepsis-room/1)" in ended.out
    assert "replaylab record --run a … --retry-errors" in ended.out.splitlines()[-1]
    assert "no price set" in ended.out
    shown = call("show", "mine,twin,rubric,E0/ed-sepsis-room/0")
    assert "agent_error: turn 0: no connection could be made" in shown.out
    assert "refused" not in shown.out


def test_a_program_that_is_configured_as_an_llm_is_named_with_what_to_set(
    call: Call, tmp_path: Path, served: str
) -> None:
    configure(tmp_path, served)
    told = "mine answered as replaylab:scripted:careful/2, which is a program: set player"
    # In processes of their own, since connections stay open until the end of one.
    record = ("-m", "replaylab", "record", *OPTIONS)
    assert told in process(*record, cwd=tmp_path).stdout.decode()
    assert told in call("show", "mine,twin,rubric,E0/ed-sepsis-room/0").out
    document = json.loads(process(*record, "--json", cwd=tmp_path).stdout)
    assert document["programs_as_llms"] == {"mine": "replaylab:scripted:careful/2"}
    assert "which is a program" not in call("record", "--task", SHORT, "--run", "b").out
