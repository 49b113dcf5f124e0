"""Own agents on the command line, from the recording to the tables."""

from __future__ import annotations

import csv
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from replaylab.builtin.server import serve
from replaylab.cassette.stored import open_cassette
from replaylab.cli.agents import own_price
from replaylab.cli.app import App
from replaylab.store.library import Library
from tests.cli import own_agent
from tests.cli.conftest import Call, Ended, process
from tests.playground import SHORT, responder

ACT = "python:own_agent_in_test:act"


@pytest.fixture(autouse=True)
def agents(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    own_agent.write(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    for name in ("OPENAI_BASE_URL", "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    yield
    sys.modules.pop("own_agent_in_test", None)


def recorded(call: Call, *more: str, agent: str = ACT) -> Ended:
    return call("record", "--agent", agent, "--task", SHORT, "--run", "own", *more)


def test_a_recording_replays_and_scores_like_any_other(call: Call, tmp_path: Path) -> None:
    ended = recorded(call)
    assert ended.code == 0, ended.err
    assert "1 recorded (1 pass, 0 fail)" in ended.out
    assert f"Agents of your own, which may ask LLMs: {ACT}" in ended.out
    assert call("replay", "own", "--offline").code == 0
    assert call("verify").code == 0
    scored = call("score", "own")
    assert scored.code == 0, scored.err
    (row,) = csv.DictReader((tmp_path / "reports" / "own" / "trials.csv").read_text().splitlines())
    assert (row["agent"], row["outcome"]) == (ACT, "pass")


def test_scores_are_those_of_the_same_moves_by_a_built_in_agent(call: Call) -> None:
    recorded(call)
    call("record", "--agent", "scripted:careful", "--task", SHORT, "--run", "theirs")
    library = Library(Path("cassettes"))
    moves = []
    for name in ("own", "theirs"):
        (entry,) = library.run(name)[1].ledger
        assert entry.counting is not None
        cassette = open_cassette(library, entry.counting.cassette)
        assert cassette.seal.verdict == "pass"
        moves.append([row.final.text for row in cassette.lanes["simulator"]])
    assert moves[0] == moves[1]


def test_two_trials_at_once_keep_their_lanes_apart(call: Call) -> None:
    ended = recorded(call, "--trials", "3", "--jobs", "4")
    assert "3 recorded (3 pass" in ended.out
    assert call("replay", "own", "--rerun-agent").code == 0


def test_the_agent_runs_again_offline_and_a_changed_one_is_told(call: Call, tmp_path: Path) -> None:
    recorded(call)
    again = call("replay", "own", "--rerun-agent")
    assert again.code == 0, again.err
    assert f"{ACT} ran again in 1 trial" in again.out
    module = tmp_path / "own_agent_in_test.py"
    module.write_text(module.read_text().replace("return message.content", "return message.content + '!'"))
    sys.modules.pop("own_agent_in_test")
    changed = call("replay", "own", "--rerun-agent", "--json")
    assert changed.code == 3
    assert [one["kind"] for one in changed.document["findings"]] == ["action"]
    assert "is not what was recorded" in call("replay", "own", "--rerun-agent").out
    assert call("replay", "own", "--offline").code == 0


def test_chance_in_an_agent_is_found(call: Call) -> None:
    recorded(call, agent="python:own_agent_in_test:random")
    assert call("replay", "own", "--rerun-agent").code == 3
    assert call("replay", "own", "--offline").code == 0


def test_a_failure_is_an_error_that_counts_neither_way(call: Call) -> None:
    ended = recorded(call, agent="python:own_agent_in_test:fails")
    assert ended.code == 1
    assert "0 recorded (0 pass, 0 fail), 1 error" in ended.out
    assert "turn 1: the agent failed" in ended.out
    assert "RuntimeError: it went wrong" in ended.err


def test_a_changed_agent_is_another_run(call: Call, tmp_path: Path) -> None:
    recorded(call)
    module = tmp_path / "own_agent_in_test.py"
    module.write_text(module.read_text() + "\n# changed\n")
    ended = recorded(call)
    assert ended.code == 2
    assert "agents" in ended.err


def test_own_agents_play_no_other_role(call: Call) -> None:
    ended = call("record", "--sim", ACT, "--task", SHORT)
    assert ended.code == 2
    assert "can play the agent, not the simulator" in ended.err


def test_an_agent_that_is_not_there_is_wrong_usage(call: Call) -> None:
    ended = recorded(call, agent="python:own_agent_in_test:nope")
    assert ended.code == 2
    assert "it has act" in ended.err


def test_a_model_that_is_nowhere_says_what_to_set(call: Call, tmp_path: Path) -> None:
    module = tmp_path / "own_agent_in_test.py"
    module.write_text(module.read_text().replace('"scripted:careful"', '"gpt-unheard-of"'))
    ended = recorded(call)
    assert ended.code == 2
    assert "OPENAI_BASE_URL" in ended.err


def out(tmp_path: Path, *argv: str, **env: str) -> str:
    """What a process of its own prints, stderr too: connections to real servers end with it."""
    ended = process("-m", "replaylab", *argv, cwd=tmp_path, env=env)
    return (ended.stdout + ended.stderr).decode()


def test_the_own_calls_go_where_the_environment_says(tmp_path: Path) -> None:
    given = ("--agent", ACT, "--task", SHORT, "--run", "own")
    with serve(responder(), "127.0.0.1", 0) as server:
        assert "(1 pass" in out(tmp_path, "record", *given, OPENAI_BASE_URL=server.base_url)
        assert server.answered > 3
    assert "identical" in out(tmp_path, "replay", "own", "--rerun-agent")


def test_the_own_calls_go_to_the_configured_model_of_that_name(tmp_path: Path) -> None:
    module = tmp_path / "own_agent_in_test.py"
    module.write_text(module.read_text().replace('"scripted:careful"', '"mine"'))
    given = ("record", "--agent", ACT, "--task", SHORT, "--run", "own")
    with serve(responder(), "127.0.0.1", 0, api_key="sk-of-mine-0123456789") as server:
        (tmp_path / "replaylab.toml").write_text(
            f'[models.mine]\nbase_url = "{server.base_url}"\nmodel = "scripted:careful"\napi_key_env = "MINE"\n'
        )
        assert "environment variable MINE" in out(tmp_path, *given)
        assert "(1 pass" in out(tmp_path, *given, MINE="sk-of-mine-0123456789")
    files = b"".join(path.read_bytes() for path in (tmp_path / "cassettes").rglob("*") if path.is_file())
    assert b"sk-of-mine" not in files


def test_a_limit_of_calls_stops_it_and_the_same_command_goes_on(call: Call) -> None:
    first = recorded(call, "--max-calls", "9")
    assert first.code == 1
    assert "stopped: --max-calls 9 is reached" in first.out
    second = recorded(call)
    assert "1 resumed" in second.out
    assert "(1 pass" in second.out
    assert call("replay", "own", "--rerun-agent").code == 0


def test_what_an_agent_asked_is_paid_by_the_model_that_answered(tmp_path: Path) -> None:
    app, now = App({}, tmp_path), datetime(2026, 1, 1, tzinfo=UTC)
    free, known, unknown = (own_price(app, name, now) for name in ("coin", "gpt-4o", "gpt-unheard-of"))
    assert free is not None
    assert free.source == "none"
    assert known is not None
    assert known.input > 0
    assert unknown is None


def test_swapping_a_role_needs_no_agent(call: Call, tmp_path: Path) -> None:
    recorded(call)
    (tmp_path / "own_agent_in_test.py").unlink()
    sys.modules.pop("own_agent_in_test")
    swapped: Any = call("replay", "own", "--swap", "sim=example")
    assert swapped.code == 0, swapped.err
    assert call("replay", "own", "--swap", "verifier=coin").code == 0


def test_a_base_url_is_opened_for_agents_with_clients_of_their_own(
    call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    with serve(responder(), "127.0.0.1", 0) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
        ended = recorded(call, agent="python:own_agent_in_test:over_http")
        assert "(1 pass" in ended.out, ended.err
    assert call("replay", "own", "--rerun-agent").code == 0


def test_llms_that_an_agent_does_without_stop_no_recording(tmp_path: Path) -> None:
    (tmp_path / "own_shrugs.py").write_text(
        "import openai\n\n"
        "def act(task, tools, call):\n"
        "    try:\n"
        "        task.client().models.list()\n"
        "    except openai.APIConnectionError:\n"
        "        return 'without'\n"
    )
    given = ("--agent", "python:own_shrugs:act", "--task", SHORT, "--trials", "4")
    said = out(tmp_path, "record", *given, OPENAI_BASE_URL="http://127.0.0.1:9/v1")
    assert "4 recorded (0 pass, 4 fail)" in said
    assert "stopped" not in said
