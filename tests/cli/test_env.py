"""`env serve`: an environment over MCP, played by the official client, recorded, judged and replayed."""

from __future__ import annotations

import asyncio
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from mcp import Client, StdioServerParameters

from replaylab.cassette.codec import Cassette
from replaylab.cassette.stored import open_cassette
from replaylab.store.library import Library
from tests.cli.conftest import REPO, Call
from tests.playground import SHORT

Play = Callable[[Client], Awaitable[None]]


async def played(server: Any, play: Play) -> None:
    async with Client(server) as client:
        await play(client)


def over_stdio(folder: Path, play: Play, *more: str) -> None:
    args = ["-m", "replaylab", "env", "serve", SHORT, "--run", "served", *more]
    server = StdioServerParameters(
        command=sys.executable, args=args, cwd=folder, env={"PYTHONPATH": str(REPO)}
    )
    asyncio.run(played(server, play))


async def follows_the_plan(client: Client) -> None:
    """Plays the reference plan, which a test may know."""
    from tests.playground import catalogue

    plan = catalogue().task(SHORT).task.plan
    assert plan is not None
    for one in plan.calls:
        await client.call_tool(one.tool, one.arguments)
    await client.call_tool("submit_answer", {"answer": plan.answer})


async def looks_and_gives_up(client: Client) -> None:
    await client.call_tool("list_places", {})
    await client.call_tool("submit_answer", {"answer": "I don't know."})


async def leaves(client: Client) -> None:
    await client.call_tool("list_places", {})


def verdicts(folder: Path) -> list[str]:
    run = Library(folder / "cassettes").run("served")[1]
    return [entry.counting.verdict if entry.counting else "missing" for entry in run.ledger]


@pytest.fixture(scope="module")
def _passed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("passed")
    over_stdio(folder, follows_the_plan)
    return folder / "cassettes"


@pytest.fixture
def passed(_passed: Path, tmp_path: Path) -> Path:
    """A folder with a library in which a client has done what is due. A test may go on there."""
    shutil.copytree(_passed, tmp_path / "cassettes")
    return tmp_path


def test_a_client_that_does_what_is_due_passes(call: Call, passed: Path) -> None:
    assert verdicts(passed) == ["pass"]
    replayed = call("replay", "served", "--offline")
    assert replayed.code == 0, replayed.err


def test_each_call_adds_a_trial(passed: Path) -> None:
    over_stdio(passed, looks_and_gives_up)
    assert verdicts(passed) == ["pass", "fail"]


def test_a_client_that_leaves_is_an_error(tmp_path: Path) -> None:
    over_stdio(tmp_path, leaves)
    assert verdicts(tmp_path) == ["error"]


def test_any_simulator_and_fault_plan_may_stand_behind_the_tools(tmp_path: Path) -> None:
    seen: list[Any] = []

    async def looks(client: Client) -> None:
        for _ in range(12):
            found = await client.call_tool("list_places", {})
            seen.append(json.loads(found.content[0].text))  # type: ignore[union-attr]
        await client.call_tool("submit_answer", {"answer": "done"})

    over_stdio(tmp_path, looks, "--sim", "example", "--env", "E1")
    assert any("error" in one for one in seen)
    (entry,) = Library(tmp_path / "cassettes").run("served")[1].ledger
    assert entry.counting is not None
    cassette = open_cassette(Library(tmp_path / "cassettes"), entry.counting.cassette)
    assert [label.kind for label in cassette.labels].count("fault") > 0
    assert cassette.header.players["simulator"].alias == "example"
    assert cassette.header.players["agent"].player == "own"


def over_pipe(folder: Path, lines: list[bytes], *more: str) -> dict[object, Any]:
    """What is answered to lines as they are, under what id; the pipe stays open until all of them are answered."""
    server = subprocess.Popen(
        [sys.executable, "-m", "replaylab", "env", "serve", SHORT, "--run", "served", *more],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(REPO)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    try:
        assert server.stdin is not None
        assert server.stdout is not None
        server.stdin.write(b"\n".join(lines) + b"\n")
        server.stdin.flush()
        said = [json.loads(server.stdout.readline()) for _ in lines]
        server.communicate(timeout=120)
        return {one["id"]: one for one in said}
    finally:
        server.kill()
        server.communicate()


def sent(number: object, method: str, **params: object) -> bytes:
    return json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params}).encode()


def test_each_line_is_answered_whatever_it_is_and_a_broken_character_loses_no_answer(tmp_path: Path) -> None:
    hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "x", "version": "1"}}
    deep = b'{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"a":' + b"[" * 5000 + b"]" * 5000 + b"}}"
    answer = sent(4, "tools/call", name="submit_answer", arguments={"answer": "a\ud800b"})
    lines = [
        sent(1, "initialize", **hello),
        b"\xff nonsense",
        deep,
        sent(3, "tools/call", name="list_places", arguments={"a": float("nan")}),
        answer,
    ]
    said = over_pipe(tmp_path, lines)
    assert said[None]["error"]["code"] == said[2]["error"]["code"] == -32700
    assert "error" in said[3]["result"]["content"][0]["text"]
    assert not said[4]["result"]["isError"]
    assert verdicts(tmp_path) == ["fail"]
    (entry,) = Library(tmp_path / "cassettes").run("served")[1].ledger
    assert entry.counting is not None
    cassette = open_cassette(Library(tmp_path / "cassettes"), entry.counting.cassette)
    assert "a\ufffdb" in (cassette.lanes["agent"][-1].final.text or "")


@contextmanager
def over_http(folder: Path, *more: str) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    server = subprocess.Popen(
        [
            sys.executable,
            "-m",
            "replaylab",
            "env",
            "serve",
            SHORT,
            "--run",
            "served",
            "--http",
            "--port",
            "0",
            *more,
        ],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(REPO)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert server.stderr is not None
        told = next(line for line in server.stderr if "MCP server:" in line)
        found = re.search(r"http://\S+", told)
        assert found is not None
        yield found[0], server
        server.communicate(timeout=120)
    finally:
        server.kill()
        server.communicate()


def test_trials_are_played_one_after_the_other_over_http(tmp_path: Path) -> None:
    with over_http(tmp_path, "--trials", "2") as (url, server):
        asyncio.run(played(url, follows_the_plan))
        asyncio.run(played(url, looks_and_gives_up))
    assert server.returncode == 0
    assert verdicts(tmp_path) == ["pass", "fail"]


def test_a_client_that_goes_away_in_the_middle_of_a_request_costs_a_line_at_most(tmp_path: Path) -> None:
    with over_http(tmp_path) as (url, server):
        port = int(url.split(":")[2].partition("/")[0])
        with socket.create_connection(("127.0.0.1", port), timeout=30) as half:
            said = "application/json, text/event-stream"
            head = f"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nContent-Type: application/json\r\n"
            half.sendall(f'{head}Accept: {said}\r\nContent-Length: 100\r\n\r\n{{"json'.encode())
        asyncio.run(played(url, looks_and_gives_up))
        _, told = server.communicate(timeout=120)
    assert "Traceback" not in told
    assert [line for line in told.splitlines() if "MCP" in line] == [
        "MCP: Error handling POST request (ClientDisconnect)"
    ]


def test_a_trial_whose_client_is_gone_is_an_error_and_the_next_one_has_its_own(tmp_path: Path) -> None:
    with over_http(tmp_path) as (url, server):
        asyncio.run(played(url, leaves))
        server.send_signal(signal.SIGKILL)
    with over_http(tmp_path) as (url, server):
        asyncio.run(played(url, follows_the_plan))
    assert server.returncode == 1
    assert verdicts(tmp_path) == ["error", "pass"]


def test_a_trial_that_was_answered_before_it_was_interrupted_is_judged_and_the_next_one_played(
    passed: Path,
) -> None:
    library = Library(passed / "cassettes")
    (entry,) = library.run("served")[1].ledger
    assert entry.counting is not None
    _unsealed(passed, open_cassette(library, entry.counting.cassette))
    over_stdio(passed, looks_and_gives_up)
    assert verdicts(passed) == ["pass", "fail"]


def _unsealed(folder: Path, cassette: Cassette) -> None:
    """The library as it was when the answer was journaled and nobody had judged it."""
    from replaylab.cassette.codec import line, request_parts
    from replaylab.engine.journal import RunJournal
    from replaylab.schema.cassette import key_of

    shutil.rmtree(folder / "cassettes")
    library = Library(folder / "cassettes")
    journal = RunJournal(library.journal("served"))
    trial = journal.open_trial(str(key_of(cassette.header)), cassette.header, lambda: cassette.header.created)
    for lane in ("agent", "simulator"):
        for row in cassette.lanes[lane]:
            blobs = [line(cassette.blob(name)) for name in request_parts(row.request)]
            trial.append(b"".join([*blobs, line(row)]))
    journal.close()


@pytest.mark.parametrize("more", [(), ("--http", "--port", "0")])
def test_a_run_that_is_being_served_is_not_waited_for(
    call: Call, tmp_path: Path, more: tuple[str, ...]
) -> None:
    with Library(tmp_path / "cassettes").lock("served"):
        started = time.monotonic()
        ended = call("env", "serve", SHORT, "--run", "served", *more)
    assert time.monotonic() - started < 20  # it would be a minute
    assert ended.code == 2
    assert f"another process is writing the run served (process {os.getpid()})" in ended.err
    assert "take another --run name" in ended.err


def test_silence_ends_a_trial(tmp_path: Path) -> None:
    with over_http(tmp_path, "--silence", "1") as (_, server):
        server.wait(120)
    assert server.returncode == 1
    assert verdicts(tmp_path) == ["error"]


def test_an_unknown_task_is_wrong_usage(call: Call) -> None:
    ended = call("env", "serve", "no-such-task")
    assert ended.code == 2


def test_without_the_package_it_says_how_to_get_it(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    ended = call("env", "serve", SHORT)
    assert ended.code == 2
    assert ".[mcp]" in ended.err
