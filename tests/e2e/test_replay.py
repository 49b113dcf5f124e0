"""A recorded run replayed by other processes in other surroundings, and by an engine that was changed."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.playground import record, reply, responder

REPO = Path(__file__).resolve().parents[2]
TASKS = ("ed-sepsis-room", "hazmat-power-station")


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("recorded") / "library"
    record(root, tasks=TASKS, agents=("scripted:careful", "scripted:hasty"), faults=("E0", "E3"), jobs=4)
    return root


def replay(
    library: Path,
    *options: str,
    env: Mapping[str, str] | None = None,
    wrap: tuple[str, ...] = (),
    code: Path = REPO,
) -> tuple[int, dict[str, Any], str]:
    """(exit code, the JSON document, stderr)."""
    command = [
        *wrap,
        sys.executable,
        "-m",
        "replaylab",
        "--library",
        str(library),
        "replay",
        "--json",
        *options,
    ]
    done = subprocess.run(
        command,
        cwd=library.parent,
        env={**os.environ, "PYTHONPATH": str(code), **(env or {})},
        capture_output=True,
        check=False,
        timeout=240,
    )
    return done.returncode, json.loads(done.stdout or b"{}"), done.stderr.decode()


@pytest.fixture(scope="module")
def outcome(library: Path) -> str:
    code, document, stderr = replay(library, "--offline", "--jobs", "1")
    assert code == 0, stderr
    return str(document["outcome"])


@pytest.mark.parametrize(
    ("jobs", "env"),
    [
        (1, {"PYTHONHASHSEED": "0", "LC_ALL": "C", "TZ": "UTC"}),
        (2, {"PYTHONHASHSEED": "1", "LC_ALL": "tr_TR.UTF-8", "TZ": "Asia/Kathmandu"}),
        (8, {"PYTHONHASHSEED": "4242", "LC_ALL": "C.UTF-8", "TZ": "America/St_Johns"}),
    ],
)
def test_the_outcome_is_the_same_whatever_the_surroundings(
    library: Path, outcome: str, jobs: int, env: dict[str, str]
) -> None:
    code, document, stderr = replay(library, "--offline", "--jobs", str(jobs), env=env)
    assert (code, document["ok"], document["findings"]) == (0, True, []), stderr
    assert document["outcome"] == outcome == document["runs"][0]["recorded_outcome"]


def test_a_replay_needs_no_network_interface_at_all(library: Path, outcome: str) -> None:
    wrap = ("unshare", "--net") if os.geteuid() == 0 else ("unshare", "--net", "--map-root-user")
    if subprocess.run([*wrap, "true"], check=False, capture_output=True).returncode != 0:
        pytest.skip("no network namespace can be made here. NOT TESTED: replay without an interface")
    code, document, stderr = replay(library, "--offline", "--jobs", "2", wrap=wrap)
    assert (code, document["outcome"]) == (0, outcome), stderr


@pytest.fixture
def changed(tmp_path: Path) -> Path:
    """A copy of the package that a test may change."""
    shutil.copytree(REPO / "replaylab", tmp_path / "replaylab", ignore=shutil.ignore_patterns("__pycache__"))
    return tmp_path


def edit(path: Path, before: str, after: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert before in text, f"{before!r} is no longer in {path}"
    path.write_text(text.replace(before, after, 1), encoding="utf-8")


def test_one_character_of_a_prompt_makes_the_replay_diverge_at_that_field(
    library: Path, changed: Path
) -> None:
    prompt = changed / "replaylab" / "roles" / "prompts" / "verifier.md"
    text = prompt.read_text(encoding="utf-8")
    prompt.write_text(text[:-20] + chr(ord(text[-20]) ^ 1) + text[-19:], encoding="utf-8")
    code, document, _ = replay(library, "--offline", "--jobs", "1", code=changed)
    assert code == 3
    found = document["findings"][0]
    assert found["kind"] == "request"
    assert found["where"].endswith("verifier.0#0")
    assert found["pointer"] == "/messages/0/content"
    assert len(found["expected"]) == len(found["observed"])
    assert found["expected"] != found["observed"]


@pytest.mark.parametrize(
    ("file", "before", "after", "role", "pointer"),
    [
        pytest.param(
            "roles/agent.py",
            "canonical_text(observation)",
            "canonical_text({'seen': observation})",
            "agent",
            "/content",
            id="what the agent is shown",
        ),
        pytest.param(
            "roles/simulator.py",
            '{"name": tool.name, "arguments": arguments}',
            '{"arguments": arguments, "tool": tool.name}',
            "simulator",
            "/content",
            id="what the simulator is asked",
        ),
    ],
)
def test_one_changed_branch_of_the_engine_makes_the_replay_diverge(
    library: Path, changed: Path, file: str, before: str, after: str, role: str, pointer: str
) -> None:
    edit(changed / "replaylab" / file, before, after)
    code, document, _ = replay(library, "--offline", "--jobs", "1", code=changed)
    assert code == 3
    found = document["findings"][0]
    assert found["kind"] == "request"
    assert f"/{role}" in found["where"]
    assert found["pointer"].endswith(pointer)
    assert found["closest"]


def test_two_tool_results_appended_in_another_order_make_the_replay_diverge(
    tmp_path: Path, changed: Path
) -> None:
    def respond(path: str, body: bytes) -> Any:
        if json.loads(body)["model"] != "two-at-once":
            return responder().respond(path, body)
        looked = len(json.loads(body)["messages"]) > 2
        return reply("Done.") if looked else reply(calls=[("list_places", {}), ("list_waiting", {})])

    root = tmp_path / "library"
    record(root, agents=("two-at-once",), respond=respond)
    assert replay(root, "--offline", "--jobs", "1")[0] == 0
    edit(
        changed / "replaylab" / "roles" / "agent.py",
        'self._messages.append({"role": "tool", "tool_call_id": call.id, "content": text})',
        'self._messages.insert(3, {"role": "tool", "tool_call_id": call.id, "content": text})',
    )
    code, document, _ = replay(root, "--offline", "--jobs", "1", code=changed)
    assert code == 3
    found = document["findings"][0]
    assert found["where"].endswith("/agent#1")
    assert found["pointer"].startswith("/messages/3/")


def test_an_engine_that_stops_early_leaves_a_lane_unplayed(library: Path, changed: Path) -> None:
    edit(
        changed / "replaylab" / "engine" / "trial.py",
        "range(header.limits.votes)",
        "range(header.limits.votes - 1)",
    )
    code, document, _ = replay(library, "--offline", "--jobs", "1", code=changed)
    assert code == 3
    assert {found["kind"] for found in document["findings"]} == {"lane_unplayed"}
    assert document["findings"][0]["where"].endswith("verifier.2#0")


def test_an_engine_that_asks_more_runs_a_lane_dry(library: Path, changed: Path) -> None:
    edit(
        changed / "replaylab" / "engine" / "trial.py",
        "range(header.limits.votes)",
        "range(header.limits.votes + 1)",
    )
    code, document, _ = replay(library, "--offline", "--jobs", "1", code=changed)
    assert code == 3
    assert {found["kind"] for found in document["findings"]} == {"lane_dry"}


def test_a_changed_parser_that_reads_the_same_answers_otherwise_is_noticed(
    library: Path, changed: Path
) -> None:
    edit(changed / "replaylab" / "roles" / "verifier.py", '"pass" if', '"fail" if')
    code, document, _ = replay(library, "--offline", "--jobs", "1", code=changed)
    assert code == 3
    assert {found["kind"] for found in document["findings"]} == {"verdict"}
