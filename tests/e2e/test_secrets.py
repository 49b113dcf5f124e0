"""Keys planted wherever one can travel; afterwards no 8-character piece of one is in the library or the journal."""

from __future__ import annotations

import base64
import binascii
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import pytest
import zstandard

from replaylab.catalogue.loader import shipped
from tests.playground import SHORT
from tests.wire.server import Server, delta, event, reply, serving, stream

REPO = Path(__file__).resolve().parents[2]
KEYS = {
    "header": "sk-proj-Zq7WmT4xV9bLr2KdPn8EhYc3Gs6Uj1Fo",
    "url": "wistful-harbor-tangerine-58",
    "request": "ghp_Vb6Nh3Kw8Tz1Qx5Lc9Rm2Jd7Pf4Gs0YeUaIo",
    "response": "AKIAQ7XWM4ZT9LRB2KDP",
    "stream": "xoxb-481516234299-Lm8Qz3Wv6Tn1Rk9Hc4",
    "unknown-shape": "zebra.Quartz.71!lantern.Violin.38",
}


def agent(handler: BaseHTTPRequestHandler) -> None:
    """Calls a tool once, with keys in its text, its arguments and its headers."""
    body = json.loads(handler.server.requests[-1][2])  # type: ignore[attr-defined]
    bearer = handler.headers["Authorization"]
    encoded = base64.b64encode(f"user:{KEYS['header']}".encode()).decode()
    text = f"I was called with {bearer} and {KEYS['response']}; basic {encoded}; {KEYS['unknown-shape']}"
    message: dict[str, Any] = {"role": "assistant", "content": text}
    if len(body["messages"]) < 4:
        arguments = json.dumps({"patient_id": KEYS["response"]})
        call = {"id": "c", "type": "function", "function": {"name": "get_patient", "arguments": arguments}}
        message["tool_calls"] = [call]
    reply({"id": "1", "model": "m", "choices": [{"index": 0, "message": message, "finish_reason": "stop"}]},
          X_Request_Id=f"req-{KEYS['header']}")(handler)  # fmt: skip


def simulator(handler: BaseHTTPRequestHandler) -> None:
    """Streams an observation whose key is split over deltas, and over network chunks."""
    text = json.dumps({"patient_id": "P-1", "note": f"use {KEYS['stream']} and {KEYS['header']} at once"})
    pieces = [text[at : at + 7] for at in range(0, len(text), 7)]
    events = (
        b"".join(event(delta(content=piece)) for piece in pieces) + event(delta("stop")) + event("[DONE]")
    )
    stream(*[events[at : at + 11] for at in range(0, len(events), 11)])(handler)


def judge(handler: BaseHTTPRequestHandler) -> None:
    vote = json.dumps({"is_correct": True, "feedback": f"key {KEYS['header']}"}).replace("s", "\\u0073")
    reply(
        {
            "id": "2",
            "model": "m",
            "choices": [{"index": 0, "message": {"content": vote}, "finish_reason": "stop"}],
        }
    )(handler)


def play(handler: BaseHTTPRequestHandler) -> None:
    server: Server = handler.server  # type: ignore[assignment]
    {"a": agent, "s": simulator, "j": judge}[json.loads(server.requests[-1][2])["model"]](handler)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A folder with a scenario whose instruction holds a key, and room for a configuration."""
    source = next(folder for folder in shipped().iterdir() if (folder / "tasks" / f"{SHORT}.json").exists())
    folder = tmp_path / "own" / "leaky"
    shutil.copytree(source, folder, ignore=shutil.ignore_patterns("__pycache__"))
    for path in folder.rglob("*.json"):
        text = path.read_text(encoding="utf-8").replace("emergency-department-triage", "leaky")
        path.write_text(text.replace("ed-", "leak-"), encoding="utf-8")
    for path in sorted((folder / "tasks").iterdir()):
        path.rename(path.with_name(path.name.replace("ed-", "leak-")))
    (folder / "environments" / "ed-two-rooms").rename(folder / "environments" / "leak-two-rooms")
    task = folder / "tasks" / f"{SHORT.replace('ed-', 'leak-')}.json"
    fields = json.loads(task.read_text(encoding="utf-8"))
    fields["instruction"] += f" The key is {KEYS['request']}, or {KEYS['header']}."
    task.write_text(json.dumps(fields), encoding="utf-8")
    return tmp_path


def configure(project: Path, url: str) -> None:
    tables = [
        f'[models.{name}]\nbase_url = "{url}/{KEYS["url"]}"\nmodel = "{model}"\n'
        f'api_key_env = "LEAK_KEY"\nstream = {"true" if model == "s" else "false"}\n'
        for name, model in (("leaky-agent", "a"), ("leaky-sim", "s"), ("leaky-judge", "j"))
    ]
    other = f'[models.other]\nbase_url = "{url}"\nmodel = "o"\napi_key_env = "OTHER_KEY"\n'
    (project / "replaylab.toml").write_text("\n".join([*tables, other]), encoding="utf-8")


def record(project: Path, *options: str) -> subprocess.CompletedProcess[str]:
    env = {
        **os.environ,
        "PYTHONPATH": str(REPO),
        "LEAK_KEY": KEYS["header"],
        "OTHER_KEY": KEYS["unknown-shape"],
    }
    command = [
        "record",
        "--scenarios",
        "own",
        "--task",
        SHORT.replace("ed-", "leak-"),
        "--agent",
        "leaky-agent",
    ]
    command += ["--sim", "leaky-sim", "--verifier", "leaky-judge", "--run", "leaky", *options]
    return subprocess.run(
        [sys.executable, "-m", "replaylab", *command],
        cwd=project, env=env, capture_output=True, text=True, encoding="utf-8", check=False, timeout=120,
    )  # fmt: skip


def everything(root: Path) -> Iterator[tuple[str, bytes]]:
    """Every file, as it is and unpacked, then every text in it unescaped, then everything that may be base64."""
    for path in sorted(root.rglob("*")):
        if path.is_file():
            data = path.read_bytes()
            if path.suffix == ".cassette":
                data = zstandard.ZstdDecompressor().decompress(data)
            for form in forms(data):
                yield str(path), form


def forms(data: bytes, depth: int = 0) -> Iterator[bytes]:
    yield data
    if depth == 3:
        return
    unescaped = re.sub(
        rb"\\u([0-9a-fA-F]{4})", lambda m: chr(int(m[1], 16)).encode("utf-8", "surrogatepass"), data
    ).replace(b"\\", b"")
    if unescaped != data:
        yield from forms(unescaped, depth + 1)
    # A text streamed in pieces: what is left when everything but the deltas' contents is taken away.
    pieces = re.findall(rb'"content\\*": ?\\*"((?:[^"\\]|\\.)*)', data)
    if len(pieces) > 1:
        yield b"".join(pieces)
    for run in set(re.findall(rb"[A-Za-z0-9+/_-]{10,}", data)):
        for start in range(4):
            part = run[start:].translate(bytes.maketrans(b"-_", b"+/"))
            try:
                decoded = base64.b64decode(part[: len(part) // 4 * 4])
            except binascii.Error:
                continue
            yield decoded


def leaks(root: Path) -> list[str]:
    grams = {key[at : at + 8].encode(): name for name, key in KEYS.items() for at in range(len(key) - 7)}
    # What well-known prefixes have in common with innocent text is no piece of a key.
    grams = {
        gram: name for gram, name in grams.items() if gram not in (b"sk-proj-", b"sk-ant-a", b"ant-api0")
    }
    return sorted(
        {
            f"{grams[gram]}: {gram!r} in {where}"
            for where, data in everything(root)
            for gram in grams
            if gram in data
        }
    )


def test_no_piece_of_a_planted_key_reaches_the_disk(project: Path) -> None:
    with serving(play) as server:
        configure(project, server.url)
        first = record(project, "--max-calls", "3")
        assert first.returncode == 1, first.stderr
        assert list((project / "cassettes" / "journal" / "leaky").glob("*.frames"))
        assert leaks(project / "cassettes") == []
        second = record(project)
        assert second.returncode == 0, second.stdout + second.stderr
        assert server.requests[0][1]["authorization"] == f"Bearer {KEYS['header']}"  # and yet it was sent
    assert len(list((project / "cassettes").rglob("*.cassette"))) == 1
    assert leaks(project / "cassettes") == []
    for text in (first.stdout, first.stderr, second.stdout, second.stderr):
        assert not any(key in text for key in KEYS.values())


def test_what_was_redacted_replays_identically_without_any_key(project: Path) -> None:
    with serving(play) as server:
        configure(project, server.url)
        assert record(project).returncode == 0
    done = subprocess.run(
        [sys.executable, "-m", "replaylab", "--library", "cassettes", "replay", "--offline", "--json"],
        cwd=project, env={**os.environ, "PYTHONPATH": str(REPO)}, capture_output=True, check=False, timeout=120,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_search_finds_a_key_that_is_there(tmp_path: Path) -> None:
    key = KEYS["stream"].encode()
    for name, data in (
        ("plain", b"x" + key),
        ("cassette", zstandard.ZstdCompressor().compress(b'{"a":"' + key + b'"}')),
        ("escaped", json.dumps(json.dumps({"k": KEYS["stream"]})).replace("x", "\\u0078").encode()),
        ("base64", base64.b64encode(b"ab" + key)),
    ):
        folder = tmp_path / name
        folder.mkdir()
        (folder / f"file.{name}").write_bytes(data)
        assert leaks(folder), name
