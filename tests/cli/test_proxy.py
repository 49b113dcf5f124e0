"""`proxy` from the outside."""

from __future__ import annotations

import json
import re
import signal
from pathlib import Path

import pytest

from tests.capture.proxying import api, ask
from tests.cli.conftest import Call
from tests.cli.test_capture import answer, running

CHAT = "/openai/v1/chat/completions"


def question(text: str) -> bytes:
    return json.dumps({"messages": [{"role": "user", "content": text}]}).encode()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_it_records_until_it_is_stopped_and_plays_under_the_same_name(
    tmp_path: Path, number: signal.Signals
) -> None:
    def session(*words: str) -> tuple[list[bytes], int, str]:
        with running(tmp_path, upstream, "proxy", "--run", "p", "--port", "0", *words) as process:
            assert process.stderr is not None
            found = re.search(r" at (http://\S+) until", process.stderr.readline())
            assert found is not None
            told = ""
            while "/together/v1" not in told:
                line = process.stderr.readline()
                assert line, f"it ended after {told}"
                told += line
            bodies = [ask(found[1], CHAT, question(text)).body for text in asked]
            process.send_signal(number)
            _, err = process.communicate(timeout=120)
            return bodies, process.returncode, told + err

    asked = ["one", "two"]
    with api(answer) as upstream:
        live, code, err = session()
        assert (code, len(upstream.got)) == (0, 2)
        assert f"/openai/v1  asks {upstream.url}/v1" in err
        assert "requests: 2 recorded" in err
        assert "replaylab proxy --run p --offline" in err
        asked = ["two", "one"]
        played, code, _ = session("--offline")
        assert (code, played, len(upstream.got)) == (0, live[::-1], 2)
        asked = ["three"]
        missed, code, err = session("--offline")
    assert code == 3
    assert b"replaylab_miss" in missed[0]
    assert "1 missed" in err


def test_an_address_that_others_reach_needs_the_option(call: Call) -> None:
    ended = call("proxy", "--host", "0.0.0.0", "--port", "0")
    assert ended.code == 2
    assert "--public" in ended.err


def test_two_modes_at_once_are_none(call: Call) -> None:
    ended = call("proxy", "--offline", "--extend")
    assert ended.code == 2
    assert "leave out one" in ended.err


def test_an_endpoint_of_a_recording_is_served_offline_though_no_configuration_names_it(
    tmp_path: Path,
) -> None:
    file = tmp_path / "shop.yaml"
    file.write_text(
        """interactions:
- request: {body: '{"a":1}', headers: {}, method: POST, uri: 'https://shop.example/v1/ask'}
  response: {body: {string: '{"b":2}'}, headers: {content-type: [application/json]}, status: {code: 200, message: OK}}
version: 1
""",
        encoding="utf-8",
    )
    with api(answer) as upstream:
        with running(tmp_path, upstream, "import", "vcr", str(file)) as process:
            process.communicate(timeout=30)
            assert process.returncode == 0
        with running(tmp_path, upstream, "proxy", "--run", "shop", "--port", "0", "--offline") as process:
            assert process.stderr is not None
            found = re.search(r" at (http://\S+) until", process.stderr.readline())
            assert found is not None
            told = ""
            while "/vertex" not in told:
                told += process.stderr.readline()
            body = ask(found[1], "/shop-example/v1/ask", b'{"a":1}').body
            process.send_signal(signal.SIGINT)
            _, err = process.communicate(timeout=20)
    assert (process.returncode, body) == (0, b'{"b":2}'), err
    assert f"  {found[1]}/shop-example\n" in told
