"""A program as the agent, on the command line: MCP tools, a base URL, and nothing that is hidden."""

from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path

import pytest

from replaylab.builtin.server import serve
from replaylab.cassette.stored import open_cassette
from replaylab.store.library import Library
from tests.cli import own_agent
from tests.cli.conftest import REPO, Call
from tests.playground import SHORT, responder


@pytest.fixture(autouse=True)
def agents(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own_agent.write(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(REPO))
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)


def program(*more: str) -> str:
    return f"command:{shlex.join([sys.executable, 'own_program.py', *more])}"


@pytest.mark.parametrize("way", [(), ("--stdio",)])
def test_a_program_plays_is_recorded_and_runs_again_offline(
    call: Call, monkeypatch: pytest.MonkeyPatch, way: tuple[str, ...]
) -> None:
    with serve(responder(), "127.0.0.1", 0) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
        ended = call("record", "--agent", program(*way), "--task", SHORT, "--run", "own")
        assert "1 recorded (1 pass" in ended.out, ended.err
    assert call("replay", "own", "--offline").code == 0
    again = call("replay", "own", "--rerun-agent")
    assert again.code == 0, again.out + again.err
    assert call("verify").code == 0
    (entry,) = Library(Path("cassettes")).run("own")[1].ledger
    assert entry.counting is not None
    cassette = open_cassette(Library(Path("cassettes")), entry.counting.cassette)
    assert len(cassette.lanes["llm.0"]) == len(cassette.lanes["agent"])
    assert cassette.lanes["llm.0"][0].request.path == "/v1/chat/completions"


def test_a_program_that_does_otherwise_diverges(call: Call, tmp_path: Path) -> None:
    (tmp_path / "other.py").write_text("print('yes')")
    name = f"command:{shlex.join([sys.executable, 'other.py'])}"
    call("record", "--agent", name, "--task", SHORT, "--run", "own")
    assert call("replay", "own", "--rerun-agent").code == 0
    (tmp_path / "other.py").write_text("print('no')")
    ended = call("replay", "own", "--rerun-agent", "--json")
    assert ended.code == 3
    assert [(one["kind"], one["observed"]) for one in ended.document["findings"]] == [("action", "no")]


def test_a_program_is_told_nothing_that_is_hidden(call: Call, tmp_path: Path) -> None:
    (tmp_path / "spy.py").write_text(
        "import json, os, sys\n"
        "told = {name: value for name, value in os.environ.items()}\n"
        "files = {name: open(told[name]).read() for name in ('REPLAYLAB_TASK', 'REPLAYLAB_MCP_CONFIG')}\n"
        "json.dump({'env': told, 'files': files, 'stdin': sys.stdin.read()}, open('seen.json', 'w'))\n"
        "print('done')\n"
    )
    name = f"command:{shlex.join([sys.executable, 'spy.py'])}"
    assert call("record", "--agent", name, "--task", SHORT, "--run", "own").code == 0
    text = (tmp_path / "seen.json").read_text()
    seen = json.loads(text)
    (entry,) = Library(Path("cassettes")).run("own")[1].ledger
    assert entry.counting is not None
    header = open_cassette(Library(Path("cassettes")), entry.counting.cassette).header
    assert header.task.instruction in seen["stdin"]
    assert header.task.plan is not None
    said = " ".join([*seen["env"].values(), *seen["files"].values(), seen["stdin"]])
    hidden = [
        header.environment.system_prompt,
        header.task.rubric.text,
        header.task.plan.answer,
        *(json.dumps(one) for one in header.environment.initial_state.values()),
    ]
    for one in hidden:
        for sentence in one.split(". "):
            assert len(sentence) < 25 or sentence.strip() not in said
    assert header.task.id not in said
    task = json.loads(seen["files"]["REPLAYLAB_TASK"])
    assert sorted(task) == ["instruction", "system", "tools"]
    assert sorted(task["tools"][0]["function"]) == ["description", "name", "parameters"]


def test_a_command_may_hold_commas(call: Call, tmp_path: Path) -> None:
    (tmp_path / "says.py").write_text("import sys; print(sys.argv[1])")
    name = f"command:{shlex.join([sys.executable, 'says.py', 'a,b'])}"
    ended = call("record", "--agent", name, "--task", SHORT, "--run", "own", "--json")
    assert ended.document["counts"]["recorded"] == 1
    assert list(ended.document["players"]) == [name, "rubric", "twin"] or name in ended.document["players"]


def test_a_program_that_is_not_there_is_wrong_usage(call: Call) -> None:
    ended = call("record", "--agent", "command:no-such-program-here", "--task", SHORT)
    assert ended.code == 2
    assert "no-such-program-here" in ended.err
