"""A suite that uses pytest-recording keeps its code; its cassettes are runs of a library of ours."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from vcr.request import Request

from replaylab.interop.vcr.persister import Persister
from tests.interop.vcr.made import Server

REPO = Path(__file__).resolve().parents[2]
SUITE = """
import os
import urllib.request
import pytest

def ask(word):
    return urllib.request.urlopen(os.environ["URL"], f"w={word}".encode()).read().decode()

@pytest.mark.vcr
def test_one():
    assert ask("a") != ask("a")

@pytest.mark.vcr
def test_metadata(vcr):
    assert vcr.get_metadata("day", "2026-01-01") == "2026-01-01"
    ask("b")

@pytest.mark.vcr("shared.yaml")
def test_with_an_extra_cassette():
    if not os.environ.get("RECORDING"):
        ask("of the extra one")
    ask("c")
"""
CONFTEST = """
from replaylab.interop.vcr.persister import use_library

def pytest_recording_configure(config, vcr):
    vcr.match_on = (*vcr.match_on, "body")
    use_library(vcr, config.rootpath / "library", config=config)
"""


@pytest.fixture
def live() -> Iterator[Server]:
    found = Server()
    yield found
    found.stop()


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    (tmp_path / "test_suite.py").write_text(SUITE)
    (tmp_path / "conftest.py").write_text(CONFTEST)
    return tmp_path


def run(suite: Path, live: Server, *options: str, recording: bool = False) -> str:
    plugins = ("-p", "pytest_recording.plugin", "-p", "no:cacheprovider")
    env = {
        **os.environ,
        "URL": live.url,
        "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
        "RECORDING": "1" if recording else "",
    }
    env["PYTHONPATH"] = os.pathsep.join([str(REPO), *filter(None, [os.environ.get("PYTHONPATH")])])
    command = [sys.executable, "-m", "pytest", "-q", *plugins, *options]
    done = subprocess.run(
        command, cwd=suite, env=env, capture_output=True, text=True, check=False, timeout=120
    )
    return done.stdout + done.stderr


def test_the_suite_records_and_plays_and_no_file_is_written(suite: Path, live: Server) -> None:
    assert "3 passed" in (said := run(suite, live, "--record-mode=once", recording=True)), said
    assert not list(suite.glob("cassettes*"))
    persister = Persister(suite / "library", base=suite)
    # What another test recorded, as an extra cassette of this one: here under the path that its marker names.
    extra = suite / "cassettes" / "test_suite" / "shared.yaml"
    response = {"status": {"code": 200, "message": "OK"}, "headers": {}, "body": {"string": b"extra"}}
    request = Request("POST", live.url, b"w=of the extra one", {})
    persister.save_cassette(str(extra), {"requests": [request], "responses": [response]}, serializer=None)
    asked = len(live.asked)
    assert "3 passed" in (said := run(suite, live, "--record-mode=none", "--block-network")), said
    assert len(live.asked) == asked


def test_rewrite_begins_anew(suite: Path, live: Server) -> None:
    run(suite, live, "--record-mode=once", "-k", "test_one", recording=True)
    assert len(live.asked) == 2
    assert "1 passed" in (
        said := run(suite, live, "--record-mode=rewrite", "-k", "test_one", recording=True)
    ), said
    assert len(live.asked) == 4
    persister = Persister(suite / "library", base=suite)
    rows, _ = persister._load(str(suite / "cassettes" / "test_suite" / "test_one.yaml"))
    assert [row.pair.content for row in rows] == [b'{"n":2,"got":3}', b'{"n":3,"got":3}']
