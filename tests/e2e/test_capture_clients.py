"""The official clients, as they are, in front of a fake of each API: what they get live they get again, chunk for chunk."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from replaylab.capture.routes import Upstream
from replaylab.capture.variables import VENDORS, child_variables, placeholder_keys
from tests.capture import apis
from tests.capture.proxying import KEY, Serving, every_byte, proxied
from tests.capture.proxying import api as serving_api

REPO = Path(__file__).resolve().parents[2]
CLIENTS = Path(os.environ.get("REPLAYLAB_CLIENTS_FOLDER", REPO / "build" / "clients"))
PROGRAMS = REPO / "tests" / "capture" / "clients"
MUST = os.environ.get("REPLAYLAB_CLIENTS") == "1"

# name: (the interpreter, the program, the API, the upstream's mount)
CASES: dict[str, tuple[Path, str, str]] = {
    "openai 3": (Path(sys.executable), "openai_client.py", "openai"),
    "openai 1": (CLIENTS / "openai1" / "bin" / "python", "openai_client.py", "openai"),
    "openai for Node": (CLIENTS / "node" / "node_modules" / "openai", "node_client.mjs", "openai"),
    "anthropic": (CLIENTS / "others" / "bin" / "python", "anthropic_client.py", "anthropic"),
    "google-genai": (CLIENTS / "others" / "bin" / "python", "google_client.py", "gemini"),
}
MOUNTS = {vendor.name: vendor.mount for vendor in VENDORS}
PLACES = [str(one.name) for vendor in VENDORS for one in vendor.variables] + [
    key for vendor in VENDORS for key in vendor.keys
]


def interpreter(name: str) -> list[str]:
    """The command that runs a client's program, or a skip that can't be overlooked."""
    where, program, _ = CASES[name]
    node = shutil.which("node")
    if not where.exists() or (program.endswith(".mjs") and not node):
        said = f"{name} is not installed ({where}): `make clients` installs it. NOT TESTED."
        if MUST:
            pytest.fail(said)
        pytest.skip(said)
    return [node or "node" if program.endswith(".mjs") else str(where), str(PROGRAMS / program)]


def use(command: list[str], serving: Serving, keys: dict[str, str]) -> Any:
    """What the program prints, told where the APIs are as `capture` tells it."""
    kept = {name: value for name, value in os.environ.items() if name not in PLACES}
    told = child_variables(serving.address, serving.app.routes, {}, {})
    env = {**kept, **keys, **told, "CLIENTS_NODE": str(CLIENTS / "node"), "PYTHONWARNINGS": "ignore"}
    ended = subprocess.run(command, env=env, capture_output=True, check=False, timeout=120)
    assert ended.returncode == 0, ended.stderr.decode()[-3000:]
    return json.loads(ended.stdout)


@pytest.mark.parametrize("name", list(CASES))
def test_an_official_client_gets_the_same_again_byte_for_byte(name: str, tmp_path: Path) -> None:
    command, kind = interpreter(name), CASES[name][2]
    keys = dict.fromkeys((key for vendor in VENDORS for key in vendor.keys), KEY)
    if kind == "gemini":
        keys = {"GEMINI_API_KEY": KEY}
    sent: list[tuple[str, list[object]]] = []
    again: list[tuple[str, list[object]]] = []
    with serving_api(getattr(apis, kind)) as upstream:
        base = Upstream.at(kind, upstream.url + MOUNTS[kind], MOUNTS[kind])
        with proxied(tmp_path, base, tap=sent) as serving:
            live = use(command, serving, keys)
    asked = len(upstream.got)
    with proxied(tmp_path, base, mode="offline", tap=again) as serving:
        played = use(command, serving, placeholder_keys({}))
        assert not serving.session.misses
    assert live == played
    assert len(upstream.got) == asked == len(sent) == len(again)
    assert not serving.unplayed
    assert sorted(map(str, sent)) == sorted(map(str, again))
    assert any(len(pieces) > 4 for _, pieces in sent)  # streams, in the pieces in which they came
    assert KEY.encode() not in every_byte(tmp_path)
