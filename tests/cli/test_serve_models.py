from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import urllib.request
from itertools import takewhile
from pathlib import Path

import pytest

from replaylab.builtin.server import serve
from replaylab.cli.config import load
from replaylab.cli.serve_models import toml_table
from tests.cli.conftest import REPO, Call
from tests.playground import responder


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_it_says_where_it_serves_and_ends_cleanly(tmp_path: Path, number: signal.Signals) -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "replaylab", "serve-models", "--port", "0", "--json"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(REPO)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None
        lines = iter(process.stdout.readline, "")
        told = json.loads("".join([*takewhile(lambda line: line != "}\n", lines), "}"]))
        with urllib.request.urlopen(f"{told['base_url']}/models") as response:
            assert [one["id"] for one in json.load(response)["data"]] == told["models"]
        process.send_signal(number)
        out, err = process.communicate(timeout=120)
    finally:
        process.kill()
    assert (process.returncode, out, err) == (0, "", "stopped after 1 request\n")


def test_an_address_that_others_reach_needs_the_option(call: Call) -> None:
    ended = call("serve-models", "--host", "0.0.0.0", "--port", "0")
    assert ended.code == 2
    assert "--public" in ended.err


def test_a_key_that_is_not_set_is_refused(call: Call) -> None:
    ended = call("serve-models", "--api-key-env", "NO_SUCH_KEY", "--port", "0")
    assert ended.code == 2
    assert "NO_SUCH_KEY is not set" in ended.err


def test_the_table_for_the_configuration_is_one_and_names_a_program(tmp_path: Path) -> None:
    path = tmp_path / "replaylab.toml"
    with serve(responder(), "127.0.0.1", 0) as server:
        path.write_text(toml_table(server, "MY_KEY"), encoding="utf-8")
        (model,) = (one for one in load(path).models.values() if one.source == "config")
        assert (model.base_url, model.api_key_env) == (server.base_url, "MY_KEY")
        assert model.settings.model in server.responder.models.programs
        assert model.settings.player == "program"
        assert "api_key_env" not in toml_table(server, "")
