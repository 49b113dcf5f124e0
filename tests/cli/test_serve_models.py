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

from tests.cli.conftest import REPO, Call


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
        out, err = process.communicate(timeout=20)
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
